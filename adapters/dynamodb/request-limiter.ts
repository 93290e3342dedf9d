/**
 * RequestLimiter on DynamoDB: one small item per caller. Requests of a bucket in use are atomic increments, so concurrent
 * functions do not conflict; a bucket that was full is written on the condition of what was read.
 */

import { DAY, fromMillis, type Instant, plus, SECOND, toMillis } from '../../core/model/time.ts';
import { bucketTime, takeToken, tokensUsed } from '../../core/model/token-bucket.ts';
import type { RequestLimiter } from '../../core/ports/request-limiter.ts';
import { MAX_CHANGE_TRIES, pauseAfterConflict } from './conflicts.ts';
import { numberRange } from './expressions.ts';
import { bucketKey } from './keys.ts';
import type { StoredItem, Table } from './table.ts';
import { toSeconds } from './timeline.ts';

export function dynamoRequestLimiter(table: Table): RequestLimiter {
  return {
    async used(caller, size, now) {
      const { fullAt, takenAt } = bucketFromItem(await table.get(bucketKey(caller), true));
      return tokensUsed(fullAt, size, bucketTime(takenAt, now));
    },

    async take(caller, size, now) {
      const { interval, burst } = size;
      const key = bucketKey(caller);
      for (let tries = 0; tries < MAX_CHANGE_TRIES; tries++) {
        // A lagging copy only costs another try.
        const stored = await table.get(key, tries > 0);
        const { fullAt, takenAt } = bucketFromItem(stored);
        const at = bucketTime(takenAt, now);
        const result = takeToken(fullAt, size, at);
        if ('wait' in result) return result.wait;
        const set = { takenAt: at, expiresAt: toSeconds(plus(result.fullAt, DAY)) };
        const from = toMillis(at);
        const inUse = numberRange(from, from + (burst - 1) * interval);
        const outcome =
          stored !== undefined && inUse.includes(stored.full)
            ? await table.update(key, { set, increment: { full: interval } }, { full: inUse })
            : await table.put(
                { ...key, ...set, full: toMillis(result.fullAt) },
                { full: stored?.full, fullAt: stored?.fullAt },
              );
        if (outcome === 'written') return 0;
        await pauseAfterConflict(tries);
      }
      // With more conflicts the caller is sending too fast.
      return SECOND;
    },
  };
}

interface StoredBucket {
  readonly fullAt?: Instant;
  readonly takenAt?: Instant;
}

/** Unchecked: only `take` writes these items. Those of version 1.0.0 have the instant `fullAt` alone. */
function bucketFromItem({ full, fullAt, takenAt }: StoredItem = {}): StoredBucket {
  return {
    fullAt: typeof full === 'number' ? fromMillis(Math.ceil(full)) : (fullAt as Instant | undefined),
    takenAt: takenAt as Instant | undefined,
  } as StoredBucket;
}
