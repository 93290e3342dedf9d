/** KeyUsageStore on SQLite. */

import { isSameValue } from '../../core/model/json.ts';
import type { KeyUsage, KeyUsageStore } from '../../core/ports/key-usage-store.ts';
import type { Database } from './database.ts';
import { parse } from './rows.ts';

export function sqliteKeyUsageStore(db: Database): KeyUsageStore {
  const find = (key: string) => parse<KeyUsage>(db.prepare('SELECT body FROM key_usage WHERE key = ?').get(key));
  return {
    get: async (key) => find(key),

    async replace(key, expected, next) {
      return db.transaction(() => {
        if (!isSameValue(find(key), expected)) return false;
        db.prepare('INSERT OR REPLACE INTO key_usage (key, body) VALUES (?, ?)').run(key, JSON.stringify(next));
        return true;
      });
    },
  };
}
