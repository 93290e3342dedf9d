/** Decides when to try again. Knows nothing of queues, clocks or receivers. */

import { type Duration, HOUR, MINUTE, SECOND } from '../model/time.ts';

/** Waits before the 2nd, 3rd, … attempt: 10 attempts over 75 h 35 min, as Standard Webhooks recommends. */
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

/** A receiver may ask for a longer wait, but not for one past the end of all retries. */
const LONGEST_ASKED = 24 * HOUR;

/**
 * The wait after this many failed attempts; undefined when there have been enough.
 * `jitter` in [0, 1) spreads it by ±20 %, so that a receiver coming back is not met by everyone at once.
 */
export function nextDelay(failed: number, jitter: number, asked: Duration = 0): Duration | undefined {
  const delay = RETRY_DELAYS[failed - 1];
  if (delay === undefined) return undefined;
  const spread = Math.round(delay * (0.8 + 0.4 * jitter));
  return Math.max(spread, Math.min(asked, LONGEST_ASKED));
}
