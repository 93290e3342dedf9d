/**
 * Derives the events of transitions, records them with their deliveries, and queues the deliveries.
 * Idempotent: ids are derived from the transition, and existing events and deliveries are not overwritten.
 */

import { compileFilters, compilePacedMatcher, type PacedMatcher } from '../filters/match.ts';
import type { TidingsEvent } from '../model/event.ts';
import { type Pace, UNPACED } from '../model/pace.ts';
import type { Transition } from '../model/snapshot.ts';
import { isExpired, type Subscription } from '../model/subscription.ts';
import type { Clock, Duration, Instant } from '../model/time.ts';
import type { ChannelRegistry } from '../ports/channel.ts';
import type { Announcement, EventStore } from '../ports/event-store.ts';
import type { NewJob, Queue } from '../ports/queue.ts';
import type { FeedMark, SnapshotStore } from '../ports/snapshot-store.ts';
import type { SubscriptionStore } from '../ports/subscription-store.ts';
import { isWithheld } from './about-subscription.ts';
import { deriveEvents } from './derive.ts';
import type { EventType } from './event-type.ts';
import { createLateSplit, type LateDeliveries, lateOf, splitByCost } from './late-deliveries.ts';
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
}

/** Which subscriptions get the events now. */
export type IsServed = (subscription: Subscription) => boolean;

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
  // The filters of the others would take up time that those who are served now wait for.
  const served = subscriptions.filter((one) => isServed(one) && !isExpired(one, now));
  const { cheap, matchCostly } =
    ports.handOver === undefined ? { cheap: served, matchCostly: () => [] } : splitByCost(served);
  await compileFilters(cheap, betweenEvents);
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
      const wanted = matched.filter((one) => !isWithheld(event, one, ownerOf));
      const { direct, late } = ports.handOver === undefined ? { direct: wanted, late: [] } : splitLate(event, wanted);
      const costly = matchCostly(event).filter((one) => !isWithheld(event, one, ownerOf));
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

interface CompiledMatcher {
  readonly subscriptions: readonly Subscription[];
  readonly matcher: PacedMatcher;
}

/** Those that were used last: of the subscriptions that are served first, and of those that are late. */
let compiled: readonly CompiledMatcher[] = [];
const MAX_COMPILED = 2;

/** Compiles subscriptions again only when one has changed: a store that caches them returns the same objects. */
function matcherFor(subscriptions: readonly Subscription[]): PacedMatcher {
  const isSame = ({ subscriptions: known }: CompiledMatcher) =>
    subscriptions.length === known.length && subscriptions.every((one, index) => one === known[index]);
  const found = compiled.find(isSame) ?? { subscriptions, matcher: compilePacedMatcher(subscriptions) };
  compiled = [found, ...compiled.filter((one) => one !== found)].slice(0, MAX_COMPILED);
  return found.matcher;
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
