/** Reckons which turns of a rate are free. Pure; who has taken which is remembered elsewhere. */

import { between, type Duration, type Instant, plus } from '../model/time.ts';
import type { TurnsAsked, TurnsTaken } from '../ports/turns.ts';

/** All that has to be remembered of those that were taken. */
export interface TurnsBook {
  /** The first that is free. */
  readonly next: Instant;
  /** How far apart they were. */
  readonly turn: Duration;
}

export function freeTurns(book: TurnsBook | undefined, { turn, most, until }: TurnsAsked, now: Instant): TurnsTaken {
  const first = firstFree(book, turn, now);
  const fit = first > until ? 0 : Math.min(most, Math.floor(between(first, until) / turn) + 1);
  return { at: Array.from({ length: fit }, (_, index) => plus(first, index * turn)), next: plus(first, fit * turn) };
}

/** A turn after the last one that was taken, by the rate of now: that may be another than the one it was taken by. */
function firstFree(book: TurnsBook | undefined, turn: Duration, now: Instant): Instant {
  if (book === undefined) return now;
  const first = plus(book.next, turn - book.turn);
  return first < now ? now : first;
}
