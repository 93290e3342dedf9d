/**
 * Port: the turns of receivers that have a rate, where several processes send to them. One process alone needs none: its
 * lanes count for themselves.
 */

import type { Duration, Instant } from '../model/time.ts';

export interface SlotRequest {
  /** From one turn to the next, 1 ms at least. */
  readonly turn: Duration;
  /** None after this: nobody would be there to use it. */
  readonly until: Instant;
}

export interface Slot {
  /** The asker's alone. @default - none is free in time */
  readonly at?: Instant;
  /** The first that is left for others. */
  readonly next: Instant;
}

export interface RateLimiter {
  /** Takes the next one that is free, and none before now. */
  take(receiver: string, asked: SlotRequest, now: Instant): Promise<Slot>;
}
