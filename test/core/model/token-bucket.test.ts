import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plus } from '../../../core/model/time.ts';
import { takeToken } from '../../../core/model/token-bucket.ts';
import { NOON } from '../../samples.ts';

describe('a token bucket', () => {
  it('allows at most the burst and one more per interval, in any period, and never waits for longer than it must', () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 60 });
    const size = fc.record({ burst: fc.integer({ min: 1, max: 5 }), interval: fc.integer({ min: 1, max: 1000 }) });
    fc.assert(
      fc.property(pauses, size, (between, bucket) => {
        const { burst, interval } = bucket;
        const allowed: number[] = [];
        let fullAt: string | undefined;
        let at = 0;
        for (const pause of between) {
          at += pause;
          const result = takeToken(fullAt, bucket, plus(NOON, at));
          if ('wait' in result) {
            expect(result.wait).toBeGreaterThan(0);
            expect(result.wait).toBeLessThanOrEqual(interval);
            expect(takeToken(fullAt, bucket, plus(NOON, at + result.wait))).toHaveProperty('fullAt');
          } else {
            fullAt = result.fullAt;
            allowed.push(at);
          }
        }
        for (const [index, start] of allowed.entries()) {
          for (const [count, end] of allowed.slice(index).entries()) {
            expect(count + 1).toBeLessThanOrEqual(burst + (end - start) / interval + 1e-9);
          }
        }
      }),
    );
  });

  it('is full again if its clock was ahead', () => {
    expect(takeToken(plus(NOON, 3_600_000), { burst: 2, interval: 1000 }, NOON)).toEqual({ fullAt: plus(NOON, 1000) });
  });
});
