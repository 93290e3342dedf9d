/**
 * The cursor of a reader of events. A position alone is not enough: a batch gets its name before it is written, so it may
 * appear before batches that were already read. The cursor therefore lists the batches of the last minute it has returned.
 * A segment is a batch of the timeline, or a transition in the list of a subject.
 */

import { fromMillis, type Instant, MINUTE, parseInstant, plus, toMillis } from '../../core/model/time.ts';

/** The maximum time from naming a batch until it and its events are written. Usually this takes seconds. */
export const MAX_RECORDING_TIME = MINUTE;

/**
 * How many batches a cursor lists: it is part of a URL. If more are recorded in a minute, the oldest are left out, and a batch
 * that appears among them later than that is missed.
 */
const MAX_LISTED = 400;

export interface Progress {
  /** Where to start reading. @default - at the oldest item */
  readonly from: string | undefined;
  /** Whether all events of this segment were returned. */
  isDone(segment: string): boolean;
  /** Whether the event at this place was returned, for a segment that was returned in part. */
  isReturned(segment: string, place: string): boolean;
  markReturned(segment: string, place: string): void;
  markDone(segment: string): void;
  /** The segment is still being written and must be read again. */
  markIncomplete(segment: string): void;
  /** The cursor from which the next page continues. */
  cursor(): string;
}

/** Segments are read in the order of their names, which start with an instant. Each place starts with its segment's name. */
export function parseCursor(after: string | undefined): Progress {
  const [from, places = '', names = ''] = after?.split(' ') ?? [];
  const done = new Set(
    splitList(names)
      .map((name) => expandName(name, from ?? ''))
      .filter(isPlace),
  );
  /** The last place returned of each segment that was returned in part. There can be several: one may appear before another. */
  let lastPlaces = splitList(places).filter(isPlace);
  const incomplete: string[] = [];
  const removeSegment = (segment: string) => {
    lastPlaces = lastPlaces.filter((place) => !place.startsWith(segment));
  };
  return {
    from,
    isDone: (segment) => done.has(segment),
    isReturned: (segment, place) => lastPlaces.some((last) => last.startsWith(segment) && place <= last),
    markReturned(segment, place) {
      removeSegment(segment);
      lastPlaces.push(place);
    },
    markDone(segment) {
      removeSegment(segment);
      done.add(segment);
    },
    markIncomplete: (segment) => incomplete.push(segment),
    cursor() {
      // Derived from the names alone, because the reader's clock may be wrong.
      const newest = [...done, ...lastPlaces].reduce((a, b) => (a > b ? a : b));
      const horizon = plus(instantOf(newest), -MAX_RECORDING_TIME);
      const listed = [...done].filter((name) => name >= horizon).sort();
      const first = listed.length > MAX_LISTED ? (listed.at(-MAX_LISTED) ?? horizon) : horizon;
      const start = incomplete.reduce((a, b) => (a < b ? a : b), first);
      const names = [...done].filter((name) => name >= start).map((name) => shortenName(name, start));
      return [start, lastPlaces.join(','), names.join(',')].join(' ');
    },
  };
}

const splitList = (text: string) => text.split(',').filter((one) => one !== '');

const NAME = /^(\d{4}-.{19})-(\d{5})(-.*)$/;

/** Milliseconds and count to the base of 36: `2026-11-14T12:00:01.000Z-00003-1f2e` from noon on is `rs.3-1f2e`. */
function shortenName(name: string, start: string): string {
  const [, instant, count, rest] = NAME.exec(name) ?? [];
  if (instant === undefined || rest === undefined) return name;
  const millis = toMillis(instant) - toMillis(instantOf(start));
  return `${millis.toString(36)}.${Number(count) === 0 ? '' : Number(count).toString(36)}${rest}`;
}

/** Names in cursors of earlier versions are whole. */
function expandName(text: string, start: string): string {
  const [, millis, count, rest] = /^([0-9a-z]+)\.([0-9a-z]*)(-.*)$/.exec(text) ?? [];
  if (millis === undefined || count === undefined) return text;
  const at = toMillis(instantOf(start)) + Number.parseInt(millis, 36);
  if (at > MAX_MILLIS) return text;
  const instant = fromMillis(at);
  return `${instant}-${String(count === '' ? 0 : Number.parseInt(count, 36)).padStart(5, '0')}${rest}`;
}

/** The last instant that a date can hold. */
const MAX_MILLIS = 8.64e15;

export const instantOf = (name: string): Instant => name.slice(0, 24);

/** Whether it starts with an instant, as all names of batches and places do. Callers may invent one. */
const isPlace = (name: string): boolean => parseInstant(instantOf(name)) !== undefined;

/** Whether a cursor starts with an instant, as all do. Nothing follows one that does not. */
export const isPosition = (cursor: string): boolean => isPlace(cursor.replace(/^</, ''));
