/**
 * Limits the size of a record, so that every store can hold it together with its event and previous values. A truncated
 * value ends with a digest of the whole, so that a change in the removed part is still a change. Pure and deterministic.
 */

import { createHash } from 'node:crypto';
import type { Fields, Value } from '../model/record.ts';

/**
 * The size limit of a record in bytes. An event holds the record and the previous values of changed fields, and a
 * DynamoDB item holds at most 400 KB: twice this, and space for the rest.
 */
export const MAX_RECORD_BYTES = 120_000;

/**
 * The size limit of the details of an event in bytes. All events of a change share a DynamoDB item with their record, and
 * up to five of them list people.
 */
export const MAX_DETAILS_BYTES = 20_000;

/** Size limits of one field in bytes, tried in order until the record fits. Smaller fields are kept whole. */
const MAX_FIELD_BYTES = [40_000, 4_000, 400] as const;

/** The limit of nested lists and objects. DynamoDB allows 32, and the item around the record uses some. */
const MAX_DEPTH = 20;

/** Returns the fields unchanged if they fit, as nearly all do. */
export function fitFields(fields: Fields, maxBytes = MAX_RECORD_BYTES): Fields {
  let weight = 0;
  for (const field in fields) {
    weight += estimateFieldBytes(field, fields[field] ?? null);
    if (weight > maxBytes) return truncateFields(fields, maxBytes);
  }
  return fields;
}

/** A fast upper bound of the size in bytes; infinite for a value that cannot be stored as it is. */
export function estimateFieldBytes(field: string, value: Value): number {
  return field.length * 3 + estimateBytes(value, 1);
}

function estimateBytes(value: Value, depth: number): number {
  if (typeof value === 'string') return value.isWellFormed() ? value.length * 3 : Number.POSITIVE_INFINITY;
  if (value === null || typeof value !== 'object') return 24;
  if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY;
  let weight = 4;
  if (isList(value)) for (const one of value) weight += 4 + estimateBytes(one, depth + 1);
  else for (const key in value) weight += key.length * 3 + estimateBytes(value[key] ?? null, depth + 1);
  return weight;
}

function truncateFields(fields: Fields, maxBytes: number): Fields {
  const entries = Object.entries(fields);
  for (const limit of [maxBytes, ...MAX_FIELD_BYTES.filter((smaller) => smaller < maxBytes)]) {
    const smaller = entries.map(([field, value]) => [field, truncateValue(value, limit)] as const);
    const bytes = smaller.reduce((sum, [field, value]) => sum + bytesOf(field) + bytesOf(value), 0);
    if (bytes <= maxBytes) return Object.fromEntries(smaller);
    if (limit === MAX_FIELD_BYTES.at(-1)) return firstFields(smaller, maxBytes);
  }
  return fields;
}

/** For far more fields than a real record has: keeps those that fit and drops the others. */
function firstFields(entries: readonly (readonly [string, Value])[], maxBytes: number): Fields {
  let remaining = maxBytes;
  const kept = entries.filter(([field, value]) => {
    remaining -= bytesOf(field) + bytesOf(value);
    return remaining >= 0;
  });
  return Object.fromEntries(kept);
}

function truncateValue(value: Value, maxBytes: number): Value {
  if (typeof value === 'string') return truncateText(value.toWellFormed(), maxBytes);
  if (value === null || typeof value !== 'object') return value;
  const json = JSON.stringify(value);
  if (Buffer.byteLength(json) <= maxBytes && depthOf(value) <= MAX_DEPTH) return wellFormed(value);
  return Array.isArray(value) ? truncateList(value, maxBytes, json) : note(`${json.length} characters left out`, json);
}

function truncateText(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  // `stream` drops an incomplete character at the end.
  const start = new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true });
  return `${start} ${note(`cut, ${text.length} characters in all`, text)}`;
}

/** Keeps the first members and replaces the rest with a note. */
function truncateList(list: readonly Value[], maxBytes: number, json: string): Value {
  let remaining = maxBytes;
  const kept: Value[] = [];
  for (const value of list) {
    remaining -= bytesOf(value) + 1;
    if (remaining < 0 || depthOf(value) >= MAX_DEPTH) break;
    kept.push(wellFormed(value));
  }
  return [...kept, note(`${list.length - kept.length} more left out`, json)];
}

function note(what: string, whole: string): string {
  return `[… ${what}; sha256 ${createHash('sha256').update(whole).digest('hex').slice(0, 16)}]`;
}

function wellFormed(value: Value): Value {
  if (typeof value === 'string') return value.toWellFormed();
  if (value === null || typeof value !== 'object') return value;
  if (isList(value)) return value.map(wellFormed);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key.toWellFormed(), wellFormed(one)]));
}

function bytesOf(value: Value): number {
  return Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));
}

function depthOf(value: Value): number {
  if (value === null || typeof value !== 'object') return 0;
  return 1 + Object.values(value).reduce((deepest: number, one: Value) => Math.max(deepest, depthOf(one)), 0);
}

/** Array.isArray does not narrow a readonly array out of a union. */
function isList(value: object): value is readonly Value[] {
  return Array.isArray(value);
}
