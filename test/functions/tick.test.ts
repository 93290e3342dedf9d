/** The tick function: how much it does in one invocation, and how it measures its delay. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { healthKey } from '../../core/delivery/receivers/health.ts';
import { changeHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { QUEUE_GRACE } from '../../core/model/delivery.ts';
import { DAY, MINUTE, SECOND, toMillis } from '../../core/model/time.ts';
import { delivery, event } from '../samples.ts';
import { type CapturedOutput, captureOutput } from './lambda-call.ts';
import { startWorld, type World } from './world.ts';

let world: World;
let output: CapturedOutput;

beforeEach(async () => {
  world = await startWorld({ config: {} });
  output = captureOutput();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await world.stop();
});

/** 03:40 UTC, in minutes, and half a minute: the clock of the machine goes on. */
const SWEPT_AT = 3 * 60 + 40.5;

/** Deliveries that are due now. */
async function owe(count: number): Promise<void> {
  const dueAt = world.clock.now();
  const ids = Array.from({ length: count }, (_, n) => String(n));
  await world.stores.events.record(
    ids.map((id) => ({ event: event(id), deliveries: [delivery(id, 'ops', { dueAt })] })),
  );
}

describe('tick', () => {
  it('queues due deliveries, and measures how late they are', async () => {
    await owe(3);
    world.clock.advance(42 * SECOND);
    await world.functions.tick();
    expect(world.queues.waiting()).toHaveLength(3);
    expect(output.lines('processed due entries')).toMatchObject([{ due: 3 }]);
    const [oldest = 0, ...others] = output.metric('OldestDue');
    expect(others).toEqual([]);
    expect(oldest).toBeGreaterThanOrEqual(42);
    expect(oldest).toBeLessThan(60);
    expect(output.dimensions()).toEqual([{ service: 'tidings', function: 'tick' }]);
  });

  it('queues deliveries that are due before the next tick once, delayed to their second', async () => {
    await owe(1);
    world.clock.advance(-40 * SECOND);
    await world.functions.tick();
    expect(world.queues.waiting()).toEqual([]);
    const [wait = 0, ...others] = world.queues.later();
    expect(others).toEqual([]);
    expect(wait).toBeGreaterThan(20);
    expect(wait).toBeLessThanOrEqual(41);
    expect(output.metric('OldestDue')).toEqual([0]);
    world.clock.advance(60 * SECOND);
    await world.functions.tick();
    expect([...world.queues.waiting(), ...world.queues.later()]).toHaveLength(1);
    // Without an attempt it is queued again.
    world.clock.advance(QUEUE_GRACE);
    await world.functions.tick();
    expect(world.queues.waiting()).toHaveLength(1);
  });

  it('gives the health of subscriptions that are gone an end, once a day', async () => {
    const ports = { snapshots: world.stores.snapshots, clock: world.clock };
    await changeHealth(ports, 'gone', 'person', (before) => ({ ...before, muted: ['ann@example.com'] }));
    const row = () => world.stores.snapshots.get(healthKey('gone'));
    const minuteOfDay = (toMillis(world.clock.now()) % DAY) / MINUTE;
    world.clock.advance((((SWEPT_AT - minuteOfDay + 24 * 60) % (24 * 60)) - 2) * MINUTE);
    await world.functions.tick();
    expect(await row()).toMatchObject({ version: 1 });
    world.clock.advance(2 * MINUTE);
    await world.functions.tick();
    expect(await row()).toMatchObject({ version: 2, expiresAt: expect.any(String) });
  });

  it('leaves later deliveries to the next tick', async () => {
    await owe(1);
    world.clock.advance(-70 * SECOND);
    await world.functions.tick();
    expect([...world.queues.waiting(), ...world.queues.later()]).toEqual([]);
  });

  it('reports no delay and logs nothing when nothing is due', async () => {
    await world.functions.tick();
    expect(output.metric('OldestDue')).toEqual([0]);
    expect(output.lines('processed due entries')).toEqual([]);
  });

  it('continues while there are more batches, but starts none with little time left', async () => {
    await owe(520);
    await world.functions.tick();
    expect(output.lines('processed due entries')).toMatchObject([{ due: 520 }]);
    expect(world.queues.waiting()).toHaveLength(520);
    // Without attempts all are due again.
    world.clock.advance(QUEUE_GRACE + SECOND);
    await world.functions.tick({ time: 15 * SECOND });
    await world.functions.tick();
    expect(output.lines('processed due entries').map(({ due }) => due)).toEqual([520, 500, 20]);
  });
});
