/** Turns a row of the wire into a record: real numbers, booleans, lists and nulls. Nothing of the wire's habits passes it. */

import { decodeHTMLStrict } from 'entities';
import { RetryLater } from '../model/errors.ts';
import { compareIds, type Fields, type Value } from '../model/record.ts';
import type { WireRow } from '../ports/source-api.ts';
import type { FieldType } from './field.ts';
import { fitted } from './fit.ts';
import type { Resource } from './resource.ts';

export interface CleanRecord {
  readonly id: string;
  readonly fields: Fields;
}

/**
 * Absent fields stay absent, and what does not fit its type is carried as it came: better a visible oddity than a lost
 * value. Only a row without an id is a broken answer.
 */
export function cleanRow(resource: Resource, row: WireRow): CleanRecord {
  const id = cleanId(row.id ?? null);
  if (typeof id !== 'string' || !ID.test(id)) {
    throw new RetryLater(
      'TIDINGS_SOURCE_ROW_INVALID',
      `${resource.name}: a row needs a whole number as its id, got ${JSON.stringify(row.id) ?? 'none'}`,
    );
  }
  const table = resource.fields;
  // A copy whose values are replaced keeps the shape of what JSON.parse made. An object that grows field by field turns
  // into a dictionary, which takes three times as long to write down and to compare.
  const fields: Record<string, unknown> = { ...row };
  for (const field in fields) {
    const value = fields[field];
    // By type, not by presence: every object inherits a `constructor`, but not one with a type.
    const type = table[field]?.type;
    if (type !== undefined && value !== undefined) fields[field] = cleanValue(value, type);
    // A record has nothing undefined, and `__proto__` is no name for a field.
    else if (value === undefined || field === '__proto__') delete fields[field];
    else fields[field] = value === '' ? null : carry(value);
  }
  return { id, fields: fitted(fields as Fields) };
}

const ID = /^[1-9]\d{0,18}$/;

/** Shared by all empty lists: most tasks have one, and nobody may write to it. */
const NOBODY: readonly string[] = Object.freeze([]);

function cleanValue(value: unknown, type: FieldType): Value {
  if (value === null || value === '') return type === 'ids' || type === 'names' ? NOBODY : null;
  return cleaners[type](value);
}

/** Each gets a value that is neither null nor ''. */
const cleaners: Readonly<Record<FieldType, (value: unknown) => Value>> = {
  id: cleanId,
  ids: cleanIds,
  names: cleanNames,
  text: (value) => asText(value, cleanText),
  html: (value) => asText(value, unixLines),
  email: (value) => asText(value, (text) => text.trim().replace(/^mailto:\s*/i, '') || null),
  date: (value) => asText(value, (text) => text.trim() || null),
  datetime: (value) => asText(value, cleanDateTime),
  number: (value) => asNumber(value, (number) => number),
  decimal: (value) => asNumber(value, withoutNoise),
  boolean: (value) => booleans.get(value) ?? carry(value),
};

/** The API says 't' and 'f'; the others are what XML, JSON and databases make of them. */
const booleans: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ['t', true],
  ['f', false],
  [true, true],
  [false, false],
  ['true', true],
  ['false', false],
  [1, true],
  [0, false],
  ['1', true],
  ['0', false],
]);

function cleanId(value: unknown): Value {
  if (typeof value === 'string') return value.trim() || null;
  return Number.isSafeInteger(value) ? String(value) : carry(value);
}

/** A set: the order in which the API lists people says nothing, nor does a person listed twice. */
function cleanIds(value: unknown): Value {
  const list = splitList(value);
  if (list === undefined) return carry(value);
  if (list.length < 2) return list;
  return list.sort(compareIds).filter((id, index) => id !== list[index - 1]);
}

/** In order, because ids are: another order on the wire is not another list. Two people may have one name. */
function cleanNames(value: unknown): Value {
  const list = splitList(value);
  return list === undefined ? carry(value) : list.map(cleanText).sort();
}

/** `1, 2,3` in one text, one number, or a list that came as a list. Undefined: none of these. */
function splitList(value: unknown): string[] | undefined {
  const parts: readonly unknown[] =
    typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [value];
  const list: string[] = [];
  for (const part of parts) {
    if (typeof part !== 'string' && typeof part !== 'number') return undefined;
    const text = String(part).trim();
    if (text !== '') list.push(text);
  }
  return list;
}

function asText(value: unknown, clean: (text: string) => Value): Value {
  return typeof value === 'string' ? clean(value) : typeof value === 'number' ? clean(String(value)) : carry(value);
}

/** Strict: only what ends in a semicolon. `?a=1&copy=2` in a title is an address, not a copyright. */
function cleanText(text: string): string {
  return unixLines(text.includes('&') ? decodeHTMLStrict(text) : text);
}

function unixLines(text: string): string {
  return text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
}

const DATE_TIME = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}(?:\.\d+)?)$/;

/** `2026-11-14 09:31:07` in UTC becomes `2026-11-14T09:31:07Z`, fractions of a second included. */
function cleanDateTime(text: string): Value {
  return text.trim().replace(DATE_TIME, '$1T$2Z') || null;
}

/** Number() alone would take '0x10' for 16 and ' ' for 0. */
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Past the safe integers a number would silently become another one: such a text is carried. */
function asNumber(value: unknown, clean: (number: number) => number): Value {
  const text = typeof value === 'string' ? value.trim() : '';
  const number = typeof value === 'number' ? value : NUMBER.test(text) ? Number(text) : Number.NaN;
  // Adding 0 makes 0 of -0, which JSON would not keep.
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? clean(number) + 0 : carry(value);
}

/**
 * Six places: finer than a cent or a second of an hour, coarser than the noise of adding floating-point numbers. The
 * balance of a paid invoice is 0, not 4.5e-13. Up to 4e9 the result is the number one would write; past it a double
 * has no such places to lose.
 */
function withoutNoise(number: number): number {
  return Math.abs(number) < 4e9 ? Math.round(number * 1e6) / 1e6 : number;
}

/** A value no table describes, or not so: kept if JSON can hold it. */
function carry(value: unknown): Value {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  return (JSON.parse(JSON.stringify(value) ?? 'null') ?? null) as Value;
}
