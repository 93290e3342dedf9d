/** Port: a token bucket for each caller of the API, shared by all processes. */

import type { Duration, Instant } from '../model/time.ts';
import type { BucketSize } from '../model/token-bucket.ts';

export interface RequestLimiter {
  /** Takes one token. Returns how long to wait if there is none, and 0 if the request is allowed. */
  take(caller: string, size: BucketSize, now: Instant): Promise<Duration>;
  /** Takes one token that was spent already, up to the debt of the size. Returns how long nothing more is allowed. */
  charge(caller: string, size: BucketSize, now: Instant): Promise<Duration>;
  /** Puts a token back that was taken with this size. */
  giveBack(caller: string, size: BucketSize): Promise<void>;
  /** How many tokens are missing from a full bucket. */
  used(caller: string, size: BucketSize, now: Instant): Promise<number>;
}
