/** ApiKeyStore on SQLite. */

import type { ApiKey } from '../../core/model/api-key.ts';
import type { ApiKeyStore } from '../../core/ports/api-key-store.ts';
import type { Database } from './database.ts';
import { parse, parseAll } from './rows.ts';

export function sqliteApiKeyStore(db: Database): ApiKeyStore {
  return {
    async get(id) {
      return parse<ApiKey>(db.prepare('SELECT body FROM api_keys WHERE id = ?').get(id));
    },

    async list() {
      return parseAll<ApiKey>(db.prepare('SELECT body FROM api_keys ORDER BY created_at, id').all());
    },

    async save(key) {
      const { id, createdAt } = key;
      const insert = db.prepare('INSERT OR REPLACE INTO api_keys (id, created_at, body) VALUES (?, ?, ?)');
      db.durableTransaction(() => insert.run(id, createdAt, JSON.stringify(key)));
    },

    async markUsed(id, at) {
      db.prepare("UPDATE api_keys SET body = json_set(body, '$.lastUsedAt', ?) WHERE id = ?").run(at, id);
    },

    async remove(id) {
      return db.durableTransaction(() => db.prepare('DELETE FROM api_keys WHERE id = ?').run(id).changes > 0);
    },
  };
}
