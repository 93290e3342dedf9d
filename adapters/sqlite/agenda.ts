/** Agenda on SQLite: the `due_at` column of the deliveries. */

import type { Agenda } from '../../core/ports/agenda.ts';
import type { Database } from './database.ts';

export function sqliteAgenda(db: Database): Agenda {
  return {
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
      return db.batchWrite(() => move.run(to, to, id, at).changes === 1);
    },
  };
}
