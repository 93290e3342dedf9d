/** RequestLimiter on DynamoDB: one small item per caller, written on the condition of what was read. */

import { DAY, plus, SECOND } from '../../core/model/time.ts';
import { takeToken, tokensUsed } from '../../core/model/token-bucket.ts';
import type { RequestLimiter } from '../../core/ports/request-limiter.ts';
import { bucketKey } from './keys.ts';
import type { Table } from './table.ts';
import { toSeconds } from './timeline.ts';

/** Of callers that conflict, one succeeds. With more conflicts than this, the caller is sending too fast. */
const MAX_TRIES = 10;

export function dynamoRequestLimiter(table: Table): RequestLimiter {
  return {
    async used(caller, size, now) {
      const fullAt = (await table.get(bucketKey(caller), true))?.fullAt;
      return tokensUsed(typeof fullAt === 'string' ? fullAt : undefined, size, now);
    },

    async take(caller, size, now) {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        // A lagging copy only costs another try.
        const stored = await table.get(bucketKey(caller), tries > 0);
        const fullAt = typeof stored?.fullAt === 'string' ? stored.fullAt : undefined;
        const result = takeToken(fullAt, size, now);
        if ('wait' in result) return result.wait;
        const item = { ...bucketKey(caller), fullAt: result.fullAt, expiresAt: toSeconds(plus(result.fullAt, DAY)) };
        if ((await table.put(item, { fullAt })) === 'written') return 0;
      }
      return SECOND;
    },
  };
}
