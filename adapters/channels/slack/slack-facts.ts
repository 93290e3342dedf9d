/**
 * What a Slack message tells of a record: a table of labels and values, in which what changed reads `old → new`. Plain
 * text of bounded length, with names instead of ids wherever there are names; knows nothing of blocks.
 */

import { amount, joinNames, listOf } from '../../../core/events/facts.ts';
import { clip } from '../../../core/messages/neutral-message.ts';
import { dayIn, daysBetween, isDay } from '../../../core/model/calendar.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { Fields, Value } from '../../../core/model/record.ts';
import type { Change } from '../../../core/model/snapshot.ts';
import { parseInstant } from '../../../core/model/time.ts';
import { resourceOf } from '../../../core/resources/catalogue.ts';
import { htmlText } from '../../../core/resources/html-text.ts';

export interface SlackFact {
  readonly label: string;
  readonly value: string;
}

export interface SlackFacts {
  readonly facts: readonly SlackFact[];
  /** Changes that found no place in the table. */
  readonly unlisted: number;
}

export interface FactOptions {
  /** When it is told: what is late is so many days late on that day. */
  readonly at: string;
  readonly timeZone: string;
  /** Only what is new: the rest stands above it in the thread. */
  readonly isReply: boolean;
}

/** As many as a section of Slack has fields, and as anybody reads. */
const ROWS = 10;
const LABEL = 40;
const VALUE = 160;
/** A long text of which only the start is shown need not be read as HTML to its end. */
const HTML = 4000;

type Show = (value: Value, options: FactOptions) => string;
/** A field, what people call it, how it is shown; and the field of ids behind the names, whose changes are its own. */
interface Row {
  readonly field: string;
  readonly label: string;
  readonly show?: Show;
  readonly ids?: string;
}

const plain: Show = (value, { at }) => shown(value, at);
const money: Show = (value, { at }) => (typeof value === 'number' ? amount(value) : shown(value, at));
const hours: Show = (value, { at }) => (typeof value === 'number' ? `${value} h` : shown(value, at));
const day: Show = (value, { at }) => (isDay(value) ? sayDay(value, at) : shown(value, at));

const dayOfInstant: Show = (value, { timeZone, at }) => {
  const instant = typeof value === 'string' ? parseInstant(value) : undefined;
  return instant === undefined ? shown(value, at) : sayDay(dayIn(timeZone, instant), at);
};

const project: Row = { field: 'project', label: 'Project', ids: 'projectid' };
const client: Row = { field: 'client', label: 'Client', ids: 'clientid' };
const person: Row = { field: 'person', label: 'Person', ids: 'personid' };

/** Most wanted first. */
const ROWS_OF: Readonly<Record<string, readonly Row[]>> = {
  task: [
    project,
    client,
    { field: 'assignees', label: 'Assigned to', ids: 'assigneeid' },
    { field: 'owners', label: 'Owned by', ids: 'ownerid' },
    { field: 'datedue', label: 'Due', show: day },
    { field: 'status', label: 'Status', ids: 'statusid' },
    { field: 'severity', label: 'Priority', ids: 'priorityid' },
    { field: 'estimate', label: 'Estimate', show: hours },
  ],
  invoice: [
    client,
    project,
    { field: 'total', label: 'Total', show: money },
    { field: 'payments', label: 'Paid so far', show: money },
    { field: 'balance', label: 'Left to pay', show: money },
    { field: 'datedue', label: 'Due', show: day },
    { field: 'datepaid', label: 'Paid on', show: day },
  ],
  project: [
    client,
    { field: 'manager', label: 'Manager', ids: 'managerid' },
    { field: 'datestart', label: 'Start', show: day },
    { field: 'dateend', label: 'End', show: day },
    { field: 'budget', label: 'Budget' },
  ],
  person: [{ field: 'title', label: 'Title' }, { field: 'group', label: 'Role', ids: 'groupid' }, client],
  expense: [
    project,
    client,
    person,
    { field: 'fee', label: 'Fee', show: money },
    { field: 'date', label: 'Date', show: day },
  ],
  // The reason stands in the headline.
  source: [],
  subscription: [{ field: 'failingSince', label: 'Failing since', show: dayOfInstant }],
};

const ANY_ROWS: readonly Row[] = [project, client, { field: 'module', label: 'Module', ids: 'moduleid' }, person];

/** Fields that can change and have no row of their own. What is not here goes by its own name. */
const OTHER_ROWS: readonly Row[] = [
  { field: 'milestone', label: 'Milestone', ids: 'milestoneid' },
  { field: 'module', label: 'Module', ids: 'moduleid' },
  { field: 'followers', label: 'Followers', ids: 'followerid' },
  { field: 'group', label: 'Role', ids: 'groupid' },
  { field: 'term', label: 'Terms', ids: 'termid' },
  { field: 'label', label: 'Label', ids: 'labelid' },
  { field: 'dateclosed', label: 'Closed on', show: day },
  { field: 'dateopen', label: 'Opened on', show: day },
  { field: 'date', label: 'Date', show: day },
  { field: 'actual', label: 'Hours logged', show: hours },
  { field: 'billable', label: 'Billable' },
  { field: 'unbillable', label: 'Unbillable' },
  { field: 'subtotal', label: 'Subtotal', show: money },
  { field: 'taxamount', label: 'Tax', show: money },
  { field: 'summary', label: 'Description' },
];

export function slackFacts(event: TidingsEvent, options: FactOptions): SlackFacts {
  const resource = event.subject.slice(0, event.subject.indexOf('/'));
  const rows = ROWS_OF[resource] ?? ANY_ROWS;
  // Of a source or a subscription the headline says it all: its fields are for machines.
  const changes = resource === 'source' || resource === 'subscription' ? [] : event.data.changes;
  const facts = rows.flatMap((row) => factOf(event, row, options));
  const rest = changes.filter((change) => !rows.some((row) => isOf(row, change)));
  const others = rest.map((change): SlackFact => {
    const row = OTHER_ROWS.find((one) => isOf(one, change)) ?? { field: change.field, label: labelOf(change.field) };
    return { label: row.label, value: changeOf(event, row, change, options) };
  });
  // Project and client fill the first line of the two columns; what the event is about comes next.
  const place = facts.filter(({ label }) => label === project.label || label === client.label);
  const about = facts.filter((fact) => !place.includes(fact));
  const table = [...place, ...extras(event), ...about, ...authorOf(event), ...others];
  return {
    facts: table.slice(0, ROWS).filter(({ value }) => value !== ''),
    unlisted: Math.max(0, Math.min(others.length, table.length - ROWS)),
  };
}

const isOf = (row: Row, { field }: Change) => field === row.field || field === row.ids;

/** A row of the table; none where there is nothing to tell. */
function factOf(event: TidingsEvent, row: Row, options: FactOptions): SlackFact[] {
  const { record, changes } = event.data;
  const change = changes.find((one) => isOf(row, one));
  const late = row.field === 'datedue' || row.field === 'dateend' ? lateness(event, row, options) : '';
  // Where money came in, the sums as they are now say more than what they were.
  const isSum = ABOUT_MONEY.test(event.type) && row.show !== undefined;
  if (row.show === money && saysNothing(event, row, isSum)) return [];
  if (options.isReply && change === undefined && late === '') return [];
  const value = change === undefined || isSum ? currentOf(row, record, options) : changeOf(event, row, change, options);
  return value === '' ? [] : [{ label: row.label, value: clip(`${value}${late}`, VALUE) }];
}

/** A sum of nothing, or what is paid where another row tells the same sum. */
function saysNothing(
  { data: { record, details = {}, changes } }: TidingsEvent,
  { field }: Row,
  isSum: boolean,
): boolean {
  const sum = record[field];
  if (!isSum) return field === 'payments' && sum === 0 && !changes.some((change) => change.field === field);
  return sum === 0 || (field === 'payments' && (sum === record.total || sum === details.amount));
}

const ABOUT_MONEY = /^invoice\.(paid|partially_paid|payment_received|payment_reversed|settled_late)$/;

/** What one type of event is about. */
function extras({ type, data: { details = {} } }: TidingsEvent): readonly SlackFact[] {
  const facts: SlackFact[] = [];
  if (type.startsWith('invoice.') && typeof details.amount === 'number') {
    const label = details.amount < 0 ? 'Taken back' : 'Received';
    facts.push({ label, value: clip(amount(Math.abs(details.amount)), VALUE) });
  }
  if (typeof details.hours === 'number') facts.push({ label: 'Logged now', value: `${details.hours} h` });
  return facts;
}

const authorOf = ({ data: { by } }: TidingsEvent): readonly SlackFact[] =>
  by?.name ? [{ label: 'Changed by', value: clip(by.name, VALUE) }] : [];

function currentOf({ field, show = plain }: Row, record: Fields, options: FactOptions): string {
  const value = record[field];
  return value === undefined || isEmpty(value) ? '' : clip(show(value, options), VALUE);
}

/** `18 Nov → 20 Nov`. Of ids the new name is in the record; the old one only where the event tells it. */
function changeOf(event: TidingsEvent, row: Row, change: Change, options: FactOptions): string {
  const { record, details = {} } = event.data;
  const show = row.show ?? plain;
  const half = (VALUE - 3) / 2;
  if (change.field !== row.ids) {
    const isHtml = resourceOf(event.subject.split('/')[0] ?? '')?.fields[change.field]?.type === 'html';
    const side = (value: Value) =>
      clip(isEmpty(value) ? 'none' : isHtml ? words(value, options.at) : show(value, options), half) || 'none';
    return `${side(change.from)} → ${side(change.to)}`;
  }
  const name = clip(isEmpty(record[row.field] ?? null) ? 'none' : shown(record[row.field] ?? null, options.at), VALUE);
  const removed = listOf(details.removedNames);
  if (row.ids === 'statusid' && typeof details.from === 'string') return `${clip(details.from, half)} → ${name}`;
  if (PEOPLE_OF[event.type] === row.ids && removed.length > 0)
    return `${clip(name, half)} (no longer ${clip(joinNames(removed), half - 14)})`;
  return `now ${name}`;
}

/** Whose coming and going `details` tells of. */
const PEOPLE_OF: Readonly<Record<string, string>> = {
  'task.unassigned': 'assigneeid',
  'task.owner_changed': 'ownerid',
  'task.followers_changed': 'followerid',
};

/** ` (3 days late)`, on the day it is told; only for events that are about it. */
function lateness({ type, data: { record } }: TidingsEvent, { field }: Row, { at, timeZone }: FactOptions): string {
  const due = record[field];
  if (!isDay(due) || !/\.(overdue|overdue_reminder|due_soon|past_end|ending_soon)$/.test(type)) return '';
  const days = daysBetween(due, dayIn(timeZone, at));
  if (days > 0) return ` (${count(days, 'day')} late)`;
  return days === 0 ? ' (today)' : days === -1 ? ' (tomorrow)' : ` (in ${count(-days, 'day')})`;
}

const count = (n: number, noun: string) => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  weekday: 'short',
  day: 'numeric',
  month: 'short',
});

/** `Fri 20 Nov`, with its year where it is another one. */
export function sayDay(value: string, at: string): string {
  const said = dayFormat.format(Date.parse(`${value}T00:00:00Z`)).replace(',', '');
  return value.slice(0, 4) === at.slice(0, 4) ? said : `${said} ${value.slice(0, 4)}`;
}

/** `second_tax` → `Second tax` */
function labelOf(field: string): string {
  const label = clip(field.replaceAll('_', ' '), LABEL);
  return `${label.slice(0, 1).toUpperCase()}${label.slice(1)}`.toWellFormed() || 'Field';
}

const isEmpty = (value: Value) => value === null || value === '' || (Array.isArray(value) && value.length === 0);

const words = (value: Value, at: string) =>
  typeof value === 'string' ? htmlText(value.slice(0, HTML)) : shown(value, at);

function shown(value: Value, at: string): string {
  if (isEmpty(value)) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return value.toLocaleString('en', { maximumFractionDigits: 2 });
  if (typeof value === 'string') return isDay(value) ? sayDay(value, at) : value;
  return Array.isArray(value) && value.every((item) => typeof item !== 'object')
    ? joinNames(listOf(value))
    : JSON.stringify(value);
}
