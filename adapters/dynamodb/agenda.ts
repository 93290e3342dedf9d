/** Agenda on DynamoDB, and the query for due items that it shares with the snapshots: both tables have a sharded index. */

import type { Instant } from '../../core/model/time.ts';
import type { Agenda } from '../../core/ports/agenda.ts';
import { deliveryKey, SHARDS, type StoredItem } from './keys.ts';
import type { Table } from './table.ts';

export function dynamoAgenda(table: Table): Agenda {
  return {
    async due(until, limit) {
      const items = await dueItems(table, { moment: 'dueAt' }, until, limit);
      return items.map(({ pk, dueAt, subscription, attempt }) => ({
        kind: 'attempt' as const,
        at: String(dueAt),
        delivery: String(pk),
        subscription: String(subscription),
        attempt: Number(attempt),
      }));
    },

    async postpone({ delivery: id, at }, to) {
      const outcome = await table.update(deliveryKey(id), { set: { dueAt: to } }, { dueAt: at });
      return outcome === 'unsure' ? (await table.get(deliveryKey(id), true))?.dueAt === to : outcome === 'written';
    },
  };
}

interface AgendaIndex {
  /** The attribute with the due time. */
  readonly moment: 'nextMoment' | 'dueAt';
  /** Moments after this one. @default - from the first on */
  readonly after?: Instant;
  /** Applied to what was read, because no key holds it. @default - all items */
  readonly filter?: (item: StoredItem) => boolean;
}

/** The earliest items of all shards. The index is eventually consistent: the next call finds what it lacks. */
export async function dueItems(
  table: Table,
  index: AgendaIndex,
  until: Instant,
  limit: number,
): Promise<readonly StoredItem[]> {
  const shards = await Promise.all(SHARDS.map((shard) => readShard(table, shard, index, until, limit)));
  const momentOf = (item: StoredItem) => String(item[index.moment]);
  const inOrder = shards.flat().sort((a, b) => compareText(momentOf(a), momentOf(b)) || byKey(a, b));
  return inOrder.slice(0, limit);
}

async function readShard(
  table: Table,
  shard: string,
  { moment, after, filter = () => true }: AgendaIndex,
  upTo: Instant,
  limit: number,
): Promise<StoredItem[]> {
  const due: StoredItem[] = [];
  const items = table.query({
    index: 'agenda',
    partition: ['agenda', shard],
    range: after === undefined ? { name: moment, upTo } : { name: moment, from: after, upTo },
    step: Math.min(limit, 1000),
  });
  for await (const item of items) {
    // A range of DynamoDB includes both ends.
    if (item[moment] === after || !filter(item)) continue;
    if (due.push(item) >= limit) break;
  }
  return due;
}

function byKey(a: StoredItem, b: StoredItem): number {
  return compareText(String(a.pk), String(b.pk)) || compareText(String(a.sk), String(b.sk));
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
