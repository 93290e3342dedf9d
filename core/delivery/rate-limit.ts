/** Computes the slots of a rate limit. Pure; a RateLimiter stores how many are booked. */

import { DAY, type Duration, type Instant, MINUTE, plus } from '../model/time.ts';
import type { SlotRequest } from '../ports/rate-limiter.ts';

/** How long a delivery that is due waits for its rate. A receiver that gets more than its rate allows would fall behind for ever. */
export const MAX_RATE_WAIT: Duration = 30 * DAY;

/** A row of evenly spaced slots. */
export interface SlotRow {
  /** The first slot. */
  readonly start: Instant;
  readonly interval: Duration;
  /** How many are booked. */
  readonly count: number;
}

/** A row that starts later was started by a clock that was ahead. Clocks differ by less, and rows start about a minute ahead. */
const MAX_START_AHEAD: Duration = 5 * MINUTE;

/** The last slot of the row that is booked. */
export function lastSlot({ start, interval, count }: SlotRow): Instant {
  return plus(start, (count - 1) * interval);
}

/** Whether the caller can send in this slot: it waits for it, or schedules the delivery for it. */
export function isUsable(slot: Instant, { until, from }: SlotRequest, now: Instant): boolean {
  return slot >= now && (slot <= until || slot >= from);
}

/** Whether the slot is later than the caller has any use for. */
export const isTooLate = (slot: Instant, { latest = slot }: SlotRequest) => slot > latest;

/** Whether the next booking continues the row. Otherwise it starts a new one, see `startRow`. */
export function continuesRow(row: SlotRow, request: SlotRequest, now: Instant): boolean {
  return isValid(row, request, now) && isUsable(plus(lastSlot(row), row.interval), request, now);
}

export interface NewRow extends SlotRow {
  /** See `BookedSlot.isReset`. */
  readonly isReset: boolean;
}

/** A row whose first slot is booked: the first one that the caller can use, an interval after those that were used. */
export function startRow(before: SlotRow | undefined, request: SlotRequest, now: Instant): NewRow {
  const { interval, from } = request;
  const row = (earliest: Instant, isReset: boolean): NewRow => {
    const free = earliest > now ? earliest : now;
    return { start: isUsable(free, request, now) ? free : from, interval, count: 1, isReset };
  };
  if (before === undefined) return row(now, false);
  const last = lastSlot(before);
  if (isValid(before, request, now)) return row(plus(last, interval), false);
  // Slots that were booked ahead do not count, those in the past were used.
  return isFromClockAhead(before, now) ? row(now, true) : row(plus(last < now ? last : now, interval), last > now);
}

/** Whether its slots have this interval and were booked by a clock that agrees with this one. */
function isValid(row: SlotRow, { interval }: SlotRequest, now: Instant): boolean {
  return row.interval === interval && !isFromClockAhead(row, now);
}

const isFromClockAhead = ({ start }: SlotRow, now: Instant) => start > plus(now, MAX_START_AHEAD);
