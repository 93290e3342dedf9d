import { describe, expect, it } from 'vitest';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import type { SendSlot } from '../../../core/model/delivery.ts';
import type { Rate } from '../../../core/model/subscription.ts';
import { DAY, fixedClock, HOUR, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import { openDeliveryLimits, shareRateLimit } from '../../../runtime/aws/delivery-limits.ts';
import { NOON, subscription } from '../../samples.ts';

const later = (millis: number) => plus(NOON, millis);

const RATE: Rate = { count: 1, per: SECOND };

/** Books one slot after the other, an hour ahead. */
function setUp(
  {
    rate,
    reset,
    isFull = false,
  }: {
    readonly rate?: Rate;
    readonly reset?: 'rate' | 'clock';
    readonly isFull?: boolean;
  } = { rate: RATE },
) {
  const booked: string[] = [];
  const resets: string[] = [];
  const takeSlot = shareRateLimit(
    {
      rateLimiter: {
        book: async (receiver, { interval, latest }) => {
          expect(latest).toBe(later(30 * DAY));
          booked.push(receiver);
          if (isFull) return undefined;
          return { at: later(HOUR + booked.length), interval, ...(reset && { reset }) };
        },
        endReset: async () => {},
      },
      clock: fixedClock(NOON),
      limits: () => ({ concurrency: 1, rate }),
      onReset: async (subscription) => void resets.push(subscription),
    },
    () => 0,
  );
  return { booked, resets, take: (slot?: SendSlot) => takeSlot({ subscription: 'team', slot }) };
}

describe('the slot of a delivery', () => {
  it('is booked up to a month ahead', async () => {
    const { take } = setUp();
    expect(await take()).toEqual({ at: later(HOUR + 1), interval: SECOND });
  });

  it('is not booked if it comes too late', async () => {
    const { take } = setUp({ rate: RATE, isFull: true });
    expect(await take()).toBe('too-late');
  });

  it('is not booked twice', async () => {
    const { booked, take } = setUp();
    const slot = { at: later(MINUTE), interval: SECOND };
    expect(await take(slot)).toEqual(slot);
    expect(booked).toEqual([]);
  });

  it('is used when it has come, up to a minute late', async () => {
    const { booked, take } = setUp();
    expect(await take({ at: NOON, interval: SECOND })).toBeUndefined();
    expect(await take({ at: later(-MINUTE), interval: SECOND })).toBeUndefined();
    expect(booked).toEqual([]);
  });

  it('is booked again after a longer outage, so that a backlog is not sent at once', async () => {
    const { take } = setUp();
    expect(await take({ at: later(-2 * MINUTE), interval: SECOND })).toEqual({ at: later(HOUR + 1), interval: SECOND });
  });

  it('is booked again if the rate has changed', async () => {
    const { take } = setUp();
    expect(await take({ at: NOON, interval: MINUTE })).toEqual({ at: later(HOUR + 1), interval: SECOND });
  });

  it('is not needed without a rate', async () => {
    const { booked, take } = setUp({});
    expect(await take({ at: later(HOUR), interval: SECOND })).toBeUndefined();
    expect(booked).toEqual([]);
  });

  it('reports that earlier slots do not count any more', async () => {
    const { resets, take } = setUp({ rate: RATE, reset: 'rate' });
    expect(await take()).toEqual({ at: later(HOUR + 1), interval: SECOND });
    expect(resets).toEqual(['team']);
  });
});

describe('the limits of subscriptions', () => {
  it('are read for those of a batch, again after two seconds, and kept when a read fails', async () => {
    const stored = new Map([['ops', subscription('ops', { concurrency: 3 })]]);
    let reads = 0;
    const get = async (name: string) => {
      reads += 1;
      if (reads === 4) throw new Error('no response');
      return stored.get(name);
    };
    let now = 0;
    const { limits, readLimits, lanes } = openDeliveryLimits({ get }, channelRegistry, () => now);
    expect(limits('ops')).toEqual({ concurrency: 1 });
    await readLimits?.(['ops', 'ops', 'removed', 'slack C1']);
    await readLimits?.(['ops', 'removed']);
    expect(reads).toBe(2);
    expect(limits('ops')).toEqual({ concurrency: 3, isOwn: true });
    expect(limits('removed')).toEqual({ concurrency: 1 });
    stored.set('ops', subscription('ops', { concurrency: 5 }));
    now += 2 * SECOND;
    await readLimits?.(['ops']);
    expect(limits('ops')).toMatchObject({ concurrency: 5 });
    now += 2 * SECOND;
    await readLimits?.(['ops']);
    expect(limits('ops')).toMatchObject({ concurrency: 5 });
    expect(lanes.room('ops', 0)).toBeGreaterThan(0);
  });

  it('are missing without a read that succeeded: the attempt fails then', async () => {
    const get = async () => {
      throw new Error('no response');
    };
    const { readLimits } = openDeliveryLimits({ get }, channelRegistry);
    await expect(readLimits?.(['ops'])).rejects.toThrow('no response');
  });

  it('are remembered of the subscriptions of a batch, however many there were before', async () => {
    const get = async (name: string) => subscription(name, { concurrency: 3 });
    const { limits, readLimits } = openDeliveryLimits({ get }, channelRegistry, () => 0);
    const names = Array.from({ length: 1001 }, (_, n) => `s${n}`);
    for (const name of names) await readLimits?.([name]);
    await readLimits?.(['s1000', 'another']);
    expect(['s0', 's1', 's1000', 'another'].map((name) => limits(name).isOwn)).toEqual([
      undefined,
      undefined,
      true,
      true,
    ]);
  });
});
