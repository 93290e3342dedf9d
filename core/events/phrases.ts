/** How dates, counts and names read in every message, whichever channel it goes to. Pure. */

import { addDays, isDay } from '../model/calendar.ts';
import type { EventData } from '../model/event.ts';
import { createZoneFormat } from '../model/zone-format.ts';

const DAY_FORMAT = { timeZone: 'UTC', weekday: 'short', day: 'numeric', month: 'short' } as const;

/** Made at first use: it takes as long as hundreds of events, and most runs of a command announce none. */
let dayFormat: Intl.DateTimeFormat | undefined;

/** `Fri 20 Nov`, with the year if it is not the year of `at`, a day or an instant. */
export function formatDay(day: string, at: string): string {
  dayFormat ??= new Intl.DateTimeFormat('en-GB', DAY_FORMAT);
  const text = dayFormat.format(Date.parse(`${day}T00:00:00Z`)).replace(',', '');
  return day.slice(0, 4) === at.slice(0, 4) ? text : `${text} ${day.slice(0, 4)}`;
}

/** The day in a field of the record; undefined if it has none. */
export function formatDayField({ record, occurred }: EventData, field: string): string | undefined {
  const day = record[field];
  return isDay(day) ? formatDay(day, occurred?.before ?? day) : undefined;
}

/** The first day on which a record with this due date is overdue; undefined if it has none. */
export function formatFirstDayOverdue({ record, occurred }: EventData): string | undefined {
  const due = record.datedue;
  return isDay(due) ? formatDay(addDays(due, 1), occurred?.before ?? due) : undefined;
}

const timeFormatOf = createZoneFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** `14 Nov 2026, 09:31 UTC` */
export function formatZonedTime(instant: string, zone: string): string {
  return `${timeFormatOf(zone).format(Date.parse(instant))} ${zone}`;
}

/** What messages call a resource, where it is not its name. */
const OWN_NOUNS: Readonly<Record<string, string>> = {
  projectworktype: 'project work type',
  subscription: 'receiver',
  tasklistfilter: 'task list filter',
  time: 'time entry',
};
const PLURALS: Readonly<Record<string, string>> = {
  person: 'people',
  taskpriority: 'task priorities',
  taskstatus: 'task statuses',
  time: 'time entries',
};
/** The API writes two words as one: `invoiceitem`. */
const COMPOUND = /^(contact|invoice|milestone|payment|person|project|repeat|task|work)(?!s?$)/;

/** `task`, `tasks` */
export function nounFor(resource: string, count: number): string {
  const noun = OWN_NOUNS[resource] ?? resource.replace(COMPOUND, '$1 ');
  return count === 1 ? noun : (PLURALS[resource] ?? `${noun}s`);
}

/** `2,119 tasks` */
export function countOf(count: number, resource: string): string {
  return `${count.toLocaleString('en')} ${nounFor(resource, count)}`;
}

/** In the middle of a sentence: `Task “Draft”` → `task “Draft”`. */
export function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

export function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
