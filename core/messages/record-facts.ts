/**
 * The facts and changes that a message shows, as labels and values: one table for every channel. Plain text of bounded
 * length, with names instead of ids wherever the record has names.
 */

import { amount, joinNames, listOf, sayManagers } from '../events/facts.ts';
import { formatDay } from '../events/phrases.ts';
import { dayIn, daysBetween, isDay } from '../model/calendar.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { Value } from '../model/record.ts';
import type { Change } from '../model/snapshot.ts';
import { parseInstant } from '../model/time.ts';
import { resourceOf } from '../resources/catalogue.ts';
import { labelOf } from '../resources/field-labels.ts';
import { BEYOND_MODEL } from '../resources/field-role.ts';
import { htmlText } from '../resources/html-text.ts';
import { clip } from './clip.ts';
import { clipNames } from './clip-names.ts';

export interface Fact {
  /** `Assigned to` */
  readonly label: string;
  readonly value: string;
}

export interface RecordFact extends Fact {
  /** `Wed 18 Nov → Fri 20 Nov`, for a channel that shows facts and changes in one table. @default - not changed */
  readonly change?: string;
  /** The event is about this fact: a message in a thread, where the rest was said before, shows it again. */
  readonly isNews: boolean;
}

export interface ChangeFact extends Fact {
  /** The field is one of those that `findFacts` covers. */
  readonly isFact: boolean;
}

export interface FactOptions {
  /** When the message is sent: `3 days late` counts to that day. */
  readonly at: string;
  readonly timeZone: string;
}

const MAX_LABEL_LENGTH = 40;
const MAX_VALUE_LENGTH = 160;
const MAX_SIDE_LENGTH = 78;
const MAX_CHANGES = 10;
/** Only the start of a long text is shown, so only this much of its HTML is read. */
const MAX_HTML_LENGTH = 4000;

type Format = (value: Value, options: FactOptions) => string;

const money: Format = (value, options) => (typeof value === 'number' ? amount(value) : showValue(value, options));
const hours: Format = (value, options) => (typeof value === 'number' ? `${value} h` : showValue(value, options));

/** Fields with a special format, in facts and in changes. */
const FORMATS: Readonly<Record<string, Format>> = {
  ...Object.fromEntries(
    ['amount', 'balance', 'fee', 'payments', 'subtotal', 'taxamount', 'total'].map((field) => [field, money]),
  ),
  ...Object.fromEntries(['actual', 'billable', 'estimate', 'unbillable'].map((field) => [field, hours])),
  failingSince: (value, options) => {
    const instant = typeof value === 'string' ? parseInstant(value) : undefined;
    return showValue(instant === undefined ? value : dayIn(options.timeZone, instant), options);
  },
};

/** The fields that a message shows, most important first. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  task: ['project', 'client', 'assignees', 'owners', 'datedue', 'status', 'severity', 'estimate'],
  invoice: ['client', 'project', 'total', 'payments', 'balance', 'datedue', 'datepaid'],
  project: ['client', 'manager', 'datestart', 'dateend', 'budget'],
  // Its module is its name, which the headline says.
  projectmodule: ['project', 'client'],
  person: ['title', 'group', 'client'],
  expense: ['project', 'client', 'person', 'fee', 'date'],
  // The headline says why a source fails.
  source: [],
  subscription: ['failingSince'],
};
const OTHER_FIELDS: readonly string[] = ['project', 'client', 'module', 'person'];

/** The names behind a field of ids. */
const NAMES_OF: Readonly<Record<string, string>> = {
  assigneeid: 'assignees',
  clientid: 'client',
  followerid: 'followers',
  groupid: 'group',
  labelid: 'label',
  managerid: 'manager',
  milestoneid: 'milestone',
  moduleid: 'module',
  ownerid: 'owners',
  personid: 'person',
  priorityid: 'severity',
  projectid: 'project',
  statusid: 'status',
  termid: 'term',
};

/** Fields beyond the model follow one rule: `x_tracker` is the name behind `x_trackerid`. */
function namesFieldOf(field: string): string | undefined {
  if (field.startsWith(BEYOND_MODEL)) return field.endsWith('id') ? field.slice(0, -'id'.length) : undefined;
  return NAMES_OF[field];
}

export function findFacts(event: TidingsEvent, options: FactOptions): readonly RecordFact[] {
  const { changes } = event.data;
  const facts = (FIELDS[resourceName(event)] ?? OTHER_FIELDS).flatMap((field): RecordFact[] => {
    const value = fieldValue(event, field) ?? null;
    const changed = changes.find((change) => change.field === field || namesFieldOf(change.field) === field);
    if (isRedundant(event, field) || (isEmpty(value) && (changed === undefined || field === 'failingSince'))) return [];
    const late = lateness(event, field, options);
    // For payments, the current values are more useful than the changes.
    const showsNow = ABOUT_MONEY.test(event.type);
    const change = changed === undefined || showsNow ? undefined : `${describeChange(event, changed, options)}${late}`;
    const text = `${showWithin(MAX_VALUE_LENGTH - late.length, field, value, options)}${late}`;
    return [{ label: labelOf(field), value: text, change, isNews: changed !== undefined || late !== '' }];
  });
  // Project and client come first, then the facts that the event is about.
  const place = facts.filter(({ label }) => label === 'Project' || label === 'Client');
  return [...place, ...amountsOf(event), ...facts.filter((fact) => !place.includes(fact))].filter(
    ({ value }) => value !== '',
  );
}

/** All changes of the record; `more` counts those beyond the first ten. */
export function findChanges(
  event: TidingsEvent,
  options: FactOptions,
): { readonly changes: readonly ChangeFact[]; readonly more: number } {
  const resource = resourceName(event);
  // The fields of sources and subscriptions are technical; the headline says everything.
  const all = resource === 'source' || resource === 'subscription' ? [] : event.data.changes;
  const named = new Set(all.map(({ field }) => namesFieldOf(field) ?? ''));
  const listed = all.filter(({ field }) => !named.has(field));
  const fields = FIELDS[resource] ?? OTHER_FIELDS;
  const changes = listed.slice(0, MAX_CHANGES).map((change) => ({
    label: clip(labelOf(change.field), MAX_LABEL_LENGTH) || 'Field',
    value: describeChange(event, change, options),
    isFact: fields.includes(namesFieldOf(change.field) ?? change.field),
  }));
  return { changes, more: listed.length - changes.length };
}

/** The API names the first manager of a project only. */
function fieldValue(event: TidingsEvent, field: string): Value | undefined {
  const { record } = event.data;
  const hasManagers = resourceName(event) === 'project' && listOf(record.managerid).length > 0;
  return field === 'manager' && hasManagers ? sayManagers(record) : record[field];
}

const resourceName = ({ subject }: TidingsEvent) => subject.slice(0, subject.indexOf('/'));

/** `Wed 18 Nov → Fri 20 Nov`. For ids, the record has only the new names; the old ones are shown if the event has them. */
function describeChange(event: TidingsEvent, change: Change, options: FactOptions): string {
  const { details = {} } = event.data;
  const namesField = namesFieldOf(change.field);
  const names = namesField === undefined ? undefined : fieldValue(event, namesField);
  if (namesField === undefined || names === undefined || isEmpty(names) !== isEmpty(change.to)) {
    const [from, to] = [change.from, change.to].map((value) => describeSide(event, change, value, options));
    // A long text may have changed behind its start.
    return from === to ? `${to} (changed)` : `${from} → ${to}`;
  }
  const now = showWithin(MAX_SIDE_LENGTH, namesField, names, options);
  const removed = listOf(details.removedNames);
  if (change.field === 'statusid' && typeof details.from === 'string')
    return `${clip(details.from, MAX_SIDE_LENGTH)} → ${now}`;
  if (PEOPLE_OF[event.type] === change.field && removed.length > 0)
    return `${now} (no longer ${clipNames(removed, MAX_SIDE_LENGTH - 14)})`;
  return `now ${now}`;
}

function describeSide(event: TidingsEvent, { field }: Change, value: Value, options: FactOptions): string {
  const isHtml = resourceOf(resourceName(event))?.fields[field]?.type === 'html';
  if (isHtml && typeof value === 'string') return clip(startOfHtml(value), MAX_SIDE_LENGTH) || 'none';
  return showWithin(MAX_SIDE_LENGTH, field, value, options) || 'none';
}

function startOfHtml(html: string): string {
  const text = htmlText(html.slice(0, MAX_HTML_LENGTH));
  return html.length > MAX_HTML_LENGTH ? `${text}…` : text;
}

/** The field whose added and removed people are in `details`. */
const PEOPLE_OF: Readonly<Record<string, string>> = {
  'task.unassigned': 'assigneeid',
  'task.owner_changed': 'ownerid',
  'task.followers_changed': 'followerid',
};

const ABOUT_MONEY = /^invoice\.(paid|partially_paid|payment_received|payment_reversed|settled_late)$/;

/** Whether an amount is zero, or equal to another fact of the message. */
function isRedundant({ type, data: { record, details = {}, changes } }: TidingsEvent, field: string): boolean {
  if (FORMATS[field] !== money) return false;
  const sum = record[field];
  if (!ABOUT_MONEY.test(type))
    return field === 'payments' && sum === 0 && !changes.some((change) => change.field === field);
  return sum === 0 || (field === 'payments' && (sum === record.total || sum === details.amount));
}

/** The amount that was paid, or the time that was logged. */
function amountsOf({ type, data: { details = {} } }: TidingsEvent): readonly RecordFact[] {
  if (type.startsWith('invoice.') && typeof details.amount === 'number') {
    const label = details.amount < 0 ? 'Reversed' : 'Received';
    return [{ label, value: clip(amount(Math.abs(details.amount)), MAX_VALUE_LENGTH), isNews: true }];
  }
  return typeof details.hours === 'number' ? [{ label: 'Logged', value: `${details.hours} h`, isNews: true }] : [];
}

/** ` (3 days late)` on the day the message is sent; only for events that are about a date. */
function lateness({ type, data: { record } }: TidingsEvent, field: string, { at, timeZone }: FactOptions): string {
  const due = record[field];
  if (field !== 'datedue' && field !== 'dateend') return '';
  if (!isDay(due) || !/\.(overdue|overdue_reminder|due_soon|past_end|ending_soon)$/.test(type)) return '';
  const days = daysBetween(due, dayIn(timeZone, at));
  const count = `${Math.abs(days).toLocaleString('en')} ${Math.abs(days) === 1 ? 'day' : 'days'}`;
  if (days > 0) return ` (${count} late)`;
  // What is late is not due in some days, whichever zone or clock the message is rendered with.
  if (/\.(overdue|overdue_reminder|past_end)$/.test(type)) return '';
  if (days === 0) return ' (today)';
  return days === -1 ? ' (tomorrow)' : ` (in ${count})`;
}

function format(field: string, value: Value, options: FactOptions): string {
  if (isEmpty(value)) return 'none';
  return (Object.hasOwn(FORMATS, field) ? FORMATS[field] : undefined)?.(value, options) ?? showValue(value, options);
}

/** A value of at most this length. A list ends with a whole member. */
function showWithin(length: number, field: string, value: Value, options: FactOptions): string {
  const isList = Array.isArray(value) && value.length > 1 && value.every((item) => typeof item !== 'object');
  if (isList && !Object.hasOwn(FORMATS, field)) return clipNames(listOf(value), length);
  return clip(format(field, value, options), length);
}

const isEmpty = (value: Value) => value === null || value === '' || (Array.isArray(value) && value.length === 0);

function showValue(value: Value, { at }: FactOptions): string {
  if (isEmpty(value)) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return value.toLocaleString('en', { maximumFractionDigits: 2 });
  if (typeof value === 'string') return isDay(value) ? formatDay(value, at) : value;
  return Array.isArray(value) && value.every((item) => typeof item !== 'object')
    ? joinNames(listOf(value))
    : JSON.stringify(value);
}
