/** Converts an API row into a record with real numbers, booleans, lists and nulls. */

import { decodeHTMLStrict } from 'entities';
import { RetryLater } from '../model/errors.ts';
import { memoizeText } from '../model/memoize.ts';
import { compareIds, type Fields, isRecordId, type Value } from '../model/record.ts';
import type { WireRow } from '../ports/source-api.ts';
import type { FieldType } from './field.ts';
import { isJoined } from './field-role.ts';
import { estimateFieldBytes, fitFields, MAX_RECORD_BYTES } from './fit.ts';
import type { Resource } from './resource.ts';

export interface CleanRecord {
  readonly id: string;
  readonly fields: Fields;
}

/**
 * Absent fields stay absent. A value that does not fit its type is kept unchanged, because an odd value is better than a
 * lost one. Only a row without a valid id is an error.
 */
export function cleanRow(resource: Resource, row: WireRow): CleanRecord {
  const id = cleanId(row.id ?? null);
  if (typeof id !== 'string' || !isRecordId(id)) {
    throw new RetryLater(
      'TIDINGS_SOURCE_ROW_INVALID',
      `${resource.name}: expected a row with a whole number as id, got ${JSON.stringify(row.id) ?? 'none'}`,
    );
  }
  const table = resource.fields;
  // Replacing values in a copy keeps V8's fast object shape. An object built field by field becomes a dictionary, which
  // takes three times as long to serialize and compare.
  const fields: Record<string, unknown> = { ...row };
  let weight = 0;
  for (const field in row) {
    const value = row[field];
    // Records hold no undefined values, and a field named `__proto__` would set the prototype.
    if (value === undefined || field === '__proto__') {
      delete fields[field];
      continue;
    }
    // Checks the type because every object inherits members such as `constructor`.
    const type = table[field]?.type;
    const cleaned = type !== undefined ? cleanValue(value, type) : cleanUntyped(resource, field, row);
    // Most values need no cleaning, and a write costs more than a comparison.
    if (!Object.is(cleaned, value)) fields[field] = cleaned;
    weight += estimateFieldBytes(field, cleaned);
  }
  return { id, fields: weight > MAX_RECORD_BYTES ? fitFields(fields as Fields) : (fields as Fields) };
}

/** Names of records are text; any other text without a type may be markup, whose entities belong to it. */
function cleanUntyped({ name, unknown }: Resource, field: string, row: WireRow): Value {
  const value = row[field];
  if (isEmpty(value)) return null;
  const isName =
    unknown === 'watch' &&
    typeof value === 'string' &&
    (NAMES.includes(field) || field === name || isJoined(field, row));
  return isName ? cleanText(value) : keepJson(value);
}

/** Fields that hold the name of a record itself. */
const NAMES: readonly string[] = ['title', 'name'];

/** Shared by all empty lists, because most tasks have one. Frozen. */
const EMPTY_LIST: readonly string[] = Object.freeze([]);

/** Cleaning a cleaned value changes nothing, except in text, where entities would be decoded twice. */
export function cleanValue(value: unknown, type: FieldType): Value {
  if (value === null || value === '') return type === 'ids' || type === 'names' ? EMPTY_LIST : null;
  return cleaners[type](value);
}

/** Called with values other than null and ''. */
const cleaners: Readonly<Record<FieldType, (value: unknown) => Value>> = {
  id: cleanId,
  // `1, 2,3` in one string; memoized because the same few people occur in many rows.
  ids: (value) => (typeof value === 'string' ? idsIn(value) : asList(value, idsOf)),
  names: (value) => (typeof value === 'string' ? namesIn(value) : asList(value, namesOf)),
  text: (value) => asText(value, cleanText),
  html: (value) => asText(value, unixLines),
  email: (value) => asText(value, (text) => text.trim().replace(/^mailto:\s*/i, '') || null),
  date: (value) => asText(value, cleanDate),
  datetime: (value) => asText(value, cleanDateTime),
  number: asNumber,
  decimal: (value) => roundDecimal(asNumber(value)),
  boolean: (value) => booleans.get(typeof value === 'string' ? value.trim().toLowerCase() : value) ?? keepJson(value),
};

/** The API sends 't' and 'f'; the others are the usual forms in XML, JSON and databases. */
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
  return Number.isSafeInteger(value) ? String(value) : keepJson(value);
}

/** A sorted set: the API's order and duplicates have no meaning. */
const idsOf = (parts: readonly string[]) => [...new Set(parts)].sort(compareIds);
const idsIn = memoizeText((text: string): readonly string[] => idsOf(partsOf(text.split(','))));

/** Sorted, so that a different order is no change. Duplicates stay, because two people may have the same name. */
const namesOf = (parts: readonly string[]) => parts.map(cleanText).sort();
const namesIn = memoizeText((text: string): readonly string[] => namesOf(partsOf(text.split(','))));

/** For a single number or a real list. */
function asList(value: unknown, listOf: (parts: readonly string[]) => Value): Value {
  const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isPlain = parts.every((part) => typeof part === 'string' || typeof part === 'number');
  return isPlain ? listOf(partsOf(parts.map(String))) : keepJson(value);
}

function partsOf(texts: readonly string[]): string[] {
  return texts.map((text) => text.trim()).filter((text) => text !== '');
}

function asText(value: unknown, clean: (text: string) => Value): Value {
  return typeof value === 'string' ? clean(value) : typeof value === 'number' ? clean(String(value)) : keepJson(value);
}

/** Decodes only entities that end in a semicolon: `?a=1&copy=2` in a title is a URL, not a copyright sign. */
function cleanText(text: string): string {
  return unixLines(text.includes('&') ? decodeHTMLStrict(text) : text);
}

function unixLines(text: string): string {
  return text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
}

/** The date of a database's empty date, with or without a time. */
const ZERO_DATE = /^0000-00-00(?:[ T]00:00(?::00(?:\.0+)?)?Z?)?$/;

function isEmpty(value: unknown): boolean {
  return value === '' || (typeof value === 'string' && value.startsWith('0000-') && ZERO_DATE.test(value));
}

/** A date with a time of day. An offset other than zero would make another day possible, so such a text is kept. */
const TIMED_DATE = /^(\d{4}-\d{2}-\d{2})[ T](?:\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?|00:00:00(?:\.0+)?(?:Z|[+-]00:?00))$/;

/** Memoized because the same few days occur in many rows. */
const cleanDate = memoizeText((text: string): Value => {
  const trimmed = text.trim();
  return isEmpty(trimmed) ? null : (TIMED_DATE.exec(trimmed)?.[1] ?? trimmed);
});

const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(\.\d+)?(?:Z|\+00:?00)?$/;

/** Converts `2026-11-14 09:31:07` (UTC) to `2026-11-14T09:31:07Z` and keeps fractions of a second. */
function cleanDateTime(text: string): Value {
  const trimmed = text.trim();
  if (isEmpty(trimmed)) return null;
  const [, day, time, fraction = ''] = DATE_TIME.exec(trimmed) ?? [];
  return day === undefined ? trimmed : `${day}T${time}${/[1-9]/.test(fraction) ? fraction : ''}Z`;
}

/** Number() would also accept '0x10' and ' '. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * `1,000.00` and `1,000,000`. Not `1,000`: a decimal comma would make it 1. Not `1.000`, which is 1 in the API's own
 * notation.
 */
const GROUPED = /^[+-]?\d{1,3}(?:(?:,\d{3})+\.\d+|(?:,\d{3}){2,})$/;

/** Memoized because the same ranks and hours occur in many rows. */
const numberIn = memoizeText((text: string): number => {
  const trimmed = text.trim();
  if (NUMBER.test(trimmed)) return Number(trimmed);
  return GROUPED.test(trimmed) ? Number(trimmed.replaceAll(',', '')) : Number.NaN;
});

/** A number beyond the safe integers would lose precision, so its text is kept. */
function asNumber(value: unknown): Value {
  const number = typeof value === 'string' ? numberIn(value) : typeof value === 'number' ? value : Number.NaN;
  // Adding 0 turns -0 into 0, because JSON has no -0.
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number + 0 : keepJson(value);
}

/**
 * Rounds to six decimal places: finer than a cent or a second of an hour, coarser than floating-point noise. The balance of
 * a paid invoice is 0, not 4.5e-13. Beyond 4e9 a double has no six places to round.
 */
function roundDecimal(value: Value): Value {
  // Adding 0 turns -0 into 0.
  return typeof value === 'number' && Math.abs(value) < 4e9 ? Math.round(value * 1e6) / 1e6 + 0 : value;
}

/** Keeps a value that has no type, or does not fit it, as far as JSON can represent it. */
function keepJson(value: unknown): Value {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  return (JSON.parse(JSON.stringify(value) ?? 'null') ?? null) as Value;
}
