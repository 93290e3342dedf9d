/** Days of a calendar in a time zone. Pure: which day it is follows from an instant and a zone. */

import { DAY, fromMillis, HOUR, type Instant, toMillis } from './time.ts';

/** `2026-11-14`: sorts as text. */
export type Day = string;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Making a format costs a thousand times what using it does. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  formats.set(zone, format);
  return format;
}

export function isTimeZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** The day it is in that zone at that instant. */
export function dayIn(zone: string, instant: Instant): Day {
  return formatOf(zone).format(toMillis(instant));
}

const starts = new Map<string, Instant>();

/**
 * The first instant of a day in a zone. Searched, not computed: a day may begin at one o'clock where the clocks go
 * forward at midnight, and a zone may skip a whole day.
 */
export function startOfDay(zone: string, day: Day): Instant {
  const key = `${zone} ${day}`;
  const known = starts.get(key);
  if (known !== undefined) return known;
  const format = formatOf(zone);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // No zone is further from UTC than this.
  let [before, after] = [midnight - 16 * HOUR, midnight + 16 * HOUR];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (format.format(middle) >= day) after = middle;
    else before = middle;
  }
  const start = fromMillis(after);
  // Bounded: a year of days in a few zones.
  if (starts.size > 5000) starts.clear();
  starts.set(key, start);
  return start;
}

export function addDays(day: Day, count: number): Day {
  return fromMillis(Date.parse(`${day}T00:00:00Z`) + count * DAY).slice(0, 10);
}

/** How many days from one to the other; negative when they are the other way round. */
export function daysBetween(from: Day, to: Day): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY);
}

/** Whether a value is a day that exists. */
export function isDay(value: unknown): value is Day {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const millis = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(millis) && fromMillis(millis).slice(0, 10) === value;
}
