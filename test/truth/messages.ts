/**
 * The truth run `messages`: people work in a simulated account, records change while messages wait for the start of the day
 * or for a digest, and every mail and Slack message that arrives is compared with the account at the time of sending.
 */

import { openDatabase } from '../../adapters/sqlite/database.ts';
import { declareSubscriptions } from '../../core/subscriptions/declare.ts';
import { parseConfig } from '../../runtime/config/load.ts';
import { openEmbedded } from '../../runtime/embedded/embedded.ts';
import { once } from '../../runtime/embedded/once.ts';
import { startMailbox } from '../../simulator/mailbox/mailbox.ts';
import { type Account, startSimulator } from '../../simulator/simulator.ts';
import { startSlack } from '../../simulator/slack/slack.ts';
import { AMOUNTS, findUntrue, hasCount, NAMES, type Reader } from './judge-message.ts';
import { createReadership } from './missed-readers.ts';
import { rareActions } from './rare-actions.ts';
import { type ReadMessage, readMail, readSlack } from './read-message.ts';
import { seededRandom } from './seeded-random.ts';
import { actInTheEvening, findUndone, saysDone, type Undo } from './undone-acts.ts';

export interface MessagesOptions {
  readonly seed: number;
  readonly days: number;
}

export interface MessagesReport {
  readonly mails: number;
  readonly slack: number;
  /** Messages that name people, state what is unpaid, count tasks in their title, mention people, or say what was done. */
  readonly judged: Readonly<Record<'names' | 'amounts' | 'titles' | 'mentions' | 'acts', number>>;
  /** Overdue tasks whose assignees must have read of them. */
  readonly announced: number;
  /** What is not true of the account at the time of sending, and who was not told what they should know. */
  readonly untrue: readonly string[];
}

const MINUTE = 60_000;
const DAY = 86_400_000;
const OFF = ['expense', 'document', 'group', 'projectmodule'];
const OFFICE = 'office@example.com';
/** Begin of the Slack ids; the id of the person follows. */
const MEMBER = 'U0PERSON';
const START = '2024-03-22T05:00:00.000Z';

export async function runMessages({ seed, days }: MessagesOptions): Promise<MessagesReport> {
  const simulator = await startSimulator({
    ...{ seed, tasks: 60, now: START, speed: 0, life: 25 * MINUTE, quota: 1_000_000 },
    quirks: { entities: false },
  });
  const { account } = simulator;
  const members = account.list('person').filter(({ email }) => email);
  const memberIds = Object.fromEntries(members.map(({ id, email }) => [email ?? '', `${MEMBER}${id}`]));
  const [mailbox, slack] = await Promise.all([
    startMailbox(),
    startSlack({
      perSecond: Number.POSITIVE_INFINITY,
      now: () => account.clock.now(),
      emails: memberIds,
      members: Object.fromEntries(members.map(({ id, firstname }) => [`${MEMBER}${id}`, firstname ?? ''])),
    }),
  ]);
  const every = { every: '10m', sweep: '30m' };
  const quiet = { from: '18:00', until: '08:00' };
  const digest = { at: '08:00' };
  // The default of one message a second would be waited for in real time.
  const rate = '999999/m';
  const bot = { token: slack.token, api: slack.apiUrl };
  const mail = { email: { to: 'assignees' } };
  const direct = { slack: { ...bot, to: 'assignees', fallback: '#general' } };
  const due = ['task.overdue', 'task.due_soon'];
  const changes = ['task.due_date_changed', 'task.overdue'];
  const acts = [
    ...['task.closed', 'task.reopened', 'task.assigned', 'task.updated'],
    ...['invoice.paid', 'invoice.payment_received', 'invoice.payment_reversed'],
  ];
  const unpaid = ['invoice.overdue', 'invoice.overdue_reminder', 'invoice.due_soon'];
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
    network: { allow: ['127.0.0.0/8'], allowHttp: true },
    subscriptions: [
      { name: 'states', events: due, to: mail, quiet },
      { name: 'digest', events: changes, to: mail, digest },
      { name: 'invoices', events: unpaid, to: { email: { to: [OFFICE] } }, quiet },
      { name: 'direct', events: due, to: direct, quiet, rate },
      { name: 'direct-digest', events: changes, to: direct, digest, rate },
      {
        ...{ name: 'channel', events: [...due, 'task.assigned', 'task.due_date_changed'], gather: '0s' },
        to: { slack: { ...bot, channel: '#projects', mentions: memberIds } },
        rate,
      },
      { name: 'acts', events: acts, to: { email: { to: [OFFICE] } }, quiet },
      { name: 'acts-digest', events: acts, to: { slack: { ...bot, channel: '#acts' } }, digest, rate },
      { name: 'finance', events: unpaid, to: { slack: { webhook: slack.webhookUrl } }, quiet, rate },
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
  const readership = createReadership(account);
  const act = rareActions(account, seed);
  const chance = seededRandom(seed + 3);
  const judged = { names: 0, amounts: 0, titles: 0, mentions: 0, acts: 0 };
  let undo: readonly Undo[] = [];
  const judge = (message: ReadMessage, reader: Reader) => {
    if (NAMES.test(message.text)) judged.names += 1;
    if (AMOUNTS.test(message.text)) judged.amounts += 1;
    if (hasCount(message.title)) judged.titles += 1;
    if (message.mentioned.length > 0) judged.mentions += 1;
    if (saysDone(message)) judged.acts += 1;
    const problems = [
      ...findUntrue(account, message, reader),
      ...findUnconcerned(account, message),
      ...findUndone(account, message),
    ];
    const at = new Date(account.clock.now()).toISOString();
    untrue.push(...problems.map((problem) => `${at} ${problem}`));
  };
  let [mails, posts] = [0, 0];
  try {
    await declareSubscriptions(embedded, embedded.config.subscriptions);
    for (let at = Date.parse(START); at < Date.parse(START) + days * DAY; at += 30 * MINUTE) {
      account.clock.set(at);
      account.settle();
      act(at);
      // Midnight of Berlin is 22:00 or 23:00 UTC: what waits is changed at night.
      const hour = new Date(at).getUTCHours();
      if (hour === 2) changeWaiting(account, chance.unit);
      if (hour === 3) for (const one of undo) if (chance.unit() < 0.7) one();
      if (hour === 3) undo = [];
      if (hour === 18) undo = [...undo, ...actInTheEvening(account, chance.unit)];
      if (hour > 8 && hour < 15) postponeAgain(account);
      if (hour === 15) fallDueToday(account, chance.unit);
      await once(embedded);
      for (const received of mailbox.mails.slice(mails)) {
        const [address = ''] = received.envelope.to;
        const message = readMail(received);
        judge(message, readerOf(account, address));
        if (message.text.includes('subscription states')) readership.note(message, address);
      }
      for (const posted of slack.messages.slice(posts)) {
        const member = slack.channels.find(({ id }) => id === posted.channel)?.direct;
        judge(
          readSlack(posted),
          member === undefined ? { name: 'a channel' } : { name: member, people: [personOf(member)] },
        );
      }
      // By day, nothing waits for longer than this step. So each event is judged before anybody hands its task on.
      const local = localHour(account, at);
      if (local >= 8 && local < 18)
        untrue.push(...readership.findMissed((await embedded.events.list({ limit: 100_000 })).events));
      mails = mailbox.mails.length;
      posts = slack.messages.length;
    }
    return { mails, slack: posts, judged, announced: readership.judged, untrue };
  } finally {
    await embedded.close();
    await Promise.all([simulator.stop(), mailbox.close(), slack.close()]);
  }
}

/** The hour of the day in the account's zone. */
const localHour = ({ timeZone }: Account, at: number) =>
  Number(new Intl.DateTimeFormat('en-GB', { hour: '2-digit', timeZone }).format(at));

/**
 * Hands overdue tasks to others, gives people other names, deletes a task whose due date was changed, and lets parts of unpaid
 * invoices come in.
 */
function changeWaiting(account: Account, unit: () => number): void {
  const staff = account.list('person').filter(({ groupid, active }) => active === 't' && groupid === '3');
  const late = account.list('task', { excludeclosed: 't' }).filter(({ datedue }) => isSoon(account, datedue));
  for (const { id, assigneeid } of late) {
    const other = staff[Math.floor(unit() * staff.length)]?.id ?? '';
    const assignees = new Set([...(unit() < 0.3 ? (assigneeid ?? '').split(',') : []), other]);
    if (unit() < 0.5) account.update('task', id ?? '', { assigneeid: [...assignees].filter(Boolean).join(',') });
  }
  const [postponed] = assignedTasks(account);
  if (unit() < 0.7 && postponed !== undefined) account.remove('task', postponed.id ?? '');
  const anyOfStaff = () => staff[Math.floor(unit() * staff.length)];
  const renamed = anyOfStaff()?.id ?? '';
  account.update('person', renamed, { firstname: `George${Math.floor(unit() * 99)}`, lastname: 'Eliot, PhD' });
  // Somebody has the name of somebody else.
  const { firstname, lastname } = anyOfStaff() ?? {};
  if (unit() < 0.5) account.update('person', anyOfStaff()?.id ?? '', { firstname, lastname });
  for (const { id, datedue, balance } of account.list('invoice', { status: 'outstanding' }))
    if (isSoon(account, datedue) && Number(balance) > 1) account.pay(id ?? '', (Number(balance) * 0.6).toFixed(2));
}

/** Moves the due date of the same tasks again and again: each of them is one task in a title. */
function postponeAgain(account: Account): void {
  const halfHours = account.clock.now() / (30 * MINUTE);
  const datedue = new Date(account.clock.now() + DAY * (20 + (halfHours % 9))).toISOString().slice(0, 10);
  for (const { id } of assignedTasks(account).slice(0, 3)) account.update('task', id ?? '', { datedue });
}

/** At midnight they are overdue, and before the day starts some are handed to others. */
function fallDueToday(account: Account, unit: () => number): void {
  for (const { id } of assignedTasks(account).slice(3))
    if (unit() < 0.1) account.update('task', id ?? '', { datedue: account.today() });
}

const assignedTasks = (account: Account) =>
  account.list('task', { excludeclosed: 't' }).filter(({ assigneeid }) => assigneeid);

const isSoon = (account: Account, date: string | null | undefined) =>
  typeof date === 'string' && date <= account.today();

const personOf = (member: string) => member.slice(MEMBER.length);

/** Two people may have the same address. */
function readerOf(account: Account, address: string): Reader {
  if (address === OFFICE) return { name: address };
  const people = account.list('person').filter(({ email }) => email === address);
  return { name: address, people: people.map(({ id }) => id ?? '') };
}

/** Only those who work on the task are mentioned. Two people may have the same address. */
function findUnconcerned(account: Account, { mentioned, records, title }: ReadMessage): string[] {
  const concerned = records.flatMap((record) => {
    const { assigneeid, ownerid } = account.read('task', record.slice('task/'.length)) ?? {};
    return [assigneeid, ownerid].flatMap((ids) => (ids ?? '').split(','));
  });
  const people = account.list('person');
  const addressOf = (wanted: string) => people.find(({ id }) => id === wanted)?.email;
  const addresses = concerned.flatMap((id) => addressOf(id) ?? []);
  return mentioned
    .filter((member) => !addresses.includes(addressOf(personOf(member)) ?? ''))
    .map((member) => `${member} is mentioned, whose task it is not: ${title}`);
}
