/**
 * Keeps a record to a size that every store can hold, with its event and the values before. What is cut says so, with a
 * digest of the whole: a change in the part that was cut is a change still. Pure, and the same record is always cut alike.
 */

import { createHash } from 'node:crypto';
import type { Fields, Value } from '../model/record.ts';

/**
 * Bytes of a whole record. An event holds the record and the old values of what changed, and an item of DynamoDB no
 * more than 400 KB: twice this, and room for the rest.
 */
export const RECORD_ROOM = 120_000;

/**
 * Bytes of what one event tells besides its record. All events of a change share an item with their record: that leaves
 * room for the few types that name people, of which a task with thousands of them has five at once.
 */
export const DETAILS_ROOM = 20_000;

/** Bytes of one field, tried one after the other until all of it fits. What fits whole is kept whole. */
const FIELD_ROOMS = [40_000, 4_000, 400] as const;

/** Lists and objects within each other, at the most. DynamoDB knows 32, and what is around a record takes some. */
const DEEPEST = 20;

/** The record itself when it fits, as nearly all do. */
export function fitted(fields: Fields, room = RECORD_ROOM): Fields {
  let weight = 0;
  for (const field in fields) {
    weight += field.length * 3 + weightOf(fields[field] ?? null, 1);
    if (weight > room) return cut(fields, room);
  }
  return fields;
}

/** At least as much as it takes, without counting characters: beyond all bounds for what cannot be kept as it is. */
function weightOf(value: Value, depth: number): number {
  if (typeof value === 'string') return value.isWellFormed() ? value.length * 3 : Number.POSITIVE_INFINITY;
  if (value === null || typeof value !== 'object') return 24;
  if (depth > DEEPEST) return Number.POSITIVE_INFINITY;
  let weight = 4;
  if (isList(value)) for (const one of value) weight += 4 + weightOf(one, depth + 1);
  else for (const key in value) weight += key.length * 3 + weightOf(value[key] ?? null, depth + 1);
  return weight;
}

function cut(fields: Fields, room: number): Fields {
  const entries = Object.entries(fields);
  for (const each of [room, ...FIELD_ROOMS.filter((smaller) => smaller < room)]) {
    const smaller = entries.map(([field, value]) => [field, cutValue(value, each)] as const);
    const bytes = smaller.reduce((sum, [field, value]) => sum + bytesOf(field) + bytesOf(value), 0);
    if (bytes <= room) return Object.fromEntries(smaller);
    if (each === FIELD_ROOMS.at(-1)) return firstOf(smaller, room);
  }
  return fields;
}

/** More fields than any record has: those that fit, the others count as not seen. */
function firstOf(entries: readonly (readonly [string, Value])[], room: number): Fields {
  let left = room;
  const kept = entries.filter(([field, value]) => {
    left -= bytesOf(field) + bytesOf(value);
    return left >= 0;
  });
  return Object.fromEntries(kept);
}

function cutValue(value: Value, room: number): Value {
  if (typeof value === 'string') return cutText(value.toWellFormed(), room);
  if (value === null || typeof value !== 'object') return value;
  const json = JSON.stringify(value);
  if (Buffer.byteLength(json) <= room && depthOf(value) <= DEEPEST) return wellFormed(value);
  return Array.isArray(value) ? cutList(value, room, json) : note(`${json.length} characters left out`, json);
}

function cutText(text: string, room: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= room) return text;
  // A character that the cut goes through is left out whole.
  const start = new TextDecoder().decode(bytes.subarray(0, room), { stream: true });
  return `${start} ${note(`cut, ${text.length} characters in all`, text)}`;
}

/** A list stays one: the first of it, and in place of the rest a text that says so. */
function cutList(list: readonly Value[], room: number, json: string): Value {
  let left = room;
  const kept: Value[] = [];
  for (const value of list) {
    left -= bytesOf(value) + 1;
    if (left < 0 || depthOf(value) >= DEEPEST) break;
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
