/** Recognizes rows of a replica that lags behind: they show records as they were before their snapshots. Pure. */

import { isSameValue } from '../../model/json.ts';
import type { Fields } from '../../model/record.ts';
import { isOutOfSight, rowInstant, type Snapshot } from '../../model/snapshot.ts';
import { DAY, type Duration, type Instant, MINUTE, parseInstant, plus } from '../../model/time.ts';
import type { CleanRecord } from '../../resources/clean.ts';
import type { FieldRoles } from '../../resources/field-role.ts';
import { compare } from '../../snapshot/compare.ts';

/**
 * How far a replica may lag behind. An answer may be this old: it proves neither that a record is gone that was first
 * seen later, nor that one is back that was deleted later.
 */
export const MAX_REPLICA_LAG: Duration = 10 * MINUTE;

/**
 * How far lists usually lag behind. A time-driven change is confirmed this long after its moment, so that a task that was
 * closed right before midnight is not reported as overdue.
 */
const USUAL_LIST_LAG: Duration = 2 * MINUTE;

/** Up to here the responses of a scan with this start confirm moments: lists lag behind. */
export function confirmableUntil(startedAt: Instant): Instant {
  return plus(startedAt, -USUAL_LIST_LAG);
}

/**
 * Rows that are older than their snapshot are ignored for this long after a row last changed it, unless their response
 * proves that it is up to date. After that the API really went back, for example because a backup was restored.
 */
const IGNORE_OLDER_ROWS: Duration = DAY;

/** Edits that are closer than this may reach a replica in another order. */
const EDIT_ORDER_MARGIN: Duration = MINUTE;

/** The response that shows a row. */
export interface RowSource {
  readonly now: Instant;
  readonly resource: FieldRoles;
  /** The latest modification date in the response that is not in the future; null: there is none. */
  readonly lastEdit: () => Instant | null;
}

/**
 * Whether the row is older than its snapshot, or may be older than the deletion of its record. A replica has all edits up to
 * the latest one that it shows: a row that is older than its snapshot beside a row that is newer than both is true.
 */
export function isOutdated(record: CleanRecord, before: Snapshot | undefined, source: RowSource): boolean {
  const { now } = source;
  if (before === undefined || plus(rowInstant(before), IGNORE_OLDER_ROWS) < now) return false;
  const [row, stored] = [modifiedAt(record.fields), modifiedAt(before.record)];
  const { deletedAt } = before;
  // A record that was out of sight comes back without an event.
  const isJustDeleted =
    deletedAt !== null && !isOutOfSight(before) && deletedAt <= now && now < plus(deletedAt, MAX_REPLICA_LAG);
  if (isJustDeleted && !(row !== undefined && row > deletedAt)) return true;
  // A row of the same second may be newer.
  if (row === undefined || stored === undefined || row >= stored) return false;
  const lastEdit = source.lastEdit();
  // A date in the future does not say when the record was modified, but it was before a row showed it.
  const known = stored > now && (lastEdit ?? now) < stored ? rowInstant(before) : stored;
  if (lastEdit !== null && lastEdit > plus(known, EDIT_ORDER_MARGIN)) return false;
  return !(isKnownToReplicas(before, now) && differsByDateOnly(record, before, source.resource));
}

/**
 * Whether a row that is older than its snapshot confirms what is due: no replica lags this much, and both are open with the
 * same due date, so time does the same to both.
 */
export function confirmsDue({ fields }: CleanRecord, before: Snapshot, now: Instant): boolean {
  if (before.deletedAt !== null || !isKnownToReplicas(before, now)) return false;
  // A field that the role does not see keeps its value.
  return DUE_FIELDS.every((field) => fields[field] === undefined || isSameValue(fields[field], before.record[field]));
}

/** Fields of a task that decide whether it is due. */
const DUE_FIELDS = ['status', 'statusid', 'dateclosed', 'datedue'];

/** Whether every replica has the state that the snapshot shows. An instant in the future is due to a wrong clock. */
export function isKnownToReplicas(before: Snapshot, now: Instant): boolean {
  const shownAt = rowInstant(before);
  return shownAt > now || plus(shownAt, MAX_REPLICA_LAG) <= now;
}

function differsByDateOnly({ fields }: CleanRecord, { record }: Snapshot, resource: FieldRoles): boolean {
  return !compare({ ...record, datemodified: fields.datemodified ?? null }, fields, resource).differs;
}

/** @param until the clock of the API, or ours */
export function findLastEdit(records: readonly CleanRecord[], until: Instant): Instant | null {
  let last: Instant | null = null;
  for (const { fields } of records) {
    const at = modifiedAt(fields);
    if (at !== undefined && at <= until && (last === null || at > last)) last = at;
  }
  return last;
}

export function modifiedAt({ datemodified }: Fields): Instant | undefined {
  return typeof datemodified === 'string' ? parseInstant(datemodified) : undefined;
}
