/** RateLimiter on DynamoDB: one small item per receiver with a rate, written on the condition of what was read. */

import { nextSlot } from '../../core/delivery/rate-limit.ts';
import { DAY, plus } from '../../core/model/time.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';
import { rateLimitKey } from './keys.ts';
import { openTable, type TableOptions } from './table.ts';
import { toSeconds } from './timeline.ts';

/**
 * Of the callers that conflict, one succeeds in each round: enough for the twenty concurrent functions a config allows by
 * default. A caller that runs out of tries is sent away although slots are free, and comes back with the agenda.
 */
const MAX_TRIES = 25;

export function dynamoRateLimiter(options: TableOptions): RateLimiter {
  const table = openTable(options);
  return {
    async reserve(receiver, request, now) {
      const key = rateLimitKey(receiver);
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const stored = await table.get(key, true);
        const state = stored === undefined ? undefined : { next: String(stored.next), interval: Number(stored.turn) };
        const slot = nextSlot(state, request, now);
        if (slot.at === undefined) return slot;
        const { next } = slot;
        // A state whose slots are all past means the same as no state.
        const item = { ...key, next, turn: request.interval, expiresAt: toSeconds(plus(next, DAY)) };
        // When the response is lost the slot may be ours: the next try reserves another, and this one stays unused.
        if ((await table.put(item, { next: stored?.next, turn: stored?.turn })) === 'written') return slot;
      }
      return { next: plus(now, request.interval) };
    },
  };
}
