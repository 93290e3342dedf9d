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
import { type LateDeliveries, MANY_SUBSCRIPTIONS, splitLate } from './late-deliveries.ts';
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
   * Passes on the deliveries of owners who get an event many times, to be opened by `openLate`, so that those of all others do not wait
   * for them. @default - they are opened with the others
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
  const match = matcherFor(subscriptions.filter((one) => !isExpired(one, now)));
  const owners = new Map(subscriptions.map(({ name, owner }) => [name, owner]));
  const ownerOf = (name: string) => owners.get(name);
  const announcements: Announcement[] = [];
  const zoneOf = cacheZones(ports.zoneOf);
  const open = createDeliveryOpener(ports, now);
  const handedOver: LateDeliveries[] = [];
  for (const { transition, events } of derived) {
    for (const event of events) {
      if (announcements.length > 0) await betweenEvents();
      const zone = await zoneOf(transition.after.key.source);
      const matched = await match(event, betweenEvents);
      const wanted = matched.filter((one) => isServed(one) && !isWithheld(event, one, ownerOf));
      const { direct, late } = ports.handOver === undefined ? { direct: wanted, late: [] } : splitLate(event, wanted);
      handedOver.push(...late);
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

/**
 * Announces one batch of the feed. Returns undefined if the feed has no new entries. Subscriptions of keys that have many come last:
 * a bulk edit opens a delivery for each of them and each record, and nobody else waits for these.
 * @param signal stops between two writes. The batch stays in the feed and is announced again. @default - it is completed
 */
export async function announceFeed(
  ports: AnnouncePorts & { readonly feed: ChangeFeed },
  signal?: AbortSignal,
): Promise<AnnouncedBatch | undefined> {
  const entries = await ports.feed.read(CONSUMER, BATCH_SIZE);
  const last = entries.at(-1);
  if (last === undefined) return undefined;
  const transitions = entries.map(({ transition }) => transition);
  const parts = splitBatch(transitions, await ports.subscriptions.list());
  const { recordAndSend } = ports;
  const processed = { consumer: CONSUMER, position: last.position };
  const events = new Map<string, TidingsEvent>();
  for (const [index, part] of parts.entries()) {
    if (index > 0) await ports.betweenWrites?.();
    if (signal?.aborted === true) return { events: [...events.values()], isLast: false };
    const isLast = index === parts.length - 1;
    const announced = await announce(
      recordAndSend === undefined || !isLast
        ? ports
        : { ...ports, recordAndSend: (announcements, jobs, now) => recordAndSend(announcements, jobs, now, processed) },
      part.transitions,
      part.isServed,
    );
    for (const event of announced) events.set(event.id, event);
  }
  // If the process dies before, the batch is announced again.
  if (recordAndSend === undefined) await ports.feed.acknowledge(CONSUMER, last.position);
  return { events: [...events.values()], isLast: entries.length < BATCH_SIZE };
}

/** Deliveries that one write may open, if each event of a record goes to every subscription. In the embedded mode it takes 0.1 ms for each. */
const MAX_DELIVERIES_PER_WRITE = 1000;

interface BatchPart {
  readonly transitions: readonly Transition[];
  readonly isServed: IsServed;
}

/** The writes of a batch: first for all subscriptions but those of keys that have many, then for these. */
function splitBatch(transitions: readonly Transition[], subscriptions: readonly Subscription[]): readonly BatchPart[] {
  const counts = new Map<string, number>();
  for (const { owner } of subscriptions) if (owner !== undefined) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const isLate: IsServed = ({ owner }) => owner !== undefined && (counts.get(owner) ?? 0) > MANY_SUBSCRIPTIONS;
  const isEarly: IsServed = (one) => !isLate(one);
  return [isEarly, isLate].flatMap((isServed, index) => {
    const count = subscriptions.filter(isServed).length;
    // The first part records the events.
    if (count === 0 && index > 0) return [];
    const size = Math.max(1, Math.floor(MAX_DELIVERIES_PER_WRITE / Math.max(1, count)));
    return inParts(transitions, size).map((part) => ({ transitions: part, isServed }));
  });
}

const inParts = <T>(all: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size));
