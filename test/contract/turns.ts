/** What every store of turns promises. An adapter's test opens one and runs this. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOUR, MINUTE, plus, SECOND } from '../../core/model/time.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';
import { NOON } from '../samples.ts';

export interface OpenTurns {
  /** One for each process that sends. */
  readonly turns: readonly [RateLimiter, RateLimiter];
  readonly close: () => Promise<void>;
}

export function turnsContract(name: string, open: () => Promise<OpenTurns>): void {
  describe(`Turns: ${name}`, () => {
    let opened: OpenTurns;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(async () => opened.close());

    const later = (millis: number) => plus(NOON, millis);
    const one = { turn: SECOND, until: later(MINUTE) };

    it('gives the next one to whoever comes next', async () => {
      const [here, there] = opened.turns;
      expect(await here.take('ops', one, NOON)).toEqual({ at: NOON, next: later(SECOND) });
      expect(await there.take('ops', one, NOON)).toEqual({ at: later(SECOND), next: later(2 * SECOND) });
      expect((await here.take('ops', one, later(300))).at).toBe(later(2000));
      expect((await there.take('ops', one, later(9000))).at).toBe(later(9000));
    });

    it('has turns for each receiver by itself', async () => {
      const [here, there] = opened.turns;
      await here.take('ops', one, NOON);
      expect((await there.take('chat', one, NOON)).at).toBe(NOON);
    });

    it('takes nothing for one who cannot wait', async () => {
      const [here, there] = opened.turns;
      await here.take('ops', one, NOON);
      const none = { next: later(SECOND) };
      expect(await there.take('ops', { ...one, until: later(10) }, NOON)).toEqual(none);
      expect(await there.take('ops', { ...one, until: later(10) }, NOON)).toEqual(none);
      expect((await here.take('ops', one, NOON)).at).toBe(later(SECOND));
    });

    it('forgets what a slower rate had taken', async () => {
      const [here, there] = opened.turns;
      await here.take('ops', { ...one, turn: HOUR }, NOON);
      expect((await there.take('ops', one, NOON)).at).toBe(later(SECOND));
      expect((await here.take('ops', one, NOON)).at).toBe(later(2 * SECOND));
    });

    it('gives one to each of twenty who ask at once, and none twice', async () => {
      const asked = Array.from({ length: 20 }, (_, n) => opened.turns[n % 2 === 0 ? 0 : 1].take('ops', one, NOON));
      const given = (await Promise.all(asked)).map(({ at }) => at).sort();
      expect(given).toEqual(Array.from({ length: 20 }, (_, n) => later(n * SECOND)));
    });
  });
}
