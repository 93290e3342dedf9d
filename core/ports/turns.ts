/**
 * Port: the turns of receivers that have a rate, where several processes send to them. One process alone needs none: its
 * lanes count for themselves.
 */

import type { Duration, Instant } from '../model/time.ts';

export interface TurnsAsked {
  /** From one turn to the next, 1 ms at least. */
  readonly turn: Duration;
  /** How many there is use for, 1 at least. */
  readonly most: number;
  /** None after this: nobody would be there to use it. */
  readonly until: Instant;
}

export interface TurnsTaken {
  /** One after the other, a turn apart. They are the asker's alone. */
  readonly at: readonly Instant[];
  /** The first that is left for others. */
  readonly next: Instant;
}

export interface Turns {
  /** Takes the next ones that are free, none of them before now. */
  take(receiver: string, asked: TurnsAsked, now: Instant): Promise<TurnsTaken>;
}
