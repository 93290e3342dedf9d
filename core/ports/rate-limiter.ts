/**
 * Port: the send slots of receivers with a rate limit, shared by several processes. A single process needs none: its lanes
 * keep the rate.
 */

import type { SendSlot } from '../model/delivery.ts';
import type { Duration, Instant } from '../model/time.ts';

export interface SlotRequest {
  /** Time between two slots, at least 1 ms. */
  readonly interval: Duration;
  /** The latest slot the caller can wait for. */
  readonly until: Instant;
  /** The earliest slot it can schedule a delivery for. A slot between the two could not be used on time. */
  readonly from: Instant;
  /** A later slot is not booked. @default - however far ahead */
  readonly latest?: Instant;
}

export interface BookedSlot extends SendSlot {
  /**
   * Why slots that were booked before do not count any more: the rate changed, which each booking says until `endReset`, or the clock had been
   * ahead, which only the first one says. @default - they count
   */
  readonly reset?: 'rate' | 'clock';
}

export interface RateLimiter {
  /** Books the next free slot that the caller can use, not before `now`. Undefined if it is later than the latest one of use. */
  book(receiver: string, request: SlotRequest, now: Instant): Promise<BookedSlot | undefined>;
  /** No slot of another rate is booked any more. Has no effect if the rate has changed again. */
  endReset(receiver: string, interval: Duration): Promise<void>;
}
