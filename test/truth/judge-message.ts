/** Whether a message is true of the account when it is sent: its reader, names, amounts and the numbers in its title. */

import type { Account } from '../../simulator/simulator.ts';
import type { RawRecord } from './observation.ts';
import type { ReadMessage } from './read-message.ts';

/** Who gets a message. */
export interface Reader {
  /** As a problem names them. */
  readonly name: string;
  /** Ids of the people with this address. Undefined: a team, which may read about every record. */
  readonly people?: readonly string[];
}

export const NAMES = /^(?:Assignees?|Assigned to):? +(?:now )?(.+)$/m;
export const AMOUNTS = /([\d,]+\.\d\d)(?: \w{3})? unpaid/;

/** The numbers of a title, by what they count. */
const COUNTED = {
  overdue: /(\d+)(?: of (?:your|the))? tasks?(?: (?:of your projects|you follow))?(?: (?:are|is))? overdue/i,
  'due soon': /(\d+)(?: of (?:your|the))? tasks?(?: (?:of your projects|you follow))?(?: (?:are|is))? due soon/i,
  'due date changed': /due date changed on (\d+) tasks?/i,
} as const;
type Kind = keyof typeof COUNTED;

export function hasCount(title: string): boolean {
  return Object.values(COUNTED).some((pattern) => pattern.test(title));
}

/** What is not true, one line each. */
export function findUntrue(account: Account, message: ReadMessage, reader: Reader): string[] {
  const people = account.list('person');
  const tasks = message.records.flatMap((record) => (record.startsWith('task/') ? [record.slice('task/'.length)] : []));
  const assigneesOf = (id: string) => (lastOf(account, id)?.assigneeid ?? '').split(',');
  const isOwn = (id: string) =>
    reader.people === undefined || assigneesOf(id).some((one) => reader.people?.includes(one));
  const deleted = tasks.filter((id) => account.read('task', id) === undefined);
  return [
    ...tasks
      .filter((id) => !isOwn(id))
      .map((id) => `${reader.name} is told of task ${id}, which is not theirs: ${message.title}`),
    ...deleted
      .filter((id) => !saysDeleted(message, id))
      .map((id) => `${reader.name} is told of task ${id}, which is deleted: ${message.title}`),
    ...findWrongCounts(message),
    ...findUntrueAmounts(account, message),
    ...findUnknownNames(tasks.flatMap(assigneesOf), people, message),
    ...message.lines.flatMap(({ record, who }) => findStrangers(record, who, people, assigneesOf)),
  ];
}

/** The task, or its last state. */
function lastOf(account: Account, id: string): RawRecord | null | undefined {
  return (
    account.read('task', id) ??
    account.journal.read().findLast((entry) => entry.resource === 'task' && entry.id === id)?.before
  );
}

/** Whether the message says that the task is deleted, or was closed before. */
function saysDeleted({ lines, text }: ReadMessage, id: string): boolean {
  const own = lines.filter(({ record }) => record === `task/${id}`).map(({ said }) => said);
  return (own.length > 0 ? own : [text]).every((said) => /deleted|closed/.test(said));
}

/**
 * Every number in the title is that of the records whose lines say so. Records that are not listed are not judged, nor what a title
 * that ends in `and more` leaves out.
 */
export function findWrongCounts({ title, lines, unlisted }: ReadMessage): string[] {
  if (lines.length === 0 || unlisted > 0 || title.includes('…')) return [];
  const leavesOut = / and more\b/.test(title);
  return Object.entries(COUNTED).flatMap(([kind, pattern]) => {
    const found = pattern.exec(title);
    if (found === null && leavesOut) return [];
    const stated = Number(found?.[1] ?? 0);
    // The patterns are those of tasks.
    const ofTasks = lines.filter(({ record, said }) => record.startsWith('task/') && kindOf(said) === kind);
    const counted = new Set(ofTasks.map(({ record }) => record)).size;
    return stated === counted ? [] : [`${counted} ${kind}, not: ${title}`];
  });
}

/** By the first of several events of a change. */
function kindOf(line: string): Kind | undefined {
  const [said = ''] = line.split(' · ');
  if (/been overdue/.test(said)) return 'overdue';
  if (/now due|no longer has a due date/.test(said)) return 'due date changed';
  return /is due/.test(said) ? 'due soon' : undefined;
}

/** Every amount that is called unpaid is the balance of an invoice in the message. */
function findUntrueAmounts(account: Account, { records, title, text }: ReadMessage): string[] {
  const invoices = records.flatMap((record) =>
    record.startsWith('invoice/') ? [record.slice('invoice/'.length)] : [],
  );
  const balances = invoices.map((id) => Number(account.read('invoice', id)?.balance));
  return [...`${title}\n${text}`.matchAll(new RegExp(AMOUNTS, 'g'))]
    .filter(([, amount = '']) => !balances.includes(Number(amount.replaceAll(',', ''))))
    .map(([amount]) => `${amount}, but unpaid are ${balances.join(', ')}`);
}

/** After `Assigned to` come all assignees of the task and no others, as they are spelled now. Of many, the others are counted. */
function findUnknownNames(
  ids: readonly string[],
  people: readonly RawRecord[],
  { records, text }: ReadMessage,
): string[] {
  const names = namesOf(ids, people);
  return [...text.matchAll(new RegExp(NAMES, 'gm'))]
    .filter(([, line = '']) => {
      const isWhole = records.length !== 1 || names.every((name) => line.includes(name)) || /\d more/.test(line);
      return hasOtherName(line, names) || !isWhole;
    })
    .map(([line]) => `${line}, but the assignees are ${names.join('; ')}`);
}

/** The people beside a line work on its task. */
function findStrangers(
  record: string,
  who: string,
  people: readonly RawRecord[],
  assigneesOf: (id: string) => readonly string[],
): string[] {
  if (!record.startsWith('task/') || who === '' || who === 'unassigned') return [];
  const names = namesOf(assigneesOf(record.slice('task/'.length)), people);
  return hasOtherName(who, names) ? [`${record}: ${who}, but the assignees are ${names.join('; ')}`] : [];
}

export function hasOtherName(line: string, names: readonly string[]): boolean {
  return names
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, name) => rest.replaceAll(name, ''), line)
    .replace(/\b(?:and|more|none|unassigned|nobody|no one)\b|\(no longer .*?\)/gi, '')
    .split('→')
    .slice(-1)
    .some((rest) => /\p{L}{3}/u.test(rest));
}

const namesOf = (ids: readonly string[], people: readonly RawRecord[]) =>
  people
    .filter(({ id }) => ids.includes(id ?? ''))
    .map(({ firstname, lastname }) => [firstname, lastname].filter(Boolean).join(' '));
