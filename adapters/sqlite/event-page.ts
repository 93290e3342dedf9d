/**
 * Reads a page of recorded events. Finds the matching positions in an index first, so that a page costs the same however
 * many events are stored, and then reads only the events it returns.
 */

import { compileGlob } from '../../core/filters/match.ts';
import { createByteBudget } from '../../core/model/byte-budget.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { EventPage, EventQuery } from '../../core/ports/event-store.ts';
import type { Database, Row } from './database.ts';

/** How many events that `matches` refuses one call reads. The page is then short, and its cursor is after them. */
const MAX_READ = 500;

/** The same in characters of JSON: a record may have long texts, and nothing else runs while they are parsed. */
const MAX_READ_LENGTH = 2_500_000;

export function selectEventPage(db: Database, query: EventQuery): EventPage {
  const { after, limit, first = 'oldest' } = query;
  if (query.matches !== undefined) return selectMatching(db, query, query.matches);
  const fits = createByteBudget(query.maxBytes);
  const positions = findPositions(db, query).slice(0, limit);
  const events: TidingsEvent[] = [];
  for (const position of positions) {
    const event = readEvent(db, position);
    if (!fits(event)) break;
    events.push(event);
  }
  const last = positions[events.length - 1];
  const cursor = last === undefined ? after : cursorText(first, last);
  return { events, cursor, more: events.length < positions.length || (limit > 0 && positions.length === limit) };
}

function selectMatching(db: Database, query: EventQuery, isMatch: NonNullable<EventQuery['matches']>): EventPage {
  const { after, limit, first = 'oldest' } = query;
  const fits = createByteBudget(query.maxBytes);
  const events: TidingsEvent[] = [];
  const positions = findPositions(db, { ...query, limit: limit + MAX_READ }).slice(0, limit + MAX_READ);
  let [refused, length, last] = [0, 0, after];
  for (const position of positions) {
    const isEnough = events.length >= limit || refused >= MAX_READ || length >= MAX_READ_LENGTH;
    if (isEnough) return { events, cursor: last, more: true };
    const body = readBody(db, position);
    const event = JSON.parse(body) as TidingsEvent;
    if (!isMatch(event)) {
      refused += 1;
      length += body.length;
    } else if (fits(event)) events.push(event);
    else return { events, cursor: last, more: true };
    last = cursorText(first, position);
  }
  return { events, cursor: last, more: positions.length === limit + MAX_READ };
}

const readEvent = (db: Database, position: number) => JSON.parse(readBody(db, position)) as TidingsEvent;

function readBody(db: Database, position: number): string {
  const [body] = db.row('SELECT body FROM events WHERE position = ?', position) ?? [];
  return String(body);
}

/** A cursor is valid in one order only. Those of earlier versions are a number. */
const cursorText = (first: 'oldest' | 'newest', position: number) =>
  first === 'oldest' ? String(position) : `<${position}`;

/** The first positions that match, in the order of the page: at least as many as the limit, if there are as many. */
function findPositions(db: Database, query: EventQuery): readonly number[] {
  const { since, until, subject, after, limit, types, first = 'oldest' } = query;
  const isBackward = first === 'newest';
  const start = after === undefined ? undefined : Number(after.replace(/^</, ''));
  const [low, high] = [
    Math.max(isBackward ? 0 : (start ?? 0), (since === undefined ? 1 : firstPosition(db, since)) - 1),
    Math.min(
      isBackward ? (start ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER,
      (until === undefined ? Number.MAX_SAFE_INTEGER - 1 : lastPosition(db, until)) + 1,
    ),
  ];
  const range = `position > ? AND position < ? AND time >= ? AND time <= ?`;
  const order = `ORDER BY position ${isBackward ? 'DESC' : 'ASC'} LIMIT ?`;
  const bounds = [low, high, since ?? '', until ?? '~'] as const;
  const positionsOf = (rows: readonly Row[]) => rows.map(([position]) => Number(position));
  const wanted = types === undefined ? undefined : typesStored(db).filter(matchesAny(types));
  if (subject !== undefined) {
    // The events of one record are few.
    const among = wanted === undefined ? '' : ` AND type IN (${wanted.map(() => '?').join(', ')})`;
    // An earlier version stored tests with their subject.
    const sql = `SELECT position FROM events
      WHERE subject = ? AND json_extract(body, '$.test') IS NULL AND ${range}${among} ${order}`;
    return positionsOf(db.rows(sql, subject, ...bounds, ...(wanted ?? []), limit));
  }
  if (wanted === undefined)
    return positionsOf(db.rows(`SELECT position FROM events WHERE ${range} ${order}`, ...bounds, limit));
  // One search of the index for each type: a single query would sort all that match.
  const positions = wanted.flatMap((type) =>
    positionsOf(db.rows(`SELECT position FROM events WHERE type = ? AND ${range} ${order}`, type, ...bounds, limit)),
  );
  return positions.sort((a, b) => (isBackward ? b - a : a - b));
}

/**
 * Where to begin, and where to end. Events are recorded in about the order of their times, but a clock may have been put back:
 * so these are bounds, by the hour, and the times of the events are compared too.
 */
function firstPosition(db: Database, since: string): number {
  const [first] = db.row('SELECT min(first) FROM event_hours WHERE hour >= ?', since.slice(0, HOUR_LENGTH)) ?? [];
  return Number(first ?? Number.MAX_SAFE_INTEGER);
}

function lastPosition(db: Database, until: string): number {
  const [last] = db.row('SELECT max(last) FROM event_hours WHERE hour <= ?', until.slice(0, HOUR_LENGTH)) ?? [];
  return Number(last ?? 0);
}

/** `2026-11-14T12` */
const HOUR_LENGTH = 13;

/** Skips from type to type in the index. */
function typesStored(db: Database): readonly string[] {
  const types: string[] = [];
  for (let last: string | undefined; ; types.push(last)) {
    const next = db.row('SELECT min(type) FROM events WHERE type > ?', last ?? '')?.[0];
    if (typeof next !== 'string') return types;
    last = next;
  }
}

function matchesAny(globs: readonly string[]): (type: string) => boolean {
  const compiled = globs.map(compileGlob);
  return (type) => compiled.some((matches) => matches(type));
}
