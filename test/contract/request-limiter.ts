/** The contract of RequestLimiter. The tests of each adapter run this suite. */

import { describe, expect, it } from 'vitest';
import { plus, SECOND } from '../../core/model/time.ts';
import { NOON } from '../samples.ts';
import { type OpenStores, openForEach } from './opened-stores.ts';

export function requestLimiterContract(name: string, open: OpenStores): void {
  describe(`RequestLimiter: ${name}`, () => {
    const opened = openForEach(open);
    const size = { burst: 3, interval: SECOND };

    it('allows a burst, then one request per interval, for each caller', async () => {
      const { requestLimiter } = opened.stores;
      const take = (seconds: number, caller = 'a') => requestLimiter.take(caller, size, plus(NOON, seconds * SECOND));
      expect([await take(0), await take(0), await take(0), await take(0)]).toEqual([0, 0, 0, SECOND]);
      expect(await take(0, 'b')).toBe(0);
      expect(await take(0.4)).toBe(600);
      expect([await take(1), await take(1)]).toEqual([0, SECOND]);
      expect([await take(60), await take(60), await take(60), await take(60)]).toEqual([0, 0, 0, SECOND]);
    });

    it('says how many requests are used up', async () => {
      const { requestLimiter } = opened.stores;
      const used = (seconds: number) => requestLimiter.used('a', size, plus(NOON, seconds * SECOND));
      expect(await used(0)).toBe(0);
      for (let count = 0; count < 2; count++) await requestLimiter.take('a', size, NOON);
      expect([await used(0), await used(0.5), await used(1), await used(2)]).toEqual([2, 2, 1, 0]);
    });

    it('gives a token back, one of another size too, and never more than a full bucket has', async () => {
      const { requestLimiter } = opened.stores;
      const take = (tokens = 1, seconds = 0) =>
        requestLimiter.take('a', { burst: 3 / tokens, interval: tokens * SECOND }, plus(NOON, seconds * SECOND));
      const giveBack = (tokens = 1) => requestLimiter.giveBack('a', { burst: 3 / tokens, interval: tokens * SECOND });
      await giveBack();
      expect([await take(), await take(2), await take()]).toEqual([0, 0, SECOND]);
      await giveBack(2);
      expect([await take(), await take(), await take()]).toEqual([0, 0, SECOND]);
      await giveBack();
      await giveBack();
      await giveBack();
      await giveBack();
      expect(await requestLimiter.used('a', size, NOON)).toBe(0);
      expect([await take(3, 1), await take(1, 1)]).toEqual([0, SECOND]);
    });

    it('charges beyond an empty bucket, and allows nothing more until that is paid back', async () => {
      const { requestLimiter } = opened.stores;
      const owing = { ...size, debt: 6 };
      const at = (seconds: number) => plus(NOON, seconds * SECOND);
      const charge = (tokens: number, seconds: number) =>
        requestLimiter.charge('a', { burst: 3 / tokens, interval: tokens * SECOND, debt: 6 / tokens }, at(seconds));
      const used = (seconds: number) => requestLimiter.used('a', owing, at(seconds));
      expect([await charge(2, 0), await charge(1, 0), await used(0)]).toEqual([0, 0, 3]);
      expect([await charge(4, 0), await used(0), await used(3), await used(6)]).toEqual([4 * SECOND, 7, 4, 1]);
      expect([await requestLimiter.take('a', owing, at(0)), await requestLimiter.take('a', owing, at(5))]).toEqual([
        5 * SECOND,
        0,
      ]);
      // Never more than the debt, and not for long if the clock was ahead.
      expect(await charge(100, 5)).toBeCloseTo(6 * SECOND, -2);
      expect(await used(5)).toBe(9);
      expect([await used(-60), await charge(1, 60), await used(60)]).toEqual([0, 0, 1]);
    });

    it('keeps the deepest debt, whatever the size of a token', async () => {
      const { requestLimiter } = opened.stores;
      for (const count of [7, 13, 299, 120_000]) {
        const [interval, burst, debt] = [(60 * SECOND) / count, count, 10 * count];
        const whole = { interval: interval * 12 * count, burst: burst / (12 * count), debt: debt / (12 * count) };
        await requestLimiter.charge(`of ${count}`, whole, NOON);
        const used = await requestLimiter.used(`of ${count}`, { interval, burst, debt }, NOON);
        expect(used).toBeGreaterThan(10.9 * count);
        expect(await requestLimiter.charge(`of ${count}`, { interval, burst, debt }, NOON)).toBeGreaterThan(
          599 * SECOND,
        );
      }
    });

    it('loses no charge of concurrent requests', async () => {
      const { requestLimiter } = opened.stores;
      const owing = { ...size, debt: 20 };
      await Promise.all(Array.from({ length: 10 }, () => requestLimiter.charge('a', owing, NOON)));
      expect(await requestLimiter.used('a', owing, NOON)).toBe(10);
    });

    it('does not allow more than the burst to concurrent requests', async () => {
      const { requestLimiter } = opened.stores;
      const waits = await Promise.all([1, 2, 3, 4, 5].map(() => requestLimiter.take('a', size, NOON)));
      expect(waits.filter((wait) => wait === 0)).toHaveLength(3);
    });
  });
}
