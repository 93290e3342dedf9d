/** DeliveryStore on SQLite: the delivery as JSON, with columns for the fields that queries and conditions use. */

import { attemptsMade, type Delivery, isCarriedBy } from '../../core/model/delivery.ts';
import type { DeliveryStore } from '../../core/ports/delivery-store.ts';
import { createEventLoopPace } from '../event-loop-pace.ts';
import type { Database } from './database.ts';
import { isFinished, OPEN, selectDeliveryPage } from './delivery-page.ts';
import { parseAll, parseBody } from './rows.ts';

/** The size of an attempt with a short response. Reserved at insert, so that the row can be updated in place. */
const SPARE_BYTES = 128;

/** Ids that are read at a time: a key may have hundreds of thousands of deliveries that wait, which take a second. */
const IDS_PAGE_SIZE = 1000;

/** Returns the position of the new row, or undefined if the delivery exists: then it does nothing. */
export function insertDelivery(db: Database, delivery: Delivery): number | undefined {
  const { id, subscription, status, dueAt, events } = delivery;
  const { changes, lastInsertRowid } = db
    .prepare(
      `INSERT OR IGNORE INTO deliveries (id, subscription, status, attempts, due_at, body, room)
       VALUES (?, ?, ?, ?, ?, ?, zeroblob(${SPARE_BYTES}))`,
    )
    .run(id, subscription, status, attemptsMade(delivery), dueAt, JSON.stringify(delivery));
  if (changes === 0) return undefined;
  const addEvent = db.prepare('INSERT OR IGNORE INTO delivery_events (event, delivery) VALUES (?, ?)');
  for (const event of events) addEvent.run(event, id);
  return Number(lastInsertRowid);
}

/** Saves a delivery after one more attempt, unless that attempt is already recorded. Runs in the caller's transaction. */
export function saveAttempt(db: Database, delivery: Delivery): boolean {
  const { id, status, dueAt } = delivery;
  const number = attemptsMade(delivery);
  const { changes } = db
    .prepare(
      `UPDATE deliveries SET status = ?, attempts = ?, due_at = ?, body = ?, room = NULL
       WHERE id = ? AND attempts = ? AND status = 'pending'`,
    )
    .run(status, number, dueAt, JSON.stringify(delivery), id, number - 1);
  return changes === 1;
}

export function sqliteDeliveryStore(db: Database): DeliveryStore {
  const find = (id: string) => parseBody<Delivery>(db.row('SELECT body FROM deliveries WHERE id = ?', id));
  const change = (before: Delivery, next: Delivery): boolean => {
    const { changes } = db
      .prepare(
        `UPDATE deliveries SET status = ?, attempts = ?, due_at = ?, body = ?
         WHERE id = ? AND subscription = ? AND status = ? AND attempts = ? AND due_at IS ?`,
      )
      .run(
        next.status,
        attemptsMade(next),
        next.dueAt,
        JSON.stringify(next),
        before.id,
        before.subscription,
        before.status,
        attemptsMade(before),
        before.dueAt,
      );
    return changes === 1;
  };
  return {
    get: (id) => db.batchRead(() => find(id)),

    async list({ status, subscription, end = 'newest', limit }) {
      const conditions = [
        ...(status === undefined
          ? []
          : [[isFinished(status) ? 'status = ?' : `status = ? AND ${OPEN}`, status] as const]),
        ...(subscription === undefined ? [] : [['subscription = ?', subscription] as const]),
      ];
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`;
      const values = conditions.map(([, value]) => value);
      const order = end === 'newest' ? 'DESC' : 'ASC';
      const rows = db
        .prepare(`SELECT body FROM deliveries ${where} ORDER BY position ${order} LIMIT ?`)
        .all(...values, limit);
      const deliveries = parseAll<Delivery>(rows);
      return end === 'newest' ? deliveries.reverse() : deliveries;
    },

    async page(query) {
      return selectDeliveryPage(db, query);
    },

    async listIds({ status, subscription, limit = Number.POSITIVE_INFINITY }) {
      const pace = createEventLoopPace();
      const ids: string[] = [];
      for (let [last, isEnd] = [0, false]; !isEnd && ids.length < limit; ) {
        const size = Math.min(IDS_PAGE_SIZE, limit - ids.length);
        const rows = db.rows(
          `SELECT position, id FROM deliveries WHERE status = ? AND ${OPEN} AND subscription = ? AND position > ?
           ORDER BY position LIMIT ?`,
          ...[status, subscription, last, size],
        );
        for (const [, id] of rows) ids.push(String(id));
        last = Number(rows.at(-1)?.[0] ?? last);
        isEnd = rows.length < size;
        await pace();
      }
      return ids;
    },

    async listByEvent(eventId, subscriptions, most = -1) {
      // Of each subscription the newest ones: those of a key that is sent an event again and again leave out none of others.
      const rows = db
        .prepare(
          `SELECT body FROM deliveries WHERE position IN
             (SELECT position FROM
                (SELECT position, ROW_NUMBER() OVER (PARTITION BY subscription ORDER BY position DESC) AS nth
                 FROM delivery_events JOIN deliveries ON deliveries.id = delivery_events.delivery
                 WHERE delivery_events.event = ?1 AND (?2 IS NULL OR subscription IN (SELECT value FROM json_each(?2))))
              ORDER BY nth, position LIMIT ?3)
           ORDER BY position`,
        )
        .all(eventId, subscriptions === undefined ? null : JSON.stringify(subscriptions), most);
      return parseAll<Delivery>(rows);
    },

    saveAttempt: (delivery) => db.batchWrite(() => saveAttempt(db, delivery)),

    update: (before, next) => db.batchWrite(() => change(before, next)),

    async rename(before, subscription, incarnation) {
      const { changes } = db
        .prepare(
          // The patch removes what is null.
          `UPDATE deliveries SET subscription = ?, body = json_patch(body, ?)
           WHERE id = ? AND subscription = ? AND status = ? AND attempts = ? AND due_at IS ?`,
        )
        .run(
          subscription,
          JSON.stringify({ subscription, incarnation: incarnation ?? null }),
          before.id,
          before.subscription,
          before.status,
          attemptsMade(before),
          before.dueAt,
        );
      return changes === 1;
    },

    async gather(group, members) {
      return db.transaction(() => {
        insertDelivery(db, group);
        const kept = find(group.id) ?? group;
        // Not conditional on `due_at`: since the member was read, tick may have postponed it, or a job that found the
        // subscription paused may have held it. Left unmarked, its events would be sent twice.
        const mark = db.prepare(
          `UPDATE deliveries SET status = ?, due_at = NULL, body = ?
           WHERE id = ? AND status IN ('waiting', 'held') AND attempts = ?`,
        );
        for (const member of members) {
          // A group that was held and released waits like any other delivery, but is not a member of itself.
          if (!isCarriedBy(kept, member)) continue;
          const gathered: Delivery = { ...member, status: 'gathered', dueAt: null, into: kept.id };
          mark.run(gathered.status, JSON.stringify(gathered), member.id, attemptsMade(member));
        }
        return kept;
      });
    },
  };
}
