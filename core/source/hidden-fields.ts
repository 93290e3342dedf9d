/** Fields that the token's role may not see: an empty value in one of them is not a change. */

import type { Value } from '../model/record.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { SnapshotWrite } from '../ports/snapshot-store.ts';
import type { CleanRecord } from '../resources/clean.ts';
import type { ScanContext } from './scan-context.ts';

/** A field that the role may not see is sometimes sent empty instead of left out. It keeps its last known value. */
export function withoutHiddenFields({ resource, identity }: ScanContext, { id, fields }: CleanRecord): CleanRecord {
  const role = identity.current()?.role ?? null;
  const isHidden = ([field, value]: [string, Value | undefined]) =>
    isEmpty(value) && resource.fields[field]?.hiddenFor?.some((hidden) => hidden === role) === true;
  if (role === null || !Object.entries(fields).some(isHidden)) return { id, fields };
  return { id, fields: Object.fromEntries(Object.entries(fields).filter((entry) => !isHidden(entry))) };
}

/** Whether a field became empty that some roles may not see: the token's role may have changed. */
export function emptiesHideableField(
  { resource }: ScanContext,
  { snapshot: { key, record } }: SnapshotWrite,
  known: ReadonlyMap<string, Snapshot>,
): boolean {
  const before = known.get(key.id)?.record ?? {};
  return Object.keys(before).some(
    (field) => resource.fields[field]?.hiddenFor !== undefined && isEmpty(record[field]) && !isEmpty(before[field]),
  );
}

function isEmpty(value: Value | undefined): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
