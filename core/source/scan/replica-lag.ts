/** Recognizes rows of a replica that lags behind: they show records as they were before their snapshots. Pure. */

import type { Fields } from '../../model/record.ts';
import { rowInstant, type Snapshot } from '../../model/snapshot.ts';
import { DAY, type Duration, type Instant, MINUTE, parseInstant, plus } from '../../model/time.ts';
import type { CleanRecord } from '../../resources/clean.ts';
import { isOutOfSight } from '../account/sight.ts';

/**
 * How far a replica may lag behind. An answer may be this old: it proves neither that a record is gone that was first
 * seen later, nor that one is back that was deleted later.
 */
export const MAX_REPLICA_LAG: Duration = 10 * MINUTE;

/**
 * How far lists usually lag behind. A time-driven change is confirmed this long after its moment, so that a task that was
 * closed right before midnight is not reported as overdue.
 */
export const USUAL_LIST_LAG: Duration = 2 * MINUTE;

/**
 * Rows that are older than their snapshot are ignored for this long after a row last changed it. After that the API really
 * went back, for example because a backup was restored.
 */
const IGNORE_OLDER_ROWS: Duration = DAY;

/** Whether the row is older than its snapshot, or may be older than the deletion of its record. */
export function isOutdated({ fields }: CleanRecord, before: Snapshot | undefined, now: Instant): boolean {
  if (before === undefined || plus(rowInstant(before), IGNORE_OLDER_ROWS) < now) return false;
  const [row, stored] = [modifiedAt(fields), modifiedAt(before.record)];
  const { deletedAt } = before;
  // A record that was out of sight comes back without an event.
  const isJustDeleted =
    deletedAt !== null && !isOutOfSight(before) && deletedAt <= now && now < plus(deletedAt, MAX_REPLICA_LAG);
  if (isJustDeleted && !(row !== undefined && row > deletedAt)) return true;
  // A row of the same second may be newer.
  return row !== undefined && stored !== undefined && row < stored;
}

export function modifiedAt({ datemodified }: Fields): Instant | undefined {
  return typeof datemodified === 'string' ? parseInstant(datemodified) : undefined;
}
