/** Compares two states of a record by the roles of their fields. What a change means is decided elsewhere. */

import { isSameValue } from '../model/json.ts';
import type { Fields, Value } from '../model/record.ts';
import type { Change } from '../model/snapshot.ts';
import { cleanValue } from '../resources/clean.ts';
import type { FieldSpec, FieldType } from '../resources/field.ts';
import { type FieldRoles, roleOf } from '../resources/field-role.ts';
import { htmlText } from '../resources/html-text.ts';
import { toCents } from '../resources/invoice-amounts.ts';

export interface Comparison {
  /**
   * The record to store: the new values, and the old values of fields that are now absent. When nothing differs it is the
   * old record itself, even if volatile fields have changed: there is nothing to write.
   */
  readonly record: Fields;
  /** What changed in watched fields. */
  readonly changes: readonly Change[];
  /** Whether the new record differs in a watched field or a label. */
  readonly differs: boolean;
}

/**
 * Our own records, such as the health of a source, have no field table: all their fields are watched, but notes of what was
 * announced, and an error that no event shows.
 */
export const OWN_RECORD: FieldRoles = {
  fields: {
    announced: { type: 'text', role: 'volatile' },
    unannounced: { type: 'text', role: 'volatile' },
    fullReason: { type: 'text', role: 'volatile' },
  },
  unknown: 'watch',
};

const NO_CHANGES: readonly Change[] = Object.freeze([]);

/** Called for every row of a scan, and nearly all are unchanged: nothing is copied until a difference is found. */
export function compare(before: Fields, after: Fields, roles: FieldRoles): Comparison {
  const { fields } = roles;
  let changes: Change[] | undefined;
  let differs = false;
  for (const field in after) {
    const to = after[field];
    const from = before[field];
    if (to === undefined || from === to) continue;
    const role = fields[field]?.role ?? roleOf(roles, field, after);
    if (role === 'volatile') continue;
    // Checked late for speed: an inherited property never equals a JSON value.
    const isKnown = Object.hasOwn(before, field) && from !== undefined;
    if (isKnown && isSameValue(from, to)) continue;
    const silent = isKnown && hasSameMeaning(from, to, fields[field]);
    differs = true;
    // A field that was hidden before is a change of permissions, not of the record.
    if (isKnown && !silent && role === 'watched') {
      changes ??= [];
      changes.push({ field, from, to });
    }
  }
  if (!differs) return { record: before, changes: NO_CHANGES, differs };
  return { record: { ...before, ...after }, changes: changes ?? NO_CHANGES, differs };
}

/** Types whose spelling may change without a change of the record. */
const SPELLED: readonly FieldType[] = ['date', 'datetime', 'number', 'decimal', 'boolean'];

/**
 * An editor rewrites markup at every save. An older version of Tidings may have stored a spelling that cleaning now
 * understands. Both are stored without an event.
 */
function hasSameMeaning(from: Value, to: Value, spec: FieldSpec | undefined): boolean {
  const type = spec?.type;
  if (type === undefined) return typeof from === 'string' && cleanValue(from, 'text') === to;
  if (type === 'html') return sameText(from, to);
  if (spec?.money === true && toCents(to) !== null && toCents(cleanValue(from, 'decimal')) === toCents(to)) return true;
  return SPELLED.includes(type) && isSameValue(cleanValue(from, type), to);
}

function sameText(a: Value, b: Value): boolean {
  return typeof a === 'string' && typeof b === 'string' && htmlText(a) === htmlText(b);
}
