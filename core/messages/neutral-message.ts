/**
 * What a message about an event tells: one line, the facts around it, what changed and when. Plain text of bounded
 * length, ready for any channel; knows the look of none.
 */

import { decodeHTML } from 'entities';
import { eventTypeOf, sayEvent } from '../events/catalogue.ts';
import type { Urgency } from '../events/event-type.ts';
import { amount, listOf } from '../events/facts.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { Fields, Value } from '../model/record.ts';
import { resourceOf } from '../resources/catalogue.ts';
import { httpLink } from './link.ts';

export interface MessageOptions {
  /** Where people open the record. Anything but http and https is left out. @default - no link */
  readonly link?: string;
  /** The zone in which times are told. @default UTC */
  readonly timeZone?: string;
}

export interface NeutralMessage {
  /** What happened, in one line. */
  readonly line: string;
  readonly urgency: Urgency;
  /** `Client: Northwind`: what people want to know besides, as far as the record has it. */
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** `datedue: 2026-11-18 → 2026-11-20`. The last may say how many more there are. */
  readonly changes: readonly string[];
  /** `14 Nov 2026, 09:31 UTC` */
  readonly time: string;
  readonly link: string | undefined;
  /** `task` */
  readonly resource: string;
}

/**
 * Sizes that keep the longest message far below what any channel takes (Slack: 3,000 a section, some 13,200 in all),
 * and still say more than anybody reads.
 */
const LINE = 300;
const FACTS = 8;
const FACT = 160;
const CHANGES = 8;
const CHANGE_NAME = 40;
const CHANGE_VALUE = 80;

export function buildNeutralMessage(event: TidingsEvent, options: MessageOptions = {}): NeutralMessage {
  const resource = event.subject.slice(0, event.subject.indexOf('/'));
  return {
    line: lineOf(event),
    urgency: eventTypeOf(event.type)?.urgency ?? 'plain',
    facts: factsOf(resource, event.data.record),
    changes: changesOf(resource, event),
    time: timeOf(event.time, options.timeZone ?? 'UTC'),
    link: httpLink(options.link),
    resource,
  };
}

/** What happened, on one line whatever the record holds. */
export function lineOf(event: TidingsEvent): string {
  return clip(sayEvent(event), LINE) || event.type;
}

type Fact = readonly [field: string, label: string, show?: (value: Value) => string];

const money = (value: Value) => (typeof value === 'number' ? amount(value) : show(value));
const hours = (value: Value) => (typeof value === 'number' ? `${value} h` : show(value));

const project: Fact = ['project', 'Project'];
const client: Fact = ['client', 'Client'];
const person: Fact = ['person', 'Person'];

/** What is worth telling of a record, most wanted first. */
const FACTS_OF: Readonly<Record<string, readonly Fact[]>> = {
  task: [
    project,
    client,
    ['assignees', 'Assigned to'],
    ['owners', 'Owned by'],
    ['status', 'Status'],
    ['severity', 'Priority'],
    ['datedue', 'Due'],
    ['estimate', 'Estimate', hours],
  ],
  invoice: [
    client,
    project,
    ['total', 'Total', money],
    ['payments', 'Paid', money],
    ['balance', 'Left to pay', money],
    ['datedue', 'Due'],
    ['datepaid', 'Paid on'],
  ],
  project: [client, ['manager', 'Manager'], ['datestart', 'Start'], ['dateend', 'End'], ['budget', 'Budget']],
  person: [['title', 'Title'], ['group', 'Role'], client],
  expense: [project, client, person, ['fee', 'Fee', money], ['date', 'Date']],
  source: [
    ['state', 'State'],
    ['reason', 'Reason'],
    ['quota', 'Quota'],
    ['forbidden', 'Not readable'],
  ],
};

const ANY_FACTS: readonly Fact[] = [project, client, ['module', 'Module'], person];

function factsOf(resource: string, record: Fields): NeutralMessage['facts'] {
  return (FACTS_OF[resource] ?? ANY_FACTS)
    .flatMap(([field, label, shown = show]) => {
      const value = record[field];
      const text = value === undefined || isEmpty(value) ? '' : clip(shown(value), FACT);
      return text === '' ? [] : [{ label, value: text }];
    })
    .slice(0, FACTS);
}

/** Ids say nothing to people; beside them the record has the names, but only the new ones. */
const NAMES: Readonly<Record<string, string>> = {
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

function changesOf(resource: string, { data: { changes, record } }: TidingsEvent): readonly string[] {
  const table = resourceOf(resource)?.fields ?? {};
  const lines = changes.slice(0, CHANGES).map(({ field, from, to }) => {
    const named = NAMES[field];
    const names = named === undefined ? undefined : record[named];
    if (named !== undefined && names !== undefined && isEmpty(names) === isEmpty(to)) {
      return `${named}: now ${clip(show(names), CHANGE_VALUE)}`;
    }
    const isHtml = table[field]?.type === 'html';
    const value = (side: Value) => clip(isHtml && typeof side === 'string' ? plain(side) : show(side), CHANGE_VALUE);
    return `${clip(field, CHANGE_NAME)}: ${value(from)} → ${value(to)}`;
  });
  const more = changes.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

function isEmpty(value: Value): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function show(value: Value): string {
  if (isEmpty(value)) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return value;
  return Array.isArray(value) && value.every((item) => typeof item !== 'object')
    ? listOf(value).join(', ')
    : JSON.stringify(value);
}

/** The words of an HTML text. Only for reading: the result is escaped like any foreign text. Cut first: it may be long. */
function plain(html: string): string {
  return decodeHTML(html.slice(0, 4000).replaceAll(/<[^<>]*>/g, ' ')).trim() || 'none';
}

/**
 * On one line and at most so long. Control characters would break lines and headers, and marks that turn the direction
 * of writing would let a title rewrite the text around it.
 */
export function clip(text: string, length: number): string {
  const line = text
    // Enough to fill the line even if much of it is dropped; a title of a megabyte is not worth a pass over all of it.
    .slice(0, length * 8)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .trim();
  if (line.length <= length) return line;
  const cut = line.slice(0, length - 1);
  // Half a character is none.
  return `${(cut.isWellFormed() ? cut : cut.slice(0, -1)).trimEnd()}…`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function timeOf(instant: string, zone: string): string {
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'medium', timeStyle: 'short' });
  formats.set(zone, format);
  return `${format.format(Date.parse(instant))} ${zone}`;
}
