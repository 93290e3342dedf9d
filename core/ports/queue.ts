/** Port: attempts to make now, or very soon. At least once, in no promised order; what is not acknowledged comes back. */

import type { Duration, Instant } from '../model/time.ts';

export interface Job {
  readonly delivery: string;
  /** Number of the attempt to make. A job for an attempt already recorded is stale and means nothing. */
  readonly attempt: number;
  /** Jobs of different groups do not wait for each other. */
  readonly group: string;
}

/** As it is sent. */
export interface NewJob extends Job {
  /** Handed over at this instant, 15 minutes ahead at the most, or a moment later. @default - at once */
  readonly notBefore?: Instant;
}

export interface ReceivedJob {
  readonly job: Job;
  /** Names this receipt; a job received again has another. */
  readonly receipt: string;
  /** 1 the first time. */
  readonly receives: number;
}

export interface ReceiveOptions {
  readonly limit: number;
  /** Hidden from other receivers this long; then it comes back unless acknowledged. */
  readonly visibility: Duration;
  /**
   * How many more jobs of a group the receiver has room for, so that the backlog of one leaves the others their turn.
   * A queue that is fair by itself need not ask. @default - as many as the limit
   */
  readonly room?: (group: string) => number;
}

export interface Queue {
  /** Sending a job that is waiting already may be merged with it. */
  send(jobs: readonly NewJob[], now: Instant): Promise<void>;
  receive(options: ReceiveOptions, now: Instant): Promise<readonly ReceivedJob[]>;
  /** Done. No effect with the receipt of an earlier receive. */
  acknowledge(received: ReceivedJob): Promise<void>;
}
