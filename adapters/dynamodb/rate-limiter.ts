/** Turns on DynamoDB: one small item for each receiver with a rate, changed only on what was read. */

import { nextTurn } from '../../core/delivery/rate-limit.ts';
import { DAY, plus } from '../../core/model/time.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';
import { turnsKey } from './keys.ts';
import { openTable, type TableOptions } from './table.ts';
import { toSeconds } from './timeline.ts';

/**
 * Of those that ask at the same moment one gets through each time: enough for the twenty functions there are unless a
 * config says otherwise. Who does not is sent away though there are turns, and comes back with the agenda.
 */
const TRIES = 25;

export function dynamoTurns(options: TableOptions): RateLimiter {
  const table = openTable(options);
  return {
    async take(receiver, asked, now) {
      const key = turnsKey(receiver);
      const { turn } = asked;
      for (let tries = 0; tries < TRIES; tries++) {
        const kept = await table.get(key, true);
        const book = kept === undefined ? undefined : { next: String(kept.next), turn: Number(kept.turn) };
        const taken = nextTurn(book, asked, now);
        if (taken.at === undefined) return taken;
        const { next } = taken;
        // Long over, it says no more than none at all.
        const item = { ...key, next, turn, expiresAt: toSeconds(plus(next, DAY)) };
        // Where the answer was lost it may be ours; another is taken, and this one only left unused.
        if ((await table.put(item, { next: kept?.next, turn: kept?.turn })) === 'written') return taken;
      }
      return { next: plus(now, turn) };
    },
  };
}
