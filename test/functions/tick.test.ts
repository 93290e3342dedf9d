/** Ticking as a function: how much it does in one call, and how late it finds itself. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { QUEUE_GRACE } from '../../core/model/delivery.ts';
import { SECOND } from '../../core/model/time.ts';
import { delivery, event } from '../samples.ts';
import { listen, type Said } from './lambda-call.ts';
import { startWorld, type World } from './world.ts';

let world: World;
let said: Said;

beforeEach(async () => {
  world = await startWorld({ config: {} });
  said = listen();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await world.stop();
});

/** Deliveries that are due at the world's now. */
async function owe(count: number): Promise<void> {
  const dueAt = world.clock.now();
  const ids = Array.from({ length: count }, (_, n) => String(n));
  await world.stores.events.record(
    ids.map((id) => ({ event: event(id), deliveries: [delivery(id, 'ops', { dueAt })] })),
  );
}

describe('tick', () => {
  it('queues what is due, and measures how long it had been', async () => {
    await owe(3);
    world.clock.advance(42 * SECOND);
    await world.functions.tick();
    expect(world.queues.waiting()).toHaveLength(3);
    expect(said.lines('processed due entries')).toMatchObject([{ due: 3 }]);
    expect(said.metric('OldestDue')).toEqual([42]);
    expect(said.dimensions()).toEqual([{ service: 'tidings', function: 'tick' }]);
  });

  it('has the queue hand over at its second what is due before the next tick, and queues it once', async () => {
    await owe(1);
    world.clock.advance(-40 * SECOND);
    await world.functions.tick();
    expect(world.queues.waiting()).toEqual([]);
    const [wait = 0, ...others] = world.queues.later();
    expect(others).toEqual([]);
    expect(wait).toBeGreaterThan(35);
    expect(wait).toBeLessThanOrEqual(41);
    expect(said.metric('OldestDue')).toEqual([0]);
    world.clock.advance(60 * SECOND);
    await world.functions.tick();
    expect([...world.queues.waiting(), ...world.queues.later()]).toHaveLength(1);
    // Where nobody attempts it, it is queued once more.
    world.clock.advance(QUEUE_GRACE);
    await world.functions.tick();
    expect(world.queues.waiting()).toHaveLength(1);
  });

  it('leaves to the next tick what is due after it', async () => {
    await owe(1);
    world.clock.advance(-70 * SECOND);
    await world.functions.tick();
    expect([...world.queues.waiting(), ...world.queues.later()]).toEqual([]);
  });

  it('finds itself in time when nothing is due, and says nothing', async () => {
    await world.functions.tick();
    expect(said.metric('OldestDue')).toEqual([0]);
    expect(said.lines('processed due entries')).toEqual([]);
  });

  it('goes on while there is a batch more, but begins none when little time is left', async () => {
    await owe(520);
    await world.functions.tick();
    expect(said.lines('processed due entries')).toMatchObject([{ due: 520 }]);
    expect(world.queues.waiting()).toHaveLength(520);
    // Nobody attempts them: all are due once more.
    world.clock.advance(QUEUE_GRACE + SECOND);
    await world.functions.tick({ time: 15 * SECOND });
    await world.functions.tick();
    expect(said.lines('processed due entries').map(({ due }) => due)).toEqual([520, 500, 20]);
  });
});
