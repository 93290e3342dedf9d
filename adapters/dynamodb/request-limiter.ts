/**
 * RequestLimiter on DynamoDB: one small item per caller. Requests of a bucket in use are atomic increments, so concurrent
 * functions do not conflict; a bucket that was full is written on the condition of what was read.
 */

import { DAY, fromMillis, type Instant, plus, SECOND, toMillis } from '../../core/model/time.ts';
import { type BucketSize, bucketTime, chargeToken, takeToken, tokensUsed } from '../../core/model/token-bucket.ts';
import type { RequestLimiter } from '../../core/ports/request-limiter.ts';
import { conflictError, MAX_CHANGE_TRIES, pauseAfterConflict } from './conflicts.ts';
import { bucketKey } from './keys.ts';
import type { Table } from './table.ts';
import { toSeconds } from './timeline.ts';

export function dynamoRequestLimiter(table: Table): RequestLimiter {
  const read = async (caller: string, consistent: boolean): Promise<StoredBucket> =>
    (await table.get(bucketKey(caller), consistent)) ?? {};
  const save = async (
    caller: string,
    { full, fullAt }: StoredBucket,
    next: BucketSize & { readonly takenAt: Instant; readonly fullAt: Instant },
  ): Promise<boolean> => {
    const { takenAt, interval, burst } = next;
    const key = bucketKey(caller);
    const set = { takenAt, expiresAt: toSeconds(plus(next.fullAt, DAY)) };
    const from = toMillis(takenAt);
    const upTo = from + (burst - 1) * interval;
    const isInUse = full !== undefined && full >= from && full <= upTo;
    const outcome = await (isInUse
      ? table.update(key, { set, increment: { full: interval } }, { full: [from, upTo] })
      : table.put({ ...key, ...set, full: toMillis(next.fullAt) }, { full, fullAt }));
    return outcome === 'written';
  };
  return {
    async used(caller, size, now) {
      const stored = await read(caller, true);
      return tokensUsed(fullAtOf(stored), size, bucketTime(stored.takenAt, now));
    },

    async take(caller, size, now) {
      for (let tries = 0; tries < MAX_CHANGE_TRIES; tries++) {
        // A lagging copy only costs another try.
        const stored = await read(caller, tries > 0);
        const takenAt = bucketTime(stored.takenAt, now);
        const result = takeToken(fullAtOf(stored), size, takenAt);
        if ('wait' in result) return result.wait;
        if (await save(caller, stored, { takenAt, fullAt: result.fullAt, ...size })) return 0;
        await pauseAfterConflict(tries);
      }
      // With more conflicts the caller is sending too fast.
      return SECOND;
    },

    async charge(caller, size, now) {
      const { interval, burst, debt = 0 } = size;
      for (let tries = 0; tries < MAX_CHANGE_TRIES; tries++) {
        // Others of the caller charge at the same time: how much is left decides whether their requests go on.
        const stored = await read(caller, true);
        const takenAt = bucketTime(stored.takenAt, now);
        const { fullAt, wait } = chargeToken(fullAtOf(stored), size, takenAt);
        if (await save(caller, stored, { takenAt, fullAt, interval, burst: burst + debt })) return wait;
        await pauseAfterConflict(tries);
      }
      throw conflictError(`bucket '${caller}'`);
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
