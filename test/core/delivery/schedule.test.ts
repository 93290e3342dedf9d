import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextDelay, RETRY_DELAYS } from '../../../core/delivery/schedule.ts';
import { HOUR, MINUTE } from '../../../core/model/time.ts';

describe('nextDelay', () => {
  it('follows the schedule: 10 attempts over 75 h 35 min and 5 s', () => {
    expect(RETRY_DELAYS.map((delay, index) => nextDelay(index + 1, 0.5) === delay)).toEqual(Array(9).fill(true));
    expect(RETRY_DELAYS.reduce((sum, delay) => sum + delay)).toBe(75 * HOUR + 35 * MINUTE + 5000);
  });

  it('has no delay after the tenth attempt', () => {
    expect(nextDelay(10, 0.5)).toBeUndefined();
    expect(nextDelay(11, 0.5, HOUR)).toBeUndefined();
  });

  it('varies each delay by at most 20 %', () => {
    const jitter = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), jitter, (failed, jitter) => {
        const plain = RETRY_DELAYS[failed - 1] ?? 0;
        const delay = nextDelay(failed, jitter) ?? 0;
        expect(delay).toBeGreaterThanOrEqual(plain * 0.8 - 1);
        expect(delay).toBeLessThanOrEqual(plain * 1.2 + 1);
      }),
    );
  });

  it('waits as long as the receiver asks, but at most a day and at least as long as the schedule', () => {
    expect(nextDelay(1, 0.5, MINUTE)).toBe(MINUTE);
    expect(nextDelay(1, 0.5, 1000 * HOUR)).toBe(24 * HOUR);
    expect(nextDelay(2, 0.5, 1)).toBe(5 * MINUTE);
  });
});
