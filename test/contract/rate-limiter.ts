/** The contract of RateLimiter. The tests of each adapter run this suite. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOUR, MINUTE, plus, SECOND } from '../../core/model/time.ts';
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
    const one = { interval: SECOND, until: later(MINUTE) };

    it('reserves consecutive slots', async () => {
      const [here, there] = opened.turns;
      expect(await here.reserve('ops', one, NOON)).toEqual({ at: NOON, next: later(SECOND) });
      expect(await there.reserve('ops', one, NOON)).toEqual({ at: later(SECOND), next: later(2 * SECOND) });
      expect((await here.reserve('ops', one, later(300))).at).toBe(later(2000));
      expect((await there.reserve('ops', one, later(9000))).at).toBe(later(9000));
    });

    it('has separate slots for each receiver', async () => {
      const [here, there] = opened.turns;
      await here.reserve('ops', one, NOON);
      expect((await there.reserve('chat', one, NOON)).at).toBe(NOON);
    });

    it('reserves nothing if the slot is too late for the caller', async () => {
      const [here, there] = opened.turns;
      await here.reserve('ops', one, NOON);
      const none = { next: later(SECOND) };
      expect(await there.reserve('ops', { ...one, until: later(10) }, NOON)).toEqual(none);
      expect(await there.reserve('ops', { ...one, until: later(10) }, NOON)).toEqual(none);
      expect((await here.reserve('ops', one, NOON)).at).toBe(later(SECOND));
    });

    it('applies a faster rate to the next slot', async () => {
      const [here, there] = opened.turns;
      await here.reserve('ops', { ...one, interval: HOUR }, NOON);
      expect((await there.reserve('ops', one, NOON)).at).toBe(later(SECOND));
      expect((await here.reserve('ops', one, NOON)).at).toBe(later(2 * SECOND));
    });

    it('reserves a different slot for each of twenty concurrent callers', async () => {
      const asked = Array.from({ length: 20 }, (_, n) => opened.turns[n % 2 === 0 ? 0 : 1].reserve('ops', one, NOON));
      const given = (await Promise.all(asked)).map(({ at }) => at).sort();
      expect(given).toEqual(Array.from({ length: 20 }, (_, n) => later(n * SECOND)));
    });
  });
}
