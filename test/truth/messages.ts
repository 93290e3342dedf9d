/**
 * The truth run `messages`: people work in a simulated account, records change while messages wait for the start of the day
 * or for a digest, and every mail that arrives is compared with the account at the time of sending.
 */

import { openDatabase } from '../../adapters/sqlite/database.ts';
import { declareSubscriptions } from '../../core/subscriptions/declare.ts';
import { parseConfig } from '../../runtime/config/load.ts';
import { openEmbedded } from '../../runtime/embedded/embedded.ts';
import { once } from '../../runtime/embedded/once.ts';
import { type ReceivedMail, startMailbox } from '../../simulator/mailbox/mailbox.ts';
import { type Account, startSimulator } from '../../simulator/simulator.ts';
import type { RawRecord } from './observation.ts';
import { rareActions } from './rare-actions.ts';
import { seededRandom } from './seeded-random.ts';

export interface MessagesOptions {
  readonly seed: number;
  readonly days: number;
}

export interface MessagesReport {
  readonly mails: number;
  /** Mails that name people, state what is unpaid, or count tasks in their subject. */
  readonly judged: { readonly names: number; readonly amounts: number; readonly titles: number };
  /** What is not true of the account at the time of sending. */
  readonly untrue: readonly string[];
}

const MINUTE = 60_000;
const DAY = 86_400_000;
const OFF = ['expense', 'document', 'group', 'projectmodule'];
const NAMES = /^(?:Assignees?|Assigned to):? +(.+)$/m;
const AMOUNTS = /([\d,]+\.\d\d)(?: \w{3})? unpaid/;
const TITLE = /(?:^|on )(\d+) tasks?/;
const START = '2024-03-22T05:00:00.000Z';

export async function runMessages({ seed, days }: MessagesOptions): Promise<MessagesReport> {
  const [simulator, mailbox] = await Promise.all([
    startSimulator({
      ...{ seed, tasks: 60, now: START, speed: 0, life: 25 * MINUTE, quota: 1_000_000 },
      quirks: { entities: false },
    }),
    startMailbox(),
  ]);
  const { account } = simulator;
  const every = { every: '10m', sweep: '30m' };
  const personal = (name: string, events: readonly string[], rest: object = {}) => ({
    ...{ name, events, to: { email: { to: 'assignees' } }, quiet: { from: '18:00', until: '08:00' } },
    ...rest,
  });
  const config = {
    source: {
      baseUrl: simulator.url,
      token: simulator.tokens.Administrator[0],
      quota: { perMinute: 100_000 },
      resources: {
        ...Object.fromEntries(OFF.map((name) => [name, 'off'])),
        ...Object.fromEntries(['task', 'invoice', 'project', 'client', 'person'].map((name) => [name, every])),
      },
    },
    links: { task: 'https://work.example.com/task/{id}', invoice: 'https://work.example.com/invoice/{id}' },
    mail: { from: 'Tidings <tidings@example.com>', smtp: mailbox.smtpUrl },
    network: { allow: ['127.0.0.0/8'] },
    subscriptions: [
      personal('states', ['task.overdue', 'task.due_soon']),
      personal('digest', ['task.due_date_changed', 'task.overdue'], { quiet: undefined, digest: { at: '08:00' } }),
      {
        ...{ name: 'invoices', events: ['invoice.overdue', 'invoice.overdue_reminder', 'invoice.due_soon'] },
        ...{ to: { email: { to: ['office@example.com'] } }, quiet: { from: '18:00', until: '08:00' } },
      },
    ],
  };
  const embedded = await openEmbedded({
    config: parseConfig('messages.json', JSON.stringify(config), {}),
    database: openDatabase(':memory:'),
    environment: {},
    clock: { now: () => new Date(account.clock.now()).toISOString() },
    holder: 'messages',
    random: () => 0.5,
  });
  const untrue: string[] = [];
  const act = rareActions(account, seed);
  const chance = seededRandom(seed + 3);
  let read = 0;
  try {
    await declareSubscriptions(embedded, embedded.config.subscriptions);
    for (let at = Date.parse(START); at < Date.parse(START) + days * DAY; at += 30 * MINUTE) {
      account.clock.set(at);
      account.settle();
      act(at);
      // Midnight of Berlin is 22:00 or 23:00 UTC: what waits is changed at night.
      const hour = new Date(at).getUTCHours();
      if (hour === 2) changeWaiting(account, chance.unit);
      if (hour > 8 && hour < 15) postponeAgain(account);
      await once(embedded);
      const mails = mailbox.mails.slice(read);
      read += mails.length;
      for (const mail of mails)
        untrue.push(...findUntrue(account, mail).map((problem) => `${new Date(at).toISOString()} ${problem}`));
    }
    const count = (pattern: RegExp, part: 'text' | 'subject') =>
      mailbox.mails.filter(({ parsed }) => pattern.test(parsed[part] ?? '')).length;
    const judged = { names: count(NAMES, 'text'), amounts: count(AMOUNTS, 'text'), titles: count(TITLE, 'subject') };
    return { mails: mailbox.mails.length, judged, untrue };
  } finally {
    await embedded.close();
    await Promise.all([simulator.stop(), mailbox.close()]);
  }
}

/** Hands overdue tasks to others, gives people other names, and lets parts of unpaid invoices come in. */
function changeWaiting(account: Account, unit: () => number): void {
  const staff = account.list('person').filter(({ groupid, active }) => active === 't' && groupid === '3');
  const late = account.list('task', { excludeclosed: 't' }).filter(({ datedue }) => isSoon(account, datedue));
  for (const { id } of late)
    if (unit() < 0.5)
      account.update('task', id ?? '', { assigneeid: staff[Math.floor(unit() * staff.length)]?.id ?? '' });
  const renamed = staff[Math.floor(unit() * staff.length)];
  account.update('person', renamed?.id ?? '', {
    firstname: `George${Math.floor(unit() * 99)}`,
    lastname: 'Eliot, PhD',
  });
  for (const { id, datedue, balance } of account.list('invoice', { status: 'outstanding' }))
    if (isSoon(account, datedue) && Number(balance) > 1) account.pay(id ?? '', (Number(balance) * 0.6).toFixed(2));
}

/** Moves the due date of the same tasks again and again: each of them is one task in a title. */
function postponeAgain(account: Account): void {
  const halfHours = account.clock.now() / (30 * MINUTE);
  const assigned = account.list('task', { excludeclosed: 't' }).filter(({ assigneeid }) => assigneeid);
  const datedue = new Date(account.clock.now() + DAY * (20 + (halfHours % 9))).toISOString().slice(0, 10);
  for (const { id } of assigned.slice(0, 3)) account.update('task', id ?? '', { datedue });
}

const isSoon = (account: Account, date: string | null | undefined) =>
  typeof date === 'string' && date <= account.today();

/** Only the bytes that arrived count: addresses, links, names, amounts and the number in the subject. */
function findUntrue(account: Account, { envelope, parsed }: Pick<ReceivedMail, 'envelope' | 'parsed'>): string[] {
  const { subject = '', html = '', text = '' } = parsed;
  const [to = ''] = envelope.to;
  const idsOf = (resource: string) => [
    ...new Set([...`${html} ${text}`.matchAll(new RegExp(`/${resource}/(\\d+)`, 'g'))].map(([, id]) => id ?? '')),
  ];
  const tasks = idsOf('task');
  const people = account.list('person');
  const readers = people.filter(({ email }) => email === to).map(({ id }) => id ?? '');
  // What happened is reported even if the task was deleted since: to those who had it last.
  const lastOf = (id: string) =>
    account.read('task', id) ??
    account.journal.read().findLast((entry) => entry.resource === 'task' && entry.id === id)?.before;
  const assigneesOf = (id: string) => (lastOf(id)?.assigneeid ?? '').split(',');
  const strangers =
    to === 'office@example.com' ? [] : tasks.filter((id) => !assigneesOf(id).some((one) => readers.includes(one)));
  const stated = TITLE.exec(subject)?.[1];
  return [
    ...strangers.map((id) => `${to} is told of task ${id}, which is not theirs: ${subject}`),
    ...(stated === undefined || Number(stated) <= tasks.length ? [] : [`${tasks.length} tasks, not: ${subject}`]),
    ...findUntrueAmounts(account, idsOf('invoice'), text),
    ...findUnknownNames(tasks.flatMap(assigneesOf), people, text),
  ];
}

/** Every amount that is called unpaid is the balance of an invoice in the mail. */
function findUntrueAmounts(account: Account, invoices: readonly string[], text: string): string[] {
  const balances = invoices.map((id) => Number(account.read('invoice', id)?.balance));
  return [...text.matchAll(new RegExp(AMOUNTS, 'g'))]
    .filter(([, amount = '']) => !balances.includes(Number(amount.replaceAll(',', ''))))
    .map(([amount]) => `${amount}, but unpaid are ${balances.join(', ')}`);
}

/** Every name after `Assignees` is that of an assignee, as it is spelled now. */
function findUnknownNames(ids: readonly string[], people: readonly RawRecord[], text: string): string[] {
  const names = people.filter(({ id }) => ids.includes(id ?? '')).map(nameOf);
  return [...text.matchAll(new RegExp(NAMES, 'gm'))]
    .filter(
      ([, line = '']) =>
        names
          .reduce((rest, name) => rest.replaceAll(name, ''), line)
          .replaceAll(' and ', ' ')
          .match(/\p{L}{3}/u) !== null,
    )
    .map(([line]) => `${line}, but the assignees are ${names.join('; ')}`);
}

const nameOf = ({ firstname, lastname }: RawRecord) => [firstname, lastname].filter(Boolean).join(' ');
