/** Counts the work that waits in the database, from its indexes: cheap enough for a monitor that asks every few seconds. */

import type { DeliveryStatus } from '../../core/model/delivery.ts';
import type { Database } from './database.ts';

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

export function sqliteWorkload(db: Database): () => Workload {
  const count = (sql: string) => Number(db.row(sql)?.[0] ?? 0);
  return () => {
    const byStatus = new Map(
      db
        .rows(`SELECT status, count(*) FROM deliveries WHERE status NOT IN ('settled', 'gathered') GROUP BY status`)
        .map(([status, total]) => [String(status), Number(total)]),
    );
    const of = (status: OpenStatus) => byStatus.get(status) ?? 0;
    return {
      queued: count('SELECT count(*) FROM jobs'),
      deliveries: { waiting: of('waiting'), pending: of('pending'), held: of('held'), failed: of('failed') },
      scheduled: count('SELECT count(*) FROM deliveries WHERE due_at IS NOT NULL'),
      moments: count('SELECT count(*) FROM snapshots WHERE next_moment IS NOT NULL'),
      unannounced: count(
        'SELECT count(*) FROM feed WHERE position > (SELECT coalesce(min(position), 0) FROM feed_consumers)',
      ),
    };
  };
}
