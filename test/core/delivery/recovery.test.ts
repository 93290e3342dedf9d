/** A receiver that is back gets everything that waited for it: whole sets, in pages, spread over time. */

import { afterEach, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { rampUp } from '../../../core/delivery/expedite.ts';
import { pause, resume } from '../../../core/delivery/hold.ts';
import { HEALTHY } from '../../../core/delivery/receivers/health.ts';
import { changeHealth, readHealth } from '../../../core/delivery/receivers/subscription-state.ts';
import { replay } from '../../../core/delivery/replay.ts';
import { type RetryAllOptions, type RetryResult, retryAll } from '../../../core/delivery/retry.ts';
import type { Delivery } from '../../../core/model/delivery.ts';
import { between, DAY, HOUR, MINUTE, plus, SECOND, toMillis } from '../../../core/model/time.ts';
import { deliverJob } from '../../deliver-job.ts';
import { delivery, event, NOON, subscription } from '../../samples.ts';
import { openPressure } from './pressure-world.ts';

const MANY = 1_200;

let close: (() => void) | undefined;
afterEach(() => {
  close?.();
  close = undefined;
});

/** A receiver that accepts everything, and many deliveries of this form. */
async function openWith(change: Partial<Delivery>) {
  const world = await openPressure({ answer: () => ({ status: 204 }) });
  close = world.close;
  const opened = Array.from({ length: MANY }, (_, index) => delivery(`old-${index}`, 'ops', change));
  await world.ports.events.record(
    opened.map((_, index) => ({ event: event(`old-${index}`), deliveries: opened.slice(index, index + 1) })),
  );
  const read = () => Promise.all(opened.map(({ id }) => world.ports.deliveries.get(id)));
  return { world, read, dueTimes: async () => (await read()).map((one) => one?.dueAt ?? NOON) };
}

const failed = (number: number, at: string) => ({ number, at, ms: 1, outcome: 'retry' as const });
const WAITING: Partial<Delivery> = {
  attempts: [failed(1, plus(NOON, -HOUR)), failed(2, plus(NOON, -HOUR + 5 * SECOND))],
  dueAt: plus(NOON, DAY),
};

const PENDING = { subscription: 'ops', status: 'pending' } as const;

const setFailing = (ports: Parameters<typeof changeHealth>[0]) =>
  changeHealth(ports, 'ops', 'delivery', () => ({
    ...HEALTHY,
    state: 'failing',
    failingSince: plus(NOON, -DAY),
    circuit: { failures: 9, failedAt: plus(NOON, -MINUTE), pausedUntil: null, probe: null },
  }));

const late = (times: readonly string[]) => times.filter((at) => at >= plus(NOON, DAY)).length;
const perSecond = (times: readonly string[]) =>
  Math.max(
    ...Map.groupBy(times, (at) => Math.floor(toMillis(at) / SECOND))
      .values()
      .map((each) => each.length),
  );

describe('the first success after an outage', () => {
  it('reschedules all waiting deliveries, oldest first and spread', async () => {
    const { world, dueTimes } = await openWith(WAITING);
    await setFailing(world.ports);
    await world.post(1);
    await world.workUntil(plus(NOON, SECOND / 2));
    const times = await dueTimes();
    expect(late(times)).toBe(0);
    expect(times).toEqual(times.toSorted());
    expect(perSecond(times)).toBeLessThanOrEqual(30);
    expect(between(NOON, times.at(-1) ?? NOON)).toBeLessThan(3 * MINUTE);
    expect(await readHealth(world.ports, 'ops')).toMatchObject(HEALTHY);
  });

  it('is continued by a later one if the process dies in between', async () => {
    const { world, dueTimes } = await openWith(WAITING);
    const { ports } = world;
    await setFailing(ports);
    let updates = 0;
    const dying = {
      ...ports.deliveries,
      update: async (...args: Parameters<typeof ports.deliveries.update>) => {
        if (++updates > 150) throw new Error('killed');
        return ports.deliveries.update(...args);
      },
    };
    const send = async () => ({ status: 204 });
    const attempt = async (id: string, deliveries = ports.deliveries) => {
      const one = delivery(id, 'ops');
      await ports.events.record([{ event: event(id), deliveries: [one] }]);
      const job = { kind: 'attempt' as const, delivery: one.id, attempt: 1, group: 'ops' };
      return deliverJob({ ...ports, deliveries, channelFor: () => ({ send }) }, job);
    };
    await expect(attempt('first', dying)).rejects.toThrow('killed');
    expect(late(await dueTimes())).toBeGreaterThan(1_000);
    // Another success right after leaves it to the process that may still be at it.
    world.setNow(plus(NOON, SECOND));
    await attempt('second');
    expect(late(await dueTimes())).toBeGreaterThan(1_000);
    world.setNow(plus(NOON, 6 * MINUTE));
    await attempt('third');
    expect(late(await dueTimes())).toBe(0);
    expect((await readHealth(ports, 'ops')).catchUp).toBeNull();
  });
});

describe('a receiver that fails and succeeds in turn', () => {
  it('has what waits for it read a twentieth of the time, and at its end', async () => {
    const { world, dueTimes } = await openWith(WAITING);
    const { ports } = world;
    let reads = 0;
    const deliveries: typeof ports.deliveries = {
      ...ports.deliveries,
      listIds: async (query) => {
        reads += 1;
        // To read them takes a second.
        world.setNow(plus(ports.clock.now(), SECOND));
        return ports.deliveries.listIds(query);
      },
    };
    const send = async () => ({ status: 204 });
    let attempts = 0;
    const endOutage = async () => {
      await setFailing(ports);
      attempts += 1;
      const one = delivery(`new-${attempts}`, 'ops');
      await ports.events.record([{ event: event(`new-${attempts}`), deliveries: [one] }]);
      const job = { kind: 'attempt' as const, delivery: one.id, attempt: 1, group: 'ops' };
      await deliverJob({ ...ports, deliveries, channelFor: () => ({ send }) }, job);
      world.setNow(plus(ports.clock.now(), SECOND / 4));
    };
    for (let n = 0; n < 100; n++) await endOutage();
    expect(late(await dueTimes())).toBe(0);
    // 25 s passed, and each run is followed by 20 s without one.
    expect(reads).toBe(2);
    world.setNow(plus(ports.clock.now(), MINUTE));
    await endOutage();
    expect(reads).toBe(3);
    expect((await readHealth(ports, 'ops')).catchUp).toBeNull();
  });
});

describe('a person', () => {
  /** Returns the count of each call. */
  async function callUntilEnd(call: (position: number) => Promise<RetryResult>): Promise<readonly number[]> {
    const counts: number[] = [];
    for (let position: number | null = 0; position !== null; ) {
      const { count, next }: RetryResult = await call(position);
      counts.push(count);
      position = next;
    }
    return counts;
  }

  it('retries all failed deliveries of a subscription, spread', async () => {
    const { world, read, dueTimes } = await openWith({ status: 'failed', dueAt: null, settledAt: NOON });
    const all: RetryAllOptions = { subscription: 'ops', status: 'failed' };
    expect(await retryAll(world.ports, { ...all, dryRun: true })).toEqual({ count: MANY, next: null });
    expect(await retryAll(world.ports, { ...all, since: plus(NOON, 1) })).toEqual({ count: 0, next: null });
    expect(await retryAll(world.ports, all)).toEqual({ count: MANY, next: null });
    expect(new Set((await read()).map((one) => one?.status))).toEqual(new Set(['pending']));
    expect(perSecond(await dueTimes())).toBeLessThanOrEqual(30);
    expect(await retryAll(world.ports, all)).toEqual({ count: 0, next: null });
  });

  it.each([
    ['failed', { status: 'failed', dueAt: null, settledAt: NOON }],
    ['held', { status: 'held', dueAt: null }],
    ['pending', WAITING],
  ] as const)('retries all %s deliveries in calls of a limited size, spread as one', async (status, change) => {
    const { world, dueTimes } = await openWith(change);
    const counts = await callUntilEnd((position) =>
      retryAll(world.ports, { subscription: 'ops', status, position, limit: 500 }),
    );
    expect(counts).toEqual([500, 500, 200]);
    const times = await dueTimes();
    expect(perSecond(times)).toBeLessThanOrEqual(30);
    expect(times.at(-1)).toBe(rampUp(NOON, MANY - 1));
    expect(times).toEqual(times.toSorted());
  });

  it.each([
    ['failed', { status: 'failed', dueAt: null, settledAt: NOON }],
    ['held', { status: 'held', dueAt: null }],
    ['pending', WAITING],
  ] as const)('counts all %s deliveries in calls that read a limited number', async (status, change) => {
    const { world } = await openWith(change);
    const results = await callUntilEnd((position) =>
      retryAll(world.ports, { subscription: 'ops', status, position, dryRun: true, maxRead: 500 }),
    );
    expect(results).toEqual([500, 500, 200]);
  });

  it('retries pending deliveries in calls that read a limited number, also if many are due earlier anyway', async () => {
    const { world, dueTimes } = await openWith(WAITING);
    const { deliveries } = world.ports;
    for (const id of (await deliveries.listIds(PENDING)).slice(0, 600)) {
      const one = (await deliveries.get(id)) as Delivery;
      await deliveries.update(one, { ...one, dueAt: NOON });
    }
    let reads = 0;
    const get: typeof deliveries.get = (...args) => {
      reads += 1;
      return deliveries.get(...args);
    };
    const results = await callUntilEnd((position) =>
      retryAll({ ...world.ports, deliveries: { ...deliveries, get } }, { ...PENDING, position, maxRead: 500 }),
    );
    expect(results).toEqual([0, 400, 200]);
    // A call reads one page to see that there is more.
    expect(reads).toBe(MANY + 2 * 100);
    expect((await dueTimes()).at(-1)).toBe(rampUp(NOON, MANY - 1));
  });

  it('retries those since a time, and spreads only these', async () => {
    const { world, read } = await openWith({ status: 'failed', dueAt: null, settledAt: NOON });
    const older = Array.from({ length: MANY }, (_, index) =>
      delivery(`older-${index}`, 'ops', { status: 'failed', dueAt: null, createdAt: plus(NOON, -DAY) }),
    );
    await world.ports.events.record(older.map((one, index) => ({ event: event(`older-${index}`), deliveries: [one] })));
    expect(await retryAll(world.ports, { subscription: 'ops', status: 'failed', since: NOON })).toEqual({
      count: MANY,
      next: null,
    });
    expect((await read()).map((one) => one?.dueAt)).toEqual(
      Array.from({ length: MANY }, (_, index) => rampUp(NOON, index)),
    );
    expect(await world.ports.deliveries.listIds({ subscription: 'ops', status: 'failed' })).toHaveLength(MANY);
  });

  it('does not count or delay a delivery that is due earlier anyway', async () => {
    const soon = plus(NOON, 10 * MINUTE);
    const { world, dueTimes } = await openWith({ ...WAITING, dueAt: soon });
    const first = await world.ports.deliveries.get((await world.ports.deliveries.listIds(PENDING))[0] ?? '');
    await world.ports.deliveries.update(first as Delivery, { ...(first as Delivery), dueAt: plus(NOON, SECOND) });
    expect(await retryAll(world.ports, PENDING)).toEqual({ count: MANY - 1, next: null });
    const times = await dueTimes();
    expect(times[0]).toBe(plus(NOON, SECOND));
    expect(times.filter((at) => at > soon)).toEqual([]);
  });

  it('resumes a subscription with all its held deliveries, spread', async () => {
    const { world, dueTimes } = await openWith({ status: 'held', dueAt: null });
    await pause(world.ports, 'ops');
    expect(await resume(world.ports, 'ops')).toBe(MANY);
    expect(perSecond(await dueTimes())).toBeLessThanOrEqual(30);
    await world.workUntil(plus(NOON, 5 * MINUTE));
    expect(world.count('settled')).toBe(MANY);
  });

  it('replays a large period without a wave', async () => {
    const world = await openPressure({ answer: () => ({ status: 204 }) });
    close = world.close;
    const events = Array.from({ length: MANY }, (_, index) => event(String(index)));
    const opened = await replay({ ...world.ports, channels: channelRegistry }, subscription('ops'), events);
    expect(opened).toHaveLength(MANY);
    await world.workUntil(plus(NOON, 10 * MINUTE));
    expect(world.count('settled')).toBe(MANY);
    expect(perSecond(world.arrivals.map(({ at }) => at))).toBeLessThanOrEqual(40);
  });
});

describe('the rate after an outage', () => {
  it('starts at 10 a second and grows: 10,000 deliveries take five minutes, 100,000 less than 20', () => {
    const seconds = (index: number) => between(NOON, rampUp(NOON, index)) / SECOND;
    expect([0, 9, 11, 10_000, 100_000].map(seconds)).toEqual([0, 0, 1, 291, 1037]);
  });

  it('puts nothing off by more than a day, whatever position a caller names', () => {
    expect([10 ** 9, Number.MAX_SAFE_INTEGER].map((index) => between(NOON, rampUp(NOON, index)))).toEqual([DAY, DAY]);
  });
});
