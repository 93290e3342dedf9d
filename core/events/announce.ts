/**
 * Derives the events of transitions, records them with their deliveries, and queues the deliveries.
 * Idempotent: ids are derived from the transition, and existing events and deliveries are not overwritten.
 */

import type { CompiledSubscriptions, TestFilters } from '../filters/match.ts';
import { sourceName, type TidingsEvent } from '../model/event.ts';
import { type Pace, UNPACED } from '../model/pace.ts';
import type { Transition } from '../model/snapshot.ts';
import { isExpired, type Subscription } from '../model/subscription.ts';
import type { Clock, Duration, Instant } from '../model/time.ts';
import type { ChannelRegistry } from '../ports/channel.ts';
import type { Announcement, EventStore } from '../ports/event-store.ts';
import type { NewJob, Queue } from '../ports/queue.ts';
import type { FeedMark, SnapshotStore } from '../ports/snapshot-store.ts';
import type { SubscriptionStore } from '../ports/subscription-store.ts';
import { isWithheld, subscriptionOf } from './about-subscription.ts';
import { deriveEvents } from './derive.ts';
import { type DividedSubscriptions, divideSubscriptions } from './divided-subscriptions.ts';
import type { EventType } from './event-type.ts';
import { type LateDeliveries, lateOf, splitLate, type WantedEvent } from './late-deliveries.ts';
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
    processed?: readonly FeedMark[],
  ) => Promise<void>;
  readonly channels: ChannelRegistry;
  readonly clock: Clock;
  /** The custom event types of the config. */
  readonly customEvents: readonly EventType[];
  /** The time zone of a source, for digests and quiet hours. */
  readonly zoneOf: (source: string) => Promise<string>;
  /** Called between two events, and between two filters: their texts decide how long it takes to match. @default - all in one go */
  readonly betweenEvents?: Pace;
  /** Tests filters that may take long elsewhere. @default - they are tested here */
  readonly testFilters?: TestFilters | undefined;
  /** Gives up between two events, before anything is recorded. @default - it goes on to its end */
  readonly signal?: AbortSignal | undefined;
  /** Overrides the gathering window of all subscriptions. @default - each subscription's own */
  readonly window?: Duration;
  /**
   * Passes on the deliveries of owners who get an event many times, or whose filters take long, to be opened by `openLate`, so that those of
   * all others do not wait for them. @default - they are opened with the others
   */
  readonly handOver?: (late: readonly LateDeliveries[]) => Promise<void>;
}

/** A change with the events that it causes. */
export interface DerivedChange {
  readonly transition: Transition;
  readonly events: readonly TidingsEvent[];
}

export const deriveChanges = (
  transitions: readonly Transition[],
  { customEvents }: Pick<AnnouncePorts, 'customEvents'>,
): readonly DerivedChange[] =>
  transitions.map((transition) => ({ transition, events: deriveEvents(transition, customEvents) }));

export const typesOf = (changes: readonly DerivedChange[]): ReadonlySet<string> =>
  new Set(changes.flatMap(({ events }) => events.map(({ type }) => type)));

/** Which subscriptions get the events now. */
export type SelectServed = (divided: DividedSubscriptions) => CompiledSubscriptions;

const NOBODY: ReadonlySet<string> = new Set();

/** Returns the events of these transitions in order, including those that were recorded before. */
export const announce = (ports: AnnouncePorts, transitions: readonly Transition[]): Promise<readonly TidingsEvent[]> =>
  announceChanges(ports, deriveChanges(transitions, ports));

/**
 * The same for some of the subscriptions. The filters of the others would take up time that those who are served now wait for.
 * @param select @default - all get them
 */
export async function announceChanges(
  ports: AnnouncePorts,
  changes: readonly DerivedChange[],
  select?: SelectServed,
): Promise<readonly TidingsEvent[]> {
  const { clock, betweenEvents = UNPACED, testFilters, signal, recordAndSend = createRecordAndSend(ports) } = ports;
  const now = clock.now();
  // Most changes of a receiver's health are no news, and a receiver that fails and succeeds in turn makes many.
  const isNews = changes.some(({ events }) => events.length > 0);
  const divided = divideSubscriptions(isNews ? await ports.subscriptions.list() : []);
  const costly = ports.handOver === undefined ? NOBODY : divided.findCostly(now);
  const served = select === undefined ? divided.except(costly) : select(divided);
  await served.prepare(typesOf(changes), betweenEvents);
  // Most lists are used as they are: one may have a thousand subscriptions, and be needed for each event.
  const isLeftOut = divided.hasTemporary ? (one: Subscription) => isExpired(one, now) : undefined;
  const withoutLeftOut = (list: readonly Subscription[]) =>
    isLeftOut === undefined ? list : list.filter((one) => !isLeftOut(one));
  const withoutWithheld = (event: TidingsEvent, list: readonly Subscription[]) =>
    subscriptionOf(event) === undefined ? list : list.filter((one) => !isWithheld(event, one, divided.ownerOf));
  const matched: WantedEvent[] = [];
  const handedOver: LateDeliveries[] = [];
  for (const event of changes.flatMap(({ events }) => events)) {
    if (matched.length > 0) await betweenEvents();
    if (signal?.aborted === true) return [];
    const wanted = await served.match(event, betweenEvents, { isLeftOut, testFilters });
    matched.push({ event, wanted: withoutWithheld(event, wanted) });
    for (const owner of costly) {
      const own = withoutLeftOut(divided.of(owner).wanting(event.type));
      handedOver.push(...lateOf(event, owner, withoutWithheld(event, own)));
    }
  }
  const { direct, late } = ports.handOver === undefined ? { direct: matched, late: [] } : splitLate(matched);
  handedOver.push(...late);
  const announcements: Announcement[] = [];
  const owners = new Map<string, string | undefined>();
  const zoneOf = cacheZones(ports.zoneOf);
  const open = createDeliveryOpener(ports, now);
  for (const { event, wanted } of direct) {
    if (announcements.length > 0) await betweenEvents();
    const zone = await zoneOf(sourceName(event));
    for (const { name, owner } of wanted) owners.set(name, owner);
    const opened = wanted.map((subscription) => open(event, subscription, zone));
    announcements.push({ event, deliveries: (await Promise.all(opened)).flat() });
  }
  const deliveries = announcements.flatMap((one) => one.deliveries);
  const jobs = firstJobs(deliveries, (subscription) => owners.get(subscription));
  await recordAndSend(announcements, jobs, now);
  // Last: the events are recorded by now. A batch that fails here is announced again.
  if (handedOver.length > 0) await ports.handOver?.(handedOver);
  return announcements.map(({ event }) => event);
}

/** The default of `AnnouncePorts.recordAndSend`. */
export function createRecordAndSend({
  events,
  queue,
}: Pick<AnnouncePorts, 'events' | 'queue'>): NonNullable<AnnouncePorts['recordAndSend']> {
  return async (announcements, jobs, now) => {
    await events.record(announcements);
    // If the process dies here, the deliveries are on the agenda and the next tick queues them.
    await queue.send(jobs, now);
  };
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
