/** DocumentStore on SQLite. */

import type { DocumentBody, DocumentStore } from '../../core/ports/document-store.ts';
import type { Database } from './database.ts';

export function sqliteDocumentStore(db: Database): DocumentStore {
  const read = (kind: string, id: string): DocumentBody | undefined => {
    const row = db.prepare('SELECT body FROM documents WHERE kind = ? AND id = ?').get(kind, id);
    return row === undefined ? undefined : (JSON.parse(String(row.body)) as DocumentBody);
  };
  return {
    async get(kind, id) {
      return read(kind, id);
    },

    async add(kind, id, body, expiresAt) {
      const { changes } = db
        .prepare('INSERT OR IGNORE INTO documents (kind, id, body, expires_at) VALUES (?, ?, ?, ?)')
        .run(kind, id, JSON.stringify(body), expiresAt);
      return Number(changes) > 0;
    },

    async update(kind, id, change, expiresAt) {
      return db.transaction(() => {
        const stored = read(kind, id);
        if (stored === undefined) return undefined;
        const next = change(stored);
        if (next !== stored) {
          db.prepare(
            'UPDATE documents SET body = ?, expires_at = coalesce(?, expires_at) WHERE kind = ? AND id = ?',
          ).run(JSON.stringify(next), expiresAt ?? null, kind, id);
        }
        return next;
      });
    },

    async save(kind, id, body, expiresAt) {
      db.prepare('INSERT OR REPLACE INTO documents (kind, id, body, expires_at) VALUES (?, ?, ?, ?)').run(
        kind,
        id,
        JSON.stringify(body),
        expiresAt,
      );
    },

    async remove(kind, id) {
      const { changes } = db.prepare('DELETE FROM documents WHERE kind = ? AND id = ?').run(kind, id);
      return Number(changes) > 0;
    },

    async prune(now) {
      db.prepare('DELETE FROM documents WHERE expires_at < ?').run(now);
    },
  };
}
