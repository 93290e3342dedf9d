/** Computes the next free slot of a rate limit. Pure; a RateLimiter stores which slots are taken. */

import { type Duration, type Instant, plus } from '../model/time.ts';
import type { Slot, SlotRequest } from '../ports/rate-limiter.ts';

/** What must be stored about the slots taken so far. */
export interface SlotState {
  /** The first free slot. */
  readonly next: Instant;
  /** The interval by which `next` was computed. */
  readonly interval: Duration;
}

export function nextSlot(state: SlotState | undefined, { interval, until }: SlotRequest, now: Instant): Slot {
  const first = firstFree(state, interval, now);
  return first > until ? { next: first } : { at: first, next: plus(first, interval) };
}

/** One interval after the last slot taken, by the current rate, which may differ from the rate at that time. */
function firstFree(state: SlotState | undefined, interval: Duration, now: Instant): Instant {
  if (state === undefined) return now;
  const first = plus(state.next, interval - state.interval);
  return first < now ? now : first;
}
