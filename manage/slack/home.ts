/** The app home of a person: their subscriptions, their overdue and due tasks, and when they get a digest of them. */

import { plainText } from '../../adapters/channels/slack/block-kit.ts';
import { actionId } from '../../adapters/channels/slack/message-buttons.ts';
import { knownTypes } from '../../core/events/custom-events.ts';
import { formatDay } from '../../core/events/phrases.ts';
import { printQuery, type QueryCondition } from '../../core/filters/query.ts';
import { compileConditions } from '../../core/filters/query-compile.ts';
import { conditionsFromFilter } from '../../core/filters/query-from.ts';
import { parseQuery } from '../../core/filters/query-parse.ts';
import { clip } from '../../core/messages/clip.ts';
import { escapeSlack } from '../../core/messages/escape.ts';
import { linkToRecord } from '../../core/messages/link.ts';
import { addDays, isDay } from '../../core/model/calendar.ts';
import { GiveUp } from '../../core/model/errors.ts';
import { jsonObjectOf, jsonTextOf } from '../../core/model/json.ts';
import type { Pace } from '../../core/model/pace.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { changeSubscription, removeSubscription } from '../../core/subscriptions/verbs.ts';
import { type AccountPerson, findAccountPeople } from './account-people.ts';
import { type Membership, readMembership } from './authority.ts';
import { code, note, section } from './blocks.ts';
import { queryOf } from './describe-subscription.ts';
import { makeOnce } from './make-subscription.ts';
import { findObjection } from './objections.ts';
import { slackAuthor } from './slack-author.ts';
import type { SlackPorts } from './slack-ports.ts';
import type { SlackAnyBlock } from './slack-reply.ts';
import type { RunningTask } from './slack-task.ts';
import { isOfChannel } from './subscriptions-of-channel.ts';

type NamedPerson = AccountPerson & { readonly name: string };

const MAX_TASKS = 20;
const MAX_SUBSCRIPTIONS = 20;

/** The choices of the digest, as parts of a query. */
const DIGEST_CHOICES: Readonly<Record<string, string>> = {
  off: 'No digest',
  'daily 08:00': 'Every day at 08:00',
  'weekdays 08:00': 'Monday to Friday at 08:00',
  'weekdays 08:30': 'Monday to Friday at 08:30',
  'weekdays 09:00': 'Monday to Friday at 09:00',
  'weekly mon 09:00': 'Mondays at 09:00',
};

const DIGEST_EVENTS = ['task.overdue', 'task.due_soon'];

export async function publishHome(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { user } = running.task.place;
  const membership = await readMembership(ports, { ...running.task.place, channel: user });
  const found = membership.isGuest ? undefined : await findAccountPerson(ports, user);
  const person = found === 'ambiguous' ? undefined : found;
  if (person !== undefined) await upgradeDigests(ports, running, person);
  const own = (await ports.subscriptions.list()).filter((one) => !one.declared && one.madeBy?.id === user);
  const blocks: SlackAnyBlock[] = [
    header('My tasks'),
    ...(await describeTasks(ports, found, membership)),
    ...describeDigest(own, person, user),
    header('My subscriptions'),
    ...describeOwn(own),
    note(`${code('/tidings help')} in a channel lists the commands.`),
  ];
  const view = { type: 'home', blocks: blocks.slice(0, 100) };
  const published = await ports.slack.call('views.publish', { user_id: user, view });
  // The person sees an old home, or none: the log and a message say why.
  if (!published.ok) throw new GiveUp('TIDINGS_SLACK_REFUSED', `Slack refused your app home: ${published.error}`);
}

const header = (text: string) => ({ type: 'header', text: plainText(text) });

/** `ambiguous`: several people of an account have the mail address, so that nobody can tell whose tasks these are. */
async function findAccountPerson(ports: SlackPorts, user: string): Promise<NamedPerson | 'ambiguous' | undefined> {
  const named: NamedPerson[] = [];
  for await (const { name, isLinked, ...person } of findAccountPeople(ports, user)) {
    if (name === null) continue;
    if (isLinked) return { ...person, isLinked, name };
    named.push({ ...person, isLinked, name });
  }
  const [first] = named;
  return named.some(({ source, id }) => source === first?.source && id !== first.id) ? 'ambiguous' : first;
}

async function describeTasks(
  ports: SlackPorts,
  person: Awaited<ReturnType<typeof findAccountPerson>>,
  { isGuest, standing }: Membership,
): Promise<SlackAnyBlock[]> {
  if (isGuest) {
    const who =
      standing === 'guest' ? 'Guests do not see tasks here.' : 'Only members of this workspace see tasks here.';
    return [section(who)];
  }
  if (person === undefined) {
    return [
      section(`Tidings does not know who you are in the account. ${code('/tidings connect')} links your API token.`),
    ];
  }
  if (person === 'ambiguous') {
    const text = 'Several people in the account have your mail address, so Tidings cannot tell which tasks are yours.';
    return [section(`${text} ${code('/tidings connect')} links your API token, which tells.`)];
  }
  const rows = (await ports.inTurn((pace) => readOpenTasks(ports, person, pace)))
    .sort((a, b) => (String(a.record.datedue) < String(b.record.datedue) ? -1 : 1))
    .map((snapshot) => section(describeTask(ports, snapshot)));
  const left = rows.length - MAX_TASKS;
  if (rows.length === 0) return [section('Nothing is overdue or due soon.')];
  return [...rows.slice(0, MAX_TASKS), ...(left > 0 ? [note(`and ${left} more`)] : [])];
}

async function readOpenTasks(
  { snapshots }: SlackPorts,
  { source, id }: AccountPerson,
  pace: Pace,
): Promise<Snapshot[]> {
  const mine: Snapshot[] = [];
  for await (const snapshot of snapshots.listOpen(source, 'task')) {
    await pace();
    const { assigneeid } = snapshot.record;
    if (Array.isArray(assigneeid) && assigneeid.map(String).includes(id)) mine.push(snapshot);
  }
  return mine;
}

function describeTask({ config, clock }: SlackPorts, { record, stage, key }: Snapshot): string {
  const title = escapeSlack(clip(String(record.title ?? `task ${key.id}`), 150)).replaceAll('|', '/');
  const link = linkToRecord(config.links, key, record);
  const name = link === undefined ? `*${title}*` : `*<${link}|${title}>*`;
  const due = String(record.datedue ?? '');
  const dayIn = (days: number) => (isDay(due) ? formatDay(addDays(due, days), clock.now()) : due);
  const state =
    stage.overdue === true ? `:red_circle: overdue since ${dayIn(1)}` : `:hourglass_flowing_sand: due ${dayIn(0)}`;
  return `${name}\n${state} · ${escapeSlack(clip(String(record.project ?? ''), 100))}`;
}

const isDigest = (one: Subscription, user: string) =>
  one.madeBy?.id === user && DIGEST_EVENTS.every((type) => one.events.includes(type)) && one.digest !== undefined;

function describeDigest(own: readonly Subscription[], person: NamedPerson | undefined, user: string): SlackAnyBlock[] {
  if (person === undefined) return [];
  const current = own.find((one) => isDirect(one) && isDigest(one, user));
  const choice = current === undefined ? 'off' : (choiceOf(current) ?? 'off');
  const options = Object.entries(DIGEST_CHOICES).map(([value, label]) => ({ text: plainText(label), value }));
  return [
    {
      type: 'section',
      block_id: actionId('digest'),
      text: { type: 'mrkdwn', text: '*Digest of my tasks*, as a direct message' },
      accessory: {
        type: 'static_select',
        action_id: actionId('digest'),
        options,
        initial_option: options.find(({ value }) => value === choice) ?? options[0],
      },
    },
  ];
}

const isDirect = ({ owner = '' }: Subscription) => /^slack:D/.test(owner);

function choiceOf({ digest }: Subscription): string | undefined {
  const days = digest?.days?.join() ?? '';
  const kind = days === '' ? 'daily' : days === 'mon' ? 'weekly mon' : 'weekdays';
  const choice = `${kind} ${digest?.at}`;
  return Object.hasOwn(DIGEST_CHOICES, choice) ? choice : undefined;
}

function describeOwn(own: readonly Subscription[]): SlackAnyBlock[] {
  if (own.length === 0) return [section('None. Type `/tidings subscribe task.overdue` in a channel.')];
  const rows = own.slice(0, MAX_SUBSCRIPTIONS).map((one) => {
    const { channel } = one.to.settings as { readonly channel?: string };
    const where = isDirect(one) ? 'to you' : `in <#${channel}>`;
    return section(`*${one.name}* ${where}\n${code(queryOf(one))}`);
  });
  const left = own.length - rows.length;
  return [...rows, ...(left > 0 ? [note(`and ${left} more`)] : [])];
}

/** The person chose when they get the digest of their tasks. */
export async function chooseDigest(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { args, place } = running.task;
  const choice = Object.hasOwn(DIGEST_CHOICES, args.value ?? '') ? (args.value ?? 'off') : 'off';
  const person = await findAccountPerson(ports, place.user);
  if (person !== undefined && person !== 'ambiguous') await saveDigest(ports, running, person, choice);
  await publishHome(ports, running);
}

/**
 * Digests of earlier versions list the tasks of everyone with the same name, or of the person with this id in any account. They, and
 * those of a person who has another id now, continue with the conditions of today. Everything else about them stays.
 */
async function upgradeDigests(ports: SlackPorts, running: RunningTask, person: NamedPerson): Promise<void> {
  const { user } = running.task.place;
  const types = knownTypes(ports.config).map(({ type }) => type);
  const confine = (stored: Subscription) => (isDigest(stored, user) ? confineDigest(stored, person, types) : stored);
  const own = (await ports.subscriptions.list()).filter((one) => isDirect(one) && confine(one) !== one);
  for (const { name } of own) {
    await changeSubscription(ports, slackAuthor(running), name, confine, {
      types,
      detailsOf: ({ madeBy }) => ({ query: madeBy?.query }),
    });
  }
}

/** The words that say whose tasks a digest lists. */
const WHOSE: readonly string[] = ['source', 'assigneeid', 'assignee'];

/** The same object if it lists the tasks of this person already, or was not made to list those of one person. */
function confineDigest(stored: Subscription, person: NamedPerson, types: readonly string[]): Subscription {
  const { events, madeBy } = stored;
  const conditions = conditionsFromFilter(stored, types) ?? [];
  const isWhose = ({ key, isExcluded }: QueryCondition) => !isExcluded && WHOSE.includes(key);
  const whose = conditions.filter(isWhose);
  const ids = whose.filter(({ key }) => key === 'assigneeid');
  const names = whose.filter(({ key }) => key === 'assignee');
  // People type names, and may follow the tasks of others.
  const isByName = names.length === 1 && names.every(({ test }) => test.kind === 'is' && test.text === person.name);
  const isOfOne = ids.length === 1 || (ids.length === 0 && isByName);
  const wanted = conditionsOf(person);
  if (madeBy === undefined || !isOfOne || printConditions(whose) === printConditions(wanted)) return stored;
  const next = [...wanted, ...conditions.filter((one) => !isWhose(one))];
  const { where } = compileConditions(events, next, types);
  if (where === undefined) return stored;
  const query = madeBy.query && printQuery({ ...parseQuery(madeBy.query), conditions: next });
  return { ...stored, where, madeBy: { ...madeBy, ...(query === undefined ? {} : { query }) } };
}

const printConditions = (conditions: readonly QueryCondition[]) => printQuery({ events: [], conditions });

async function saveDigest(ports: SlackPorts, running: RunningTask, person: NamedPerson, choice: string): Promise<void> {
  const { place, id } = running.task;
  const opened = await ports.slack.call('conversations.open', { users: place.user });
  const channel = opened.ok ? jsonTextOf(jsonObjectOf(opened.body.channel).id) : '';
  if (channel === '') return;
  const membership = await readMembership(ports, { ...place, channel });
  const own = (await ports.subscriptions.list()).filter(
    (one) => isOfChannel(one, channel) && isDigest(one, place.user),
  );
  const [known] = own;
  if (choice === 'off') {
    for (const { name } of own) {
      const author = slackAuthor(running, { user: place.user, userName: membership.userName });
      await removeSubscription(ports, author, name, { details: { channel } });
    }
    return;
  }
  const wanted = { id, events: DIGEST_EVENTS, place: { ...place, channel }, replaces: known?.name };
  if ((await findObjection(ports, wanted, membership)) !== undefined) return;
  const { digest } = parseQuery(choice);
  const conditions = conditionsOf(person);
  const draft = {
    query: printQuery({ events: DIGEST_EVENTS, conditions, ...(digest && { digest }) }),
    place: { user: place.user, userName: membership.userName, channel, channelName: membership.channelName },
    ...(known === undefined ? {} : { replaces: known.name }),
  };
  await makeOnce(ports, running, { id, draft, membership });
}

/**
 * By id: two people may have the same name. With the source, also if there is only one: a second one may be added at any time, where
 * the id is another person's.
 */
function conditionsOf({ source, id }: NamedPerson): readonly QueryCondition[] {
  const is = (key: string, text: string): QueryCondition => ({ key, isExcluded: false, test: { kind: 'is', text } });
  return [is('source', source), is('assigneeid', id)];
}
