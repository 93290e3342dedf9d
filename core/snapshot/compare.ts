/** Tells what changed between two states of a record. Knows fields and their roles, nothing of what a change means. */

import type { Fields, Value } from '../model/record.ts';
import type { Change } from '../model/snapshot.ts';

/**
 * `watched`: a change is news. `label`: a name that belongs to another record; kept fresh, never news, so that
 * renaming a project is not an event of each of its tasks. `volatile`: moves by itself; not worth a write.
 */
export type FieldRole = 'watched' | 'label' | 'volatile';

export interface FieldSpec {
  readonly type: 'id' | 'ids' | 'text' | 'names' | 'html' | 'date' | 'datetime' | 'number' | 'boolean';
  readonly role: FieldRole;
}

/** The fields of a resource by name. A field the table does not know is carried, and not compared. */
export type FieldTable = Readonly<Record<string, FieldSpec>>;

export interface Comparison {
  /** The record to keep: the new values, and the old ones of fields that were absent this time. */
  readonly record: Fields;
  /** What changed in watched fields. */
  readonly changes: readonly Change[];
  /** Whether the kept record differs from the old one in a watched field or a label. */
  readonly differs: boolean;
}

export function compare(before: Fields, after: Fields, table: FieldTable): Comparison {
  const record: Record<string, Value> = { ...before, ...after };
  const changes: Change[] = [];
  let differs = false;
  for (const [field, to] of Object.entries(after)) {
    const role = table[field]?.role;
    // What nobody described may move as it likes: it is kept with the next write, and is no reason for one.
    if (role === undefined || role === 'volatile') continue;
    const known = Object.hasOwn(before, field);
    const from = before[field] ?? null;
    if (known && sameValue(from, to)) continue;
    differs = true;
    // A field we could not see before is not a change of the record, only of what we may see.
    if (known && role === 'watched') changes.push({ field, from, to });
  }
  return { record, changes, differs };
}

/** Deep equality of cleaned values. Lists are compared in order: cleaning has sorted those that are sets. */
export function sameValue(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  const left = Object.entries(a);
  const right = Object.entries(b);
  if (left.length !== right.length || Array.isArray(a) !== Array.isArray(b)) return false;
  const other = new Map(right);
  return left.every(([key, value]) => {
    const counterpart = other.get(key);
    return counterpart !== undefined && sameValue(value, counterpart);
  });
}
