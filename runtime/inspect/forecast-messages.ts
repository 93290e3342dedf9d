/**
 * Forecasts the messages ahead: when each subscription sends what, if nothing changes. The same for commands, the API, the
 * console and chats. It puts together the events of time, digests of what is open, and what waits already. Sends nothing.
 */

import { channelRegistry } from '../../adapters/channels/registry.ts';
import { readPages } from '../../core/delivery/read-pages.ts';
import { isOpen } from '../../core/delivery/receivers/health.ts';
import { snoozeEnd, snoozeKey } from '../../core/delivery/receivers/snooze.ts';
import { readHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { createPeopleLookup } from '../../core/events/people-lookup.ts';
import { describePresent } from '../../core/messages/describe-present.ts';
import { lineOf } from '../../core/messages/neutral-message.ts';
import { summarise } from '../../core/messages/summary.ts';
import { sourceName, type TidingsEvent } from '../../core/model/event.ts';
import { type Pace, UNPACED } from '../../core/model/pace.ts';
import { isExpired, isIncarnation, type Subscription } from '../../core/model/subscription.ts';
import type { Instant } from '../../core/model/time.ts';
import type { Agenda } from '../../core/ports/agenda.ts';
import { traitsOf } from '../../core/ports/channel.ts';
import type { DeliveryStore } from '../../core/ports/delivery-store.ts';
import type { EventStore } from '../../core/ports/event-store.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import { createStagedSnapshots, forecastDigests, type SentEvent } from './forecast-digests.ts';
import { type Preview, sendTimeOf } from './preview.ts';

export interface ForecastMessagePorts {
  readonly snapshots: SnapshotStore;
  readonly deliveries: Pick<DeliveryStore, 'listIds' | 'get'>;
  readonly events: Pick<EventStore, 'getMany'>;
  readonly agenda: Pick<Agenda, 'due'>;
}

/** A message for people; for a webhook or a bus, the events of one moment. */
export interface ForecastMessage {
  readonly subscription: string;
  /** When it is sent. */
  readonly at: Instant;
  /** The zone that its readers think in. */
  readonly zone: string;
  /** `digest`: at a set time; `message`: for people; `events`: each on its own, for programs. */
  readonly kind: 'digest' | 'message' | 'events';
  /** `40 tasks overdue`; the whole sentence of a single event. */
  readonly title: string;
  /** The number of records. */
  readonly count: number;
  /** The types of its events. */
  readonly types: readonly string[];
  /** How many people get one each; null: all receivers of the subscription get the same. */
  readonly people: number | null;
  /** Whether it is held back then, because the subscription is paused or disabled. */
  readonly isHeld: boolean;
}

/** Deliveries that wait: those of a subscription that are shown, and all. */
const MAX_WAITING = 2000;

/** Pages and lists show it in one line. */
const MAX_TITLE_LENGTH = 160;

export interface ForecastMessageOptions {
  /**
   * Of subscriptions that send each person messages of their own, only those of these people, by the name of the subscription.
   * @default - of all
   */
  readonly readers?: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whether events of a type are part of the messages. The others take no work. @default - all are */
  readonly shows?: ((type: string) => boolean) | undefined;
  /** Whether what waits for other subscriptions is not read either, also to find out that nothing waits for these. @default false */
  readonly isConfined?: boolean;
  /** @default - in one go */
  readonly pace?: Pace;
}

/**
 * The messages of the period, in the order in which they are sent. An empty digest is not sent, so it is not listed.
 */
export async function forecastMessages(
  ports: ForecastMessagePorts,
  previewed: Preview,
  now: Instant,
  { readers, shows: asked, isConfined = false, pace = UNPACED }: ForecastMessageOptions = {},
): Promise<readonly ForecastMessage[]> {
  const shows = asked ?? (() => true);
  const subscriptions = previewed.subscriptions.filter((one) => !isExpired(one, now));
  const waiting = isConfined ? undefined : await findWaiting(ports, previewed.period.until);
  const staged = createStagedSnapshots(ports.snapshots, previewed.transitions, pace);
  const messages: ForecastMessage[] = [];
  for (const subscription of subscriptions) {
    await pace();
    const digests = await forecastDigests(ports, { previewed, staged, now, shows, pace }, subscription);
    const others = [
      ...eventsOfTime(previewed, subscription),
      ...(waiting?.has(subscription.name) === false ? [] : await eventsThatWait(ports, subscription, now, asked, pace)),
    ].filter((one) => !digests.lists(one));
    const sent = [...digests.events, ...others].filter(({ event }) => shows(event.type));
    const shown = readers === undefined ? sent : await ofReaders(ports, subscription, sent, readers, pace);
    // There may be more than a call can have arguments.
    for (const message of await toMessages(ports, previewed, subscription, shown, pace)) messages.push(message);
  }
  return messages.sort((a, b) => compareText(a.at, b.at) || compareText(a.subscription, b.subscription));
}

const audienceOf = ({ to }: Subscription) => traitsOf(channelRegistry, to).audience;

/** The events that time causes, when the subscription sends them. */
function eventsOfTime({ events }: Preview, { name }: Subscription): SentEvent[] {
  return events.flatMap((one) => (one.to.includes(name) ? [{ at: sendTimeOf(one, name), event: one.event }] : []));
}

/** The subscriptions for which something waits. Undefined if so much does that it is not known. */
async function findWaiting(
  { agenda }: Pick<ForecastMessagePorts, 'agenda'>,
  until: Instant,
): Promise<ReadonlySet<string> | undefined> {
  const due = await agenda.due(until, MAX_WAITING);
  return due.length < MAX_WAITING ? new Set(due.map((one) => one.subscription)) : undefined;
}

/** What has happened and waits: for a digest, the start of the day, the end of quiet hours, or others to be sent with it. */
async function eventsThatWait(
  ports: ForecastMessagePorts,
  subscription: Subscription,
  now: Instant,
  shows: ((type: string) => boolean) | undefined,
  pace: Pace,
): Promise<readonly SentEvent[]> {
  if (audienceOf(subscription) !== 'people') return [];
  const sent: SentEvent[] = [];
  let count = 0;
  // What is not shown takes no place of what is.
  const limit = shows === undefined ? MAX_WAITING : undefined;
  for await (const page of readPages(ports.deliveries, { status: 'waiting', subscription: subscription.name, limit })) {
    await pace();
    const own = page.filter(({ mark, incarnation }) => mark !== 'test' && isIncarnation(subscription, incarnation));
    const stored = await ports.events.getMany([...new Set(own.flatMap(({ events }) => events))]);
    const present = await describePresent(
      ports,
      shows === undefined ? stored : stored.filter(({ type }) => shows(type)),
    );
    const byId = new Map(present.map((one) => [one.recorded.id, one.present]));
    for (const { dueAt, notBefore, events } of own) {
      const listed = events.flatMap((id) => byId.get(id) ?? []);
      if (dueAt === null || listed.length === 0) continue;
      const at = [dueAt, notBefore ?? '', now].sort().at(-1) ?? now;
      for (const event of listed) sent.push({ at, event });
      count += 1;
    }
    if (count >= MAX_WAITING) break;
  }
  return sent;
}

async function ofReaders(
  ports: Pick<ForecastMessagePorts, 'snapshots'>,
  { name, to }: Subscription,
  sent: readonly SentEvent[],
  readers: ReadonlyMap<string, ReadonlySet<string>>,
  pace: Pace,
): Promise<readonly SentEvent[]> {
  const personal = traitsOf(channelRegistry, to).personal?.(to.settings);
  if (personal === undefined) return sent;
  const own = readers.get(name) ?? new Set();
  if (own.size === 0) return [];
  const peopleOf = createPeopleLookup(ports);
  const shown: SentEvent[] = [];
  for (const one of sent) {
    if ((await peopleOf(personal, one.event)).some((person) => own.has(person))) shown.push(one);
    await pace();
  }
  return shown;
}

/** Puts together what is sent at the same time, as far as it is in the period. */
async function toMessages(
  ports: ForecastMessagePorts,
  { period, zones }: Preview,
  subscription: Subscription,
  sent: readonly SentEvent[],
  pace: Pace,
): Promise<readonly ForecastMessage[]> {
  if (sent.length === 0) return [];
  const health = await readHealth(ports, subscription.name);
  const unsnoozed = ({ at, event }: SentEvent) => snoozeEnd(health, [snoozeKey(event)], at) ?? at;
  const isWithin = (at: Instant) => period.from <= at && at <= period.until;
  const messages: ForecastMessage[] = [];
  for (const [at, members] of Map.groupBy(sent, unsnoozed)) {
    if (!isWithin(at)) continue;
    await pace();
    const events = uniqueEvents(members.map(({ event }) => event));
    const [first] = events;
    if (first === undefined) continue;
    const people = await countPeople(ports, subscription, events, pace);
    // It concerns nobody, and there is no fallback.
    if (people === 0) continue;
    const count = new Set(events.map(({ source, subject }) => `${source} ${subject}`)).size;
    messages.push({
      subscription: subscription.name,
      at,
      zone: subscription.timeZone ?? zones[sourceName(first)] ?? 'UTC',
      kind: audienceOf(subscription) !== 'people' ? 'events' : subscription.digest === undefined ? 'message' : 'digest',
      title:
        events.length === 1 ? lineOf(first, [], undefined, MAX_TITLE_LENGTH) : summarise(events, { maxLines: 0 }).title,
      count,
      types: [...new Set(events.map(({ type }) => type))].sort(),
      people,
      isHeld: !isOpen(health),
    });
  }
  return messages;
}

/** One event may wait for several people, and in a group. */
function uniqueEvents(events: readonly TidingsEvent[]): readonly TidingsEvent[] {
  return [...new Map(events.map((event) => [event.id, event])).values()];
}

/** Null: the message is the same for all receivers. */
async function countPeople(
  ports: Pick<ForecastMessagePorts, 'snapshots'>,
  { to }: Subscription,
  events: readonly TidingsEvent[],
  pace: Pace,
): Promise<number | null> {
  const personal = traitsOf(channelRegistry, to).personal?.(to.settings);
  if (personal === undefined) return null;
  const peopleOf = createPeopleLookup(ports);
  const people = new Set<string>();
  for (const event of events) {
    for (const person of await peopleOf(personal, event)) people.add(person);
    await pace();
  }
  return people.size;
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
