/**
 * RateLimiter on DynamoDB: one small item per receiver with a rate. Bookings of a row of slots are atomic increments, so
 * concurrent functions do not conflict; a new row is written on the condition of what was read.
 */

import { continuesRow, isTooLate, isUsable, lastSlot, type SlotRow, startRow } from '../../core/delivery/rate-limit.ts';
import { DAY, plus } from '../../core/model/time.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';
import { conflictError, MAX_CHANGE_TRIES } from './conflicts.ts';
import { rateLimitKey, type StoredItem } from './keys.ts';
import type { TableOptions } from './send.ts';
import { openTable } from './table.ts';
import { toSeconds } from './timeline.ts';

/** After the start of a row. A row of that length would be counted from the start again, at most doubling the rate. */
const RETENTION = 365 * DAY;

export function dynamoRateLimiter(options: TableOptions): RateLimiter {
  const table = openTable(options);
  return {
    async book(receiver, request, now) {
      const { interval } = request;
      const key = rateLimitKey(receiver);
      for (let tries = 0; tries < MAX_CHANGE_TRIES; tries++) {
        // A lagging copy only costs another try: both writes are conditional.
        const stored = await table.get(key, tries > 0);
        const row = stored === undefined ? undefined : rowFromItem(stored);
        if (row !== undefined && continuesRow(row, request, now)) {
          const { start } = row;
          if (isTooLate(plus(lastSlot(row), interval), request)) return undefined;
          const count = await table.increment(key, 'count', { start, interval });
          if (count === undefined) continue;
          const at = lastSlot({ start, interval, count });
          // Other bookings came in between. The slot stays unused, as when a response is lost.
          if (!isUsable(at, request, now)) continue;
          return { at, interval, ...(stored?.reset === 'rate' ? { reset: 'rate' } : {}) };
        }
        const { isReset, ...next } = startRow(row, request, now);
        if (isTooLate(next.start, request)) return undefined;
        const isOfRate = stored?.reset === 'rate' || (isReset && row?.interval !== interval);
        const kept = isOfRate ? ({ reset: 'rate' } as const) : {};
        const item = { ...key, ...next, ...kept, expiresAt: toSeconds(plus(next.start, RETENTION)) };
        const written = await table.put(item, { start: row?.start, interval: row?.interval, count: row?.count });
        const reset = isReset && !isOfRate ? ({ reset: 'clock' } as const) : kept;
        if (written === 'written') return { at: next.start, interval, ...reset };
      }
      throw conflictError(`rate of '${receiver}'`);
    },

    async endReset(receiver, interval) {
      await table.update(rateLimitKey(receiver), { set: { reset: undefined } }, { interval });
    },
  };
}

/** Unchecked: only `book` writes these items. */
const rowFromItem = ({ start, interval, count }: StoredItem): SlotRow => ({
  start: String(start),
  interval: Number(interval),
  count: Number(count),
});
