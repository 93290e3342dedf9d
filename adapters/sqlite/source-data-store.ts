/** SourceDataStore on SQLite: one transaction. */

import type { SourceDataStore } from '../../core/ports/source-data-store.ts';
import { ACCOUNT_RESOURCE } from '../../core/source/account/account.ts';
import type { Database } from './database.ts';

/** Without the health of subscriptions, which may have the same source, and the remembered account. */
const RECORDS = `source = ? AND resource NOT IN ('subscription', '${ACCOUNT_RESOURCE}')`;

const TABLES = ['scans', 'manifests', 'manifest_chunks', 'manifest_doubts'];

export function sqliteSourceDataStore(db: Database): SourceDataStore {
  return {
    async describe(source) {
      const rows = db
        .prepare(
          `SELECT resource, count(*) AS count, max(version) AS version FROM snapshots WHERE ${RECORDS} GROUP BY resource
           ORDER BY resource`,
        )
        .all(source);
      return {
        records: Object.fromEntries(rows.map(({ resource, count }) => [String(resource), Number(count)])),
        highestVersion: Math.max(0, ...rows.map(({ version }) => Number(version))),
      };
    },

    async forget(source) {
      db.transaction(() => {
        for (const table of ['snapshots', 'feed']) db.prepare(`DELETE FROM ${table} WHERE ${RECORDS}`).run(source);
        for (const table of TABLES) db.prepare(`DELETE FROM ${table} WHERE source = ?`).run(source);
      });
    },
  };
}
