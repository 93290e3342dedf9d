/** Agenda on SQLite: the `due_at` column of the deliveries. */

import type { AttemptMoment } from '../../core/model/agenda.ts';
import { takeTurns } from '../../core/model/take-turns.ts';
import type { Agenda, ReadBacklog } from '../../core/ports/agenda.ts';
import { createEventLoopPace } from '../event-loop-pace.ts';
import type { Database, Row } from './database.ts';
import { OPEN, subscriptionsWithOpen } from './delivery-page.ts';

export function sqliteAgenda(db: Database): Agenda {
  return {
    async due(until, limit) {
      const rows = db.rows(
        `SELECT due_at, id, subscription, attempts FROM deliveries WHERE due_at <= ? ORDER BY due_at, position LIMIT ?`,
        ...[until, limit],
      );
      return rows.map(toMoment);
    },

    async postpone({ delivery: id, at }, to) {
      const move = db.prepare(
        `UPDATE deliveries SET due_at = ?, body = json_set(body, '$.dueAt', ?) WHERE id = ? AND due_at = ?`,
      );
      return db.batchWrite(() => move.run(to, to, id, at).changes === 1);
    },
  };
}

/** How many of the earliest are read, beside those of each subscription. */
const EARLIEST = 1000;

/** Of each subscription, among its oldest deliveries. What was queued just now is among these, and is not due. */
const OF_EACH = 20;
const OLDEST = 50;

/** Some of each subscription, then the earliest. Without an index of their own, only the oldest of a subscription are looked at. */
export function sqliteBacklog(db: Database, { due }: Pick<Agenda, 'due'>): ReadBacklog {
  const ofEach = `SELECT due_at, id, subscription, attempts FROM
      (SELECT due_at, id, subscription, attempts FROM deliveries
       WHERE status = ? AND ${OPEN} AND subscription = ? ORDER BY position LIMIT ${OLDEST})
    WHERE due_at <= ? LIMIT ${OF_EACH}`;
  return async (until, limit) => {
    const pace = createEventLoopPace();
    const found = new Map<string, AttemptMoment>();
    for (const subscription of subscriptionsWithOpen(db)) {
      const rows = ['pending', 'waiting'].flatMap((status) => db.rows(ofEach, status, subscription, until));
      for (const moment of rows.map(toMoment)) found.set(moment.delivery, moment);
      await pace();
    }
    for (const moment of await due(until, Math.min(limit, EARLIEST))) found.set(moment.delivery, moment);
    return takeTurns([...found.values()], ({ subscription }) => subscription).slice(0, limit);
  };
}

function toMoment([at, id, subscription, attempts]: Row): AttemptMoment {
  return {
    kind: 'attempt',
    at: String(at),
    delivery: String(id),
    subscription: String(subscription),
    attempt: Number(attempts) + 1,
  };
}
