/**
 * A token bucket as one instant, that at which it is full (the generic cell rate algorithm): it needs no timer, and one
 * conditional write takes a token. Pure.
 */

import { between, type Duration, type Instant, MINUTE, plus } from './time.ts';

export interface BucketSize {
  /** Requests that a full bucket allows at once. */
  readonly burst: number;
  /** Time after which one more request is allowed, at least 1 ms. */
  readonly interval: Duration;
  /** Tokens that may be charged beyond an empty bucket. They are paid back before another one is allowed. @default 0 */
  readonly debt?: number;
}

export type BucketResult = { readonly fullAt: Instant } | { readonly wait: Duration };

/**
 * The time of a bucket, which does not go back: concurrent requests take their times before others write, and the clocks of
 * processes differ. A bucket that one has emptied would look to another as one whose clock was ahead.
 * @param takenAt the time of the last request that the bucket allowed. @default - unknown
 */
export function bucketTime(takenAt: Instant | undefined, now: Instant): Instant {
  return takenAt !== undefined && takenAt > now && between(now, takenAt) <= MINUTE ? takenAt : now;
}

/** How many requests an instant of a bucket stands for. */
export function tokensUsed(
  fullAt: Instant | undefined,
  { burst, interval, debt = 0 }: BucketSize,
  now: Instant,
): number {
  if (fullAt === undefined || fullAt <= now) return 0;
  const used = Math.ceil(between(now, fullAt) / interval);
  return used <= burst + debt ? used : 0;
}

/** @param fullAt when the bucket is full again. @default - it is full */
export function takeToken(fullAt: Instant | undefined, size: BucketSize, now: Instant): BucketResult {
  const next = plus(fullFrom(fullAt, size, now), size.interval);
  const missing = between(now, next) - size.burst * size.interval;
  return missing > 0 ? { wait: missing } : { fullAt: next };
}

/**
 * Takes a token that was spent already, also from an empty bucket.
 * @param fullAt as for `takeToken`
 * @returns when it is full again, and how long nothing more is allowed
 */
export function chargeToken(
  fullAt: Instant | undefined,
  size: BucketSize,
  now: Instant,
): { readonly fullAt: Instant; readonly wait: Duration } {
  const { burst, interval, debt = 0 } = size;
  const ahead = between(now, fullFrom(fullAt, size, now)) + interval;
  const charged = Math.max(0, Math.min(ahead, (burst + debt) * interval - ROUNDING_MS));
  return { fullAt: plus(now, charged), wait: Math.max(0, charged - burst * interval) };
}

/** A debt is this much below the deepest one: stores round instants, and one beyond it would be taken for that of a wrong clock. */
const ROUNDING_MS = 5;

/** An instant that is farther ahead than the deepest debt was written by a clock that was ahead. */
function fullFrom(fullAt: Instant | undefined, { burst, interval, debt = 0 }: BucketSize, now: Instant): Instant {
  const isValid = fullAt !== undefined && fullAt > now && between(now, fullAt) <= (burst + debt) * interval;
  return isValid ? fullAt : now;
}
