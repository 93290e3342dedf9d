/**
 * Compares our clock with the API's. Midnight is judged by both: if one of them is wrong, a task would be reported as overdue
 * although its last day is not over, or although it was closed in time.
 */

import type { ScanState } from '../model/scan.ts';
import { between, type Clock, DAY, type Duration, type Instant, MINUTE, plus, SECOND } from '../model/time.ts';
import type { Page, SourceApi } from '../ports/source-api.ts';

export interface ApiClock {
  /** The instant, or what the API's clock showed at that time if it is behind ours, by a day at most. */
  earlierOf(at: Instant): Instant;
  /**
   * How far our clock is ahead of the API's, negative: behind, by the responses of this cycle. Undefined: none had a usable
   * date.
   */
  ahead(): Duration | undefined;
}

/** Clocks that differ by this much, in so many scans of a resource in a row, are reported. */
export const MAX_CLOCK_DIFFERENCE: Duration = 2 * MINUTE;
export const SKEWED_AFTER_SCANS = 3;

export function isSkewed(ahead: Duration): boolean {
  return Math.abs(ahead) >= MAX_CLOCK_DIFFERENCE;
}

/** An older date comes from a machine that does not know the time. */
const EARLIEST_DATE: Instant = '2020-01-01T00:00:00.000Z';

/**
 * How far our clock is ahead by the last good scan. 0: unknown. Resources that are scanned rarely would keep a difference that
 * has ended. A wrong one is corrected by the next scan, and what is due is judged by the responses that show it.
 */
export function storedAhead(states: readonly Pick<ScanState, 'clockAhead' | 'lastGoodScanAt'>[]): Duration {
  let latest: { readonly at: Instant; readonly ahead: Duration } | undefined;
  for (const { clockAhead: ahead, lastGoodScanAt: at } of states) {
    if (ahead !== undefined && at !== null && (latest === undefined || at > latest.at)) latest = { at, ahead };
  }
  return latest?.ahead ?? 0;
}

/** Clocks that differ by less are taken as the same: what is due is read two minutes after its moment anyway. */
const TOLERATED_DIFFERENCE: Duration = MINUTE;

/**
 * If the API's clock is further behind, it is not judged by: dates that stand still would delay time-driven events for ever. The
 * difference is reported all the same.
 */
export const MAX_JUDGED_DIFFERENCE: Duration = DAY;

/** The earlier of our clock and the API's, at an instant of ours. */
export function earlierClock(at: Instant, ahead: Duration): Instant {
  const isJudged = ahead >= TOLERATED_DIFFERENCE && ahead <= MAX_JUDGED_DIFFERENCE;
  return isJudged ? plus(at, -ahead) : at;
}

/** The same API, which compares the dates of its lists with our clock. One that a person chose (`once --at`) is not compared. */
export function watchClock(
  api: SourceApi,
  clock: Clock,
  stored: Duration,
): { readonly api: SourceApi; readonly apiClock: ApiClock } {
  if (clock.isChosen === true) return { api, apiClock: { earlierOf: (at) => at, ahead: () => undefined } };
  let ahead: Duration | undefined;
  const watched: SourceApi = {
    ...api,
    async list(resource, query, signal) {
      const page = await api.list(resource, query, signal);
      const measured = measureAhead(page, clock.now());
      // One response may be wrong: the one that differs least counts.
      if (measured !== undefined && Math.abs(measured) <= Math.abs(ahead ?? Number.POSITIVE_INFINITY)) ahead = measured;
      return page;
    },
  };
  return {
    api: watched,
    apiClock: { earlierOf: (at) => earlierClock(at, ahead ?? stored), ahead: () => ahead },
  };
}

/** The date is that of a moment between request and response, in whole seconds. */
function measureAhead({ serverTime, cachedFor = 0, took }: Page, receivedAt: Instant): Duration | undefined {
  if (serverTime === null || serverTime < EARLIEST_DATE) return undefined;
  const most = between(serverTime, receivedAt) - cachedFor;
  const least = most - took - SECOND - (cachedFor > 0 ? SECOND : 0);
  if (least > 0) return least;
  return most < 0 ? most : 0;
}
