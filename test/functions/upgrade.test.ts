/**
 * A deployment of version 1.0.0 is upgraded to this version, and rolled back, at every step: functions one after the other,
 * writes of `setup`, and data. Each event is recorded and sent once, whichever version continues.
 */

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SECOND } from '../../core/model/time.ts';
import { drainDue } from './drain.ts';
import { installTableKillSwitch } from './kill-switch.ts';
import { captureOutput } from './lambda-call.ts';
import { type OpenReceiver, startOpenReceiver } from './open-receiver.ts';
import { openReleased, type PipelineFunctions } from './released.ts';
import { openFunctions, packedConfig, startWorld, type World } from './world.ts';

let world: World;
let receiver: OpenReceiver;
let released: PipelineFunctions;
let present: PipelineFunctions;

/** What the upgrade changes in the config: `setup` has something to write. */
const EVENTS = { released: ['task.*'], present: ['task.*', 'project.*'] };

beforeEach(async () => {
  receiver = await startOpenReceiver();
  world = await startWorld({ simulator: { tasks: 12 }, config: {} });
  captureOutput();
  const packed = (version: keyof typeof EVENTS) => {
    const http = { url: receiver.url, secret: '${OPS}' };
    return packedConfig(world.simulator, {
      config: { subscriptions: [{ name: 'ops', events: EVENTS[version], to: { http } }] },
    });
  };
  const environment = { ...world.options.environment, TIDINGS_CONFIG: packed('present') };
  released = await openReleased(world.options, packed('released'));
  present = openFunctions({ ...world.options, environment });
  await released.setup();
  await pollAndAnnounce(released);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all([world.stop(), receiver.close()]);
});

let changes = 0;

/** Changes tasks of the account. */
function changeTasks(count: number): void {
  const tasks = world.simulator.account.list('task', {}).map(({ id }) => String(id));
  for (const id of tasks.slice(0, count))
    world.simulator.account.update('task', id, { title: `Changed ${++changes} times` });
}

async function pollAndAnnounce(functions: PipelineFunctions): Promise<void> {
  world.clock.advance(2 * SECOND);
  await functions.poll();
  const records = world.changes();
  if (records.length > 0) await functions.announce(records);
}

/** Every recorded event was sent once, and nothing is left. */
async function expectEachSentOnce(count: number): Promise<void> {
  const { events } = await world.stores.events.list({ limit: 999 });
  const ids = events.filter(({ type }) => type.startsWith('task.')).map(({ id }) => id);
  expect(ids).toHaveLength(count);
  expect(receiver.ids.toSorted()).toEqual(ids.toSorted());
  const deliveries = await world.stores.deliveries.list({ limit: 999 });
  expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(['settled']));
}

describe('an upgrade from 1.0.0', () => {
  it('continues its data: pending deliveries are sent once, and no change is announced again', async () => {
    changeTasks(4);
    await pollAndAnnounce(released);
    await present.setup();
    await pollAndAnnounce(present);
    await drainDue(world, present);
    await expectEachSentOnce(4);
    changeTasks(2);
    await pollAndAnnounce(present);
    await drainDue(world, present);
    await expectEachSentOnce(6);
  });

  it('is rolled back with what it wrote: 1.0.0 sends it once, and announces no change again', async () => {
    await present.setup();
    changeTasks(4);
    await pollAndAnnounce(present);
    await released.setup();
    await pollAndAnnounce(released);
    await drainDue(world, released);
    await expectEachSentOnce(4);
    changeTasks(2);
    await pollAndAnnounce(released);
    await drainDue(world, released);
    await expectEachSentOnce(6);
  });

  it('can stop at every step and be rolled back', async () => {
    // The order in which CloudFormation changes them.
    const steps = ['deliver', 'announce', 'tick', 'poll', 'setup'] as const;
    let sent = 0;
    for (let step = 0; step <= steps.length; step++) {
      const changed = steps.slice(0, step).map((name) => [name, present[name]] as const);
      const mixed = { ...released, ...Object.fromEntries(changed) };
      changeTasks(2);
      await pollAndAnnounce(mixed);
      if (step === steps.length) await mixed.setup();
      // What is pending is left to the version before.
      if (step % 2 === 0) await drainDue(world, mixed);
      await released.setup();
      await drainDue(world, released);
      sent += 2;
      await expectEachSentOnce(sent);
    }
  });

  it.each([
    ['1.0.0', 'released'],
    ['this version', 'present'],
  ] as const)('can be killed at every write of setup, and is continued by %s', async (_, next) => {
    const kills = installTableKillSwitch(world.options.clients?.dynamodb ?? world.tables.client);
    const functions = { released, present }[next];
    let sent = 0;
    for (let write = 0, isKilled = true; isKilled; write++) {
      changeTasks(2);
      await pollAndAnnounce(released);
      isKilled = await kills.killAt(write, present.setup);
      await functions.setup();
      await pollAndAnnounce(functions);
      await drainDue(world, functions);
      sent += 2;
      await expectEachSentOnce(sent);
      await released.setup();
    }
  });
});

describe('a version that knows the index of open records not yet', () => {
  /** 1.0.0 writes it: the versions before left the attribute out. */
  function withoutIndex(client: DynamoDBClient): DynamoDBClient {
    client.middlewareStack.add(
      (next) => (args) => {
        const { standing: _, ...Item } = (args.input as { Item?: Record<string, unknown> }).Item ?? {};
        return next('Item' in args.input ? { ...args, input: { ...args.input, Item } } : args);
      },
      { step: 'initialize' },
    );
    return client;
  }

  const listOpen = async () => {
    const ids: string[] = [];
    for await (const { key } of world.stores.snapshots.listOpen('main', 'task')) ids.push(key.id);
    return ids;
  };

  it('leaves no gap in it: what it wrote between two upgrades is added by the next digest', async () => {
    const clients = { ...world.options.clients, dynamodb: withoutIndex(world.tables.connect()) };
    const config = world.options.environment?.TIDINGS_CONFIG ?? '';
    const older = await openReleased({ ...world.options, clients }, config);
    const { account } = world.simulator;
    const [first = '', second = '', third = ''] = account
      .list('task', { excludeclosed: 't' })
      .map(({ id }) => String(id));
    const makeOverdue = (id: string) => account.update('task', id, { datedue: '2026-01-05' });
    makeOverdue(first);
    await pollAndAnnounce(present);
    const all = await listOpen();
    expect(all).toContain(first);
    makeOverdue(second);
    await pollAndAnnounce(older);
    // Before the upgraded version has polled.
    expect((await listOpen()).toSorted()).toEqual([...new Set([...all, second])].toSorted());
    makeOverdue(third);
    await pollAndAnnounce(older);
    await pollAndAnnounce(present);
    const complete = [...new Set([...all, second, third])].toSorted();
    expect((await listOpen()).toSorted()).toEqual(complete);
    // From then on the index alone is read.
    expect((await listOpen()).toSorted()).toEqual(complete);
    clients.dynamodb.destroy();
  });
});
