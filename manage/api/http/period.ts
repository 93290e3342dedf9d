/** Reads the start of a period from a request: a timestamp, or how long ago. */

import { type Instant, parseDuration, parseInstant, plus } from '../../../core/model/time.ts';

/** Undefined for anything else, and for a start before the year 1. */
export function parsePeriodStart(text: string, now: Instant): Instant | undefined {
  const ago = parseDuration(text);
  if (ago === undefined) return parseInstant(text);
  return Number.isNaN(new Date(Date.parse(now) - ago).getTime()) ? undefined : plus(now, -ago);
}
