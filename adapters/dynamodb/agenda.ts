/** Agenda on DynamoDB, and the query for due items that it shares with the snapshots: both tables have a sharded index. */

import type { AttemptMoment } from '../../core/model/agenda.ts';
import { takeTurns } from '../../core/model/take-turns.ts';
import { type Duration, type Instant, MINUTE, plus } from '../../core/model/time.ts';
import type { Agenda, ReadBacklog } from '../../core/ports/agenda.ts';
import type { Range } from './expressions.ts';
import { deliveryKey, SHARDS, type StoredItem } from './keys.ts';
import type { Table } from './table.ts';

export function dynamoAgenda(table: Table): Agenda {
  return {
    async due(until, limit) {
      return (await dueItems(table, { moment: 'dueAt' }, until, limit)).map(momentFromItem);
    },

    async postpone({ delivery: id, at }, to) {
      const outcome = await table.update(deliveryKey(id), { set: { dueAt: to } }, { dueAt: at });
      return outcome === 'unsure' ? (await table.get(deliveryKey(id), true))?.dueAt === to : outcome === 'written';
    },
  };
}

const momentFromItem = ({ pk, dueAt, subscription, attempt }: StoredItem): AttemptMoment => ({
  kind: 'attempt',
  at: String(dueAt),
  delivery: String(pk),
  subscription: String(subscription),
  attempt: Number(attempt),
});

/** Of each shard. Together 200,000: about 30 MB and 4,000 read units. A run that read more might never come to queue anything. */
const MAX_BACKLOG = 50_000;

/** @returns the owners of those of these subscriptions that have one */
type FindOwners = (subscriptions: ReadonlySet<string>) => Promise<ReadonlyMap<string, string>>;

/**
 * Reads what is due, and keeps as much of each owner as of any other, and of each of its subscriptions: what one key has due does not hide what
 * others have, however many subscriptions it has.
 */
export const dynamoBacklog =
  (table: Table, findOwners: FindOwners): ReadBacklog =>
  (until, limit) =>
    readFairly({ table, findOwners }, { name: 'dueAt', upTo: until }, limit);

/** A tick a minute reads for a minute ahead. */
const RECENT: Duration = 2 * MINUTE;

/** The same for what became due since the last tick. What one key has left for longer is not read. */
export const dynamoRecent =
  (table: Table, findOwners: FindOwners): ReadBacklog =>
  (until, limit) =>
    readFairly({ table, findOwners }, { name: 'dueAt', from: plus(until, -RECENT), upTo: until }, limit);

interface FairPorts {
  readonly table: Table;
  readonly findOwners: FindOwners;
}

async function readFairly(
  { table, findOwners }: FairPorts,
  range: Range,
  limit: number,
): Promise<readonly AttemptMoment[]> {
  let kept: AttemptMoment[] = [];
  const keepFairShare = async () => {
    const all = kept;
    // Other shards add to it meanwhile.
    kept = [];
    const owners = await findOwners(new Set(all.map(({ subscription }) => subscription)));
    kept = [...fairShare(all, limit, owners), ...kept];
  };
  const readAll = async (shard: string): Promise<void> => {
    let read = 0;
    for await (const item of table.query({ index: 'agenda', partition: ['agenda', shard], range })) {
      kept.push(momentFromItem(item));
      if (kept.length >= 2 * limit) await keepFairShare();
      read += 1;
      if (read >= MAX_BACKLOG) break;
    }
  };
  await Promise.all(SHARDS.map(readAll));
  await keepFairShare();
  return kept;
}

/**
 * The earliest of each owner, then the second of each, and so on, up to the limit; of one owner those of its subscriptions in turns. A
 * subscription without an owner counts as one. Earliest first.
 */
function fairShare(
  moments: readonly AttemptMoment[],
  limit: number,
  owners: ReadonlyMap<string, string>,
): AttemptMoment[] {
  const inOrder = moments.toSorted((a, b) => compareText(a.at, b.at) || compareText(a.delivery, b.delivery));
  if (inOrder.length <= limit) return inOrder;
  const bySubscription = takeTurns(inOrder, ({ subscription }) => subscription);
  return takeTurns(bySubscription, ({ subscription }) => owners.get(subscription) ?? ` ${subscription}`)
    .slice(0, limit)
    .sort((a, b) => compareText(a.at, b.at));
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
