/**
 * Open digests, which list what is open: opens the delivery of the next one, so that it is sent even if no event comes, and
 * computes its content when it is sent. Sends nothing.
 */

import { lastDigest, nextAudibleDigest } from '../events/deliver-at.ts';
import { dayIn, weekdayOf } from '../model/calendar.ts';
import { type Delivery, ofIncarnation, openDigest, QUEUE_AHEAD, QUEUE_GRACE } from '../model/delivery.ts';
import { SOURCE_RESOURCE, sourceName, type TidingsEvent } from '../model/event.ts';
import type { Digest, Subscription } from '../model/subscription.ts';
import { between, type Clock, DAY, type Duration, type Instant, MINUTE, plus } from '../model/time.ts';
import type { OutdatedData } from '../ports/channel.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import type { ScanStateStore } from '../ports/scan-state-store.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import type { SubscriptionStore } from '../ports/subscription-store.ts';
import { createKnownZoneLookup, type SourceZone } from '../source/account/known-zone.ts';
import { findDigest } from './find-digest.ts';

export interface DigestOpenerPorts {
  readonly subscriptions: Pick<SubscriptionStore, 'list'>;
  readonly deliveries: DeliveryStore;
  readonly clock: Clock;
  /** Undefined while the zone of a source is unknown. */
  readonly knownZoneOf: (source: string) => Promise<string | undefined>;
}

/** A digest is opened a day ahead, and that of a changed subscription with the change, so there is no hurry. */
const CHECK_EVERY: Duration = 5 * MINUTE;

/**
 * Returns a function for every tick, which opens the delivery of the next digest of each subscription and source. It remembers
 * what it opened, so that most calls read nothing. Opening twice is harmless: the id is derived from the day.
 *
 * @param sources names of the configured sources
 */
export function createDigestOpener(ports: DigestOpenerPorts, sources: readonly string[]): () => Promise<void> {
  let opened: ReadonlySet<string> = new Set();
  let checkedAt: Instant | undefined;
  return async () => {
    const now = ports.clock.now();
    const isFresh = checkedAt !== undefined && checkedAt <= now && now < plus(checkedAt, CHECK_EVERY);
    if (isFresh) return;
    let isComplete = true;
    // Only those of the next days: otherwise each day and each name of a subscription would be remembered for ever.
    const current = new Set<string>();
    for (const subscription of await ports.subscriptions.list()) {
      if (!(await listsOpen(subscription))) continue;
      for (const source of sources)
        isComplete = (await openNext(ports, subscription, source, now, { opened, current })) && isComplete;
    }
    opened = current;
    if (isComplete) checkedAt = now;
  };
}

export interface DigestVerbPorts extends Pick<DigestOpenerPorts, 'deliveries' | 'clock'> {
  readonly snapshots: Pick<SnapshotStore, 'get'>;
  readonly config: { readonly sources: readonly SourceZone[] };
}

/**
 * Opens the next digests of a subscription that was added or changed. The opener of tick would come up to five minutes later,
 * when the time of the digest may have passed.
 */
export async function openDigestsOf(ports: DigestVerbPorts, subscription: Subscription): Promise<void> {
  if (!(await listsOpen(subscription))) return;
  const { sources } = ports.config;
  const zoned = { ...ports, knownZoneOf: createKnownZoneLookup(sources, ports.snapshots) };
  for (const { name } of sources) await openNext(zoned, subscription, name, ports.clock.now());
}

/** The catalogue of event types is imported only if a subscription has a digest. */
async function listsOpen(subscription: Subscription): Promise<boolean> {
  if (subscription.digest === undefined || subscription.digest.list === 'new') return false;
  const { openTypes } = await import('../events/open-events.ts');
  return openTypes(subscription).length > 0;
}

interface OpenedDigests {
  /** What was opened before. */
  readonly opened: ReadonlySet<string>;
  /** Gets what is open now. */
  readonly current: Set<string>;
}

/** False while the zone is unknown: the digest would come at the wrong hour. */
async function openNext(
  { deliveries, knownZoneOf }: Pick<DigestOpenerPorts, 'deliveries' | 'knownZoneOf'>,
  subscription: Subscription,
  source: string,
  now: Instant,
  { opened, current }: OpenedDigests = { opened: new Set(), current: new Set() },
): Promise<boolean> {
  const { name, digest, quiet, timeZone, renamedFrom = name } = subscription;
  if (digest === undefined) return true;
  const zone = timeZone ?? (await knownZoneOf(source));
  if (zone === undefined) return false;
  const dueAt = nextAudibleDigest(digest, quiet, now, zone);
  const day = { source, day: dayIn(zone, dueAt) };
  const next = ofIncarnation(openDigest(day, name, now, dueAt, renamedFrom), subscription);
  const mark = `${next.id} ${dueAt} ${name} ${next.incarnation}`;
  current.add(mark);
  if (opened.has(mark)) return true;
  const { id, own, leftBehind } = await findDigest(deliveries, subscription, day, now);
  const { status, incarnation } = next;
  // It has no content before it is sent.
  if (leftBehind !== undefined) {
    const isTaken = await deliveries.update(leftBehind, { ...leftBehind, status, attempts: [], incarnation, dueAt });
    // It is being dropped: the next call opens another one.
    if (!isTaken) current.delete(mark);
    return isTaken;
  }
  if (own === undefined) await deliveries.gather({ ...next, id }, []);
  else if (isMoved(own, dueAt)) await deliveries.update(own, { ...own, dueAt });
  return true;
}

/** Whether the config has another time for a digest that waits. Queueing moves the due time by the grace period. */
function isMoved({ status, attempts, dueAt }: Delivery, expected: Instant): boolean {
  if (status !== 'waiting' || attempts.length > 0 || dueAt === null) return false;
  return dueAt < expected || dueAt > plus(expected, QUEUE_GRACE + QUEUE_AHEAD);
}

export interface DigestContentPorts {
  readonly snapshots: Pick<SnapshotStore, 'get' | 'listOpen' | 'getMany'>;
  readonly scanStates: Pick<ScanStateStore, 'get'>;
  readonly deliveries: Pick<DeliveryStore, 'get'>;
  readonly zoneOf: (source: string) => Promise<string>;
}

export interface DigestContent {
  /** What is open, and the other events of the delivery. */
  readonly events: readonly TidingsEvent[];
  /** The ids of the events that are new since the last digest. */
  readonly fresh: readonly string[];
  /** The source whose data are the oldest, if they are older than they should be. @default - all are current */
  readonly outdated?: OutdatedData;
}

/**
 * The content of an open digest: what is open now, with the recorded event where it is new, and the events of types that
 * the digest lists once. Undefined for any other delivery.
 *
 * @param recorded the events of the delivery that still hold
 */
export async function readDigestContent(
  ports: DigestContentPorts,
  { standing: digests = [], mark }: Delivery,
  subscription: Subscription,
  recorded: readonly TidingsEvent[],
  at: Instant,
): Promise<DigestContent | undefined> {
  if (digests.length === 0 || mark !== undefined) return undefined;
  const { listOpenEvents, openResources, openTypes } = await import('../events/open-events.ts');
  const keyOf = ({ type, source, subject }: TidingsEvent) => `${type} ${source} ${subject}`;
  const recordedByKey = new Map(recorded.map((event) => [keyOf(event), event]));
  const sources = new Set(digests.map(({ source }) => source));
  const open: TidingsEvent[] = [];
  const outdated: OutdatedData[] = [];
  for (const source of sources) {
    const own = digests.filter((one) => one.source === source);
    const days = own.map(({ day }) => day);
    if (!(await isCurrent(ports, subscription, source, days, at))) continue;
    const lists = own.map(({ subjects }) => subjects);
    // Without a list of records, everything that is open.
    const subjects = lists.includes(undefined) ? undefined : lists.flatMap((list) => list ?? []);
    for (const event of await listOpenEvents(ports, subscription, source, at, subjects))
      open.push(recordedByKey.get(keyOf(event)) ?? event);
    outdated.push(...(await findOutdated(ports, source, openResources(subscription), at)));
  }
  const types = new Set(openTypes(subscription).map(({ type }) => type));
  const once = recorded.filter((event) => !(types.has(event.type) && sources.has(sourceName(event))));
  const events = [...open, ...once];
  const recordedIds = new Set(recorded.map(({ id }) => id));
  const [oldest] = outdated.sort((a, b) => (a.readAt < b.readAt ? -1 : 1));
  return {
    events,
    fresh: events.flatMap(({ id }) => (recordedIds.has(id) ? [id] : [])),
    ...(oldest === undefined ? {} : { outdated: oldest }),
  };
}

/** No resource is polled less often: without a report of the poller, data of this age are outdated too. */
const MAX_DATA_AGE: Duration = DAY;

/** The resources of a source that were not read when they should have been, according to its health, or not for a day. */
async function findOutdated(
  { snapshots, scanStates }: Pick<DigestContentPorts, 'snapshots' | 'scanStates'>,
  source: string,
  resources: readonly string[],
  at: Instant,
): Promise<readonly OutdatedData[]> {
  const health = (await snapshots.get({ source, resource: SOURCE_RESOURCE, id: source }))?.record ?? {};
  const { state, quota, stale, forbidden } = health;
  const reason =
    state === 'unreachable' || state === 'unauthorized'
      ? state
      : quota === 'exhausted'
        ? ('quota' as const)
        : undefined;
  const isFailing = reason !== undefined || (state !== undefined && state !== 'ok');
  const states = await Promise.all(resources.map((resource) => scanStates.get(source, resource)));
  return states.flatMap((scan): OutdatedData[] => {
    const readAt = scan?.lastGoodScanAt ?? null;
    if (scan === undefined || readAt === null) return [];
    const isUnread = [stale, forbidden].some((list) => Array.isArray(list) && list.includes(scan.resource));
    if (!isFailing && !isUnread && between(readAt, at) <= MAX_DATA_AGE) return [];
    return [{ source, readAt, ...(reason === undefined ? {} : { reason }) }];
  });
}

/** False if the digest has no such day any more, or if a retry comes so late that a later digest lists the same. */
async function isCurrent(
  { deliveries, zoneOf }: DigestContentPorts,
  subscription: Subscription,
  source: string,
  days: readonly string[],
  at: Instant,
): Promise<boolean> {
  const { digest, quiet, timeZone } = subscription;
  if (digest === undefined) return false;
  // Quiet hours may move a digest to another day.
  const wanted = days.filter((day) => quiet !== undefined || isOnDay(digest, day));
  const latest = wanted.toSorted().at(-1);
  if (latest === undefined) return false;
  const zone = timeZone ?? (await zoneOf(source));
  const last = dayIn(zone, lastDigest(digest, at, zone));
  if (last <= latest) return true;
  const { own: later } = await findDigest(deliveries, subscription, { source, day: last }, at);
  return later === undefined || later.status === 'failed';
}

const isOnDay = ({ days }: Digest, day: string) => days === undefined || days.includes(weekdayOf(day));
