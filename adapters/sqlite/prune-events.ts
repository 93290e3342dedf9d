/**
 * Deletes old events with their deliveries, and old deliveries without events. In short writes: an event may have a delivery for each of
 * a thousand subscriptions, and a key may have millions. Reads nothing that is not old.
 */

import type { Pace } from '../../core/model/pace.ts';
import { DAY, type Instant, plus } from '../../core/model/time.ts';
import { createEventLoopPace } from '../event-loop-pace.ts';
import type { Database } from './database.ts';
import { PART_SIZE } from './delete-in-parts.ts';

/** Milliseconds after which others get a turn of the event loop. */
const SLICE_MS = 10;

/** Events, and deliveries, that are read at a time. */
const PAGE_SIZE = 100;

/**
 * What still waits for the rate or the concurrency of its subscription after so much more time is deleted as well: a subscription that gets more
 * than it sends would keep every event for ever.
 */
const MAX_OVERDUE = 30 * DAY;

/** Nothing of it is stored any more. */
const HAS_NO_EVENT = `NOT EXISTS
  (SELECT 1 FROM json_each(deliveries.body, '$.events'), events WHERE events.id = json_each.value)`;

/** Returns the number of deleted events. */
export async function pruneEvents(db: Database, before: Instant): Promise<number> {
  const pace = createEventLoopPace(SLICE_MS);
  let count = 0;
  const overdue = plus(before, -MAX_OVERDUE);
  for (let page = listOld(db, before); page.length > 0; page = listOld(db, before, page.at(-1))) {
    for (const { id, time, isWaiting } of page) {
      const isOverdue = time < overdue;
      if (isWaiting && !isOverdue) continue;
      await removeEvent(db, id, isOverdue, pace);
      count += 1;
      await pace();
    }
    await pace();
  }
  db.prepare(
    `DELETE FROM event_hours WHERE hour < ?
     AND NOT EXISTS (SELECT 1 FROM events WHERE time >= hour AND time < hour || '~')`,
  ).run(before);
  await removeLeftOver(db, before, pace);
  return count;
}

interface OldEvent {
  readonly id: string;
  readonly time: Instant;
  readonly position: number;
  /** Whether it has a delivery on the agenda. */
  readonly isWaiting: boolean;
}

/** The next ones after an event. */
function listOld(db: Database, before: Instant, after?: OldEvent): readonly OldEvent[] {
  const rows = db.rows(
    `SELECT id, time, position,
       EXISTS (SELECT 1 FROM delivery_events JOIN deliveries ON deliveries.id = delivery_events.delivery
               WHERE delivery_events.event = events.id AND deliveries.due_at IS NOT NULL)
     FROM events WHERE time < ? AND (time, position) > (?, ?)
     ORDER BY time, position LIMIT ${PAGE_SIZE}`,
    before,
    after?.time ?? '',
    after?.position ?? 0,
  );
  return rows.map(([id, time, position, isWaiting]) => ({
    ...{ id: String(id), time: String(time), position: Number(position) },
    isWaiting: isWaiting === 1,
  }));
}

/**
 * With its deliveries, unless they carry another event that is kept. In parts: replays may have made thousands. Those that are left when the
 * process dies are removed with what has no event.
 */
async function removeEvent(db: Database, id: string, isOverdue: boolean, pace: Pace): Promise<void> {
  db.prepare('DELETE FROM events WHERE id = ?').run(id);
  const remove = db.prepare(
    `DELETE FROM deliveries WHERE id IN
       (SELECT deliveries.id FROM delivery_events JOIN deliveries ON deliveries.id = delivery_events.delivery
        WHERE delivery_events.event = ? AND (due_at IS NULL OR ?) AND ${HAS_NO_EVENT} LIMIT ${PART_SIZE})`,
  );
  while (Number(remove.run(id, isOverdue ? 1 : 0).changes) === PART_SIZE) await pace();
}

/** Old deliveries of which no event is stored: an open digest may have none. They are in the order in which they were made. */
async function removeLeftOver(db: Database, before: Instant, pace: Pace): Promise<void> {
  for (let last = 0, isEnd = false; !isEnd; ) {
    const rows = db.rows(
      `SELECT position, json_extract(body, '$.createdAt') FROM deliveries WHERE position > ? ORDER BY position LIMIT ${PAGE_SIZE}`,
      last,
    );
    const old = rows.filter(([, createdAt]) => String(createdAt) < before);
    const [first, end] = [old.at(0)?.[0], old.at(-1)?.[0]];
    if (first !== undefined && end !== undefined)
      db.prepare(`DELETE FROM deliveries WHERE position BETWEEN ? AND ? AND due_at IS NULL AND ${HAS_NO_EVENT}`).run(
        Number(first),
        Number(end),
      );
    last = Number(rows.at(-1)?.[0] ?? last);
    isEnd = old.length < PAGE_SIZE;
    await pace();
  }
}
