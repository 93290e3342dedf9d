/** Queue on SQLite: a job is a row that hides while somebody works on it and goes when it is done. */

import { type Instant, plus } from '../../core/model/time.ts';
import type { Queue, ReceivedJob } from '../../core/ports/queue.ts';
import type { Database } from './database.ts';

export function sqliteQueue(db: Database): Queue {
  /** The group that was served last: the next round begins after it. */
  let last = '';
  const fairly = (groups: readonly string[]) => {
    const next = groups.findIndex((group) => group > last);
    return next <= 0 ? groups : [...groups.slice(next), ...groups.slice(0, next)];
  };
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

    async receive({ limit, visibility, room = () => limit }, now) {
      const hidden = plus(now, visibility);
      const received: ReceivedJob[] = [];
      db.transaction(() => {
        for (const group of fairly(visibleGroups(db, now))) {
          const wanted = Math.min(limit - received.length, room(group));
          if (received.length >= limit) break;
          if (wanted <= 0) continue;
          received.push(...take(db, group, wanted, now, hidden));
          last = group;
        }
      });
      return received;
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

/** In the order of their names. Steps from group to group in the index, however many jobs lie in between. */
function visibleGroups(db: Database, now: Instant): readonly string[] {
  const rows = db
    .prepare(
      `WITH RECURSIVE step (name) AS (
         SELECT min(grouping) FROM queue
         UNION ALL
         SELECT (SELECT min(grouping) FROM queue WHERE grouping > step.name) FROM step WHERE step.name IS NOT NULL
       )
       SELECT name FROM step
       WHERE name IS NOT NULL AND EXISTS (SELECT 1 FROM queue WHERE grouping = name AND visible_at <= ?)`,
    )
    .all(now);
  return rows.map(({ name }) => String(name));
}

function take(db: Database, group: string, limit: number, now: Instant, hiddenUntil: Instant): ReceivedJob[] {
  const rows = db
    .prepare(
      `UPDATE queue SET visible_at = ?, receives = receives + 1
       WHERE rowid IN
         (SELECT rowid FROM queue WHERE grouping = ? AND visible_at <= ? ORDER BY visible_at, rowid LIMIT ?)
       RETURNING delivery, attempt, receives`,
    )
    .all(hiddenUntil, group, now, limit);
  return rows.map(({ delivery, attempt, receives }) => ({
    job: { delivery: String(delivery), attempt: Number(attempt), group },
    receipt: String(receives),
    receives: Number(receives),
  }));
}
