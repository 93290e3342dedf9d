/**
 * A deployment that renames a subscription and is rolled back: CloudFormation runs `setup` of the previous config again.
 * Whichever write of `setup` is the last one, each pending delivery is sent once.
 */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { pause, resume } from '../../core/delivery/hold.ts';
import { readFreshHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { SECOND } from '../../core/model/time.ts';
import { delivery, event } from '../samples.ts';
import { drainDue } from './drain.ts';
import { installTableKillSwitch, type TableKillSwitch } from './kill-switch.ts';
import { type CapturedOutput, captureOutput } from './lambda-call.ts';
import { type OpenReceiver, startOpenReceiver } from './open-receiver.ts';
import { openFunctions, packedConfig, startWorld, type World } from './world.ts';

type Functions = World['functions'];

let world: World;
let receiver: OpenReceiver;
let output: CapturedOutput;
let kills: TableKillSwitch;
let before: Functions;
let after: Functions;

beforeEach(async () => {
  receiver = await startOpenReceiver();
  world = await startWorld({ simulator: { tasks: 3 }, config: {} });
  output = captureOutput();
  const dynamodb = world.options.clients?.dynamodb ?? world.tables.client;
  kills = installTableKillSwitch(dynamodb);
  before = deploy({ name: 'ops' });
  after = deploy({ name: 'on-call', renamedFrom: 'ops' });
  await before.setup();
  await before.poll();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all([world.stop(), receiver.close()]);
});

/** The functions of a deployment whose config has this subscription. */
function deploy(named: { readonly name: string; readonly renamedFrom?: string }): Functions {
  const http = { url: receiver.url, secret: '${OPS}' };
  const config = { subscriptions: [{ ...named, events: ['task.*'], to: { http } }] };
  const packed = packedConfig(world.simulator, { config });
  return openFunctions({ ...world.options, environment: { ...world.options.environment, TIDINGS_CONFIG: packed } });
}

let recorded = 0;

/** Three pending deliveries of a subscription. Returns the ids of their events. */
async function recordBacklog(name: string): Promise<readonly string[]> {
  const ids = Array.from({ length: 3 }, () => String(++recorded));
  const dueAt = world.clock.now();
  const deliveries = ids.map((id) => ({ event: event(id), deliveries: [{ ...delivery(id, name), dueAt }] }));
  await world.stores.events.record(deliveries);
  return ids.map((id) => event(id).id);
}

const sentIds = () => receiver.ids.toSorted();
const unsent = async () =>
  (await world.stores.deliveries.list({ limit: 999 })).filter((one) => one.status !== 'settled');
const names = async () => (await world.stores.subscriptions.list()).map(({ name }) => name);

/** The state that the next run of a test starts with. */
async function forgetRenames(): Promise<void> {
  await world.stores.subscriptions.update('ops', ({ formerNames: _, ...ops }) => ops);
  receiver.ids.length = 0;
}

describe('a rename that is rolled back', () => {
  it('leaves the backlog to the former name', async () => {
    const expected = await recordBacklog('ops');
    await pause({ ...world.stores, clock: world.clock }, 'ops');
    await after.setup();
    await before.setup();
    expect(output.lines('a removed subscription leaves deliveries unsent')).toEqual([]);
    expect(output.lines('moved the deliveries of a renamed subscription')).toMatchObject([
      { from: 'ops', to: 'on-call', deliveries: 3 },
      { from: 'on-call', to: 'ops', deliveries: 3 },
    ]);
    expect(await names()).toEqual(['ops']);
    expect(await readFreshHealth(world.stores, 'ops')).toMatchObject({ state: 'paused' });
    await drainDue(world, before);
    expect(sentIds()).toEqual([]);
    await resume({ ...world.stores, clock: world.clock, channels: channelRegistry }, 'ops');
    await drainDue(world, before);
    expect(sentIds()).toEqual([...expected].sort());
    // The next deployment changes nothing more.
    await before.setup();
    expect(output.lines('applied the declared subscriptions').at(-1)).toMatchObject({ changed: [], removed: [] });
  });

  it('sends each delivery once, whichever write of the renaming setup was its last', async () => {
    const writes = await kills.count(async () => {
      await recordBacklog('ops');
      await after.setup();
    });
    await before.setup();
    await drainDue(world, before);
    await forgetRenames();
    expect(writes).toBeGreaterThan(4);
    for (let write = 0; write <= writes; write++) {
      const expected = [...(await recordBacklog('ops')), ...(await recordBacklog('ops'))];
      await kills.killAt(write, after.setup);
      if (write % 2 === 0) await drainDue(world, after);
      await before.setup();
      await drainDue(world, before);
      expect({ write, sent: sentIds(), unsent: await unsent() }).toEqual({ write, sent: expected.sort(), unsent: [] });
      await forgetRenames();
    }
  });

  it.each([
    ['back', 'before', 'ops'],
    ['forward', 'after', 'on-call'],
  ] as const)(
    'sends each delivery once, whichever write of the restoring setup was its last, then %s',
    async (_, next, name) => {
      const functions = { before, after }[next];
      for (let write = 0, isKilled = true; isKilled; write++) {
        const expected = [...(await recordBacklog('ops'))];
        await after.setup();
        isKilled = await kills.killAt(write, before.setup);
        await functions.setup();
        expect(await names()).toEqual([name]);
        await drainDue(world, functions);
        expect({ write, sent: sentIds(), unsent: await unsent() }).toEqual({
          write,
          sent: expected.sort(),
          unsent: [],
        });
        await before.setup();
        await forgetRenames();
      }
    },
  );

  it('leaves nothing under the new name if setup did not run', async () => {
    const tasks = world.simulator.account.list('task', {}).map(({ id }) => String(id));
    await pause({ ...world.stores, clock: world.clock }, 'ops');
    for (const id of tasks) world.simulator.account.update('task', id, { title: 'Changed while a deployment runs' });
    world.clock.advance(2 * SECOND);
    await after.poll();
    await after.announce(world.changes());
    await drainDue(world, after);
    expect(receiver.ids).toEqual([]);
    const opened = await world.stores.deliveries.list({ limit: 99 });
    expect(opened.map(({ subscription, status }) => [subscription, status])).toEqual(tasks.map(() => ['ops', 'held']));
  });
});
