/** IdempotencyStore on SQLite. */

import type { IdempotencyStore } from '../../core/ports/idempotency-store.ts';
import type { Database } from './database.ts';
import { deleteInParts, PART_SIZE } from './delete-in-parts.ts';

export function sqliteIdempotencyStore(db: Database): IdempotencyStore {
  return {
    async begin(id, { fingerprint, startedAt }, { staleBefore, expiresAt }) {
      return db.transaction(() => {
        const stored = db
          .prepare('SELECT fingerprint, started_at, expires_at, response FROM idempotent_requests WHERE id = ?')
          .get(id);
        const isExpired = String(stored?.expires_at ?? '') <= startedAt;
        const hasEnded = typeof stored?.response === 'string';
        if (stored !== undefined && !isExpired && (hasEnded || String(stored.started_at) >= staleBefore)) {
          const earlier = {
            fingerprint: String(stored.fingerprint),
            startedAt: String(stored.started_at),
            response: typeof stored.response === 'string' ? stored.response : null,
          };
          return { earlier, isNew: false, expiresAt: String(stored.expires_at) };
        }
        const end = stored === undefined || isExpired ? expiresAt : String(stored.expires_at);
        db.prepare(
          `INSERT OR REPLACE INTO idempotent_requests (id, fingerprint, started_at, expires_at, response)
           VALUES (?, ?, ?, ?, NULL)`,
        ).run(id, fingerprint, startedAt, end);
        return { isNew: stored === undefined, expiresAt: end };
      });
    },

    async finish(id, response) {
      db.prepare('UPDATE idempotent_requests SET response = ? WHERE id = ?').run(response, id);
    },

    async release(id) {
      db.prepare("UPDATE idempotent_requests SET started_at = '' WHERE id = ?").run(id);
    },

    async forget(id) {
      db.prepare('DELETE FROM idempotent_requests WHERE id = ? AND response IS NULL').run(id);
    },

    prune: (now) =>
      deleteInParts(
        db,
        'idempotent_requests',
        `SELECT rowid FROM idempotent_requests WHERE expires_at < ? LIMIT ${PART_SIZE}`,
        now,
      ),
  };
}
