/** ManifestStore on SQLite: page fingerprints as JSON, entries as packed bytes. */

import type { ManifestKey, ManifestStore, PageFingerprint } from '../../core/ports/manifest-store.ts';
import { MANIFEST_VERSION } from '../../core/source/scan/manifest.ts';
import type { Database } from './database.ts';

const OF_MANIFEST = 'source = ? AND resource = ? AND scope = ?';

export function sqliteManifestStore(db: Database): ManifestStore {
  const keyColumns = ({ source, resource, scope }: ManifestKey) => [source, resource, scope] as const;

  const clearDirty = (key: ManifestKey, ids: readonly string[]) => {
    const remove = db.prepare(`DELETE FROM manifest_doubts WHERE ${OF_MANIFEST} AND id = ?`);
    for (const id of ids) remove.run(...keyColumns(key), id);
  };

  return {
    async head(key) {
      const complete = db
        .prepare(`SELECT 1 FROM manifests WHERE ${OF_MANIFEST} AND version = ?`)
        .get(...keyColumns(key), MANIFEST_VERSION);
      if (complete === undefined) return undefined;
      const chunks = db
        .prepare(`SELECT head FROM manifest_chunks WHERE ${OF_MANIFEST} AND version = ? ORDER BY page`)
        .all(...keyColumns(key), MANIFEST_VERSION);
      const dirty = db.prepare(`SELECT id FROM manifest_doubts WHERE ${OF_MANIFEST}`).all(...keyColumns(key));
      return {
        chunks: chunks.map(({ head }) => JSON.parse(String(head)) as PageFingerprint),
        dirty: dirty.map(({ id }) => String(id)),
      };
    },

    async entries(key, index) {
      const row = db
        .prepare(`SELECT entries FROM manifest_chunks WHERE ${OF_MANIFEST} AND page = ?`)
        .get(...keyColumns(key), index);
      return row?.entries instanceof Uint8Array ? row.entries : undefined;
    },

    async markDirty(key, ids) {
      if (ids.length === 0) return;
      const add = db.prepare('INSERT OR IGNORE INTO manifest_doubts (source, resource, scope, id) VALUES (?, ?, ?, ?)');
      db.transaction(() => {
        for (const id of ids) add.run(...keyColumns(key), id);
      });
    },

    async write(key, chunk, entries, cleared) {
      const put = db.prepare(
        `INSERT OR REPLACE INTO manifest_chunks (source, resource, scope, page, version, head, entries)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
      );
      db.transaction(() => {
        put.run(...keyColumns(key), chunk.index, MANIFEST_VERSION, JSON.stringify(chunk), entries);
        clearDirty(key, cleared);
      });
    },

    async clearDirty(key, ids) {
      if (ids.length > 0) db.transaction(() => clearDirty(key, ids));
    },

    async finish(key, pages) {
      db.transaction(() => {
        db.prepare(`DELETE FROM manifest_chunks WHERE ${OF_MANIFEST} AND (page >= ? OR version <> ?)`).run(
          ...keyColumns(key),
          pages,
          MANIFEST_VERSION,
        );
        db.prepare('INSERT OR REPLACE INTO manifests (source, resource, scope, version) VALUES (?, ?, ?, ?)').run(
          ...keyColumns(key),
          MANIFEST_VERSION,
        );
      });
    },
  };
}
