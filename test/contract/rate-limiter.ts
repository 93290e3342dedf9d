/** The contract of RateLimiter. The tests of each adapter run this suite. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, plus, SECOND } from '../../core/model/time.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';
import { NOON } from '../samples.ts';

export interface OpenedRateLimiters {
  /** One per sending process. */
  readonly turns: readonly [RateLimiter, RateLimiter];
  readonly close: () => Promise<void>;
}

export function rateLimiterContract(name: string, open: () => Promise<OpenedRateLimiters>): void {
  describe(`RateLimiter: ${name}`, () => {
    let opened: OpenedRateLimiters;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(async () => opened.close());

    const later = (millis: number) => plus(NOON, millis);
    /** Any slot can be used. */
    const every = (interval: number) => ({ interval, until: NOON, from: NOON });

    it('books consecutive slots', async () => {
      const [here, there] = opened.turns;
      expect(await here.book('ops', every(SECOND), NOON)).toEqual({ at: NOON, interval: SECOND });
      expect(await there.book('ops', every(SECOND), NOON)).toEqual({ at: later(SECOND), interval: SECOND });
      expect((await here.book('ops', every(SECOND), later(300)))?.at).toBe(later(2000));
      expect((await there.book('ops', every(SECOND), later(9000)))?.at).toBe(later(9000));
    });

    it('has separate slots for each receiver', async () => {
      const [here, there] = opened.turns;
      await here.book('ops', every(SECOND), NOON);
      expect((await there.book('chat', every(SECOND), NOON))?.at).toBe(NOON);
    });

    it('books slots however far ahead', async () => {
      const [here, there] = opened.turns;
      await here.book('ops', every(DAY), NOON);
      await there.book('ops', every(DAY), NOON);
      expect((await here.book('ops', every(DAY), NOON))?.at).toBe(later(2 * DAY));
    });

    it('books no slot that comes too late, and leaves it to the next caller', async () => {
      const [here, there] = opened.turns;
      const soon = { ...every(DAY), latest: later(DAY) };
      const slots = [];
      for (const limiter of [here, there, here, there]) slots.push((await limiter.book('ops', soon, NOON))?.at);
      expect(slots).toEqual([NOON, later(DAY), undefined, undefined]);
      expect((await here.book('ops', every(DAY), NOON))?.at).toBe(later(2 * DAY));
    });

    it('books no slot that the caller can neither wait for nor schedule', async () => {
      const [here, there] = opened.turns;
      const request = { interval: SECOND, until: later(SECOND), from: later(MINUTE) };
      const slots = [];
      for (const limiter of [here, there, here, there]) slots.push((await limiter.book('ops', request, NOON))?.at);
      expect(slots).toEqual([NOON, later(SECOND), later(MINUTE), later(MINUTE + SECOND)]);
    });

    it('starts again from now when the rate changes, and says so until the end of it if slots were booked ahead', async () => {
      const [here, there] = opened.turns;
      for (let slots = 0; slots < 3; slots++) await here.book('ops', every(HOUR), NOON);
      expect(await there.book('ops', every(SECOND), later(MINUTE))).toEqual({
        at: later(MINUTE + SECOND),
        interval: SECOND,
        reset: 'rate',
      });
      const book = (limiter: RateLimiter, interval = SECOND) => limiter.book('ops', every(interval), later(MINUTE));
      expect(await book(here)).toEqual({ at: later(MINUTE + 2 * SECOND), interval: SECOND, reset: 'rate' });
      await here.endReset('ops', HOUR);
      expect((await book(there))?.reset).toBe('rate');
      // Those of both rates before do not count.
      expect((await book(there, MINUTE))?.reset).toBe('rate');
      await here.endReset('ops', SECOND);
      expect((await book(there, MINUTE))?.reset).toBe('rate');
      await here.endReset('ops', MINUTE);
      await there.endReset('unknown', MINUTE);
      const { reset, ...slot } = (await book(there, MINUTE)) ?? {};
      expect([reset, slot]).toEqual([undefined, { at: expect.any(String), interval: MINUTE }]);
      expect((await book(here, MINUTE))?.reset).toBeUndefined();
    });

    it('keeps the interval after the last slot when the rate changes and none was booked ahead', async () => {
      const [here, there] = opened.turns;
      await here.book('ops', every(HOUR), NOON);
      expect(await there.book('ops', every(SECOND), NOON)).toEqual({ at: later(SECOND), interval: SECOND });
    });

    it('starts again from now when the clock was put back', async () => {
      const [here, there] = opened.turns;
      await here.book('ops', every(SECOND), later(2 * DAY));
      expect(await there.book('ops', every(SECOND), NOON)).toEqual({ at: NOON, interval: SECOND, reset: 'clock' });
      expect(await here.book('ops', every(SECOND), NOON)).toEqual({ at: later(SECOND), interval: SECOND });
    });

    it('continues a row of slots that a clock started which is a little ahead', async () => {
      const [here, there] = opened.turns;
      await here.book('ops', every(SECOND), later(400));
      expect((await there.book('ops', every(SECOND), NOON))?.at).toBe(later(1400));
    });

    it('books a different slot for each of twenty concurrent callers', async () => {
      const asked = Array.from({ length: 20 }, (_, n) =>
        opened.turns[n % 2 === 0 ? 0 : 1].book('ops', every(SECOND), NOON),
      );
      const given = (await Promise.all(asked)).map((slot) => slot?.at).sort();
      expect(given).toEqual(Array.from({ length: 20 }, (_, n) => later(n * SECOND)));
    });
  });
}
