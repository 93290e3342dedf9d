/** Reads a page of deliveries, newest first, from the index that has them. */

import { createByteBudget, takeFitting } from '../../core/model/byte-budget.ts';
import type { Delivery, DeliveryStatus } from '../../core/model/delivery.ts';
import type { DeliveryPage, DeliveryPageQuery } from '../../core/ports/delivery-store.ts';
import type { Database, Row } from './database.ts';

/** Must match the condition of the partial index literally; otherwise SQLite does not use the index. */
export const OPEN = "status NOT IN ('settled', 'gathered')";

export const isFinished = (status: DeliveryStatus) => status === 'settled' || status === 'gathered';

export function selectDeliveryPage(db: Database, query: DeliveryPageQuery): DeliveryPage {
  const { status, subscription, limit, maxBytes } = query;
  // The index of open deliveries begins with the subscription: without it, each one is searched.
  const isSearched = subscription === undefined && status !== undefined && !isFinished(status);
  const matching = isSearched
    ? subscriptionsWithOpen(db).flatMap((name) => select(db, { ...query, subscription: name }))
    : select(db, query);
  const rows = matching.toSorted(([a], [b]) => Number(b) - Number(a)).slice(0, limit);
  const deliveries = takeFitting(
    rows.map(([, body]) => JSON.parse(String(body)) as Delivery),
    createByteBudget(maxBytes),
  );
  const [last] = rows[deliveries.length - 1] ?? [];
  const isEnd = deliveries.length === rows.length && rows.length < limit;
  return { deliveries, cursor: isEnd || last === undefined ? undefined : String(last) };
}

function select(db: Database, { status, subscription, after, limit }: DeliveryPageQuery): readonly Row[] {
  const conditions: (readonly [string, string | number])[] = [
    ['position < ?', after === undefined ? Number.MAX_SAFE_INTEGER : Number(after)],
  ];
  if (status !== undefined) conditions.push([isFinished(status) ? 'status = ?' : `status = ? AND ${OPEN}`, status]);
  if (subscription !== undefined) conditions.push(['subscription = ?', subscription]);
  const where = conditions.map(([sql]) => sql).join(' AND ');
  const sql = `SELECT position, body FROM deliveries WHERE ${where} ORDER BY position DESC LIMIT ?`;
  return db.rows(sql, ...conditions.map(([, value]) => value), limit);
}

/** Skips from name to name in the index. */
function subscriptionsWithOpen(db: Database): readonly string[] {
  const names: string[] = [];
  for (let last: string | undefined; ; names.push(last)) {
    const sql = `SELECT min(subscription) FROM deliveries INDEXED BY deliveries_open WHERE ${OPEN} AND subscription > ?`;
    const next = db.row(sql, last ?? '')?.[0];
    if (typeof next !== 'string') return names;
    last = next;
  }
}
