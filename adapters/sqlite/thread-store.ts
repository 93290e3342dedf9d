/** ThreadStore on SQLite. */

import type { ThreadStore } from '../../core/ports/thread-store.ts';
import type { Database } from './database.ts';

export function sqliteThreadStore(db: Database): ThreadStore {
  return {
    async get(subscription, subject) {
      const row = db
        .prepare('SELECT thread FROM threads WHERE subscription = ? AND subject = ?')
        .get(subscription, subject);
      return row === undefined ? undefined : String(row.thread);
    },

    async save(subscription, subject, thread) {
      db.prepare('INSERT OR REPLACE INTO threads (subscription, subject, thread) VALUES (?, ?, ?)').run(
        subscription,
        subject,
        thread,
      );
    },
  };
}
