/**
 * The order in which events and deliveries were recorded. Each batch writes one small item with their ids; an index would
 * cost one write for each of them. An id counts only if its own item has a place in this batch: a batch that is recorded
 * again, or that was aborted, contains ids that do not.
 */

import { createHash } from 'node:crypto';
import {
  type Clock,
  DAY,
  type Duration,
  fromMillis,
  HOUR,
  type Instant,
  plus,
  toMillis,
} from '../../core/model/time.ts';
import { inGroups, inParallel } from '../aws/parallel.ts';
import { instantOf } from './cursor.ts';
import { deliveriesPartition, timelinePartition } from './keys.ts';
import type { QueryOptions, Table } from './table.ts';

interface DeliveryEntry {
  readonly id: string;
  readonly subscription: string;
}

interface Entries {
  readonly events: readonly string[];
  readonly deliveries: readonly DeliveryEntry[];
}

export interface Batch extends Entries {
  /** Unique, and sorts by time. */
  readonly name: string;
}

/** The place of each id on the timeline: `<batch>#<index>`, which sorts as text. */
export interface Places {
  readonly events: ReadonlyMap<string, string>;
  readonly deliveries: ReadonlyMap<string, string>;
}

export interface Timeline {
  add(entries: Entries): Promise<Places>;
  /** Batches with events. Starts at a batch name, or at what happened since an instant. @default - at the oldest batch */
  readEvents(at?: { readonly from?: string | undefined; readonly since?: Instant | undefined }): AsyncGenerator<Batch>;
  /** The same, the newest first. Starts at a batch name or place. @default - at the newest batch */
  readEventsBackward(upTo?: string): AsyncGenerator<Batch>;
  /** All batches, the oldest first. */
  readAll(): AsyncGenerator<Batch>;
  /** The same, the newest first. Starts at a batch name or place. @default - at the newest batch */
  readAllBackward(upTo?: string): AsyncGenerator<Batch>;
}

/** Keeps an item below 10 KB. */
const BATCH_SIZE = 100;

/** No more deliveries are in an item with events: readers of events would read those of a key with a thousand subscriptions. */
const MAX_BESIDE_EVENTS = 20;

/** Batches per request when reading backward: about 100 KB. */
const BACKWARD_STEP = 50;

/** DynamoDB deletes expired items within two days, and items kept for a delivery live longer. */
const EXPIRY_MARGIN = 7 * DAY;

/** The clocks of two machines differ by less. */
const MAX_CLOCK_SKEW = HOUR;

export function openTimeline(table: Table, clock: Clock, retention: Duration): Timeline {
  let last = '';
  let count = 0;
  /**
   * Increases with every batch of this process, even within a millisecond. Two processes may record a part of the same changes in the
   * same millisecond, so the name depends on all ids: a batch with another part must not replace the first one.
   */
  const nextName = ({ events, deliveries }: Entries): string => {
    const now = clock.now();
    count = now > last ? 0 : count + 1;
    if (now > last) last = now;
    const ids = [...events, ...deliveries.map(({ id }) => id)].join(' ');
    const hash = createHash('sha256').update(ids).digest('hex').slice(0, 4);
    return `${last}-${String(count).padStart(5, '0')}-${hash}`;
  };

  const months = (from: Instant): string[] => monthsBetween(from, plus(clock.now(), MAX_CLOCK_SKEW));
  const oldest = () => plus(clock.now(), -retention - EXPIRY_MARGIN);

  async function* readMonths(
    partitions: readonly string[],
    backward: boolean,
    range?: QueryOptions['range'],
  ): AsyncGenerator<Batch> {
    for (const partition of partitions) {
      const items = table.query({
        partition: ['pk', partition],
        range,
        backward,
        consistent: true,
        // A reader of the newest batches stops early.
        step: backward ? BACKWARD_STEP : undefined,
      });
      for await (const { sk, events, deliveries } of items) {
        // Unchecked: only `add` writes these items.
        yield { name: String(sk), events: events as string[], deliveries: deliveries as DeliveryEntry[] };
      }
    }
  }

  return {
    async add({ events, deliveries }) {
      const isTogether = events.length > 0 && deliveries.length <= MAX_BESIDE_EVENTS;
      const ofEvents = inGroups(events, BATCH_SIZE).map((group, n) => {
        return { events: group, deliveries: isTogether && n === 0 ? deliveries : [] };
      });
      const ofDeliveries = isTogether ? [] : inGroups(deliveries, BATCH_SIZE);
      const groups = [...ofEvents, ...ofDeliveries.map((group) => ({ events: [], deliveries: group }))];
      const items: Batch[] = groups.map((group) => ({ name: nextName(group), ...group }));
      await inParallel(items, ({ name, ...entries }) =>
        table.put({
          pk: (entries.events.length > 0 ? timelinePartition : deliveriesPartition)(monthOf(name)),
          sk: name,
          ...entries,
          expiresAt: toSeconds(plus(instantOf(name), retention + EXPIRY_MARGIN)),
        }),
      );
      return {
        events: new Map(
          items.flatMap(({ name, events }) => events.map((id, n) => [id, timelinePlace(name, n)] as const)),
        ),
        deliveries: new Map(
          items.flatMap(({ name, deliveries }) => deliveries.map(({ id }, n) => [id, timelinePlace(name, n)] as const)),
        ),
      };
    },

    readEvents({ from, since } = {}) {
      // An event is recorded after it happened.
      const start = from ?? (since === undefined ? undefined : plus(since, -MAX_CLOCK_SKEW));
      const range = start === undefined ? undefined : { name: 'sk', from: start, upTo: '~' };
      // Callers choose it: a month takes a request, and those before the oldest batch are empty.
      const first = [start === undefined ? '' : instantOf(start), oldest()].toSorted().at(-1) ?? oldest();
      return readMonths(months(first).map(timelinePartition), false, range);
    },

    readEventsBackward: (upTo) => readPartitions(timelinePartition, true, upTo),

    readAll: () => readBoth(false),

    readAllBackward: (upTo) => readBoth(true, upTo),
  };

  function readPartitions(partitionOf: (month: string) => string, isBackward: boolean, upTo?: string) {
    const asked = months(oldest()).filter((month) => upTo === undefined || month <= monthOf(upTo));
    const partitions = (isBackward ? asked.reverse() : asked).map(partitionOf);
    return readMonths(partitions, isBackward, upTo === undefined ? undefined : { name: 'sk', upTo });
  }

  /** Batches with events and those of deliveries alone, in one order. */
  async function* readBoth(isBackward: boolean, upTo?: string): AsyncGenerator<Batch> {
    const both = [timelinePartition, deliveriesPartition].map((partitionOf) =>
      readPartitions(partitionOf, isBackward, upTo),
    );
    const heads = await Promise.all(both.map((one) => one.next()));
    for (;;) {
      const names = heads.flatMap(({ value }) => (value === undefined ? [] : [value.name])).toSorted();
      const next = heads.findIndex(({ value }) => value !== undefined && value.name === names.at(isBackward ? -1 : 0));
      const batch = heads[next]?.value;
      if (batch === undefined) return;
      yield batch;
      heads[next] = (await both[next]?.next()) ?? { done: true, value: undefined };
    }
  }
}

export function timelinePlace(batch: string, index: number): string {
  return `${batch}#${String(index).padStart(3, '0')}`;
}

export function batchOf(place: string): string {
  return place.slice(0, place.indexOf('#'));
}

/** Time to live is in whole seconds since 1970. */
export function toSeconds(instant: Instant): number {
  return Math.floor(toMillis(instant) / 1000);
}

const monthOf = (instant: string) => instant.slice(0, 7);

/** Both ends included. */
export function monthsBetween(from: Instant, until: Instant): string[] {
  const months: string[] = [];
  const day = new Date(`${monthOf(from)}-01T00:00:00.000Z`);
  while (monthOf(fromMillis(day.getTime())) <= monthOf(until)) {
    months.push(monthOf(fromMillis(day.getTime())));
    day.setUTCMonth(day.getUTCMonth() + 1);
  }
  return months;
}
