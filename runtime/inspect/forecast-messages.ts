/**
 * Forecasts the messages ahead: when each subscription sends what, if nothing changes. The same for commands, the API, the
 * console and chats. It puts together the events of time, digests of what is open, and what waits already. Sends nothing.
 */

import { channelRegistry } from '../../adapters/channels/registry.ts';
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
import type { Preview } from './preview.ts';

export interface ForecastMessagePorts {
  readonly snapshots: SnapshotStore;
  readonly deliveries: Pick<DeliveryStore, 'list' | 'get'>;
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

/** Deliveries that wait: those of a subscription, and all. */
const MAX_WAITING = 2000;

/** Pages and lists show it in one line. */
const MAX_TITLE_LENGTH = 160;

export interface ForecastMessageOptions {
  /** Of subscriptions that send each person messages of their own, only those of these people. @default - of all */
  readonly readers?: ReadonlySet<string>;
  /** Whether events of a type are part of the messages. @default - all are */
  readonly shows?: (type: string) => boolean;
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
  { readers, shows = () => true, pace = UNPACED }: ForecastMessageOptions = {},
): Promise<readonly ForecastMessage[]> {
  const subscriptions = previewed.subscriptions.filter((one) => !isExpired(one, now));
  const waiting = new Set((await ports.agenda.due(previewed.period.until, MAX_WAITING)).map((one) => one.subscription));
  const staged = createStagedSnapshots(ports.snapshots, previewed.transitions);
  const messages: ForecastMessage[] = [];
  for (const subscription of subscriptions) {
    await pace();
    const digests = await forecastDigests(ports, { previewed, staged, now, pace }, subscription);
    const others = [
      ...eventsOfTime(previewed, subscription),
      ...(waiting.has(subscription.name) ? await eventsThatWait(ports, subscription, now, shows) : []),
    ].filter((one) => !digests.lists(one));
    const sent = [...digests.events, ...others].filter(({ event }) => shows(event.type));
    const shown = readers === undefined ? sent : await ofReaders(ports, subscription, sent, readers);
    // There may be more than a call can have arguments.
    for (const message of await toMessages(ports, previewed, subscription, shown)) messages.push(message);
  }
  return messages.sort((a, b) => compareText(a.at, b.at) || compareText(a.subscription, b.subscription));
}

const audienceOf = ({ to }: Subscription) => traitsOf(channelRegistry, to).audience;

/** The events that time causes, when the subscription sends them. */
function eventsOfTime({ events }: Preview, { name }: Subscription): SentEvent[] {
  return events.flatMap(({ at, event, to, sentAt }) => (to.includes(name) ? [{ at: sentAt[name] ?? at, event }] : []));
}

/** What has happened and waits: for a digest, the start of the day, the end of quiet hours, or others to be sent with it. */
async function eventsThatWait(
  ports: ForecastMessagePorts,
  subscription: Subscription,
  now: Instant,
  shows: (type: string) => boolean,
): Promise<readonly SentEvent[]> {
  if (audienceOf(subscription) !== 'people') return [];
  const { name } = subscription;
  const query = { status: 'waiting', subscription: name, end: 'oldest', limit: MAX_WAITING } as const;
  const sent: SentEvent[] = [];
  for (const { dueAt, notBefore, events, mark, incarnation } of await ports.deliveries.list(query)) {
    if (dueAt === null || mark === 'test' || !isIncarnation(subscription, incarnation)) continue;
    const stored = (await ports.events.getMany(events)).filter(({ type }) => shows(type));
    const present = (await describePresent(ports, stored)).map((one) => one.present);
    const at = [dueAt, notBefore ?? '', now].sort().at(-1) ?? now;
    sent.push(...present.map((event) => ({ at, event })));
  }
  return sent;
}

async function ofReaders(
  ports: Pick<ForecastMessagePorts, 'snapshots'>,
  { to }: Subscription,
  sent: readonly SentEvent[],
  readers: ReadonlySet<string>,
): Promise<readonly SentEvent[]> {
  const personal = traitsOf(channelRegistry, to).personal?.(to.settings);
  if (personal === undefined) return sent;
  const peopleOf = createPeopleLookup(ports);
  const people = await Promise.all(sent.map(({ event }) => peopleOf(personal, event)));
  return sent.filter((_, index) => people[index]?.some((person) => readers.has(person)));
}

/** Puts together what is sent at the same time, as far as it is in the period. */
async function toMessages(
  ports: ForecastMessagePorts,
  { period, zones }: Preview,
  subscription: Subscription,
  sent: readonly SentEvent[],
): Promise<readonly ForecastMessage[]> {
  if (sent.length === 0) return [];
  const health = await readHealth(ports, subscription.name);
  const unsnoozed = ({ at, event }: SentEvent) => snoozeEnd(health, [snoozeKey(event)], at) ?? at;
  const isWithin = (at: Instant) => period.from <= at && at <= period.until;
  const messages: ForecastMessage[] = [];
  for (const [at, members] of Map.groupBy(sent, unsnoozed)) {
    if (!isWithin(at)) continue;
    const events = uniqueEvents(members.map(({ event }) => event));
    const [first] = events;
    if (first === undefined) continue;
    const people = await countPeople(ports, subscription, events);
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
): Promise<number | null> {
  const personal = traitsOf(channelRegistry, to).personal?.(to.settings);
  if (personal === undefined) return null;
  const peopleOf = createPeopleLookup(ports);
  const people = await Promise.all(events.map((event) => peopleOf(personal, event)));
  return new Set(people.flat()).size;
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
