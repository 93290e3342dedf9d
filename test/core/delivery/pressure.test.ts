/** Receivers that hang, throttle or fail while deliveries pile up. */

import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { readHealth } from '../../../core/delivery/receivers/subscription-state.ts';
import { attemptsMade } from '../../../core/model/delivery.ts';
import { RetryLater } from '../../../core/model/errors.ts';
import { between, DAY, HOUR, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import { NOON, subscription } from '../../samples.ts';
import { mostWithin, openPressure, type PressureOptions } from './pressure-world.ts';

let closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing) close();
  closing = [];
});

async function open(options: PressureOptions) {
  const world = await openPressure(options);
  closing.push(world.close);
  return world;
}

const throttle = (after: number) => {
  throw new RetryLater('TIDINGS_HTTP_STATUS', '429 from ops.example.com', { after, evidence: { status: 429 } });
};
const fail = () => {
  throw new RetryLater('TIDINGS_HTTP_STATUS', '503 from ops.example.com', { evidence: { status: 503 } });
};

const BACKLOG = 400;

describe('a receiver that hangs, with a backlog', () => {
  it('is called failing within 45 minutes, although hardly any delivery is tried twice', async () => {
    const world = await open({ answer: fail, latency: 15 * SECOND });
    await world.post(BACKLOG);
    await world.workUntil(plus(NOON, 3 * HOUR), async () => (await readHealth(world.ports, 'ops')).state === 'failing');
    const minutes = between(NOON, world.now()) / MINUTE;
    expect(minutes).toBeGreaterThan(20);
    expect(minutes).toBeLessThanOrEqual(45);
    expect(world.arrivals.length).toBeLessThan(40);
  });
});

describe('a receiver that answers 429 with Retry-After: 3600', () => {
  const answer: PressureOptions['answer'] = (_, at) =>
    at < plus(NOON, HOUR) ? throttle(between(at, plus(NOON, HOUR))) : { status: 204 };

  it('gets nothing more for an hour, then one request, and then the rest at a growing rate', async () => {
    const world = await open({ answer });
    await world.post(BACKLOG);
    await world.workUntil(plus(NOON, 59 * MINUTE));
    expect(world.arrivals.length).toBeLessThanOrEqual(8);
    const waiting = await world.ports.deliveries.list({ status: 'pending', limit: 1000 });
    expect(waiting.filter((one) => attemptsMade(one) === 0).length).toBeGreaterThanOrEqual(BACKLOG - 8);
    const before = world.arrivals.length;
    await world.workUntil(plus(NOON, 3 * HOUR));
    expect(world.count('settled')).toBe(BACKLOG);
    const after = world.arrivals.slice(before);
    expect(after).toHaveLength(BACKLOG);
    expect(between(plus(NOON, HOUR), after[0]?.at ?? NOON)).toBeLessThan(2 * SECOND);
    expect(mostWithin(after, 5 * SECOND)).toBeLessThanOrEqual(100);
    expect(between(after[0]?.at ?? NOON, after.at(-1)?.at ?? NOON)).toBeLessThan(5 * MINUTE);
  });

  it('is not called failing', async () => {
    const world = await open({ answer });
    await world.post(20);
    await world.workUntil(plus(NOON, 2 * HOUR), async () => (await readHealth(world.ports, 'ops')).state === 'failing');
    expect(world.now()).toBe(plus(NOON, 2 * HOUR));
    expect(world.count('settled')).toBe(20);
  });

  it('is left alone by a new process', async () => {
    const database = openDatabase(':memory:');
    const first = await open({ answer, database });
    await first.post(BACKLOG);
    await first.workUntil(plus(NOON, 2 * SECOND));
    const second = await openPressure({ answer, database });
    second.setNow(plus(NOON, MINUTE));
    await second.post(5);
    await second.workUntil(plus(NOON, 59 * MINUTE));
    expect(second.arrivals).toEqual([]);
  });

  it('does not slow down another subscription', async () => {
    const world = await open({
      answer: (message, at) => (message.subscription.name === 'ops' ? answer(message, at) : { status: 204 }),
      subscriptions: [subscription('ops'), subscription('other')],
    });
    await world.post(BACKLOG);
    await world.post(BACKLOG, 'other');
    await world.workUntil(plus(NOON, 5 * MINUTE));
    const other = world.arrivals.filter((one) => one.subscription === 'other');
    expect(other).toHaveLength(BACKLOG);
    expect(between(NOON, other.at(-1)?.at ?? NOON)).toBeLessThan(MINUTE);
  });

  it('is tried again when the clock was put back by two days', async () => {
    const world = await open({ answer: (_, at) => (at < NOON ? { status: 204 } : throttle(HOUR)) });
    await world.post(3);
    await world.workUntil(plus(NOON, MINUTE));
    world.setNow(plus(NOON, -2 * DAY));
    await world.post(1);
    await world.workUntil(plus(NOON, -2 * DAY + 10 * MINUTE));
    expect(world.count('settled')).toBe(4);
    expect((await readHealth(world.ports, 'ops')).circuit).toBeNull();
  });
});

describe('a receiver that fails for hours, with a backlog', () => {
  it('gets single probes at growing intervals, and nothing is given up', async () => {
    const world = await open({ answer: (_, at) => (at < plus(NOON, 12 * HOUR) ? fail() : { status: 204 }) });
    await world.post(BACKLOG);
    await world.workUntil(plus(NOON, 12 * HOUR));
    // A wide lane fails at once; then a probe every ten minutes.
    expect(world.arrivals.length).toBeLessThan(100);
    expect(mostWithin(world.arrivals.slice(20), MINUTE)).toBe(1);
    expect(world.count('failed')).toBe(0);
    const before = world.arrivals.length;
    await world.workUntil(plus(NOON, 14 * HOUR));
    expect(world.count('settled')).toBe(BACKLOG);
    const after = world.arrivals.slice(before);
    expect(between(plus(NOON, 12 * HOUR), after[0]?.at ?? NOON)).toBeLessThanOrEqual(11 * MINUTE);
    expect(mostWithin(after, 5 * SECOND)).toBeLessThanOrEqual(100);
  });

  it('costs each waiting delivery few jobs, however long it fails', async () => {
    const world = await open({ answer: fail });
    await world.post(100);
    let jobs = 0;
    const { receive } = world.ports.queue;
    world.ports.queue.receive = async (...args) => {
      const received = await receive(...args);
      jobs += received.length;
      return received;
    };
    await world.workUntil(plus(NOON, 2 * DAY));
    expect(jobs / 100).toBeLessThan(40);
  });
});
