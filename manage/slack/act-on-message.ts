/** Snooze and Fewer like this: what a channel does about a message, without changing the record. */

import { readBlockId } from '../../adapters/channels/slack/message-buttons.ts';
import { snoozeKey } from '../../core/delivery/receivers/snooze.ts';
import { DEFAULT_DAY_START } from '../../core/events/deliver-at.ts';
import { printQuery, type QueryCondition } from '../../core/filters/query.ts';
import { parseQuery } from '../../core/filters/query-parse.ts';
import { addDays, atTimeOfDay, dayIn } from '../../core/model/calendar.ts';
import { sourceName, type TidingsEvent } from '../../core/model/event.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { traitsOf } from '../../core/ports/channel.ts';
import { changeSubscription, snoozeSubscription } from '../../core/subscriptions/verbs.ts';
import { createZoneLookup } from '../../runtime/zones.ts';
import { sayInThread } from './act-on-task.ts';
import { readMembership } from './authority.ts';
import { actionRow, button, code, mention, section, slackTime } from './blocks.ts';
import { compileChannelQuery } from './draft.ts';
import { claimPress, releasePress } from './press-once.ts';
import { slackAuthor } from './slack-author.ts';
import type { SlackPorts } from './slack-ports.ts';
import { replyTo } from './slack-reply.ts';
import type { RunningTask } from './slack-task.ts';
import { isOfChannel, isPostingTo } from './subscriptions-of-channel.ts';

interface Pressed {
  readonly event: TidingsEvent;
  readonly subscription: Subscription;
  /** Whose message it was, if each person gets their own. @default - that of all in the channel */
  readonly person?: string;
}

/** Answers and returns undefined if the message is too old, or is not one of this channel. */
async function findPressed(ports: SlackPorts, running: RunningTask): Promise<Pressed | undefined> {
  const { place, args } = running.task;
  const reference = readBlockId(args.block ?? '');
  const event = reference && (await ports.events.get(reference.event));
  const subscription = reference && (await ports.subscriptions.get(reference.subscription));
  if (event === undefined || subscription === undefined) {
    const text =
      event === undefined
        ? 'This message is too old: its event is no longer stored.'
        : 'The subscription of this message has ended.';
    await replyTo(ports, running, { text });
    return undefined;
  }
  // A message may be in a thread of a subscription that posts to the channel.
  const named = { ...place, ...(await readMembership(ports, place)), thread: undefined };
  if (!isOfChannel(subscription, place.channel) && !isPostingTo(ports, subscription, named)) {
    await replyTo(ports, running, { text: `${code(subscription.name)} does not post here: nothing was changed.` });
    return undefined;
  }
  return { event, subscription, ...(reference?.person === undefined ? {} : { person: reference.person }) };
}

/** Whose messages a snooze concerns; undefined: those of the whole channel. Null: it is not known whose message this is. */
async function findSnoozer(
  { channels, deliveries }: SlackPorts,
  { event, subscription: { name, to }, person }: Pressed,
): Promise<string | undefined | null> {
  if (traitsOf(channels, to).personal?.(to.settings) === undefined) return undefined;
  if (person !== undefined) return person;
  // Messages of earlier versions do not name their reader.
  const own = await deliveries.listByEvent(event.id, [name]);
  const readers = [...new Set(own.flatMap((one) => one.person ?? []))];
  return readers.length === 1 ? (readers[0] ?? null) : null;
}

/** Until the start of the next day, this record is silent in this channel. What comes due meanwhile is sent then. */
export async function snoozeRecord(ports: SlackPorts, running: RunningTask): Promise<void> {
  const pressed = await findPressed(ports, running);
  if (pressed === undefined) return;
  const { place } = running.task;
  const { event, subscription } = pressed;
  const person = await findSnoozer(ports, pressed);
  if (person === null) {
    await replyTo(ports, running, { text: 'This message is too old to be snoozed: a newer one about it can be.' });
    return;
  }
  const zone =
    subscription.timeZone ?? (await createZoneLookup(ports.config.sources, ports.snapshots)(sourceName(event)));
  const now = ports.clock.now();
  const start = subscription.dayStartsAt ?? DEFAULT_DAY_START;
  const tomorrow = addDays(dayIn(zone, now), 1);
  const until = atTimeOfDay(zone, tomorrow, start === 'off' ? '00:00' : start);
  const press = `snooze ${subscription.name} ${snoozeKey(event)} ${person === undefined ? '' : `${person} `}${until}`;
  const first = await claimPress(ports, running, press);
  if (first !== undefined) {
    await replyTo(ports, running, { text: `${mention(first)} has snoozed this until ${slackTime(until)} already.` });
    return;
  }
  await snoozeSubscription(ports, slackAuthor(running), subscription.name, { event, until }, person);
  const text =
    person === undefined
      ? `${mention(place.user)} snoozed this in this channel until ${slackTime(until)}.`
      : `Snoozed until ${slackTime(until)}, for you alone: others still get their messages about it.`;
  await sayInThread(ports, running, text);
}

/** Fields that events are alike in, the most telling first. */
const ALIKE = ['project', 'client', 'title', 'name'] as const;

/** The condition that excludes events like this one; undefined if nothing fits. */
function exclusionFor({ data }: TidingsEvent, query: string): QueryCondition | undefined {
  const { conditions } = parseQuery(query);
  const asked = conditions.filter(({ isExcluded }) => !isExcluded).map(({ key }) => key);
  // A channel that asked for one project means another kind of likeness.
  const key = ALIKE.find(
    (field) => typeof data.record[field] === 'string' && data.record[field] !== '' && !asked.includes(field),
  );
  if (key === undefined) return undefined;
  return { key, isExcluded: true, test: { kind: 'is', text: String(data.record[key]) } };
}

const printCondition = (condition: QueryCondition) => printQuery({ events: [], conditions: [condition] });

export async function excludeAlike(ports: SlackPorts, running: RunningTask): Promise<void> {
  const pressed = await findPressed(ports, running);
  if (pressed === undefined) return;
  const { place } = running.task;
  const { event, subscription } = pressed;
  const condition = exclusionFor(event, subscription.madeBy?.query ?? event.type);
  if (condition === undefined) {
    await replyTo(ports, running, { text: 'Nothing in this record shows what you want less of.' });
    return;
  }
  const exclusion = printCondition(condition);
  if (!isOfChannel(subscription, place.channel) || subscription.madeBy === undefined) {
    const text = `${code(subscription.name)} is managed by the operator of Tidings, who can exclude these events in the config: ${code(exclusion)}.`;
    await replyTo(ports, running, { text });
    return;
  }
  if (subscription.madeBy.query === undefined) {
    const text = `${code(subscription.name)} has a filter that was changed in the console, which no query can express. Exclude these events there: ${code(exclusion)}.`;
    await replyTo(ports, running, { text });
    return;
  }
  const press = `fewer ${subscription.name} ${exclusion}`;
  const first = await claimPress(ports, running, press);
  if (first !== undefined) {
    await replyTo(ports, running, { text: `${mention(first)} has excluded ${code(exclusion)} already.` });
    return;
  }
  await changeQuery(ports, running, subscription.name, (query) => {
    const has = query.conditions.some((one) => printCondition(one) === exclusion);
    return has ? query : { ...query, conditions: [...query.conditions, condition] };
  });
  const text = `${mention(place.user)} excluded ${code(exclusion)} from ${code(subscription.name)}: fewer messages like this one.`;
  const undo = button('undo', 'Undo', JSON.stringify([subscription.name, exclusion]));
  await sayInThread(ports, running, text, [section(text), actionRow(undo)]);
}

/** Undo of Fewer like this. */
export async function includeAgain(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { place, args } = running.task;
  const [name = '', exclusion = ''] = readPair(args.value ?? '');
  const subscription = await ports.subscriptions.get(name);
  if (subscription === undefined || !isOfChannel(subscription, place.channel)) {
    await replyTo(ports, running, { text: 'The subscription of this message has ended.' });
    return;
  }
  await changeQuery(ports, running, name, (query) => ({
    ...query,
    conditions: query.conditions.filter((one) => printCondition(one) !== exclusion),
  }));
  await releasePress(ports, `fewer ${name} ${exclusion}`);
  const text = `${mention(place.user)} undid the exclusion of ${code(exclusion)} from ${code(name)}.`;
  await replyTo(ports, running, { text, blocks: [section(text)] }, 'replace');
}

function readPair(text: string): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.map(String) : [];
  } catch {
    return [];
  }
}

/** Changes the query of a subscription of this channel, and everything that follows from it. */
async function changeQuery(
  ports: SlackPorts,
  running: RunningTask,
  name: string,
  change: (query: ReturnType<typeof parseQuery>) => ReturnType<typeof parseQuery>,
): Promise<void> {
  const { place } = running.task;
  const changed = (stored: Subscription): Subscription => {
    if (stored.madeBy?.query === undefined || !isOfChannel(stored, place.channel)) return stored;
    const query = printQuery(change(parseQuery(stored.madeBy.query)));
    const { where: _, digest: __, quiet: ___, ...rest } = stored;
    // The conditions change. Whether the channel may get other events was not checked.
    const { events: ____, ...compiled } = compileChannelQuery(ports, query);
    return { ...rest, ...compiled, madeBy: { ...stored.madeBy, query } };
  };
  await changeSubscription(ports, slackAuthor(running), name, changed, {
    detailsOf: ({ madeBy }) => ({ query: madeBy?.query }),
  });
}
