/** Calendar days in a time zone. Pure: the day follows from an instant and a zone. */

import { memoize } from './memoize.ts';
import { type TimeOfDay, WEEKDAYS, type Weekday } from './subscription.ts';
import { DAY, fromMillis, HOUR, type Instant, MINUTE, toMillis } from './time.ts';
import { createZoneFormat, MAX_ZONES } from './zone-format.ts';

/** `2026-11-14`: sorts as text. */
export type Day = string;

const formatOf = createZoneFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' });

export function isTimeZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** The day in a zone at an instant: the last one that has started. Starts are cached, which is faster than formatting each instant. */
export function dayIn(zone: string, instant: Instant): Day {
  const day = instant.slice(0, 10);
  // Beyond these years the text of a day has another length.
  if (day < '0001' || day > '9998') return formatOf(zone).format(toMillis(instant));
  const next = addDays(day, 1);
  if (startOfDay(zone, next) <= instant) return next;
  return startOfDay(zone, day) <= instant ? day : addDays(day, -1);
}

/**
 * The first instant of a day in a zone. Found by binary search: where clocks go forward at midnight a day begins at one
 * o'clock, and a zone may even skip a day.
 */
export function startOfDay(zone: string, day: Day): Instant {
  return startsIn(zone)(day);
}

const startsIn = memoize((zone: string) => memoize((day: Day): Instant => searchStart(zone, day)), MAX_ZONES);

function searchStart(zone: string, day: Day): Instant {
  const format = formatOf(zone);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // No zone offset exceeds this.
  let [before, after] = [midnight - 16 * HOUR, midnight + 16 * HOUR];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (format.format(middle) >= day) after = middle;
    else before = middle;
  }
  return fromMillis(after);
}

export function addDays(day: Day, count: number): Day {
  return shifted(count)(day);
}

const shifted = memoize((count: number) =>
  memoize((day: Day): Day => fromMillis(Date.parse(`${day}T00:00:00Z`) + count * DAY).slice(0, 10)),
);

/** Days from one day to the other; negative when `to` is earlier. */
export function daysBetween(from: Day, to: Day): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY);
}

/** Whether a value is an existing calendar day. */
export function isDay(value: unknown): value is Day {
  return typeof value === 'string' && value.length === 10 && exists(value);
}

const exists = memoize((text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const millis = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(millis) && fromMillis(millis).slice(0, 10) === text;
});

export function weekdayOf(day: Day): Weekday {
  // 1970-01-01 was a Thursday. The second remainder makes the index of earlier days positive.
  const index = (((Date.parse(`${day}T00:00:00Z`) / DAY + 3) % 7) + 7) % 7;
  return WEEKDAYS[index] ?? 'mon';
}

/**
 * The first instant of a day at which a zone's clocks show this time or a later one. For a time skipped by daylight
 * saving this is the moment of the change; for a time that occurs twice it is the first.
 */
export function atTimeOfDay(zone: string, day: Day, time: TimeOfDay): Instant {
  return timesIn(zone)(`${day} ${time}`);
}

const timesIn = memoize((zone: string) => memoize((text: string): Instant => searchTime(zone, text)), MAX_ZONES);

/** Zone offsets are multiples of 15 minutes. */
const QUARTER = HOUR / 4;

function searchTime(zone: string, text: string): Instant {
  const [day = '', time = ''] = text.split(' ');
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const format = clockOf(zone);
  const quarter = Math.floor(minutes / 15) * 15;
  const wanted = `${String(hours).padStart(2, '0')}:${String(quarter).padStart(2, '0')}`;
  const start = toMillis(startOfDay(zone, day));
  const end = toMillis(startOfDay(zone, addDays(day, 1)));
  for (let millis = start; millis < end; millis += QUARTER) {
    const shown = format.format(millis);
    if (shown === wanted) return fromMillis(millis + (minutes - quarter) * MINUTE);
    if (shown > wanted) return fromMillis(millis);
  }
  return fromMillis(end);
}

const clockOf = createZoneFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
