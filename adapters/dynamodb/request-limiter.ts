/** RequestLimiter on DynamoDB: one small item per caller, written on the condition of what was read. */

import { DAY, type Instant, plus, SECOND } from '../../core/model/time.ts';
import { bucketTime, takeToken, tokensUsed } from '../../core/model/token-bucket.ts';
import type { RequestLimiter } from '../../core/ports/request-limiter.ts';
import { MAX_CHANGE_TRIES, pauseAfterConflict } from './conflicts.ts';
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
      for (let tries = 0; tries < MAX_CHANGE_TRIES; tries++) {
        // A lagging copy only costs another try.
        const stored = await table.get(bucketKey(caller), tries > 0);
        const { fullAt, takenAt } = bucketFromItem(stored);
        const at = bucketTime(takenAt, now);
        const result = takeToken(fullAt, size, at);
        if ('wait' in result) return result.wait;
        const expiresAt = toSeconds(plus(result.fullAt, DAY));
        const item = { ...bucketKey(caller), fullAt: result.fullAt, takenAt: at, expiresAt };
        if ((await table.put(item, { fullAt })) === 'written') return 0;
        await pauseAfterConflict(tries);
      }
      // With more conflicts the caller is sending too fast.
      return SECOND;
    },
  };
}

/** Unchecked: only `take` writes these items. Those of earlier versions have no `takenAt`. */
const bucketFromItem = (item: StoredItem | undefined) =>
  (item ?? {}) as { readonly fullAt?: Instant; readonly takenAt?: Instant };
