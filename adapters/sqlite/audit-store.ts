/** AuditStore on SQLite. */

import type { AuditEntry } from '../../core/model/audit.ts';
import { createByteBudget, takeFitting } from '../../core/model/byte-budget.ts';
import type { AuditStore } from '../../core/ports/audit-store.ts';
import type { Database } from './database.ts';
import { deleteInParts, PART_SIZE } from './delete-in-parts.ts';
import { parseAll } from './rows.ts';

export function sqliteAuditStore(db: Database): AuditStore {
  return {
    async append(entry) {
      const { id, at } = entry;
      const body = JSON.stringify(entry);
      const { changes } = db
        .prepare("UPDATE audit SET body = ? WHERE at = ? AND json_extract(body, '$.id') = ?")
        .run(body, at, id);
      if (Number(changes) === 0) db.prepare('INSERT INTO audit (at, body) VALUES (?, ?)').run(at, body);
    },

    async page({ after, limit, maxBytes }) {
      const rows = db
        .prepare('SELECT position, body FROM audit WHERE position < ? ORDER BY position DESC LIMIT ?')
        .all(after === undefined ? Number.MAX_SAFE_INTEGER : Number(after), limit);
      const entries = takeFitting(parseAll<AuditEntry>(rows), createByteBudget(maxBytes));
      const last = rows[entries.length - 1];
      const isEnd = (entries.length === rows.length && rows.length < limit) || last === undefined;
      return { entries, cursor: isEnd ? undefined : String(last.position) };
    },

    prune: (before) => deleteInParts(db, 'audit', `SELECT rowid FROM audit WHERE at < ? LIMIT ${PART_SIZE}`, before),
  };
}
