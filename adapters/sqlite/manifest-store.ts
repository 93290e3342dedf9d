/** ManifestStore on SQLite: heads as JSON, entries as they are packed. */

import type { ManifestKey, ManifestStore, PageFingerprint } from '../../core/ports/manifest-store.ts';
import { MANIFEST_VERSION } from '../../core/source/manifest.ts';
import type { Database } from './database.ts';

const HERE = 'source = ? AND resource = ? AND scope = ?';

export function sqliteManifestStore(db: Database): ManifestStore {
  const place = ({ source, resource, scope }: ManifestKey) => [source, resource, scope] as const;

  const settle = (key: ManifestKey, ids: readonly string[]) => {
    const remove = db.prepare(`DELETE FROM manifest_doubts WHERE ${HERE} AND id = ?`);
    for (const id of ids) remove.run(...place(key), id);
  };

  return {
    async head(key) {
      const whole = db
        .prepare(`SELECT 1 FROM manifests WHERE ${HERE} AND version = ?`)
        .get(...place(key), MANIFEST_VERSION);
      if (whole === undefined) return undefined;
      const chunks = db
        .prepare(`SELECT head FROM manifest_chunks WHERE ${HERE} AND version = ? ORDER BY page`)
        .all(...place(key), MANIFEST_VERSION);
      const doubts = db.prepare(`SELECT id FROM manifest_doubts WHERE ${HERE}`).all(...place(key));
      return {
        chunks: chunks.map(({ head }) => JSON.parse(String(head)) as PageFingerprint),
        dirty: doubts.map(({ id }) => String(id)),
      };
    },

    async entries(key, index) {
      const row = db
        .prepare(`SELECT entries FROM manifest_chunks WHERE ${HERE} AND page = ?`)
        .get(...place(key), index);
      return row?.entries instanceof Uint8Array ? row.entries : undefined;
    },

    async markDirty(key, ids) {
      if (ids.length === 0) return;
      const add = db.prepare('INSERT OR IGNORE INTO manifest_doubts (source, resource, scope, id) VALUES (?, ?, ?, ?)');
      db.transaction(() => {
        for (const id of ids) add.run(...place(key), id);
      });
    },

    async write(key, chunk, entries, settled) {
      const put = db.prepare(
        `INSERT OR REPLACE INTO manifest_chunks (source, resource, scope, page, version, head, entries)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
      );
      db.transaction(() => {
        put.run(...place(key), chunk.index, MANIFEST_VERSION, JSON.stringify(chunk), entries);
        settle(key, settled);
      });
    },

    async clearDirty(key, ids) {
      if (ids.length > 0) db.transaction(() => settle(key, ids));
    },

    async finish(key, pages) {
      db.transaction(() => {
        db.prepare(`DELETE FROM manifest_chunks WHERE ${HERE} AND (page >= ? OR version <> ?)`).run(
          ...place(key),
          pages,
          MANIFEST_VERSION,
        );
        db.prepare('INSERT OR REPLACE INTO manifests (source, resource, scope, version) VALUES (?, ?, ?, ?)').run(
          ...place(key),
          MANIFEST_VERSION,
        );
      });
    },
  };
}
