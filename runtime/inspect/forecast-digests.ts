/**
 * Forecasts what the open digests of a subscription list, as far as time decides it, and which of them were sent already. Changes
 * nothing.
 */

import { findDigest } from '../../core/delivery/find-digest.ts';
import { nextAudibleDigest } from '../../core/events/deliver-at.ts';
import { listOpenEvents, openTypes } from '../../core/events/open-events.ts';
import { dayIn } from '../../core/model/calendar.ts';
import { sourceName, type TidingsEvent } from '../../core/model/event.ts';
import type { Pace } from '../../core/model/pace.ts';
import { isOpenItem, type Snapshot, type Transition } from '../../core/model/snapshot.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import type { Instant } from '../../core/model/time.ts';
import type { DeliveryStore } from '../../core/ports/delivery-store.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import type { Preview } from './preview.ts';

/** An event of a message, and when it is sent. */
export interface SentEvent {
  readonly at: Instant;
  readonly event: TidingsEvent;
}

/** The snapshots as they will be at a time. */
type StagedSnapshots = (at: Instant) => Pick<SnapshotStore, 'listOpen' | 'getMany'>;

export interface DigestForecastPorts {
  readonly deliveries: Pick<DeliveryStore, 'get'>;
}

export interface DigestForecastOptions {
  readonly previewed: Preview;
  readonly staged: StagedSnapshots;
  readonly now: Instant;
  /** Whether events of a type are part of it. */
  readonly shows: (type: string) => boolean;
  readonly pace: Pace;
}

export interface DigestForecast {
  /** What the digests of the period list. */
  readonly events: readonly SentEvent[];
  /** Whether an event that comes or waits is part of what the digest of its time lists, however often it fires. */
  readonly lists: (sent: SentEvent) => boolean;
}

/** A longer period lists the first digests of each subscription only: they repeat. */
const MAX_DIGESTS = 31;

export async function forecastDigests(
  ports: DigestForecastPorts,
  { previewed: { period, zones }, staged, now, shows, pace }: DigestForecastOptions,
  subscription: Subscription,
): Promise<DigestForecast> {
  const { digest, quiet, timeZone } = subscription;
  const types = new Set(openTypes(subscription).flatMap(({ type }) => (shows(type) ? [type] : [])));
  if (digest === undefined || types.size === 0) return { events: [], lists: () => false };
  const events: SentEvent[] = [];
  /** By source: digests whose day has had one before. What comes until then is sent as it is. */
  const repeated = new Set<string>();
  for (const [source, ownZone] of Object.entries(zones)) {
    const zone = timeZone ?? ownZone;
    const start = now < period.from ? period.from : now;
    let at = nextAudibleDigest(digest, quiet, start, zone);
    for (let count = 0; count < MAX_DIGESTS && at <= period.until; count++) {
      await pace();
      const day = dayIn(zone, at);
      if (day === dayIn(zone, now) && (await isSent(ports, subscription, { source, day }, now)))
        repeated.add(`${source} ${at}`);
      else {
        const open = await listOpenEvents({ snapshots: staged(at), isAsked: shows, pace }, subscription, source, at);
        for (const event of open) events.push({ at, event });
      }
      at = nextAudibleDigest(digest, quiet, at, zone);
    }
  }
  return {
    events,
    lists: ({ at, event }) => types.has(event.type) && !repeated.has(`${sourceName(event)} ${at}`),
  };
}

/** Each day has one: after its time was changed, that of today may have been sent at another time, or is being retried. */
async function isSent(
  { deliveries }: DigestForecastPorts,
  subscription: Subscription,
  day: { readonly source: string; readonly day: string },
  now: Instant,
): Promise<boolean> {
  const { own } = await findDigest(deliveries, subscription, day, now);
  return own !== undefined && own.status !== 'waiting' && own.status !== 'held';
}

/** The snapshots as they will be at a time, if nothing but time changes them. Each list is read once. */
export function createStagedSnapshots(
  snapshots: SnapshotStore,
  transitions: readonly Transition[],
  pace: Pace,
): StagedSnapshots {
  const byList = Map.groupBy(transitions, ({ after: { key } }) => nameOfList(key.source, key.resource));
  const stored = createCache((source, resource) => readAll(snapshots.listOpen(source, resource), pace));
  const staged = createCache(async (source, resource, at = '') => {
    const passed = new Map<string, Snapshot>();
    // In the order in which they happen: the last one counts.
    for (const { after } of byList.get(nameOfList(source, resource)) ?? []) {
      if (after.occurred.before <= at) passed.set(after.key.id, after);
      await pace();
    }
    const others = (await stored(source, resource)).filter(({ key }) => !passed.has(key.id));
    return [...others, ...passed.values()].filter(isOpenItem);
  });
  return (at) => ({
    getMany: snapshots.getMany,
    async *listOpen(source, resource) {
      yield* await staged(source, resource, at);
    },
  });
}

const nameOfList = (...names: readonly string[]) => names.join(' ');

type ReadList = (...names: [source: string, resource: string, at?: Instant]) => Promise<readonly Snapshot[]>;

function createCache(read: ReadList): ReadList {
  const lists = new Map<string, Promise<readonly Snapshot[]>>();
  return (...names) => {
    const key = nameOfList(...names.filter((name) => name !== undefined));
    const list = lists.get(key) ?? read(...names);
    lists.set(key, list);
    return list;
  };
}

async function readAll(snapshots: AsyncIterable<Snapshot>, pace: Pace): Promise<readonly Snapshot[]> {
  const all: Snapshot[] = [];
  for await (const snapshot of snapshots) {
    all.push(snapshot);
    await pace();
  }
  return all;
}
