/** Deletes rows in short writes, with turns of the event loop in between: hundreds of thousands may be too old at the same time. */

import type { SQLInputValue } from 'node:sqlite';
import type { RecordKey } from '../../core/model/record.ts';
import type { Instant } from '../../core/model/time.ts';
import { createEventLoopPace } from '../event-loop-pace.ts';
import type { Database } from './database.ts';

/** Rows of a write, which takes a few milliseconds. */
export const PART_SIZE = 200;

/** @param part a query of the next `PART_SIZE` row ids at most. Once it finds fewer, all is done. */
export async function deleteInParts(
  db: Database,
  table: 'audit' | 'feed' | 'idempotent_requests',
  part: string,
  ...values: readonly SQLInputValue[]
): Promise<void> {
  const pace = createEventLoopPace();
  const remove = db.prepare(`DELETE FROM ${table} WHERE rowid IN (${part})`);
  while (Number(remove.run(...values).changes) === PART_SIZE) await pace();
}

/** Deletes a snapshot, if it may still be deleted. */
export function deleteExpired(db: Database, { source, resource, id }: RecordKey, now: Instant): void {
  db.prepare(
    `DELETE FROM snapshots
     WHERE source = ? AND resource = ? AND id_length = ? AND id = ? AND json_extract(body, '$.expiresAt') < ?`,
  ).run(source, resource, id.length, id, now);
}
