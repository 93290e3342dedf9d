/** The stored feed of changes, and up to where each consumer has processed it. */

import type { FeedMark } from '../../core/ports/snapshot-store.ts';
import type { Database } from './database.ts';

export function readFeed(db: Database, consumer: string, limit: number, after: number) {
  return db
    .prepare(
      `SELECT position, before, after FROM feed
       WHERE position > max(coalesce((SELECT position FROM feed_consumers WHERE consumer = ?), 0), ?)
       ORDER BY position LIMIT ?`,
    )
    .all(consumer, after, limit);
}

/** A lower position than before has no effect. */
export function acknowledgeFeed(db: Database, { consumer, position }: FeedMark): void {
  if (position === null) {
    db.prepare('DELETE FROM feed_consumers WHERE consumer = ?').run(consumer);
    return;
  }
  db.prepare(
    `INSERT INTO feed_consumers (consumer, position) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET position = max(position, excluded.position)`,
  ).run(consumer, position);
}

export function readMarks(db: Database): readonly FeedMark[] {
  const rows = db.prepare('SELECT consumer, position FROM feed_consumers ORDER BY consumer').all();
  return rows.map(({ consumer, position }) => ({ consumer: String(consumer), position: Number(position) }));
}
