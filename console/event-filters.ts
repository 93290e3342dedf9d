/** The filters of the list of events, as they are in the URL. Pure. */

import { atTimeOfDay, isDay } from '../core/model/calendar.ts';
import type { ListEventsQuery } from '../manage/api/events.ts';
import { sinceSchema, typeGlobSchema } from '../manage/api/http/schemas.ts';

export interface EventFilters {
  readonly q: string;
  readonly type: string;
  readonly subject: string;
  readonly source: string;
  /** `24h`: how long ago. */
  readonly since: string;
  /** `2026-11-16T09:00`: local times of the account, from an input. */
  readonly from: string;
  readonly to: string;
}

export const FILTER_NAMES = ['q', 'type', 'subject', 'source', 'since', 'from', 'to'] as const;

export const PERIODS: readonly (readonly [since: string, words: string])[] = [
  ['', 'any time'],
  ['1h', 'last hour'],
  ['24h', 'last 24 hours'],
  ['7d', 'last 7 days'],
  ['30d', 'last 30 days'],
];

const MAX_LENGTH = 200;

export function readFilters(parameters: URLSearchParams): EventFilters {
  const read = (name: string) => (parameters.get(name) ?? '').trim().slice(0, MAX_LENGTH);
  return Object.fromEntries(FILTER_NAMES.map((name) => [name, read(name)])) as unknown as EventFilters;
}

export interface FilterProblem {
  readonly field: keyof EventFilters;
  readonly message: string;
}

/** What the filters ask the management API for. A wrong value is reported, and not a filter that finds nothing. */
export function toEventsQuery(
  filters: EventFilters,
  zone: string,
): { readonly query: Omit<ListEventsQuery, 'limit'>; readonly problems: readonly FilterProblem[] } {
  const problems: FilterProblem[] = [];
  const check = (field: keyof EventFilters, isValid: boolean, message: string): string | undefined => {
    if (filters[field] === '') return undefined;
    if (!isValid) problems.push({ field, message });
    return isValid ? filters[field] : undefined;
  };
  const type = check(
    'type',
    typeGlobSchema.safeParse(filters.type).success,
    'Type: expected one such as task.closed or task.*',
  );
  const since = check(
    'since',
    sinceSchema.safeParse(filters.since).success,
    'Time: expected how long ago, such as 24h',
  );
  const from = toInstant(filters.from, zone);
  const until = toInstant(filters.to, zone);
  check('from', from !== undefined, 'From: expected a date and a time');
  check('to', until !== undefined, 'To: expected a date and a time');
  const query = {
    type,
    since: from ?? since,
    until,
    subject: filters.subject === '' ? undefined : filters.subject,
    source: filters.source === '' ? undefined : filters.source,
    text: filters.q === '' ? undefined : filters.q,
  };
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return { query: Object.fromEntries(given), problems };
}

/** A local time of the account, as `datetime-local` inputs send it. */
function toInstant(text: string, zone: string): string | undefined {
  const [, day = '', hour = '', minute = ''] =
    /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):([0-5]\d)(?::\d{2})?$/.exec(text) ?? [];
  return isDay(day) ? atTimeOfDay(zone, day, `${hour}:${minute}`) : undefined;
}
