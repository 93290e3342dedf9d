/**
 * The part of the form that says which events, with which content, and when: as controls, or as one line in the query
 * language. Pure.
 */

import { printQuery, QueryError } from '../core/filters/query.ts';
import { subscriptionFromQuery } from '../core/filters/query-compile.ts';
import { queryFromSubscription } from '../core/filters/query-from.ts';
import { type Subscription, WEEKDAYS, type Weekday } from '../core/model/subscription.ts';
import type { FieldError } from '../manage/api/http/problem.ts';
import { type ConditionRow, filterToRows, rowsToWhere } from './condition-rows.ts';
import { type FormText, isSameText, linesOf, parseJson, textOf, withoutAbsent } from './form-text.ts';

/** `fields`: controls; `query`: one line in the query language. */
export type FormMode = 'query' | 'fields';

export function modeOf(form: FormText): FormMode {
  return form.get('mode') === 'query' ? 'query' : 'fields';
}

/** `rows`: conditions; `pattern`: a filter that no rows can say, as JSON. */
export function contentModeOf(form: FormText): 'rows' | 'pattern' {
  return form.get('content') === 'pattern' ? 'pattern' : 'rows';
}

export type Filter = Pick<Subscription, 'events' | 'where' | 'digest' | 'quiet'>;

type Entry = readonly [name: string, text: string];

const DEFAULT_DIGEST_DAYS = ['mon', 'tue', 'wed', 'thu', 'fri'].join('\n');

/** What a new form has in its fields before anyone touches them. */
export const NEW_FILTER: readonly Entry[] = [
  ['timing', 'now'],
  ['digest.at', '08:30'],
  ['digest.days', DEFAULT_DIGEST_DAYS],
  ['quiet.from', '18:00'],
  ['quiet.until', '08:00'],
];

/** All fields of the filter. @param types all event types */
export function filterToForm({ events, where, digest, quiet }: Filter, types: readonly string[]): readonly Entry[] {
  const rows = filterToRows({ events, where }, types);
  return [
    ...NEW_FILTER,
    ['mode', 'fields'],
    ['events', events.join('\n')],
    ['content', rows === undefined ? 'pattern' : 'rows'],
    ['where', rows === undefined ? JSON.stringify(where, undefined, 2) : ''],
    ...rowsToForm(rows ?? []),
    ['timing', digest === undefined ? 'now' : 'digest'],
    ...(digest === undefined
      ? []
      : ([
          ['digest.at', digest.at],
          ['digest.days', (digest.days ?? WEEKDAYS).join('\n')],
          ['digest.list', digest.list ?? ''],
          ['digest.groupBy', digest.groupBy ?? ''],
        ] as const)),
    ['quiet.hours', quiet?.from === undefined ? '' : 'yes'],
    ...(quiet?.from === undefined
      ? []
      : ([
          ['quiet.from', quiet.from],
          ['quiet.until', quiet.until ?? ''],
        ] as const)),
    ['quiet.days', (quiet?.days ?? []).join('\n')],
  ];
}

/** More rows than anyone makes. */
const MAX_ROWS = 50;

export function rowsOf(form: FormText): readonly ConditionRow[] {
  return Array.from({ length: MAX_ROWS }, (_, index) => `condition.${index}`).flatMap((name) => {
    const key = form.get(`${name}.key`);
    if (key === undefined) return [];
    return [{ key, operator: form.get(`${name}.operator`) ?? 'is', value: form.get(`${name}.value`) ?? '' }];
  });
}

function rowsToForm(rows: readonly ConditionRow[]): readonly Entry[] {
  return rows.flatMap(({ key, operator, value }, index): readonly Entry[] => [
    [`condition.${index}.key`, key],
    [`condition.${index}.operator`, operator],
    [`condition.${index}.value`, value],
  ]);
}

/** The form with these rows instead of its own. */
export function withRows(form: FormText, rows: readonly ConditionRow[]): FormText {
  const others = [...form].filter(([name]) => !name.startsWith('condition.'));
  return new Map([...others, ...rowsToForm(rows)]);
}

/** The chosen event types and patterns, those of the stored subscription first and in its order. */
export function eventsOf(form: FormText, known: readonly string[] = []): readonly string[] {
  const typed = (form.get('globs') ?? '').split(/[\s,]+/).filter((glob) => glob !== '');
  const chosen = new Set([...linesOf(form, 'events').flatMap((line) => line.trim().split(/[\s,]+/)), ...typed]);
  return [...known.filter((glob) => chosen.has(glob)), ...[...chosen].filter((glob) => !known.includes(glob))];
}

export interface FormFilter {
  /** The keys of a request: those that are not given are left out, or null. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly errors: readonly FieldError[];
}

export interface FormFilterOptions {
  /** All event types that the person may see. */
  readonly types: readonly string[];
  /** The stored subscription. What the form still has as it was opened stays as it is stored. @default - a new one */
  readonly known?: Filter;
}

export function formToFilter(form: FormText, { types, known }: FormFilterOptions): FormFilter {
  const errors: FieldError[] = [];
  const absent = known === undefined ? undefined : null;
  const filter = modeOf(form) === 'query' ? readQuery(form, types, errors) : readControls(form, types, known, errors);
  const stored = known === undefined ? new Map<string, string>() : new Map(filterToForm(known, types));
  const body = {
    events: filter.events,
    where: filter.where ?? absent,
    digest: filter.digest ?? absent,
    quiet: filter.quiet ?? absent,
  };
  // What was not touched may be something that the form cannot say.
  const untouched = known === undefined || modeOf(form) === 'query' ? [] : untouchedKeys(form, stored, known);
  const given = Object.entries(body).filter(([key, value]) => value !== undefined && !untouched.includes(key));
  return { body: Object.fromEntries(given), errors };
}

function untouchedKeys(form: FormText, stored: FormText, known: Filter): readonly string[] {
  const conditions = [...new Set([...form.keys(), ...stored.keys()])].filter((name) => name.startsWith('condition.'));
  const hasSameEvents = isSameList(eventsOf(form, known.events), known.events);
  const isSameContent = hasSameEvents && isSameText(form, stored, ['content', 'where', ...conditions]);
  const isNow = (one: FormText) => one.get('timing') !== 'digest';
  const isSameDigest =
    (isNow(form) && isNow(stored)) ||
    (isSameText(form, stored, ['timing', 'digest.at', 'digest.list', 'digest.groupBy']) &&
      isSameList(daysOf(form, 'digest.days'), daysOf(stored, 'digest.days')));
  const hasHours = (one: FormText) => one.get('quiet.hours') === 'yes';
  const isSameQuiet =
    hasHours(form) === hasHours(stored) &&
    (!hasHours(form) || isSameText(form, stored, ['quiet.from', 'quiet.until'])) &&
    isSameList(daysOf(form, 'quiet.days'), daysOf(stored, 'quiet.days'));
  return [
    ...(hasSameEvents ? ['events'] : []),
    ...(isSameContent ? ['where'] : []),
    ...(isSameDigest ? ['digest'] : []),
    ...(isSameQuiet ? ['quiet'] : []),
  ];
}

const isSameList = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((item, index) => item === other[index]);

interface ReadFilter {
  readonly events: readonly string[];
  readonly where?: unknown;
  readonly digest?: unknown;
  readonly quiet?: unknown;
}

function readControls(
  form: FormText,
  types: readonly string[],
  known: Filter | undefined,
  errors: FieldError[],
): ReadFilter {
  const events = eventsOf(form, known?.events);
  if (events.length === 0) errors.push({ pointer: '/events', detail: 'choose at least one kind of event' });
  return {
    events,
    where: readContent(form, events, types, errors),
    digest: form.get('timing') === 'digest' ? readDigest(form, errors) : undefined,
    quiet: readQuiet(form, errors),
  };
}

function readContent(
  form: FormText,
  events: readonly string[],
  types: readonly string[],
  errors: FieldError[],
): unknown {
  if (contentModeOf(form) === 'pattern') {
    const text = textOf(form, 'where');
    return text === undefined ? undefined : parseJson(text, '/where', errors);
  }
  const { where, errors: own } = rowsToWhere(events, rowsOf(form), types);
  errors.push(...own);
  return where;
}

function readDigest(form: FormText, errors: FieldError[]): unknown {
  const at = textOf(form, 'digest.at');
  const days = daysOf(form, 'digest.days');
  if (at === undefined) errors.push({ pointer: '/digest/at', detail: 'choose the time of the message' });
  if (days.length === 0) errors.push({ pointer: '/digest/days', detail: 'choose at least one day' });
  return withoutAbsent({
    at: at ?? '08:30',
    days: days.length === 0 || days.length === WEEKDAYS.length ? undefined : days,
    list: textOf(form, 'digest.list'),
    groupBy: textOf(form, 'digest.groupBy'),
  });
}

function readQuiet(form: FormText, errors: FieldError[]): unknown {
  const days = daysOf(form, 'quiet.days');
  const hasHours = form.get('quiet.hours') === 'yes';
  const [from, until] = hasHours ? [textOf(form, 'quiet.from'), textOf(form, 'quiet.until')] : [];
  if (hasHours && from === undefined) errors.push({ pointer: '/quiet/from', detail: 'choose when they start' });
  if (hasHours && until === undefined) errors.push({ pointer: '/quiet/until', detail: 'choose when they end' });
  const section = withoutAbsent({ from, until, days: days.length === 0 ? undefined : days });
  return Object.keys(section).length === 0 ? undefined : section;
}

/** Monday first. */
function daysOf(form: FormText, name: string): readonly string[] {
  return linesOf(form, name).toSorted((a, b) => WEEKDAYS.indexOf(a as Weekday) - WEEKDAYS.indexOf(b as Weekday));
}

/** The query cannot say what a digest lists and how it is grouped: hidden fields keep both. */
function readQuery(form: FormText, types: readonly string[], errors: FieldError[]): ReadFilter {
  const text = textOf(form, 'query') ?? '';
  if (text === '') {
    errors.push({ pointer: '/query', detail: 'write which events, such as task.overdue' });
    return { events: [] };
  }
  try {
    const { digest, ...filter } = subscriptionFromQuery(text, types);
    const kept = { list: textOf(form, 'digest.list'), groupBy: textOf(form, 'digest.groupBy') };
    return { ...filter, ...(digest && { digest: withoutAbsent({ ...digest, ...kept }) }) };
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    errors.push(...error.problems.map(({ message }) => ({ pointer: '/query', detail: message })));
    return { events: [] };
  }
}

/** The query that says the same as the filter, as far as the query language goes. Undefined if there is none. */
export function filterToQuery({ events, where, digest, quiet }: Filter, types: readonly string[]): string | undefined {
  const schedule = digest && { at: digest.at, ...(digest.days && { days: digest.days }) };
  const query = queryFromSubscription({ events, where, digest: schedule, quiet }, types);
  return query && printQuery(query);
}
