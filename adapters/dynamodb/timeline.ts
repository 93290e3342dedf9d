/**
 * The order in which things were recorded. Each batch leaves one small item that names its events and deliveries:
 * an index would cost a write for each of them. What a batch names counts only where the thing itself says that it was
 * recorded there: a batch that is recorded again, or was broken off, names things in vain.
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
import type { Table } from './table.ts';

export interface DeliveryEntry {
  readonly id: string;
  readonly subscription: string;
}

export interface Entries {
  readonly events: readonly string[];
  readonly deliveries: readonly DeliveryEntry[];
}

export interface Batch extends Entries {
  /** Names the batch; batches sort by it. */
  readonly name: string;
}

/** Where each thing of a batch stands on the timeline; sorts as text. */
export interface Places {
  readonly events: ReadonlyMap<string, string>;
  readonly deliveries: ReadonlyMap<string, string>;
}

export interface Timeline {
  add(entries: Entries): Promise<Places>;
  /** From a name, or from what happened at an instant, on; else from the first one kept. */
  read(at?: { readonly from?: string | undefined; readonly since?: Instant | undefined }): AsyncGenerator<Batch>;
  readBackward(): AsyncGenerator<Batch>;
}

/** A batch of 100 is 10 KB at the most. */
const BATCH_SIZE = 100;

/** Expired things stay a while: DynamoDB takes up to two days, and what hangs on them longer. */
const SPARE = 7 * DAY;

/** Clocks of two machines differ by less. */
const SKEW = HOUR;

export function openTimeline(table: Table, clock: Clock, retention: Duration): Timeline {
  let last = '';
  let count = 0;
  /** Rises with every batch of this process, also within a millisecond. */
  const nextName = (seed: string): string => {
    const now = clock.now();
    count = now > last ? 0 : count + 1;
    if (now > last) last = now;
    const hash = createHash('sha256').update(seed).digest('hex').slice(0, 4);
    return `${last}-${String(count).padStart(5, '0')}-${hash}`;
  };

  const months = (from: Instant): string[] => monthsBetween(from, plus(clock.now(), SKEW));
  const firstKept = () => plus(clock.now(), -retention - SPARE);

  async function* readMonths(partitions: readonly string[], backward: boolean, from?: string): AsyncGenerator<Batch> {
    for (const month of partitions) {
      const items = table.query({
        partition: ['pk', timelinePartition(month)],
        ...(from === undefined ? {} : { range: { name: 'sk', from, upTo: '~' } }),
        backward,
        consistent: true,
      });
      for await (const { sk, events, deliveries } of items) {
        // We wrote it, in this form.
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
        return { name: nextName(group.events[0] ?? group.deliveries[0]?.id ?? ''), ...group };
      });
      await inParallel(items, ({ name, ...entries }) =>
        table.put({
          pk: timelinePartition(monthOf(name)),
          sk: name,
          ...entries,
          expiresAt: toSeconds(plus(instantOf(name), retention + SPARE)),
        }),
      );
      return {
        events: new Map(items.flatMap(({ name, events }) => events.map((id, n) => [id, placeOf(name, n)] as const))),
        deliveries: new Map(
          items.flatMap(({ name, deliveries }) => deliveries.map(({ id }, n) => [id, placeOf(name, n)] as const)),
        ),
      };
    },

    read({ from, since } = {}) {
      // What happened at an instant was recorded then or later.
      const begin = from ?? (since === undefined ? undefined : plus(since, -SKEW));
      return readMonths(months(begin === undefined ? firstKept() : instantOf(begin)), false, begin);
    },

    readBackward() {
      return readMonths(months(firstKept()).reverse(), true);
    },
  };
}

export function placeOf(batch: string, index: number): string {
  return `${batch}#${String(index).padStart(3, '0')}`;
}

export function batchOf(place: string): string {
  return place.slice(0, place.indexOf('#'));
}

/** Time to live is told in whole seconds since 1970. */
export function toSeconds(instant: Instant): number {
  return Math.floor(toMillis(instant) / 1000);
}

const monthOf = (instant: string) => instant.slice(0, 7);

/** Both ends included. */
function monthsBetween(from: Instant, until: Instant): string[] {
  const months: string[] = [];
  const day = new Date(`${monthOf(from)}-01T00:00:00.000Z`);
  while (monthOf(fromMillis(day.getTime())) <= monthOf(until)) {
    months.push(monthOf(fromMillis(day.getTime())));
    day.setUTCMonth(day.getUTCMonth() + 1);
  }
  return months;
}
