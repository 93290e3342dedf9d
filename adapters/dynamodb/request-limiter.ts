/**
 * RequestLimiter on DynamoDB: one small item per caller. Requests of a bucket in use are atomic increments, so concurrent
 * functions do not conflict; a bucket that was full is written on the condition of what was read.
 */

import { DAY, fromMillis, type Instant, plus, SECOND, toMillis } from '../../core/model/time.ts';
import { bucketTime, takeToken, tokensUsed } from '../../core/model/token-bucket.ts';
import type { RequestLimiter } from '../../core/ports/request-limiter.ts';
import { MAX_CHANGE_TRIES, pauseAfterConflict } from './conflicts.ts';
import { bucketKey } from './keys.ts';
import type { Table } from './table.ts';
import { toSeconds } from './timeline.ts';

export function dynamoRequestLimiter(table: Table): RequestLimiter {
  const read = async (caller: string, consistent: boolean): Promise<StoredBucket> =>
    (await table.get(bucketKey(caller), consistent)) ?? {};
  return {
    async used(caller, size, now) {
      const stored = await read(caller, true);
      return tokensUsed(fullAtOf(stored), size, bucketTime(stored.takenAt, now));
    },

    async take(caller, size, now) {
      const { interval, burst } = size;
      const key = bucketKey(caller);
      for (let tries = 0; tries < MAX_CHANGE_TRIES; tries++) {
        // A lagging copy only costs another try.
        const stored = await read(caller, tries > 0);
        const takenAt = bucketTime(stored.takenAt, now);
        const result = takeToken(fullAtOf(stored), size, takenAt);
        if ('wait' in result) return result.wait;
        const set = { takenAt, expiresAt: toSeconds(plus(result.fullAt, DAY)) };
        const { full, fullAt } = stored;
        const from = toMillis(takenAt);
        const upTo = from + (burst - 1) * interval;
        const isInUse = full !== undefined && full >= from && full <= upTo;
        const outcome = await (isInUse
          ? table.update(key, { set, increment: { full: interval } }, { full: [from, upTo] })
          : table.put({ ...key, ...set, full: toMillis(result.fullAt) }, { full, fullAt }));
        if (outcome === 'written') return 0;
        await pauseAfterConflict(tries);
      }
      // With more conflicts the caller is sending too fast.
      return SECOND;
    },

    async giveBack(caller, { interval }) {
      // An instant in the past is a full bucket, however long ago. An item of version 1.0.0 was replaced when the token was taken.
      await table.update(bucketKey(caller), { increment: { full: -interval } }, { full: [0, Number.MAX_SAFE_INTEGER] });
    },
  };
}

/** Unchecked: only `take` writes these items. */
interface StoredBucket {
  /** When it is full again, in milliseconds. */
  readonly full?: number;
  /** The same in items of version 1.0.0. */
  readonly fullAt?: Instant;
  readonly takenAt?: Instant;
}

const fullAtOf = ({ full, fullAt }: StoredBucket) => (full === undefined ? fullAt : fromMillis(Math.ceil(full)));
