/** ThreadStore on SQLite. */

import type { StoredThread, ThreadStore } from '../../core/ports/thread-store.ts';
import type { Database } from './database.ts';

export function sqliteThreadStore(db: Database): ThreadStore {
  return {
    async get(subscription, subject) {
      const row = db
        .prepare('SELECT thread, incarnation FROM threads WHERE subscription = ? AND subject = ?')
        .get(subscription, subject);
      return row === undefined ? undefined : threadFromRow(row);
    },

    async save(subscription, subject, { thread, incarnation = null }: { thread: string; incarnation?: string | null }) {
      db.prepare('INSERT OR REPLACE INTO threads (subscription, subject, thread, incarnation) VALUES (?, ?, ?, ?)').run(
        subscription,
        subject,
        thread,
        incarnation,
      );
    },
  };
}

export function threadFromRow({ thread, incarnation }: Readonly<Record<string, unknown>>): StoredThread {
  return { thread: String(thread), ...(incarnation === null ? {} : { incarnation: String(incarnation) }) };
}
