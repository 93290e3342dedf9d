/** The digest of a person's tasks, which they choose in the app home: a subscription of their direct message with the app. */

import { plainText } from '../../adapters/channels/slack/block-kit.ts';
import { actionId } from '../../adapters/channels/slack/message-buttons.ts';
import { knownTypes } from '../../core/events/custom-events.ts';
import { printQuery, type QueryCondition } from '../../core/filters/query.ts';
import { compileConditions } from '../../core/filters/query-compile.ts';
import { conditionsFromFilter } from '../../core/filters/query-from.ts';
import { parseQuery } from '../../core/filters/query-parse.ts';
import { jsonObjectOf, jsonTextOf } from '../../core/model/json.ts';
import type { Digest, Subscription } from '../../core/model/subscription.ts';
import { changeSubscription, removeSubscription } from '../../core/subscriptions/verbs.ts';
import type { AccountPerson } from './account-people.ts';
import { readMembership } from './authority.ts';
import type { SlackAnyBlock } from './fit-reply.ts';
import { makeOnce } from './make-subscription.ts';
import { findObjection } from './objections.ts';
import { slackAuthor } from './slack-author.ts';
import type { SlackPorts } from './slack-ports.ts';
import { replyTo } from './slack-reply.ts';
import type { RunningTask } from './slack-task.ts';
import { isOfChannel, isWhereMade } from './subscriptions-of-channel.ts';

export type NamedPerson = AccountPerson & { readonly name: string };

type PersonId = Pick<AccountPerson, 'source' | 'id'>;

/** The choices, as parts of a query. */
const DIGEST_CHOICES: Readonly<Record<string, string>> = {
  off: 'No digest',
  'daily 08:00': 'Every day at 08:00',
  'weekdays 08:00': 'Monday to Friday at 08:00',
  'weekdays 08:30': 'Monday to Friday at 08:30',
  'weekdays 09:00': 'Monday to Friday at 09:00',
  'weekly mon 09:00': 'Mondays at 09:00',
};

const DIGEST_EVENTS = ['task.overdue', 'task.due_soon'];

const typesOf = (ports: Pick<SlackPorts, 'config'>) => knownTypes(ports.config).map(({ type }) => type);

/** A message to oneself, still where it was made. */
export const isDirect = (one: Subscription) => /^slack:D/.test(one.owner ?? '') && isWhereMade(one);

/** @param own the subscriptions that the person made */
export function describeDigest(ports: SlackPorts, own: readonly Subscription[], person: NamedPerson): SlackAnyBlock[] {
  const current = own.find((one) => isDirect(one) && isOf(one, person, typesOf(ports)));
  const options = Object.entries(DIGEST_CHOICES).map(([value, label]) => ({ text: plainText(label), value }));
  const choice = current === undefined ? 'off' : choiceOf(current.digest);
  const initial = options.find(({ value }) => value === choice);
  return [
    {
      type: 'section',
      block_id: actionId('digest'),
      text: { type: 'mrkdwn', text: '*Digest of my tasks*, as a direct message' },
      accessory: {
        type: 'static_select',
        action_id: actionId('digest'),
        options,
        // One at a time that was chosen elsewhere.
        ...(initial === undefined
          ? { placeholder: plainText(printSchedule(current?.digest)) }
          : { initial_option: initial }),
      },
    },
  ];
}

function choiceOf(digest: Digest | undefined): string | undefined {
  const schedule = printSchedule(digest);
  return Object.keys(DIGEST_CHOICES).find(
    (choice) => choice !== 'off' && printSchedule(parseQuery(choice).digest) === schedule,
  );
}

/** `daily 08:30 mon-fri` */
const printSchedule = (digest: Digest | undefined) =>
  printQuery({ events: [], conditions: [], ...(digest && { digest }) });

/** A digest of the events of the home, about whichever tasks. */
const isTaskDigest = ({ events, digest }: Subscription) =>
  digest !== undefined &&
  events.length === DIGEST_EVENTS.length &&
  DIGEST_EVENTS.every((type) => events.includes(type));

const printConditions = (conditions: readonly QueryCondition[]) => printQuery({ events: [], conditions });

/** Whether it is the digest of the home: of this person's tasks, with nothing but exclusions beside. */
function isOf(stored: Subscription, person: PersonId, types: readonly string[]): boolean {
  return isTaskDigest(stored) && askedOf(stored, types) === printConditions(conditionsOf(person));
}

/** Its conditions without exclusions. */
function askedOf(stored: Subscription, types: readonly string[]): string {
  const conditions = conditionsFromFilter(stored, types) ?? [];
  return printConditions(conditions.filter(({ isExcluded }) => !isExcluded));
}

/**
 * Digests of earlier versions list the tasks of everyone with the same name, or of the person with this id in any account. They continue with
 * the conditions of today. Everything else about them stays.
 */
export async function upgradeDigests(ports: SlackPorts, running: RunningTask, person: NamedPerson): Promise<void> {
  const { user } = running.task.place;
  const types = typesOf(ports);
  const confine = (stored: Subscription) =>
    stored.madeBy?.id === user && isDirect(stored) ? confineDigest(stored, person, types) : stored;
  const own = (await ports.subscriptions.list()).filter((one) => confine(one) !== one);
  for (const { name } of own) {
    await changeSubscription(ports, slackAuthor(running), name, confine, {
      types,
      detailsOf: ({ madeBy }) => ({ query: madeBy?.query }),
    });
  }
}

/** The same object if no earlier version made it for this person: people type digests about others, which nobody changes for them. */
function confineDigest(stored: Subscription, person: NamedPerson, types: readonly string[]): Subscription {
  const { events, madeBy } = stored;
  const conditions = isTaskDigest(stored) ? (conditionsFromFilter(stored, types) ?? []) : [];
  const asked = printConditions(conditions.filter(({ isExcluded }) => !isExcluded));
  if (madeBy === undefined || !formerConditionsOf(person).map(printConditions).includes(asked)) return stored;
  const next = [...conditionsOf(person), ...conditions.filter(({ isExcluded }) => isExcluded)];
  const { where } = compileConditions(events, next, types);
  if (where === undefined) return stored;
  const query = madeBy.query && printQuery({ ...parseQuery(madeBy.query), conditions: next });
  return { ...stored, where, madeBy: { ...madeBy, ...(query === undefined ? {} : { query }) } };
}

/** @param choice one of the menu; of another one nothing is stored */
export async function saveDigest(
  ports: SlackPorts,
  running: RunningTask,
  person: NamedPerson,
  choice: string,
): Promise<void> {
  const { place, id } = running.task;
  if (!Object.hasOwn(DIGEST_CHOICES, choice)) return;
  const opened = await ports.slack.call('conversations.open', { users: place.user });
  const channel = opened.ok ? jsonTextOf(jsonObjectOf(opened.body.channel).id) : '';
  if (channel === '') return;
  const membership = await readMembership(ports, { ...place, channel });
  // Those of earlier versions become recognizable.
  await upgradeDigests(ports, running, person);
  const types = typesOf(ports);
  const own = (await ports.subscriptions.list()).filter(
    (one) => one.madeBy?.id === place.user && isOfChannel(one, channel) && isOf(one, person, types),
  );
  const [known] = own;
  if (choice === 'off') {
    const author = slackAuthor(running, { user: place.user, userName: membership.userName });
    for (const { name } of own) await removeSubscription(ports, author, name, { details: { channel } });
    return;
  }
  const wanted = { id, events: DIGEST_EVENTS, place: { ...place, channel }, replaces: known?.name };
  const objection = await findObjection(ports, wanted, membership);
  if (objection !== undefined) {
    await replyTo(ports, running, { text: `Your digest was not changed: ${objection}. Ask an admin of Tidings.` });
    return;
  }
  const { digest } = parseQuery(choice);
  // What was excluded with a button stays so.
  const conditions = known === undefined ? conditionsOf(person) : (conditionsFromFilter(known, types) ?? []);
  const schedule = { ...(digest && { digest }), ...(known?.quiet && { quiet: known.quiet }) };
  const draft = {
    query: printQuery({ events: DIGEST_EVENTS, conditions, ...schedule }),
    place: { user: place.user, userName: membership.userName, channel, channelName: membership.channelName },
    ...(known === undefined ? {} : { replaces: known.name }),
  };
  const made = await makeOnce(ports, running, { id, draft, membership });
  if (made?.isMade === false) await replyTo(ports, running, made.reply);
}

/** A person whose token was linked. */
export type FormerPerson = PersonId & Pick<AccountPerson, 'name'>;

/** The names of the digests that this member has of these people, also those that earlier versions made. */
export async function findDigestsOf(
  ports: SlackPorts,
  user: string,
  people: readonly FormerPerson[],
): Promise<readonly string[]> {
  const types = typesOf(ports);
  const wanted = people.flatMap((person) => [conditionsOf(person), ...formerConditionsOf(person)]).map(printConditions);
  return (await ports.subscriptions.list())
    .filter((one) => one.madeBy?.id === user && isDirect(one) && isTaskDigest(one))
    .filter((one) => wanted.includes(askedOf(one, types)))
    .map(({ name }) => name);
}

/**
 * By id: two people may have the same name. With the source, also if there is only one: a second one may be added at any time, where
 * the id is another person's.
 */
function conditionsOf({ source, id }: PersonId): readonly QueryCondition[] {
  return [is('source', source), is('assigneeid', id)];
}

/** What earlier versions asked for. */
function formerConditionsOf({ id, name }: FormerPerson): readonly (readonly QueryCondition[])[] {
  return [[is('assigneeid', id)], ...(name === null ? [] : [[is('assignee', name)]])];
}

const is = (key: string, text: string): QueryCondition => ({ key, isExcluded: false, test: { kind: 'is', text } });
