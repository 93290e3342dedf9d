/** Reads the times and days of a query: `08:30`, `9am`, `18:00-08:00`, `mon-fri`, `weekends`. */

import { type TimeOfDay, WEEKDAYS, type Weekday } from '../model/subscription.ts';

export const WORKDAYS: readonly Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri'];

const CLOCK = /^(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm)?$/i;

/** One time of day, or two with a dash between them. */
export function readTimes(text: string): readonly TimeOfDay[] | undefined {
  const times = text.split(/[-–]/, 3).map(readTime);
  return times.length <= 2 && times.every((time) => time !== undefined) ? times : undefined;
}

function readTime(text: string): TimeOfDay | undefined {
  const [, hour, minute, half] = CLOCK.exec(text) ?? [];
  if (hour === undefined || (minute === undefined && half === undefined)) return undefined;
  const isLate = half?.toLowerCase() === 'pm';
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (isLate ? 12 : 0);
  if (hours > 23 || Number(minute ?? 0) > 59 || (half !== undefined && (Number(hour) < 1 || Number(hour) > 12)))
    return undefined;
  return `${String(hours).padStart(2, '0')}:${minute ?? '00'}`;
}

const DAY_SETS: Readonly<Record<string, readonly Weekday[]>> = {
  weekdays: WORKDAYS,
  workdays: WORKDAYS,
  weekend: ['sat', 'sun'],
  weekends: ['sat', 'sun'],
};

/** Days of the week: `mon-fri`, `mon,wed,fri`, `Mondays`, `weekends`. */
export function readDays(text: string): readonly Weekday[] | undefined {
  const parts = text
    .toLowerCase()
    .split(',', WEEKDAYS.length + 1)
    .map(readDayRange);
  const days = parts.flatMap((part) => part ?? []);
  return parts.some((part) => part === undefined) ? undefined : WEEKDAYS.filter((day) => days.includes(day));
}

function readDayRange(text: string): readonly Weekday[] | undefined {
  if (Object.hasOwn(DAY_SETS, text)) return DAY_SETS[text];
  const [first, last, ...more] = text.split(/[-–]/, 3).map(readDay);
  if (first === undefined || more.length > 0) return undefined;
  if (!/[-–]/.test(text)) return [first];
  if (last === undefined) return undefined;
  const [from, to] = [WEEKDAYS.indexOf(first), WEEKDAYS.indexOf(last)];
  // `fri-mon` passes the end of the week.
  return WEEKDAYS.filter((_, at) => (from <= to ? from <= at && at <= to : at >= from || at <= to));
}

const DAY_NAMES = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

function readDay(text: string): Weekday | undefined {
  const name = text.endsWith('days') ? text.slice(0, -1) : text;
  const at = DAY_NAMES.findIndex(
    (day) => name === day || (name.length >= 3 && name.length <= 5 && day.startsWith(name)),
  );
  return WEEKDAYS[at];
}
