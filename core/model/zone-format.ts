/** Formats of instants in a time zone. Made once for a zone, because making one takes as long as using it a thousand times. */

import { memoize } from './memoize.ts';

/**
 * More zones than an installation has readers in. What was computed for zones is forgotten then: a subscription may write the same
 * zone in any mix of capitals, so a key could name millions of them, and each format takes kilobytes.
 */
export const MAX_ZONES = 500;

/** Returns the format of a zone. That throws a RangeError for an unknown zone. */
export function createZoneFormat(
  locale: string,
  options: Omit<Intl.DateTimeFormatOptions, 'timeZone'>,
): (zone: string) => Intl.DateTimeFormat {
  return memoize((timeZone: string) => new Intl.DateTimeFormat(locale, { ...options, timeZone }), MAX_ZONES);
}
