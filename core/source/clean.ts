/** Turns a row of the wire into a record: real numbers, booleans, lists and nulls. Nothing of the wire's habits passes it. */

import { decodeHTML } from 'entities';
import { RetryLater } from '../model/errors.ts';
import { compareIds, type Fields, type Value } from '../model/record.ts';
import type { WireRow } from '../ports/source-api.ts';
import type { FieldSpec, FieldTable } from '../snapshot/compare.ts';

export interface CleanRecord {
  readonly id: string;
  readonly fields: Fields;
}

/** Absent fields stay absent, unknown ones are carried as they came. A row without an id is a broken answer. */
export function cleanRow(resource: string, row: WireRow, table: FieldTable): CleanRecord {
  const id = cleanId(row.id);
  if (id === null || !/^[1-9]\d{0,18}$/.test(id)) {
    throw new RetryLater(
      'TIDINGS_SOURCE_ROW_INVALID',
      `${resource}: a row needs a whole number as its id, got ${JSON.stringify(row.id) ?? 'none'}`,
    );
  }
  const fields: Record<string, Value> = {};
  for (const [field, value] of Object.entries(row)) {
    const spec = table[field];
    fields[field] = spec === undefined ? carry(value) : cleanValue(value, spec);
  }
  return { id, fields };
}

function cleanValue(value: unknown, spec: FieldSpec): Value {
  if (value === null || value === undefined || value === '')
    return spec.type === 'ids' || spec.type === 'names' ? [] : null;
  switch (spec.type) {
    case 'id':
      return cleanId(value);
    case 'ids':
      // A set: the order in which the API lists people says nothing.
      return splitList(value).sort(compareIds);
    case 'names':
      return splitList(value).map(decodeHTML);
    case 'number':
      return cleanNumber(value);
    case 'boolean':
      return value === 't' || value === true ? true : value === 'f' || value === false ? false : carry(value);
    case 'text':
      return decodeHTML(String(value)).replaceAll('\r\n', '\n');
    case 'html':
      return String(value).replaceAll('\r\n', '\n');
    case 'date':
      return String(value);
    case 'datetime':
      return cleanDateTime(String(value));
  }
}

function cleanId(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

function splitList(value: unknown): string[] {
  return String(value)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** What is not a number is carried as it came: better a visible oddity than a NaN. */
function cleanNumber(value: unknown): Value {
  const number = typeof value === 'number' ? value : Number(String(value).trim());
  return Number.isFinite(number) ? number : carry(value);
}

/** `2026-11-14 09:31:07` in UTC becomes `2026-11-14T09:31:07Z`. */
function cleanDateTime(text: string): string {
  return /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text) ? `${text.replace(' ', 'T')}Z` : text;
}

/** A value no table describes: kept if JSON can hold it. */
function carry(value: unknown): Value {
  if (value === undefined) return null;
  return JSON.parse(JSON.stringify(value)) as Value;
}
