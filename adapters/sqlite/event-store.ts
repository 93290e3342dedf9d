/** EventStore on SQLite: the event as JSON, with columns for the fields that queries use. */

import type { Delivery } from '../../core/model/delivery.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { cacheJson } from '../../core/model/event-json.ts';
import { HOUR, hourOf, type Instant, plus } from '../../core/model/time.ts';
import type { Announcement, EventStore } from '../../core/ports/event-store.ts';
import type { Database } from './database.ts';
import { insertDelivery } from './delivery-store.ts';
import { selectEventPage } from './event-page.ts';
import { pruneEvents } from './prune-events.ts';
import { parse } from './rows.ts';

/** A delivery and its events, as they were recorded. */
export interface RecordedDelivery {
  /** Of the row. */
  readonly position: number;
  readonly delivery: Delivery;
  readonly events: readonly TidingsEvent[];
}

/**
 * Keeps earlier records. Runs in the caller's transaction. Returns the deliveries whose rows and events are new, by
 * their ids.
 */
export function insertEvents(
  db: Database,
  announcements: readonly Announcement[],
): ReadonlyMap<string, RecordedDelivery> {
  const insertEvent = db.prepare('INSERT OR IGNORE INTO events (id, time, subject, type, body) VALUES (?, ?, ?, ?, ?)');
  const recorded = new Map<string, RecordedDelivery>();
  for (const { event, deliveries } of announcements) {
    const body = JSON.stringify(event);
    // The column finds the events of a record.
    const subject = event.test === true ? '' : event.subject;
    const { changes } = insertEvent.run(event.id, event.time, subject, event.type, body);
    if (changes === 1) cacheJson(event, body);
    for (const delivery of deliveries) {
      const position = insertDelivery(db, delivery);
      if (position !== undefined && changes === 1) recorded.set(delivery.id, { position, delivery, events: [event] });
    }
  }
  return recorded;
}

export function sqliteEventStore(db: Database): EventStore {
  return {
    async record(announcements) {
      if (announcements.length === 0) return;
      db.transaction(() => {
        insertEvents(db, announcements);
      });
    },

    prune: (before) => pruneEvents(db, before),

    async get(id) {
      return parse<TidingsEvent>(db.prepare('SELECT body FROM events WHERE id = ?').get(id));
    },

    getMany: (ids) =>
      db.batchRead(() =>
        ids.flatMap((id) => {
          const row = db.row('SELECT body FROM events WHERE id = ?', id);
          return row === undefined ? [] : [parseEvent(String(row[0]))];
        }),
      ),

    async list(query) {
      return selectEventPage(db, query);
    },

    async countByHour(since, limit) {
      const counts = new Map<Instant, number>();
      let left = limit;
      const hours = db.rows('SELECT hour FROM event_hours WHERE hour >= ? ORDER BY hour DESC', since.slice(0, 13));
      for (const [hour] of hours) {
        const start = hourOf(String(hour));
        // Reads the index only, and no more of it than is left.
        const [count] =
          db.row(
            `SELECT count(*) FROM
               (SELECT 1 FROM events INDEXED BY events_time WHERE time >= ? AND time >= ? AND time < ? LIMIT ?)`,
            ...[start, since, plus(start, HOUR), left + 1],
          ) ?? [];
        if (Number(count) > left) return { counts, uncounted: start };
        left -= Number(count);
        if (Number(count) > 0) counts.set(start, Number(count));
      }
      return { counts };
    },
  };
}

/** Keeps the JSON text with the parsed event, because most events are sent unchanged. */
function parseEvent(body: string): TidingsEvent {
  return cacheJson(JSON.parse(body) as TidingsEvent, body);
}
