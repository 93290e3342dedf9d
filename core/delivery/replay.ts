/**
 * Opens deliveries on request: replays of recorded events, and test events. Each goes to one subscription through the
 * normal pipeline and carries a mark.
 */

import { isWithheld } from '../events/about-subscription.ts';
import { eventTypes } from '../events/catalogue.ts';
import { exampleEvent } from '../events/examples.ts';
import { createPeopleLookup } from '../events/people-lookup.ts';
import { compileGlob } from '../filters/match.ts';
import { compilePattern } from '../filters/pattern.ts';
import {
  type Delivery,
  type DeliveryMark,
  deliveryId,
  forPerson,
  isDeliveryOf,
  ofIncarnation,
  openDelivery,
} from '../model/delivery.ts';
import type { TidingsEvent } from '../model/event.ts';
import { type Pace, UNPACED } from '../model/pace.ts';
import type { Subscription } from '../model/subscription.ts';
import { type Clock, DAY, type Instant, plus } from '../model/time.ts';
import { type ChannelRegistry, traitsOf } from '../ports/channel.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import type { EventStore } from '../ports/event-store.ts';
import { jobFor, type Queue } from '../ports/queue.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import { rampUp } from './expedite.ts';

export interface ReplayPorts {
  readonly events: EventStore;
  /** The projects, for their managers. */
  readonly snapshots: Pick<SnapshotStore, 'getMany'>;
  readonly queue: Queue;
  readonly channels: ChannelRegistry;
  readonly clock: Clock;
}

/** Events recorded at a time. The embedded mode can write nothing else meanwhile. */
const PAGE_SIZE = 100;

export interface ReplayOptions {
  /** When the replay started. Repeating a part of it with the same time opens no further deliveries. @default - now */
  readonly at?: Instant;
  /** The number of events of its earlier parts. @default 0 */
  readonly sent?: number;
  /** Identifies the request: repeated, it opens each delivery once. @default - the time identifies it */
  readonly request?: string | undefined;
  /** Only this reader, such as `main/5`. @default - everyone whom an event concerns */
  readonly person?: string | undefined;
}

/** An event, or the id of a recorded one. Thousands of large events would fill the memory: pass ids, which are read in parts. */
export type Replayed = TidingsEvent | string;

/**
 * Sends recorded events again, under their original ids, at a rate that grows; tick queues those that are not due at once.
 * Two requests in the same millisecond count as one. Returns the deliveries in the order of the events.
 */
export async function replay(
  ports: ReplayPorts,
  subscription: Subscription,
  events: readonly Replayed[],
  { at, sent = 0, request, person }: ReplayOptions = {},
): Promise<readonly Delivery[]> {
  const now = at ?? ports.clock.now();
  const isGathering = traitsOf(ports.channels, subscription.to).gathers;
  const peopleOf = findPeople(ports, subscription);
  const open = async (event: TidingsEvent, index: number): Promise<readonly Delivery[]> => {
    const delivery = openMarked(event, subscription, 'replay', now, {
      gathersAt: isGathering ? now : undefined,
      request,
    });
    const slot = rampUp(now, sent + index);
    const due = isGathering || slot === now ? delivery : { ...delivery, dueAt: slot };
    const people = person === undefined ? await peopleOf(event) : [person];
    return people === undefined ? [due] : people.map((person) => forPerson(due, person));
  };
  const deliveries: Delivery[] = [];
  for (let start = 0; start < events.length; start += PAGE_SIZE) {
    const page = await readReplayed(ports, events.slice(start, start + PAGE_SIZE));
    const announcements = await Promise.all(
      page.map(async (event, index) => ({ event, deliveries: await open(event, start + index) })),
    );
    await ports.events.record(announcements);
    deliveries.push(...announcements.flatMap((one) => one.deliveries));
  }
  const first = deliveries.filter((_, index) => isGathering || rampUp(now, sent + index) === now);
  await ports.queue.send(
    first.map((delivery) => jobFor(delivery, subscription.owner)),
    ports.clock.now(),
  );
  return deliveries;
}

/** One that is no longer kept is left out. */
async function readReplayed(
  { events }: Pick<ReplayPorts, 'events'>,
  page: readonly Replayed[],
): Promise<readonly TidingsEvent[]> {
  const ids = page.filter((one) => typeof one === 'string');
  const read = new Map((ids.length === 0 ? [] : await events.getMany(ids)).map((event) => [event.id, event]));
  return page.flatMap((one) => (typeof one === 'string' ? (read.get(one) ?? []) : one));
}

/** The people who would get the event; undefined if all receivers of the subscription do. */
export function listReplayReaders(
  ports: Pick<ReplayPorts, 'snapshots' | 'channels'>,
  subscription: Subscription,
  event: TidingsEvent,
): Promise<readonly string[] | undefined> {
  return findPeople(ports, subscription)(event);
}

/**
 * Why one reader cannot get an event alone: they neither got it through this subscription, nor does it concern them.
 * @param event undefined if several are replayed
 */
export async function refuseReader(
  ports: Pick<ReplayPorts, 'snapshots' | 'channels'> & { readonly deliveries: Pick<DeliveryStore, 'listByEvent'> },
  subscription: Subscription,
  event: TidingsEvent | undefined,
  person: string,
): Promise<string | undefined> {
  const people = event && (await listReplayReaders(ports, subscription, event));
  if (event === undefined || people === undefined)
    return 'expected a person only with event, and only for a subscription that sends to people of a record';
  const ofName = await ports.deliveries.listByEvent(event.id, [subscription.name]);
  const sent = ofName.filter((one) => isDeliveryOf(subscription, one));
  // An event that concerned no one reaches people only through a fallback, which is among them.
  const past = sent.flatMap((one) => one.person ?? []).filter((one) => !one.endsWith('/'));
  const readers = [...new Set([...people, ...past])];
  if (readers.includes(person)) return undefined;
  return `expected a reader of this event: ${readers.length === 0 ? 'it has none' : readers.join(', ')}`;
}

/** How many messages a replay opens, before those that are sent together are gathered: a copy for each reader. */
export async function countReplayMessages(
  ports: Pick<ReplayPorts, 'snapshots' | 'channels'>,
  subscription: Subscription,
  events: readonly TidingsEvent[],
): Promise<number> {
  const counts = await Promise.all(events.map(createMessageCounter(ports, subscription)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Counts the messages of one event. Remembers the people it found: use one for all events of a replay. */
export function createMessageCounter(
  ports: Pick<ReplayPorts, 'snapshots' | 'channels'>,
  subscription: Subscription,
): (event: TidingsEvent) => Promise<number> {
  const { to } = subscription;
  const copies = Math.max(1, traitsOf(ports.channels, to).addresses?.(to.settings).length ?? 1);
  const peopleOf = findPeople(ports, subscription);
  return async (event) => (await peopleOf(event))?.length ?? copies;
}

/** Undefined for a subscription whose messages all have the same receivers. */
function findPeople(
  ports: Pick<ReplayPorts, 'snapshots' | 'channels'>,
  { to }: Subscription,
): (event: TidingsEvent) => Promise<readonly string[] | undefined> {
  const personal = traitsOf(ports.channels, to).personal?.(to.settings);
  const peopleOf = createPeopleLookup(ports);
  return async (event) => (personal === undefined ? undefined : peopleOf(personal, event));
}

interface MarkedOptions {
  /** When the event is gathered with others. @default - it is sent alone */
  readonly gathersAt?: Instant | undefined;
  /** @default - the time identifies the request */
  readonly request?: string | undefined;
}

function openMarked(
  event: TidingsEvent,
  subscription: Subscription,
  mark: DeliveryMark,
  now: Instant,
  { gathersAt, request = now }: MarkedOptions = {},
): Delivery {
  const { name } = subscription;
  const id = deliveryId(mark, event.id, name, request);
  return ofIncarnation({ ...openDelivery(event, name, now, gathersAt), id, mark }, subscription);
}

/** A test event with its delivery. */
export interface PreparedTest {
  readonly event: TidingsEvent;
  readonly delivery: Delivery;
}

/**
 * Prepares the delivery of a test event and stores nothing. Undefined if the subscription matches no such type.
 * @param pace of the search for an event to send. @default - in one go
 */
export async function prepareTest(
  { events, snapshots, channels, clock }: Omit<ReplayPorts, 'queue'>,
  subscription: Subscription,
  type: string | undefined,
  pace: Pace = UNPACED,
): Promise<PreparedTest | undefined> {
  const now = clock.now();
  const model = await modelEvent(events, subscription, { type, now, pace });
  if (model === undefined) return undefined;
  const id = `evt_${deliveryId('test', subscription.name, now).slice('dlv_'.length)}`;
  const event: TidingsEvent = { ...model, id, time: now, test: true };
  // A test has one reader: the first person of a personal subscription.
  const person = (await findPeople({ snapshots, channels }, subscription)(event))?.[0];
  const marked = openMarked(event, subscription, 'test', now);
  return { event, delivery: person === undefined ? marked : forPerson(marked, person) };
}

/** Opens the delivery of a test. Does not queue it: the caller makes the attempt and reports its result. */
export async function openTest(
  { events }: Pick<ReplayPorts, 'events'>,
  { event, delivery }: PreparedTest,
): Promise<Delivery> {
  await events.record([{ event, deliveries: [delivery] }]);
  return delivery;
}

/** How old a recorded event may be to serve as the model of a test event. */
const MAX_MODEL_AGE = 7 * DAY;

/** The newest of these events are searched for it: a test costs the same however many there are. */
const MODEL_PAGE_SIZE = 100;
const MAX_MODEL_PAGES = 10;

/** The newest recorded event that the subscription matches, so that the test is realistic; otherwise an example. */
async function modelEvent(
  events: EventStore,
  subscription: Subscription,
  { type, now, pace }: { readonly type: string | undefined; readonly now: Instant; readonly pace: Pace },
): Promise<TidingsEvent | undefined> {
  const isRequested = compileGlob(type ?? '*');
  const hasContent = subscription.where === undefined ? () => true : compilePattern(subscription.where);
  const isModel = (event: TidingsEvent) =>
    event.test !== true &&
    isRequested(event.type) &&
    !isWithheld(event, subscription, () => undefined) &&
    hasContent(event);
  const period = { since: plus(now, -MAX_MODEL_AGE), until: now };
  for (let [after, pages]: [string | undefined, number] = [undefined, 0]; pages < MAX_MODEL_PAGES; pages++) {
    const query = { ...period, types: subscription.events, first: 'newest', limit: MODEL_PAGE_SIZE } as const;
    const page = await events.list({ ...query, after });
    for (const event of page.events) {
      if (isModel(event)) return event;
      await pace();
    }
    if (!page.more) break;
    after = page.cursor;
  }
  const globs = subscription.events.map(compileGlob);
  const example = eventTypes.find(({ type }) => isRequested(type) && globs.some((matches) => matches(type)));
  return example === undefined ? undefined : exampleEvent(example);
}
