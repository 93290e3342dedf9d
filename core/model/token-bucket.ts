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
export function tokensUsed(fullAt: Instant | undefined, { burst, interval }: BucketSize, now: Instant): number {
  if (fullAt === undefined || fullAt <= now) return 0;
  const used = Math.ceil(between(now, fullAt) / interval);
  return used <= burst ? used : 0;
}

/** @param fullAt when the bucket is full again. @default - it is full */
export function takeToken(fullAt: Instant | undefined, { burst, interval }: BucketSize, now: Instant): BucketResult {
  const capacity = burst * interval;
  // An instant that is farther ahead than an empty bucket was written by a clock that was ahead.
  const isValid = fullAt !== undefined && fullAt > now && between(now, fullAt) <= capacity;
  const next = plus(isValid ? fullAt : now, interval);
  const missing = between(now, next) - capacity;
  return missing > 0 ? { wait: missing } : { fullAt: next };
}
