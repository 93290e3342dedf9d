/**
 * Counts the work that waits in the database, from its indexes: cheap enough for a monitor that asks every few seconds. A key may
 * have a million deliveries that wait, which take half a second: then they are counted less often.
 */

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

/** A count that took longer is returned again for so many times as long as it took, and nothing is counted meanwhile. */
const LONG_MS = 20;
const REST_PER_COUNT = 50;

/** @param now milliseconds of the real clock */
export function sqliteWorkload(db: Database, now: () => number = () => performance.now()): () => Workload {
  const count = countWorkload(db);
  let latest: Workload | undefined;
  let restsUntil = 0;
  return () => {
    const start = now();
    if (latest !== undefined && start < restsUntil) return latest;
    latest = count();
    const took = now() - start;
    restsUntil = took < LONG_MS ? 0 : start + took * REST_PER_COUNT;
    return latest;
  };
}

function countWorkload(db: Database): () => Workload {
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
