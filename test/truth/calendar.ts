/** Days of the account's zone, and the rules that say what a day means. */

/** The rules of a config. Numbers are days. */
export interface DayRules {
  readonly closedStatuses: readonly string[];
  readonly taskDueSoon: number;
  readonly taskStale: number;
  readonly invoiceDueSoon: number;
  readonly invoiceOverdueReminders: readonly number[];
  readonly projectEndingSoon: number;
}

/** What decides which day an instant belongs to and what a day means. */
export interface Calendar {
  readonly dayOf: (instant: string) => string;
  readonly rules: DayRules;
}

export function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T12:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

/** Returns a function from an instant to the calendar day in the zone. */
export function dayInZone(timeZone: string): (instant: string) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  return (instant) => format.format(Date.parse(instant));
}

/** Returns a function from a day to its first instant in the zone. Caches the instants. */
export function midnightsIn(dayOf: (instant: string) => string): (day: string) => string {
  const known = new Map<string, string>();
  return (day) => {
    const midnight = known.get(day) ?? findMidnight(day, dayOf);
    known.set(day, midnight);
    return midnight;
  };
}

function findMidnight(day: string, dayOf: (instant: string) => string): string {
  let [before, after] = [Date.parse(`${day}T00:00:00Z`) - 26 * 3_600_000, Date.parse(`${day}T23:00:00Z`)];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (dayOf(new Date(middle).toISOString()) < day) before = middle;
    else after = middle;
  }
  return new Date(after).toISOString();
}

/**
 * Yields an instant every `step` milliseconds. After each midnight of the zone at that time it yields two more: after one
 * second, and when lists show the records as they were at midnight.
 */
export function* instants(start: number, end: number, step: number, zoneAt: (at: number) => string): Generator<number> {
  for (let at = start; at <= end; at += step) {
    yield at;
    const midnight = midnightBetween(at - 1, at + step - 1, zoneAt(at));
    if (midnight === undefined) continue;
    for (const delay of [1000, 121_000]) if (midnight + delay < at + step) yield midnight + delay;
  }
}

/** The midnight after the first and until the second instant. */
export function midnightBetween(from: number, until: number, timeZone: string): number | undefined {
  const dayOf = dayInZone(timeZone);
  const day = (instant: number) => dayOf(new Date(instant).toISOString());
  if (day(from) === day(until)) return undefined;
  let [before, after] = [from, until];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (day(middle) === day(from)) before = middle;
    else after = middle;
  }
  return after;
}
