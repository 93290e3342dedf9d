/** Reads a page of recorded events, from the timeline or of one subject, and the cursor of the next page. */

import { compileGlob } from '../../core/filters/match.ts';
import { createByteBudget } from '../../core/model/byte-budget.ts';
import { SUBJECT_PATTERN, type TidingsEvent } from '../../core/model/event.ts';
import { DAY, HOUR, plus } from '../../core/model/time.ts';
import type { EventPage, EventQuery } from '../../core/ports/event-store.ts';
import { instantOf, isPosition, MAX_RECORDING_TIME, type Progress, parseCursor } from './cursor.ts';
import { eventsFromItem, pointsTo } from './event-item.ts';
import type { StoredItem } from './keys.ts';
import type { LedgerTable } from './ledger-table.ts';
import { batchOf } from './timeline.ts';

/** Returns the items of these events and the items they point to. */
export type FindItems = (ids: readonly string[]) => Promise<ReadonlyMap<string, StoredItem>>;

/** An event and its place on the timeline. */
interface PlacedEvent {
  readonly event: TidingsEvent;
  readonly place: string;
}

/** Events that were recorded together: a batch of the timeline, or one transition of a record. */
interface Segment {
  readonly name: string;
  /** Undefined while the segment is being written. */
  readonly events: readonly PlacedEvent[] | undefined;
}

/** The maximum of one BatchGetItem request. */
const BATCH_SIZE = 100;

/**
 * How many events that do not match one call reads: about 1,000 read units. The page is then short, and its cursor is after
 * them.
 */
const MAX_READ = 1000;

/**
 * How long after its time an event may be recorded. The stream keeps a change for a day. Later batches hold no event from
 * before `until`.
 */
const MAX_RECORDING_DELAY = 2 * DAY;

/** Returns everything that is already written. A segment that is written later is returned by a later page. */
export async function readEventPage(ledger: LedgerTable, find: FindItems, query: EventQuery): Promise<EventPage> {
  const { subject, after } = query;
  if (after !== undefined && !isPosition(after)) return { events: [], cursor: after, more: false };
  // The index has other lists, of deliveries.
  if (subject !== undefined && !SUBJECT_PATTERN.test(subject)) return { events: [], cursor: after, more: false };
  if (query.first === 'newest') return readNewest(ledger, find, query);
  const progress = parseCursor(after);
  const segments =
    subject === undefined ? readTimeline(ledger, find, progress, query) : readSubject(ledger, find, progress, subject);
  const { events, hasProgress, more } = await collect(segments, progress, query);
  return { events, cursor: hasProgress ? progress.cursor() : after, more };
}

function matcherOf({
  subject,
  since = '',
  until = '~',
  types,
  matches: isWanted = () => true,
}: EventQuery): (event: TidingsEvent) => boolean {
  const globs = types?.map(compileGlob);
  return (event) =>
    event.time >= since &&
    event.time <= until &&
    // An earlier version listed tests by their subject.
    (subject === undefined || event.test !== true) &&
    (globs === undefined || globs.some((matches) => matches(event.type))) &&
    isWanted(event);
}

async function collect(
  segments: AsyncGenerator<Segment>,
  progress: Progress,
  query: EventQuery,
): Promise<{ readonly events: readonly TidingsEvent[]; readonly hasProgress: boolean; readonly more: boolean }> {
  const { limit } = query;
  const isMatch = matcherOf(query);
  const fits = createByteBudget(query.maxBytes);
  const collected: TidingsEvent[] = [];
  let unmatched = 0;
  let hasProgress = false;
  for await (const { name, events } of segments) {
    if (events === undefined) {
      progress.markIncomplete(name);
      continue;
    }
    for (const { event, place } of events) {
      if (progress.isReturned(name, place)) continue;
      if (!isMatch(event)) {
        unmatched += 1;
        continue;
      }
      if (collected.length >= limit || !fits(event)) return { events: collected, hasProgress, more: true };
      collected.push(event);
      progress.markReturned(name, place);
      hasProgress = true;
    }
    if (events.length > 0) hasProgress = true;
    progress.markDone(name);
    if (unmatched >= MAX_READ) return { events: collected, hasProgress, more: true };
  }
  return { events: collected, hasProgress, more: collected.length >= limit && limit > 0 };
}

/** The newest first. The cursor is the place of the last event that was read. */
async function readNewest(ledger: LedgerTable, find: FindItems, query: EventQuery): Promise<EventPage> {
  const { subject, since = '', after, limit } = query;
  const before = after?.replace(/^</, '');
  const isMatch = matcherOf(query);
  const fits = createByteBudget(query.maxBytes);
  const collected: TidingsEvent[] = [];
  let [unmatched, last] = [0, before];
  const segments =
    subject === undefined ? newestBatches(ledger, find, before) : newestOf(ledger, find, subject, before);
  for await (const { name, events = [] } of segments) {
    // An event is recorded after it happened.
    if (since !== '' && instantOf(name) < plus(since, -HOUR)) break;
    for (const { event, place } of events.toReversed()) {
      if (before !== undefined && place >= before) continue;
      if (collected.length >= limit || unmatched >= MAX_READ) {
        return { events: collected, cursor: `<${last}`, more: true };
      }
      const matches = isMatch(event);
      if (matches && !fits(event)) return { events: collected, cursor: `<${last}`, more: true };
      last = place;
      if (matches) collected.push(event);
      else unmatched += 1;
    }
  }
  return { events: collected, cursor: last === undefined ? after : `<${last}`, more: false };
}

async function* newestBatches({ timeline }: LedgerTable, find: FindItems, before?: string): AsyncGenerator<Segment> {
  for await (const { name, events: ids } of timeline.readEventsBackward(before)) {
    const items = ids.length === 0 ? new Map<string, StoredItem>() : await find(ids);
    yield { name, events: ids.flatMap((id) => eventsOfBatch(name, items.get(id))) };
  }
}

async function* newestOf(
  { table }: LedgerTable,
  find: FindItems,
  subject: string,
  before?: string,
): AsyncGenerator<Segment> {
  const range = before === undefined ? {} : { range: { name: 'place', upTo: before } };
  const listed = table.query({
    index: 'lists',
    partition: ['list', subject],
    backward: true,
    step: BATCH_SIZE,
    ...range,
  });
  for await (const { pk, place } of listed) {
    const item = (await find([String(pk)])).get(String(pk));
    yield { name: String(place), events: item === undefined ? [] : placedEvents(item) };
  }
}

async function* readTimeline(
  { timeline, clock }: LedgerTable,
  find: FindItems,
  { from, isDone }: Progress,
  { since, until }: EventQuery,
): AsyncGenerator<Segment> {
  const end = until === undefined ? '~' : plus(until, MAX_RECORDING_DELAY);
  for await (const { name, events: ids } of timeline.readEvents({ from, since })) {
    if (instantOf(name) > end) return;
    if (isDone(name)) continue;
    const items = await find(ids);
    const isComplete = ids.every((id) => items.has(id));
    const isRecording = plus(instantOf(name), MAX_RECORDING_TIME) > clock.now();
    const events = ids.flatMap((id) => eventsOfBatch(name, items.get(id)));
    yield { name, events: isComplete || !isRecording ? events : undefined };
  }
}

async function* readSubject(
  { table }: LedgerTable,
  find: FindItems,
  { from, isDone }: Progress,
  subject: string,
): AsyncGenerator<Segment> {
  const range = from === undefined ? {} : { range: { name: 'place', from, upTo: '~' } };
  const query = { index: 'lists', partition: ['list', subject], step: BATCH_SIZE, ...range } as const;
  let group: { readonly id: string; readonly name: string }[] = [];
  const readGroup = async () => {
    const items = await find(group.map(({ id }) => id));
    const segments = group.map(({ id, name }) => {
      const item = items.get(id);
      return { name, events: item === undefined ? [] : placedEvents(item) };
    });
    group = [];
    return segments;
  };
  // No further than the page needs: a record may have thousands of events.
  for await (const { pk, place } of table.query(query)) {
    if (!isDone(String(place))) group.push({ id: String(pk), name: String(place) });
    if (group.length === BATCH_SIZE) yield* await readGroup();
  }
  yield* await readGroup();
}

/** Events may be named by several batches if they were recorded again. They belong to the batch of their own place. */
function eventsOfBatch(batch: string, item: StoredItem | undefined): readonly PlacedEvent[] {
  if (item === undefined || pointsTo(item) !== undefined) return [];
  return batchOf(String(item.place)) === batch ? placedEvents(item) : [];
}

/** Events of one transition share a place; a suffix keeps their order. */
function placedEvents(item: StoredItem): PlacedEvent[] {
  const { events, place } = eventsFromItem(item);
  return events.map((event, n) => ({ event, place: n === 0 ? place : `${place}+${String(n).padStart(2, '0')}` }));
}
