/** Reads the deliveries of candidates, consistently: gathering and releasing must see the current state. */

import { createByteBudget } from '../../core/model/byte-budget.ts';
import type { Delivery } from '../../core/model/delivery.ts';
import type { DeliveryPage, DeliveryPageQuery, DeliveryQuery } from '../../core/ports/delivery-store.ts';
import { type Candidate, pageCandidates } from './delivery-candidates.ts';
import { deliveryFromItem, placeOfDelivery } from './delivery-item.ts';
import { deliveryKey, type StoredItem } from './keys.ts';
import type { LedgerTable } from './ledger-table.ts';
import type { Table } from './table.ts';

/** How many deliveries that do not match one page reads: about as many read units. */
const MAX_READ = 1000;

/** Deliveries read at a time. */
const READ_SIZE = 100;

/** The newest first. The cursor is the place of the last delivery that was read. */
export async function readDeliveryPage(
  { table, timeline }: LedgerTable,
  { after, limit, maxBytes, ...filter }: DeliveryPageQuery,
): Promise<DeliveryPage> {
  const fits = createByteBudget(maxBytes);
  const deliveries: Delivery[] = [];
  let waiting: Candidate[] = [];
  let [read, last, isFull] = [0, after, false];
  const readWaiting = async (): Promise<void> => {
    const items = await readItems(table, waiting);
    for (const candidate of waiting) {
      const item = items.get(candidate.id);
      const delivery = isMatch(item, candidate, filter) ? deliveryFromItem(item) : undefined;
      isFull = deliveries.length >= limit || (delivery !== undefined && !fits(delivery));
      if (isFull) break;
      last = candidate.at;
      if (delivery !== undefined) deliveries.push(delivery);
    }
    read += waiting.length;
    waiting = [];
  };
  const source = pageCandidates(table, timeline, { ...filter, before: after, limit });
  for await (const candidate of source) {
    // There is one more than the page holds.
    if (isFull || deliveries.length >= limit || read >= MAX_READ) return { deliveries, cursor: last };
    if (candidate.id === undefined) {
      await readWaiting();
      return { deliveries, cursor: isFull ? last : candidate.at };
    }
    waiting.push(candidate);
    if (waiting.length >= Math.min(READ_SIZE, limit - deliveries.length)) await readWaiting();
  }
  await readWaiting();
  return { deliveries, cursor: isFull ? last : undefined };
}

/** Reads candidates until enough of them match the query. */
export async function collectDeliveries(
  table: Table,
  from: AsyncGenerator<Candidate>,
  query: DeliveryQuery,
): Promise<StoredItem[]> {
  const matches: StoredItem[] = [];
  let waiting: Candidate[] = [];
  const readWaiting = async (): Promise<void> => {
    const items = await readItems(table, waiting);
    for (const candidate of waiting) {
      const item = items.get(candidate.id);
      if (isMatch(item, candidate, query)) matches.push(item);
    }
    waiting = [];
  };
  for await (const candidate of from) {
    waiting.push(candidate);
    if (waiting.length >= Math.max(1, query.limit - matches.length)) await readWaiting();
    if (matches.length >= query.limit) break;
  }
  await readWaiting();
  return matches.slice(0, query.limit);
}

async function readItems(table: Table, wanted: readonly Candidate[]): Promise<ReadonlyMap<string, StoredItem>> {
  const items = await table.getMany(
    wanted.map(({ id }) => deliveryKey(id)),
    true,
  );
  return new Map(items.map((item) => [String(item.pk), item]));
}

function isMatch(
  item: StoredItem | undefined,
  { place }: Candidate,
  { status }: Pick<DeliveryQuery, 'status'>,
): item is StoredItem {
  if (item === undefined || (status !== undefined && item.status !== status)) return false;
  return place === undefined || place === placeOfDelivery(item);
}
