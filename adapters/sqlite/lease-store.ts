/** LeaseStore on SQLite. */

import { plus } from '../../core/model/time.ts';
import type { LeaseStore } from '../../core/ports/lease-store.ts';
import type { Database } from './database.ts';

export function sqliteLeaseStore(db: Database): LeaseStore {
  return {
    async acquire(name, holder, now, duration) {
      const previous = db.prepare('SELECT until FROM leases WHERE name = ?').get(name);
      // One atomic statement: a new holder gets a new fence, the same holder keeps its fence, and while another holder's
      // lease is valid no row is returned. A lease that ends too far in the future is due to a clock that ran ahead.
      const row = db
        .prepare(
          `INSERT INTO leases (name, holder, fence, until) VALUES (?, ?, 1, ?)
           ON CONFLICT DO UPDATE SET
             fence = fence + (until <= ?4 OR until > ?5 OR holder <> excluded.holder),
             holder = excluded.holder,
             until = excluded.until
           WHERE holder = excluded.holder OR until <= ?4 OR until > ?5
           RETURNING fence`,
        )
        .get(name, holder, plus(now, duration), now, plus(now, 2 * duration));
      if (row === undefined) return undefined;
      return { name, holder, fence: Number(row.fence), isTakenOver: (previous?.until ?? '') !== '' };
    },

    async release({ name, holder, fence }) {
      db.prepare(`UPDATE leases SET until = '' WHERE name = ? AND holder = ? AND fence = ?`).run(name, holder, fence);
    },
  };
}
