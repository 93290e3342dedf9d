/** ConsolePassStore on SQLite. */

import type { ConsolePass } from '../../core/model/console-pass.ts';
import type { ConsolePassStore } from '../../core/ports/console-pass-store.ts';
import type { Database } from './database.ts';
import { parse } from './rows.ts';

export function sqliteConsolePassStore(db: Database): ConsolePassStore {
  return {
    async save(pass) {
      db.prepare('INSERT OR REPLACE INTO console_passes (hash, expires_at, body) VALUES (?, ?, ?)').run(
        pass.hash,
        pass.expiresAt,
        JSON.stringify(pass),
      );
    },

    async get(hash) {
      return parse<ConsolePass>(db.prepare('SELECT body FROM console_passes WHERE hash = ?').get(hash));
    },

    async take(hash) {
      return parse<ConsolePass>(db.prepare('DELETE FROM console_passes WHERE hash = ? RETURNING body').get(hash));
    },

    async removeAll() {
      return Number(db.prepare('DELETE FROM console_passes').run().changes);
    },

    async prune(now) {
      db.prepare('DELETE FROM console_passes WHERE expires_at < ?').run(now);
    },
  };
}
