/** Counts the work that waits in the database, from its indexes: cheap enough for a monitor that asks every few seconds. */

import type { DeliveryStatus } from '../../core/model/delivery.ts';
import type { Pace } from '../../core/model/pace.ts';
import { createEventLoopPace } from '../event-loop-pace.ts';
import type { Database, Row } from './database.ts';
import { OPEN } from './delivery-page.ts';

type OpenStatus = Exclude<DeliveryStatus, 'settled' | 'gathered'>;

export interface Workload {
  /** Jobs on the queue, those in flight included. */
  readonly queued: number;
  /** Deliveries that are not finished, and failed ones, which are kept for replay. */
  readonly deliveries: Readonly<Record<OpenStatus, number>>;
  /** Deliveries with a time of their next attempt. */
  readonly scheduled: number;
  /** Records with a time-driven moment ahead, such as a due date. */
  readonly moments: number;
  /** Changes that are not announced yet. */
  readonly unannounced: number;
}

/** Entries of an index that are counted at a time: about a millisecond. */
const COUNTED_SIZE = 5_000;

/**
 * Others get a turn of the event loop in between: a key may have hundreds of thousands of deliveries that wait.
 * @param pace @default - that of the event loop
 */
export function sqliteWorkload(db: Database, pace: Pace = createEventLoopPace()): () => Promise<Workload> {
  const count = (sql: string) => Number(db.row(sql)?.[0] ?? 0);

  const countOpen = async (): Promise<ReadonlyMap<string, number>> => {
    const byStatus = new Map<string, number>();
    const part = `SELECT subscription, status, position FROM deliveries INDEXED BY deliveries_open
      WHERE ${OPEN} AND (subscription, status, position) > (?, ?, ?) ORDER BY subscription, status, position`;
    // By place in the index: there may be as many names as deliveries.
    for (let after: Row | undefined = ['', '', 0]; after !== undefined; ) {
      const [subscription = '', status = '', position = 0] = after;
      const place = [subscription, status, position] as const;
      for (const [one, total] of db.rows(
        `SELECT status, count(*) FROM (${part} LIMIT ${COUNTED_SIZE}) GROUP BY status`,
        ...place,
      ))
        byStatus.set(String(one), (byStatus.get(String(one)) ?? 0) + Number(total));
      after = db.row(`${part} LIMIT 1 OFFSET ${COUNTED_SIZE - 1}`, ...place);
      await pace();
    }
    return byStatus;
  };

  const countScheduled = async (): Promise<number> => {
    const last = 'SELECT due_at FROM deliveries WHERE due_at > ? ORDER BY due_at LIMIT 1 OFFSET ?';
    let total = 0;
    for (let after = ''; after !== END_OF_TIME; ) {
      const until = String(db.row(last, after, COUNTED_SIZE)?.[0] ?? END_OF_TIME);
      const counted = db.row('SELECT count(*) FROM deliveries WHERE due_at > ? AND due_at <= ?', after, until);
      total += Number(counted?.[0]);
      after = until;
      await pace();
    }
    return total;
  };

  return async () => {
    const byStatus = await countOpen();
    const of = (status: OpenStatus) => byStatus.get(status) ?? 0;
    return {
      queued: count('SELECT count(*) FROM jobs'),
      deliveries: { waiting: of('waiting'), pending: of('pending'), held: of('held'), failed: of('failed') },
      scheduled: await countScheduled(),
      moments: count('SELECT count(*) FROM snapshots WHERE next_moment IS NOT NULL'),
      unannounced: count(
        'SELECT count(*) FROM feed WHERE position > (SELECT coalesce(min(position), 0) FROM feed_consumers)',
      ),
    };
  };
}

/** After every instant. */
const END_OF_TIME = '~';
