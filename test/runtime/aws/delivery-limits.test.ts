import { describe, expect, it } from 'vitest';
import { fixedClock, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import type { RateLimiter } from '../../../core/ports/rate-limiter.ts';
import { shareRateLimit } from '../../../runtime/aws/delivery-limits.ts';
import { NOON } from '../../samples.ts';

const later = (millis: number) => plus(NOON, millis);

/** Has no free slot in time. Each call returns the next of these offsets as the first free slot. */
function fullUntil(...firstFree: readonly number[]): RateLimiter {
  const remaining = [...firstFree];
  return { reserve: async () => ({ next: later(remaining.shift() ?? 0) }) };
}

const share = (rateLimiter: RateLimiter) =>
  shareRateLimit(
    { rateLimiter, clock: fixedClock(NOON), limits: () => ({ concurrency: 1, rate: { count: 1, per: SECOND } }) },
    () => 0,
  );

describe('attempts without a free slot', () => {
  it('are rescheduled one interval apart, and never before the first free slot', async () => {
    const reserveSlot = share(fullUntil(MINUTE, MINUTE, 2 * MINUTE, 2 * MINUTE));
    const slots = [];
    for (let call = 0; call < 4; call++) slots.push(await reserveSlot('team'));
    expect(slots).toEqual([MINUTE, MINUTE + SECOND, 2 * MINUTE, 2 * MINUTE + SECOND].map(later));
  });

  it('are rescheduled independently for each subscription', async () => {
    const reserveSlot = share(fullUntil(MINUTE, MINUTE));
    expect([await reserveSlot('team'), await reserveSlot('ops')]).toEqual([later(MINUTE), later(MINUTE)]);
  });
});
