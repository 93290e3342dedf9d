/** Queue on SQLite: a job is a row that hides while somebody works on it and goes when it is done. */

import { plus } from '../../core/model/time.ts';
import type { Queue } from '../../core/ports/queue.ts';
import type { Database } from './database.ts';

export function sqliteQueue(db: Database): Queue {
  return {
    async send(jobs, now) {
      if (jobs.length === 0) return;
      const add = db.prepare(
        'INSERT OR IGNORE INTO queue (delivery, attempt, grouping, visible_at, receives) VALUES (?, ?, ?, ?, 0)',
      );
      db.transaction(() => {
        for (const { delivery, attempt, group } of jobs) add.run(delivery, attempt, group, now);
      });
    },

    async receive({ limit, visibility }, now) {
      const rows = db
        .prepare(
          `UPDATE queue SET visible_at = ?, receives = receives + 1
           WHERE rowid IN (SELECT rowid FROM queue WHERE visible_at <= ? ORDER BY visible_at, rowid LIMIT ?)
           RETURNING delivery, attempt, grouping, receives`,
        )
        .all(plus(now, visibility), now, limit);
      return rows.map(({ delivery, attempt, grouping, receives }) => ({
        job: { delivery: String(delivery), attempt: Number(attempt), group: String(grouping) },
        receipt: String(receives),
        receives: Number(receives),
      }));
    },

    async acknowledge({ job: { delivery, attempt }, receipt }) {
      // An earlier receipt means that somebody else has it now.
      db.prepare('DELETE FROM queue WHERE delivery = ? AND attempt = ? AND receives = ?').run(
        delivery,
        attempt,
        Number(receipt),
      );
    },
  };
}
