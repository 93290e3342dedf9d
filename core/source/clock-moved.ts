/**
 * Corrects the instants of a scan state that are in the future, after the machine's clock ran ahead and was put back.
 * Otherwise nothing would be due until the clock reaches them again.
 */

import type { ScanState } from '../model/scan.ts';
import { type Duration, type Instant, MINUTE, plus } from '../model/time.ts';

/** Clocks of two machines may differ by this much. */
const MAX_CLOCK_SKEW: Duration = 5 * MINUTE;

/** Whether the clock was put back since the last scan. */
export function isClockMovedBack({ lastTriedAt, lastGoodScanAt }: ScanState, now: Instant): boolean {
  return isFuture(lastTriedAt, now) || isFuture(lastGoodScanAt, now);
}

/** An instant in the future counts as unknown: the scan is due, and a delta without a cursor becomes a sweep. */
export function correctFutureInstants(state: ScanState, now: Instant): ScanState {
  if (!isClockMovedBack(state, now)) return state;
  const dropFuture = (instant: Instant | null) => (isFuture(instant, now) ? null : instant);
  const { failedSweeps = null, dueRead = null, held, progress } = state;
  return {
    ...state,
    lastGoodScanAt: dropFuture(state.lastGoodScanAt),
    lastSweepAt: dropFuture(state.lastSweepAt),
    completeSweepAt: dropFuture(state.completeSweepAt ?? null),
    completeOpenAt: dropFuture(state.completeOpenAt ?? null),
    lastTriedAt: dropFuture(state.lastTriedAt),
    cursor: dropFuture(state.cursor),
    countedAt: dropFuture(state.countedAt),
    settledUntil: dropFuture(state.settledUntil),
    firstTriedAt: dropFuture(state.firstTriedAt ?? null),
    failedSweeps: failedSweeps !== null && isFuture(failedSweeps.triedAt, now) ? null : failedSweeps,
    dueRead: dueRead !== null && isFuture(dueRead.at, now) ? null : dueRead,
    progress: progress !== null && isFuture(progress.startedAt, now) ? null : progress,
    held: held !== null && isFuture(held.since, now) ? { ...held, since: now } : held,
  };
}

/** Too far ahead to be the difference between two clocks. */
export function isFuture(instant: Instant | null, now: Instant): boolean {
  return instant !== null && instant > plus(now, MAX_CLOCK_SKEW);
}
