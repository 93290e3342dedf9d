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
import { timelinePartition } from './keys.ts';
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
  /** Starts at a batch name, or at what happened since an instant. @default - at the oldest batch */
  read(at?: { readonly from?: string | undefined; readonly since?: Instant | undefined }): AsyncGenerator<Batch>;
  /** Newest first. Starts at a batch name or place. @default - at the newest batch */
  readBackward(upTo?: string): AsyncGenerator<Batch>;
}

/** Keeps an item below 10 KB. */
const BATCH_SIZE = 100;

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
    for (const month of partitions) {
      const items = table.query({
        partition: ['pk', timelinePartition(month)],
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
      const batches = Math.max(1, Math.ceil(events.length / BATCH_SIZE), Math.ceil(deliveries.length / BATCH_SIZE));
      const [eventGroups, deliveryGroups] = [inGroups(events, BATCH_SIZE), inGroups(deliveries, BATCH_SIZE)];
      const items: Batch[] = Array.from({ length: batches }, (_, n) => {
        const group = { events: eventGroups[n] ?? [], deliveries: deliveryGroups[n] ?? [] };
        return { name: nextName(group), ...group };
      });
      await inParallel(items, ({ name, ...entries }) =>
        table.put({
          pk: timelinePartition(monthOf(name)),
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

    read({ from, since } = {}) {
      // An event is recorded after it happened.
      const start = from ?? (since === undefined ? undefined : plus(since, -MAX_CLOCK_SKEW));
      const range = start === undefined ? undefined : { name: 'sk', from: start, upTo: '~' };
      // Callers choose it: a month takes a request, and those before the oldest batch are empty.
      const first = [start === undefined ? '' : instantOf(start), oldest()].toSorted().at(-1) ?? oldest();
      return readMonths(months(first), false, range);
    },

    readBackward(upTo) {
      const partitions = months(oldest()).filter((month) => upTo === undefined || month <= monthOf(upTo));
      return readMonths(partitions.reverse(), true, upTo === undefined ? undefined : { name: 'sk', upTo });
    },
  };
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
