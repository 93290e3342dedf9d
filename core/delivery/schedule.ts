/** Computes the delay before the next attempt. Pure. */

import { type Duration, HOUR, MINUTE, SECOND } from '../model/time.ts';

/** Delays before the 2nd, 3rd, … attempt: 10 attempts over 75 h 35 min, as Standard Webhooks recommends. */
export const RETRY_DELAYS: readonly Duration[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** The upper limit for a delay that the receiver asks for. */
export const MAX_ASKED_DELAY: Duration = 24 * HOUR;

/**
 * The delay after this many failed attempts; undefined if there are no attempts left. `jitter` in [0, 1) varies it by
 * ±20 %, so that a recovering receiver does not get all retries at once. `asked` is the delay that the receiver asks for.
 */
export function nextDelay(failed: number, jitter: number, asked: Duration = 0): Duration | undefined {
  const delay = RETRY_DELAYS[failed - 1];
  if (delay === undefined) return undefined;
  const spread = Math.round(delay * (0.8 + 0.4 * jitter));
  return Math.max(spread, Math.min(asked, MAX_ASKED_DELAY));
}
