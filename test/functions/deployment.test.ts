/** Functions of a new deployment that run before its `setup`, and a `setup` whose permissions are still propagating. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pause } from '../../core/delivery/hold.ts';
import { MINUTE, SECOND } from '../../core/model/time.ts';
import { type Receiver, startReceiver } from '../e2e/receiver.ts';
import { SECRET, subscription } from '../samples.ts';
import { drainQueue } from './drain.ts';
import { type CapturedOutput, captureOutput } from './lambda-call.ts';
import { OPS, openFunctions, packedConfig, startWorld, type World } from './world.ts';

let world: World;
let output: CapturedOutput;
let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver(SECRET);
  const http = { url: receiver.url, secret: '${OPS}' };
  world = await startWorld({
    source: { announceExisting: true },
    config: { subscriptions: [{ name: 'ops', events: ['task.*'], to: { http } }] },
  });
  output = captureOutput();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all([world.stop(), receiver.close()]);
});

async function pollAndAnnounce(): Promise<void> {
  world.clock.advance(2 * SECOND);
  await world.functions.poll();
  await world.functions.announce(world.changes());
}

const declare = (name: string) =>
  subscription(name, { to: { channel: 'http', settings: { url: receiver.url, secret: OPS } } });

describe('before setup has run', () => {
  it('the events of a new source reach a subscription of the same config', async () => {
    await pollAndAnnounce();
    await drainQueue(world, world.functions.deliver);
    const { events } = await world.stores.events.list({ limit: 100 });
    expect(events.length).toBeGreaterThan(0);
    const forOps = events.filter(({ type }) => type.startsWith('task.'));
    expect(receiver.events.map(({ id }) => id).sort()).toEqual(forOps.map(({ id }) => id).sort());
    const deliveries = await world.stores.deliveries.list({ limit: 100 });
    expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(['settled']));
    await world.functions.setup();
    expect(output.lines('applied the declared subscriptions')).toMatchObject([{ added: ['ops'] }]);
  });

  it('a subscription that the new config removed gets no new events, but its pending deliveries are sent', async () => {
    const options = { source: { announceExisting: true } };
    const http = { url: receiver.url, secret: '${OPS}' };
    const old = { subscriptions: [{ name: 'old', events: ['task.*'], to: { http } }] };
    const withConfig = (config: object) => {
      const packed = packedConfig(world.simulator, { ...options, config: { ...config } });
      return openFunctions({
        ...world.options,
        environment: { ...world.options.environment, TIDINGS_CONFIG: packed },
      });
    };
    // The role may read the secret as long as a subscription of the config has it.
    const other = { subscriptions: [{ name: 'other', events: ['invoice.*'], to: { http } }] };
    const [before, after] = [withConfig(old), withConfig(other)];
    await before.setup();
    world.clock.advance(2 * SECOND);
    await after.poll();
    const changes = [...world.changes()];
    while (world.queues.count() === 0 && changes.length > 0) await before.announce(changes.splice(0, 1));
    await after.announce(changes);
    const records = await world.queues.receive();
    expect(records).toHaveLength(1);
    await expect(withConfig({}).deliver(records)).rejects.toThrow('does not allow secretsmanager:GetSecretValue');
    expect(await world.stores.deliveries.list({ limit: 9 })).toMatchObject([{ status: 'pending', attempts: [{}] }]);
    world.clock.advance(MINUTE);
    await after.tick();
    expect(await after.deliver(await world.queues.receive())).toEqual({ batchItemFailures: [] });
    expect(receiver.events).toHaveLength(1);
  });

  it('a changed filter applies to a stored subscription, and its pause stays', async () => {
    await world.stores.subscriptions.applyDeclared([{ ...declare('ops'), events: ['invoice.*'] }]);
    await pause({ ...world.stores, clock: world.clock }, 'ops');
    await pollAndAnnounce();
    await drainQueue(world, world.functions.deliver);
    expect(receiver.events).toEqual([]);
    const deliveries = await world.stores.deliveries.list({ limit: 100 });
    expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(['held']));
  });

  it('subscriptions added by command still get their events', async () => {
    await world.stores.subscriptions.save({ ...declare('by-hand'), declared: false });
    await pollAndAnnounce();
    const deliveries = await world.stores.deliveries.list({ limit: 100 });
    expect(new Set(deliveries.map(({ subscription: name }) => name))).toEqual(new Set(['ops', 'by-hand']));
  });
});

describe('setup without its permissions', () => {
  /** DynamoDB denies the first `count` requests. */
  function denyFirst(count: number, name = 'AccessDeniedException') {
    let denied = 0;
    const waits: number[] = [];
    world.options.clients?.dynamodb?.middlewareStack.add(
      (send) => async (args) => {
        if (denied >= count) return send(args);
        denied += 1;
        throw Object.assign(new Error('User is not authorized to perform: dynamodb:Query'), { name });
      },
      { step: 'initialize', priority: 'high' },
    );
    const sleep = async (millis: number) => {
      waits.push(millis);
    };
    return { setup: openFunctions({ ...world.options, sleep }).setup, waits };
  }

  it('retries while they propagate', async () => {
    const { setup, waits } = denyFirst(3);
    await setup();
    expect(waits).toEqual([1 * SECOND, 2 * SECOND, 4 * SECOND]);
    expect(output.lines('applied the declared subscriptions')).toMatchObject([{ added: ['ops'] }]);
    expect(output.lines('access denied, new permissions may still be propagating')).toHaveLength(3);
  });

  it('fails after half a minute', async () => {
    const { setup, waits } = denyFirst(Number.POSITIVE_INFINITY);
    await expect(setup()).rejects.toThrow(/not authorized/);
    expect(waits.reduce((sum, wait) => sum + wait)).toBe(31 * SECOND);
  });

  it('fails at once on another error', async () => {
    const { setup, waits } = denyFirst(1, 'ValidationException');
    await expect(setup()).rejects.toThrow(/ValidationException/);
    expect(waits).toEqual([]);
  });
});
