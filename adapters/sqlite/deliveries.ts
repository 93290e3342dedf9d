/** The deliveries of the ledger on SQLite, and their places on the agenda. */

import { attemptsMade, type Delivery, type DeliveryStatus } from '../../core/model/delivery.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { Database } from './database.ts';
import { removeJob } from './queue.ts';
import { parseAll, parseBody } from './rows.ts';

/** What an attempt with a short answer adds to a delivery. */
const ROOM = 128;

/** What is there already stays as it is. */
export function addDelivery(db: Database, delivery: Delivery): void {
  const { id, subscription, status, dueAt } = delivery;
  db.prepare(
    `INSERT OR IGNORE INTO deliveries (id, subscription, status, attempts, due_at, body, room)
     VALUES (?, ?, ?, ?, ?, ?, zeroblob(${ROOM}))`,
  ).run(id, subscription, status, attemptsMade(delivery), dueAt, JSON.stringify(delivery));
}

/** As the index of open deliveries has it, to the letter: only then SQLite knows that it may use it. */
const OPEN = "status NOT IN ('settled', 'gathered')";
const isOver = (status: DeliveryStatus) => status === 'settled' || status === 'gathered';

type Deliveries =
  | 'delivery'
  | 'deliveries'
  | 'deliveriesOf'
  | 'saveAttempt'
  | 'finish'
  | 'changeDelivery'
  | 'gather'
  | 'due'
  | 'postpone';

export function deliveries(db: Database): Pick<Ledger, Deliveries> {
  const find = (id: string) => parseBody<Delivery>(db.row('SELECT body FROM deliveries WHERE id = ?', id));
  const change = (seen: Delivery, next: Delivery): boolean => {
    const { changes } = db
      .prepare(
        `UPDATE deliveries SET status = ?, attempts = ?, due_at = ?, body = ?
         WHERE id = ? AND status = ? AND attempts = ? AND due_at IS ?`,
      )
      .run(
        next.status,
        attemptsMade(next),
        next.dueAt,
        JSON.stringify(next),
        seen.id,
        seen.status,
        attemptsMade(seen),
        seen.dueAt,
      );
    return changes === 1;
  };
  const saveAttempt = (delivery: Delivery): boolean => {
    const { id, status, dueAt } = delivery;
    const made = attemptsMade(delivery);
    const { changes } = db
      .prepare(
        `UPDATE deliveries SET status = ?, attempts = ?, due_at = ?, body = ?, room = NULL
         WHERE id = ? AND attempts = ? AND status = 'pending'`,
      )
      .run(status, made, dueAt, JSON.stringify(delivery), id, made - 1);
    return changes === 1;
  };
  return {
    delivery: (id) => db.readTogether(() => find(id)),

    async deliveries({ status, subscription, end = 'newest', limit }) {
      const conditions = [
        ...(status === undefined ? [] : [[isOver(status) ? 'status = ?' : `status = ? AND ${OPEN}`, status] as const]),
        ...(subscription === undefined ? [] : [['subscription = ?', subscription] as const]),
      ];
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`;
      const values = conditions.map(([, value]) => value);
      const order = end === 'newest' ? 'DESC' : 'ASC';
      const rows = db
        .prepare(`SELECT body FROM deliveries ${where} ORDER BY position ${order} LIMIT ?`)
        .all(...values, limit);
      const found = parseAll<Delivery>(rows);
      return end === 'newest' ? found.reverse() : found;
    },

    async deliveriesOf(eventId) {
      const rows = db
        .prepare(
          `SELECT body FROM delivery_events JOIN deliveries ON deliveries.id = delivery_events.delivery
           WHERE delivery_events.event = ? ORDER BY position`,
        )
        .all(eventId);
      return parseAll<Delivery>(rows);
    },

    saveAttempt: (delivery) => db.batchWrite(() => saveAttempt(delivery)),

    finish: (delivery, received) =>
      db.batchWrite(() => {
        const isSaved = saveAttempt(delivery);
        if (isSaved) removeJob(db, received);
        return isSaved;
      }),

    async changeDelivery(seen, next) {
      return change(seen, next);
    },

    async gather(group, members) {
      return db.transaction(() => {
        addDelivery(db, group);
        const kept = find(group.id) ?? group;
        const carried = new Set(kept.events);
        // Not as it was seen, only untold: tick may have moved it on the agenda meanwhile, or somebody who found the
        // subscription paused may hold it, and left alone it would be told twice.
        const mark = db.prepare(
          `UPDATE deliveries SET status = ?, due_at = NULL, body = ?
           WHERE id = ? AND status IN ('waiting', 'held') AND attempts = ?`,
        );
        for (const member of members) {
          // A group that was held and let go waits like any other: it is no member of itself.
          if (member.id === kept.id || !member.events.every((event) => carried.has(event))) continue;
          const gathered: Delivery = { ...member, status: 'gathered', dueAt: null, into: kept.id };
          mark.run(gathered.status, JSON.stringify(gathered), member.id, attemptsMade(member));
        }
        return kept;
      });
    },

    async due(until, limit) {
      const rows = db
        .prepare(
          `SELECT due_at, id, subscription, attempts FROM deliveries WHERE due_at <= ? ORDER BY due_at, position LIMIT ?`,
        )
        .all(until, limit);
      return rows.map(({ due_at, id, subscription, attempts }) => ({
        kind: 'attempt' as const,
        at: String(due_at),
        delivery: String(id),
        subscription: String(subscription),
        attempt: Number(attempts) + 1,
      }));
    },

    async postpone({ delivery: id, at }, to) {
      const move = db.prepare(
        `UPDATE deliveries SET due_at = ?, body = json_set(body, '$.dueAt', ?) WHERE id = ? AND due_at = ?`,
      );
      await db.batchWrite(() => move.run(to, to, id, at));
    },
  };
}
