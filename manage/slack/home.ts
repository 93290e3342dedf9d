/** The app home of a person: their subscriptions, their overdue and due tasks, and when they get a digest of them. */

import { linked, piece, plainText, richSection, type SlackBlock } from '../../adapters/channels/slack/block-kit.ts';
import { formatDay } from '../../core/events/phrases.ts';
import { clip } from '../../core/messages/clip.ts';
import { httpLink, linkToRecord } from '../../core/messages/link.ts';
import { addDays, isDay } from '../../core/model/calendar.ts';
import { GiveUp } from '../../core/model/errors.ts';
import type { Pace } from '../../core/model/pace.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import { isExpired, type Subscription } from '../../core/model/subscription.ts';
import { type AccountPerson, findAccountPeople } from './account-people.ts';
import { type Membership, readMembership } from './authority.ts';
import { code, codeQuery, note, section } from './blocks.ts';
import { queryOf } from './describe-subscription.ts';
import type { SlackAnyBlock } from './fit-reply.ts';
import { describeDigest, isDirect, type NamedPerson, saveDigest, upgradeDigests } from './home-digest.ts';
import { mayDo } from './rules.ts';
import type { SlackPorts } from './slack-ports.ts';
import type { RunningTask } from './slack-task.ts';
import { isWhereMade } from './subscriptions-of-channel.ts';

const MAX_TASKS = 20;
const MAX_SUBSCRIPTIONS = 20;
/** Characters of a query. */
const MAX_QUERY = 500;

export async function publishHome(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { user } = running.task.place;
  const membership = await readMembership(ports, { ...running.task.place, channel: user });
  const found = await findHomePerson(ports, user, membership);
  const person = found === 'ambiguous' ? undefined : found;
  if (person !== undefined) await upgradeDigests(ports, running, person);
  const now = ports.clock.now();
  const own = mayDo('list', membership.standing, user)
    ? (await ports.subscriptions.list()).filter(
        (one) => one.madeBy?.id === user && isWhereMade(one) && !isExpired(one, now),
      )
    : [];
  const blocks: SlackAnyBlock[] = [
    header('My tasks'),
    ...(await describeTasks(ports, found, membership)),
    ...(person === undefined ? [] : describeDigest(ports, own, person)),
    header('My subscriptions'),
    ...describeOwn(own),
    note(`${code('/tidings list')} in a channel shows what it gets, ${code('/tidings help')} the commands.`),
  ];
  const view = { type: 'home', blocks: blocks.slice(0, 100) };
  const published = await ports.slack.call('views.publish', { user_id: user, view });
  // The person sees an old home, or none: the log and a message say why.
  if (!published.ok) throw new GiveUp('TIDINGS_SLACK_REFUSED', `Slack refused your app home: ${published.error}`);
}

const header = (text: string) => ({ type: 'header', text: plainText(text) });

/** Whose tasks the home of a member shows. */
export const findHomePerson = async (ports: SlackPorts, user: string, { isGuest }: Pick<Membership, 'isGuest'>) =>
  isGuest ? undefined : findAccountPerson(ports, user);

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
    .map((snapshot) => describeTask(ports, snapshot));
  const left = rows.length - MAX_TASKS;
  if (rows.length === 0) return [section('Nothing is overdue or due soon.')];
  return [...rows.slice(0, MAX_TASKS), ...(left > 0 ? [note(`and ${left} more in the account`)] : [])];
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

function describeTask({ config, clock }: SlackPorts, { record, stage, key }: Snapshot): SlackBlock {
  const title = clip(String(record.title ?? `task ${key.id}`), 150) || `task ${key.id}`;
  const link = httpLink(linkToRecord(config.links, key, record));
  const due = String(record.datedue ?? '');
  const dayIn = (days: number) => (isDay(due) ? formatDay(addDays(due, days), clock.now()) : due);
  const state = stage.overdue === true ? `🔴 overdue since ${dayIn(1)}` : `⏳ due ${dayIn(0)}`;
  const project = clip(String(record.project ?? ''), 100);
  const pieces = [linked(title, link, { bold: true }), piece(`\n${state} · ${project}`)];
  return { type: 'rich_text', elements: [richSection(...pieces)] };
}

/** The conditions of a channel are for its members, and the person may have left it since. */
function describeOwn(own: readonly Subscription[]): SlackAnyBlock[] {
  if (own.length === 0) return [section('None. Type `/tidings subscribe task.overdue` in a channel.')];
  const rows = own.slice(0, MAX_SUBSCRIPTIONS).map((one) => {
    const { channel } = one.to.settings as { readonly channel?: string };
    return section(
      isDirect(one) ? `*${one.name}* to you\n${codeQuery(queryOf(one), MAX_QUERY)}` : `*${one.name}* in <#${channel}>`,
    );
  });
  const left = own.length - rows.length;
  const isCut = left > 0 || own.some((one) => isDirect(one) && codeQuery(queryOf(one), MAX_QUERY).endsWith('…`'));
  const hint = `${code('/tidings list')} shows whole queries, in their channel or in the direct message with the app.`;
  return [...rows, ...(isCut ? [note(left > 0 ? `and ${left} more. ${hint}` : hint)] : [])];
}

/** The person chose when they get the digest of their tasks. */
export async function chooseDigest(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { args, place } = running.task;
  const person = await findAccountPerson(ports, place.user);
  if (person !== undefined && person !== 'ambiguous') await saveDigest(ports, running, person, args.value ?? '');
  await publishHome(ports, running);
}
