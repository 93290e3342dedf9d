/** Reckons which turn of a rate is free. Pure; who has taken which is remembered elsewhere. */

import { type Duration, type Instant, plus } from '../model/time.ts';
import type { Slot, SlotRequest } from '../ports/rate-limiter.ts';

/** All that has to be remembered of those that were taken. */
export interface TurnsBook {
  /** The first that is free. */
  readonly next: Instant;
  /** How far apart they were. */
  readonly turn: Duration;
}

export function nextTurn(book: TurnsBook | undefined, { turn, until }: SlotRequest, now: Instant): Slot {
  const first = firstFree(book, turn, now);
  return first > until ? { next: first } : { at: first, next: plus(first, turn) };
}

/** A turn after the last one that was taken, by the rate of now: that may be another than the one it was taken by. */
function firstFree(book: TurnsBook | undefined, turn: Duration, now: Instant): Instant {
  if (book === undefined) return now;
  const first = plus(book.next, turn - book.turn);
  return first < now ? now : first;
}
