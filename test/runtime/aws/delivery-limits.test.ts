import { describe, expect, it } from 'vitest';
import { fixedClock, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import type { RateLimiter } from '../../../core/ports/rate-limiter.ts';
import { shareRateLimit } from '../../../runtime/aws/delivery-limits.ts';
import { NOON } from '../../samples.ts';

const later = (millis: number) => plus(NOON, millis);

/** Nothing is free in time: the first that is stands where others have left it when somebody asks. */
function takenUntil(...firstFree: readonly number[]): RateLimiter {
  const left = [...firstFree];
  return { reserve: async () => ({ next: later(left.shift() ?? 0) }) };
}

const turnsOf = (turns: RateLimiter) =>
  shareRateLimit(
    { turns, clock: fixedClock(NOON), limits: () => ({ concurrency: 1, rate: { count: 1, per: SECOND } }) },
    () => 0,
  );

describe('those who have to go', () => {
  it('get places a turn apart, and none before what others have taken meanwhile', async () => {
    const turnOf = turnsOf(takenUntil(MINUTE, MINUTE, 2 * MINUTE, 2 * MINUTE));
    const places = [];
    for (let asked = 0; asked < 4; asked++) places.push(await turnOf('team'));
    expect(places).toEqual([MINUTE, MINUTE + SECOND, 2 * MINUTE, 2 * MINUTE + SECOND].map(later));
  });

  it('leave the places of another receiver alone', async () => {
    const turnOf = turnsOf(takenUntil(MINUTE, MINUTE));
    expect([await turnOf('team'), await turnOf('ops')]).toEqual([later(MINUTE), later(MINUTE)]);
  });
});
