/**
 * Derives the events of transitions, records them with their deliveries, and queues the deliveries.
 * Idempotent: ids are derived from the transition, and existing events and deliveries are not overwritten.
 */

import { compilePacedMatcher, type PacedMatcher } from '../filters/match.ts';
import type { TidingsEvent } from '../model/event.ts';
import { type Pace, UNPACED } from '../model/pace.ts';
import type { Transition } from '../model/snapshot.ts';
import { isExpired, type Subscription } from '../model/subscription.ts';
import type { Clock, Duration, Instant } from '../model/time.ts';
import type { ChannelRegistry } from '../ports/channel.ts';
import type { Announcement, EventStore } from '../ports/event-store.ts';
import type { NewJob, Queue } from '../ports/queue.ts';
import type { ChangeFeed, FeedMark, SnapshotStore } from '../ports/snapshot-store.ts';
import type { SubscriptionStore } from '../ports/subscription-store.ts';
import { isWithheld } from './about-subscription.ts';
import { deriveEvents } from './derive.ts';
import type { EventType } from './event-type.ts';
import { createLateSplit, type LateDeliveries, lateOf, MANY_SUBSCRIPTIONS, splitByCost } from './late-deliveries.ts';
import { createDeliveryOpener, firstJobs } from './open-deliveries.ts';

export interface AnnouncePorts {
  readonly events: EventStore;
  /** The projects, for their managers. */
  readonly snapshots: SnapshotStore;
  readonly subscriptions: SubscriptionStore;
  readonly queue: Queue;
  /** Records, queues and acknowledges the feed in one write. @default - `events.record`, then `queue.send`, then the feed */
  readonly recordAndSend?: (
    announcements: readonly Announcement[],
    jobs: readonly NewJob[],
    now: Instant,
    processed?: FeedMark,
  ) => Promise<void>;
  readonly channels: ChannelRegistry;
  readonly clock: Clock;
  /** The custom event types of the config. */
  readonly customEvents: readonly EventType[];
  /** The time zone of a source, for digests and quiet hours. */
  readonly zoneOf: (source: string) => Promise<string>;
  /** Called between two events, and between two filters: their texts decide how long it takes to match. @default - all in one go */
  readonly betweenEvents?: Pace;
  /** Overrides the gathering window of all subscriptions. @default - each subscription's own */
  readonly window?: Duration;
  /**
   * Passes on the deliveries of owners who get an event many times, or whose filters take long, to be opened by `openLate`, so that those of
   * all others do not wait for them. @default - they are opened with the others
   */
  readonly handOver?: (late: readonly LateDeliveries[]) => Promise<void>;
  /** Called between the writes of a batch of the feed, which has several if it opens many deliveries. @default - goes on at once */
  readonly betweenWrites?: Pace;
}

/** Which subscriptions get the events now. */
type IsServed = (subscription: Subscription) => boolean;

/**
 * Returns the events of these transitions in order, including those that were recorded before.
 * @param isServed @default - all get them
 */
export async function announce(
  ports: AnnouncePorts,
  transitions: readonly Transition[],
  isServed: IsServed = () => true,
): Promise<readonly TidingsEvent[]> {
  const { clock, customEvents, betweenEvents = UNPACED, recordAndSend = createRecordAndSend(ports) } = ports;
  const now = clock.now();
  const derived = transitions.map((transition) => ({ transition, events: deriveEvents(transition, customEvents) }));
  // Most changes of a receiver's health are no news, and a receiver that fails and succeeds in turn makes many.
  const isNews = derived.some(({ events }) => events.length > 0);
  const subscriptions = isNews ? await ports.subscriptions.list() : [];
  const current = subscriptions.filter((one) => !isExpired(one, now));
  const { cheap, matchCostly } =
    ports.handOver === undefined ? { cheap: current, matchCostly: () => [] } : splitByCost(current);
  const match = matcherFor(cheap);
  const owners = new Map(subscriptions.map(({ name, owner }) => [name, owner]));
  const ownerOf = (name: string) => owners.get(name);
  const announcements: Announcement[] = [];
  const zoneOf = cacheZones(ports.zoneOf);
  const open = createDeliveryOpener(ports, now);
  const handedOver: LateDeliveries[] = [];
  const splitLate = createLateSplit();
  for (const { transition, events } of derived) {
    for (const event of events) {
      if (announcements.length > 0) await betweenEvents();
      const zone = await zoneOf(transition.after.key.source);
      const matched = await match(event, betweenEvents);
      const wanted = matched.filter((one) => isServed(one) && !isWithheld(event, one, ownerOf));
      const { direct, late } = ports.handOver === undefined ? { direct: wanted, late: [] } : splitLate(event, wanted);
      const costly = matchCostly(event).filter((one) => isServed(one) && !isWithheld(event, one, ownerOf));
      handedOver.push(...late, ...lateOf(event, costly));
      const opened = direct.map((subscription) => open(event, subscription, zone));
      announcements.push({ event, deliveries: (await Promise.all(opened)).flat() });
    }
  }
  const deliveries = announcements.flatMap((one) => one.deliveries);
  await recordAndSend(announcements, firstJobs(deliveries, ownerOf), now);
  // Last: the events are recorded by now. A batch that fails here is announced again.
  if (handedOver.length > 0) await ports.handOver?.(handedOver);
  return announcements.map(({ event }) => event);
}

function createRecordAndSend({
  events,
  queue,
}: Pick<AnnouncePorts, 'events' | 'queue'>): NonNullable<AnnouncePorts['recordAndSend']> {
  return async (announcements, jobs, now) => {
    await events.record(announcements);
    // If the process dies here, the deliveries are on the agenda and the next tick queues them.
    await queue.send(jobs, now);
  };
}

/** The matcher of the last batch. */
let compiled = { subscriptions: [] as readonly Subscription[], matcher: compilePacedMatcher([]) };

/** Compiles subscriptions again only when one has changed: a store that caches them returns the same objects. */
function matcherFor(subscriptions: readonly Subscription[]): PacedMatcher {
  const isSame =
    subscriptions.length === compiled.subscriptions.length &&
    subscriptions.every((one, index) => one === compiled.subscriptions[index]);
  if (!isSame) compiled = { subscriptions, matcher: compilePacedMatcher(subscriptions) };
  return compiled.matcher;
}

/** Reads each zone once per batch: without a configured zone each call reads from the store. */
function cacheZones(read: AnnouncePorts['zoneOf']): AnnouncePorts['zoneOf'] {
  const zones = new Map<string, Promise<string>>();
  return (source) => {
    const zone = zones.get(source) ?? read(source);
    zones.set(source, zone);
    return zone;
  };
}

const CONSUMER = 'announce';
const BATCH_SIZE = 200;

export interface AnnouncedBatch {
  readonly events: readonly TidingsEvent[];
  /** The feed had no more entries when the batch was read. */
  readonly isLast: boolean;
}

type FeedPorts = AnnouncePorts & { readonly feed: ChangeFeed };

/**
 * Announces one batch of the feed. Returns undefined if the feed has no new entries. Subscriptions of keys that have many come last:
 * a bulk edit opens a delivery for each of them and each record, which takes a minute. Others do not wait for these: what is committed
 * meanwhile is announced to all others in between.
 * @param signal stops between two writes. The batch stays in the feed and is announced again. @default - it is completed
 */
export async function announceFeed(ports: FeedPorts, signal?: AbortSignal): Promise<AnnouncedBatch | undefined> {
  const { feed } = ports;
  const read = await feed.read(CONSUMER, BATCH_SIZE);
  const [early] = aheadOf(feed);
  const entries = early === undefined ? read : read.filter(({ position }) => position <= early.position);
  const last = entries.at(-1);
  if (last === undefined) return undefined;
  const events = new Map<string, TidingsEvent>();
  const report = (announced: readonly TidingsEvent[]) => {
    for (const event of announced) events.set(event.id, event);
  };
  const transitions = entries.map(({ transition }) => transition);
  const subscriptions = await ports.subscriptions.list();
  const isLate = early?.isLate ?? findLate(subscriptions);
  const late = splitBatch(transitions, subscriptions, isLate);
  if (early === undefined) {
    const isOnly = late.length === 0;
    const isDone = await announceEarly(ports, transitions, isLate, report, signal, isOnly ? last.position : undefined);
    if (!isDone) return { events: [...events.values()], isLast: false };
  }
  for (const [index, part] of late.entries()) {
    if (signal?.aborted === true) return { events: [...events.values()], isLast: false };
    const isLast = index === late.length - 1;
    const mark = isLast ? { consumer: CONSUMER, position: last.position } : undefined;
    await announce({ ...ports, recordAndSend: createLateWrite(ports, mark) }, part, isLate);
    if (!isLast) await announceAhead(ports, last.position, report, signal);
  }
  // No subscription is late any more.
  if (early !== undefined && late.length === 0) await feed.acknowledge(CONSUMER, last.position);
  if (early !== undefined) aheadOf(feed).shift();
  return { events: [...events.values()], isLast: entries.length < BATCH_SIZE && aheadOf(feed).length === 0 };
}

/** Entries up to this position were announced before their turn, to all but those who are late. */
interface Ahead {
  readonly position: number;
  /** As of then: a subscription that has become late or early since is neither left out nor served twice. */
  readonly isLate: IsServed;
}

/** Oldest first. In this process only: after a restart these entries are announced again. */
const ahead = new WeakMap<ChangeFeed, Ahead[]>();

function aheadOf(feed: ChangeFeed): Ahead[] {
  const known = ahead.get(feed) ?? [];
  ahead.set(feed, known);
  return known;
}

/** Announces what follows to all but those who are late. */
async function announceAhead(
  ports: FeedPorts,
  position: number,
  report: (events: readonly TidingsEvent[]) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { feed } = ports;
  const known = aheadOf(feed);
  const entries = await feed.read(CONSUMER, BATCH_SIZE, known.at(-1)?.position ?? position);
  const last = entries.at(-1);
  if (last === undefined) return;
  const isLate = findLate(await ports.subscriptions.list());
  const transitions = entries.map(({ transition }) => transition);
  if (await announceEarly(ports, transitions, isLate, report, signal)) known.push({ position: last.position, isLate });
}

/** Returns false if it was stopped. @param processed acknowledges the feed with the last write. @default - it is not acknowledged */
async function announceEarly(
  ports: FeedPorts,
  transitions: readonly Transition[],
  isLate: IsServed,
  report: (events: readonly TidingsEvent[]) => void,
  signal: AbortSignal | undefined,
  processed?: number,
): Promise<boolean> {
  const { recordAndSend, feed } = ports;
  const isEarly: IsServed = (one) => !isLate(one);
  const parts = splitBatch(transitions, await ports.subscriptions.list(), isEarly, true);
  for (const [index, part] of parts.entries()) {
    if (index > 0) await ports.betweenWrites?.();
    if (signal?.aborted === true) return false;
    const isMarked = processed !== undefined && index === parts.length - 1;
    const mark = isMarked ? { consumer: CONSUMER, position: processed } : undefined;
    const write: AnnouncePorts['recordAndSend'] =
      recordAndSend && ((announcements, jobs, now) => recordAndSend(announcements, jobs, now, mark));
    report(await announce(write === undefined ? ports : { ...ports, recordAndSend: write }, part, isEarly));
    if (isMarked && write === undefined) await feed.acknowledge(CONSUMER, processed);
  }
  return true;
}

/**
 * The events are recorded already: a part that opens no deliveries, such as the health of receivers, is not written.
 * @param processed if the process dies before, the batch is announced again. @default - the batch has more parts
 */
function createLateWrite(ports: FeedPorts, processed?: FeedMark): NonNullable<AnnouncePorts['recordAndSend']> {
  const { recordAndSend, betweenWrites, feed } = ports;
  const write = recordAndSend ?? createRecordAndSend(ports);
  return async (announcements, jobs, now) => {
    const opening = announcements.filter(({ deliveries }) => deliveries.length > 0);
    if (opening.length > 0) await betweenWrites?.();
    if (opening.length > 0 || processed !== undefined) await write(opening, jobs, now, processed);
    if (recordAndSend === undefined && processed !== undefined) await feed.acknowledge(CONSUMER, processed.position);
  };
}

/** Deliveries that one write may open, if each event of a record goes to every subscription. In the embedded mode it takes 0.1 ms for each. */
const MAX_DELIVERIES_PER_WRITE = 1000;

/** The subscriptions of keys that have many. */
function findLate(subscriptions: readonly Subscription[]): IsServed {
  const counts = new Map<string, number>();
  for (const { owner } of subscriptions) if (owner !== undefined) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return ({ owner }) => owner !== undefined && (counts.get(owner) ?? 0) > MANY_SUBSCRIPTIONS;
}

/** The writes of a batch for these subscriptions. @param recordsEvents whether there is one even if no subscription is served */
function splitBatch(
  transitions: readonly Transition[],
  subscriptions: readonly Subscription[],
  isServed: IsServed,
  recordsEvents = false,
): readonly (readonly Transition[])[] {
  const count = subscriptions.filter(isServed).length;
  if (count === 0 && !recordsEvents) return [];
  return inParts(transitions, Math.max(1, Math.floor(MAX_DELIVERIES_PER_WRITE / Math.max(1, count))));
}

const inParts = <T>(all: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size));
