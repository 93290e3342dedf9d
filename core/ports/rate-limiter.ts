/**
 * Port: the send slots of receivers with a rate limit, shared by several processes. A single process needs none: its lanes
 * keep the rate.
 */

import type { Duration, Instant } from '../model/time.ts';

export interface SlotRequest {
  /** Time between two slots, at least 1 ms. */
  readonly interval: Duration;
  /** The latest slot the caller can wait for. */
  readonly until: Instant;
}

export interface Slot {
  /** Reserved for the caller. @default - none is free in time */
  readonly at?: Instant;
  /** The first slot that is still free. */
  readonly next: Instant;
}

export interface RateLimiter {
  /** Reserves the next free slot, not before `now`. */
  reserve(receiver: string, request: SlotRequest, now: Instant): Promise<Slot>;
}
