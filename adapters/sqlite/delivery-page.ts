/** Reads a page of deliveries, newest first, from the index that has them. */

import { createByteBudget, takeFitting } from '../../core/model/byte-budget.ts';
import type { Delivery, DeliveryStatus } from '../../core/model/delivery.ts';
import type { DeliveryPage, DeliveryPageQuery } from '../../core/ports/delivery-store.ts';
import type { Database } from './database.ts';

/** Must match the condition of the partial index literally; otherwise SQLite does not use the index. */
export const OPEN = "status NOT IN ('settled', 'gathered')";

export const isFinished = (status: DeliveryStatus) => status === 'settled' || status === 'gathered';

export function selectDeliveryPage(db: Database, query: DeliveryPageQuery): DeliveryPage {
  const { status, subscription, limit, maxBytes } = query;
  // The index of open deliveries begins with the subscription: without it, each one is searched, unless there are very many. Failed ones have
  // an index of their own, and finished ones none.
  const isSearched = subscription === undefined && (status === 'pending' || status === 'waiting' || status === 'held');
  const names = isSearched ? subscriptionsWithOpen(db) : undefined;
  // Positions are in the index. Only the deliveries of the page are read.
  const found: FoundPositions =
    names === undefined
      ? findByStatus(db, query)
      : { positions: names.flatMap((name) => findPositions(db, { ...query, subscription: name })) };
  const positions = found.positions.toSorted((a, b) => b - a).slice(0, limit);
  const deliveries = takeFitting(
    positions.map((position) => readDelivery(db, position)),
    createByteBudget(maxBytes),
  );
  const last = positions[deliveries.length - 1];
  const isEnd = deliveries.length === positions.length && positions.length < limit;
  const end = isEnd ? found.lookedTo : last;
  return { deliveries, cursor: end === undefined ? undefined : String(end) };
}

/** Deliveries that one page looks at where no index has their status: a subscription may have hundreds of thousands of finished ones. */
const MAX_LOOKED_AT = 2000;

interface FoundPositions {
  readonly positions: readonly number[];
  /** The oldest one that was looked at. @default - all were */
  readonly lookedTo?: number | undefined;
}

function findByStatus(db: Database, query: DeliveryPageQuery): FoundPositions {
  const { status, subscription, after, limit } = query;
  if (status === 'failed' && subscription === undefined) return { positions: findFailed(db, query) };
  const hasIndex = status === undefined || (!isFinished(status) && subscription !== undefined);
  if (hasIndex) return { positions: findPositions(db, query) };
  const own = subscription === undefined ? '' : 'subscription = ? AND';
  const rows = db.rows(
    `SELECT position, status FROM deliveries WHERE ${own} position < ? ORDER BY position DESC LIMIT ?`,
    ...(subscription === undefined ? [] : [subscription]),
    ...[after === undefined ? Number.MAX_SAFE_INTEGER : Number(after), MAX_LOOKED_AT],
  );
  const positions = rows.flatMap(([position, one]) => (one === status ? [Number(position)] : [])).slice(0, limit);
  return rows.length < MAX_LOOKED_AT ? { positions } : { positions, lookedTo: Number(rows.at(-1)?.[0]) };
}

const findFailed = (db: Database, { after, limit }: DeliveryPageQuery): readonly number[] =>
  db
    .rows(
      `SELECT position FROM deliveries INDEXED BY deliveries_failed
       WHERE status = 'failed' AND position < ? ORDER BY position DESC LIMIT ?`,
      after === undefined ? Number.MAX_SAFE_INTEGER : Number(after),
      limit,
    )
    .map(([position]) => Number(position));

function readDelivery(db: Database, position: number): Delivery {
  const [body] = db.row('SELECT body FROM deliveries WHERE position = ?', position) ?? [];
  return JSON.parse(String(body)) as Delivery;
}

function findPositions(db: Database, { status, subscription, after, limit }: DeliveryPageQuery): readonly number[] {
  const conditions: (readonly [string, string | number])[] = [
    ['position < ?', after === undefined ? Number.MAX_SAFE_INTEGER : Number(after)],
  ];
  if (status !== undefined) conditions.push([`status = ? AND ${OPEN}`, status]);
  if (subscription !== undefined) conditions.push(['subscription = ?', subscription]);
  const where = conditions.map(([sql]) => sql).join(' AND ');
  const sql = `SELECT position FROM deliveries WHERE ${where} ORDER BY position DESC LIMIT ?`;
  return db.rows(sql, ...conditions.map(([, value]) => value), limit).map(([position]) => Number(position));
}

/** Names that are searched, also of subscriptions that were removed. */
const MAX_NAMES = 2000;

/** Skips from name to name in the index. Undefined if there are too many of them. */
function subscriptionsWithOpen(db: Database): readonly string[] | undefined {
  const names: string[] = [];
  for (let last: string | undefined; ; names.push(last)) {
    if (names.length > MAX_NAMES) return undefined;
    const sql = `SELECT min(subscription) FROM deliveries INDEXED BY deliveries_open WHERE ${OPEN} AND subscription > ?`;
    const next = db.row(sql, last ?? '')?.[0];
    if (typeof next !== 'string') return names;
    last = next;
  }
}
