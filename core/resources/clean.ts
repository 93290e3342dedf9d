/** Turns a row of the wire into a record: real numbers, booleans, lists and nulls. Nothing of the wire's habits passes it. */

import { decodeHTMLStrict } from 'entities';
import { RetryLater } from '../model/errors.ts';
import { memoizeText } from '../model/memoize.ts';
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
    // A record has nothing undefined, and `__proto__` is no name for a field.
    if (value === undefined || field === '__proto__') {
      delete fields[field];
      continue;
    }
    // By type, not by presence: every object inherits a `constructor`, but not one with a type.
    const type = table[field]?.type;
    const cleaned = type !== undefined ? cleanValue(value, type) : value === '' ? null : carry(value);
    // Most values are clean as they come, and writing costs more than looking.
    if (!Object.is(cleaned, value)) fields[field] = cleaned;
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
  // `1, 2,3` in one text: the same few people, again and again.
  ids: (value) => (typeof value === 'string' ? idsIn(value) : asList(value, idsOf)),
  names: (value) => (typeof value === 'string' ? namesIn(value) : asList(value, namesOf)),
  text: (value) => asText(value, cleanText),
  html: (value) => asText(value, unixLines),
  email: (value) => asText(value, (text) => text.trim().replace(/^mailto:\s*/i, '') || null),
  date: (value) => asText(value, (text) => text.trim() || null),
  datetime: (value) => asText(value, cleanDateTime),
  number: asNumber,
  decimal: (value) => withoutNoise(asNumber(value)),
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
const idsOf = (parts: readonly string[]) => [...new Set(parts)].sort(compareIds);
const idsIn = memoizeText((text: string): readonly string[] => idsOf(partsOf(text.split(','))));

/** In order, because ids are: another order on the wire is not another list. Two people may have one name. */
const namesOf = (parts: readonly string[]) => parts.map(cleanText).sort();
const namesIn = memoizeText((text: string): readonly string[] => namesOf(partsOf(text.split(','))));

/** One number, or a list that came as a list. */
function asList(value: unknown, listOf: (parts: readonly string[]) => Value): Value {
  const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isPlain = parts.every((part) => typeof part === 'string' || typeof part === 'number');
  return isPlain ? listOf(partsOf(parts.map(String))) : carry(value);
}

function partsOf(texts: readonly string[]): string[] {
  return texts.map((text) => text.trim()).filter((text) => text !== '');
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

const DATE_TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d+)?$/;

/** `2026-11-14 09:31:07` in UTC becomes `2026-11-14T09:31:07Z`, fractions of a second included. */
function cleanDateTime(text: string): Value {
  const trimmed = text.trim();
  return DATE_TIME.test(trimmed) ? `${trimmed.slice(0, 10)}T${trimmed.slice(11)}Z` : trimmed || null;
}

/** Number() alone would take '0x10' for 16 and ' ' for 0. */
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Ranks and hours are few texts, again and again. */
const numberIn = memoizeText((text: string): number => (NUMBER.test(text.trim()) ? Number(text) : Number.NaN));

/** Past the safe integers a number would silently become another one: such a text is carried. */
function asNumber(value: unknown): Value {
  const number = typeof value === 'string' ? numberIn(value) : typeof value === 'number' ? value : Number.NaN;
  // Adding 0 makes 0 of -0, which JSON would not keep.
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number + 0 : carry(value);
}

/**
 * Six places: finer than a cent or a second of an hour, coarser than the noise of adding floating-point numbers. The
 * balance of a paid invoice is 0, not 4.5e-13. Up to 4e9 the result is the number one would write; past it a double
 * has no such places to lose.
 */
function withoutNoise(value: Value): Value {
  // Adding 0 as above: what rounds to nothing from below is 0.
  return typeof value === 'number' && Math.abs(value) < 4e9 ? Math.round(value * 1e6) / 1e6 + 0 : value;
}

/** A value no table describes, or not so: kept if JSON can hold it. */
function carry(value: unknown): Value {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  return (JSON.parse(JSON.stringify(value) ?? 'null') ?? null) as Value;
}
