/** Fields that the token's role may not see: an empty value in one of them is not a change. */

import { memoize } from '../../model/memoize.ts';
import type { Value } from '../../model/record.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { SnapshotWrite } from '../../ports/snapshot-store.ts';
import type { CleanRecord } from '../../resources/clean.ts';
import type { Resource } from '../../resources/resource.ts';
import type { ScanContext } from '../scan/scan-context.ts';

/** A field that the role may not see is sometimes sent empty instead of left out. It keeps its last known value. */
export function withoutHiddenFields({ resource, identity }: ScanContext, record: CleanRecord): CleanRecord {
  const { id, fields } = record;
  const hidden = hiddenFieldsOf(resource)(identity.current()?.role ?? null);
  const isSentEmpty = (field: string) => Object.hasOwn(fields, field) && isEmpty(fields[field]);
  if (!hidden.some(isSentEmpty)) return record;
  return {
    id,
    fields: Object.fromEntries(
      Object.entries(fields).filter(([field]) => !(hidden.includes(field) && isSentEmpty(field))),
    ),
  };
}

/** The fields that a role may not see. Most roles see all or all but a few, so rows need not be searched for them. */
const hiddenFieldsOf = memoize(({ fields }: Resource) =>
  memoize((role: string | null) =>
    Object.keys(fields).filter((field) => fields[field]?.hiddenFor?.some((hidden) => hidden === role)),
  ),
);

/**
 * Whether the change suggests that the token has another role than the one known: a field became empty that some roles
 * may not see, or the known role may not see the field that changed.
 */
export function suggestsAnotherRole(
  { resource, identity }: ScanContext,
  { snapshot: { key, record } }: SnapshotWrite,
  snapshots: ReadonlyMap<string, Snapshot>,
): boolean {
  const role = identity.current()?.role ?? null;
  const before = snapshots.get(key.id)?.record ?? {};
  return Object.keys(before).some((field) => {
    const hiddenFor = resource.fields[field]?.hiddenFor;
    const [from, to] = [before[field], record[field]];
    if (hiddenFor === undefined || from === to || isEmpty(from)) return false;
    return isEmpty(to) || hiddenFor.some((hidden) => hidden === role);
  });
}

function isEmpty(value: Value | undefined): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
