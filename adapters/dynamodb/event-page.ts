/** Reads a page of recorded events, from the timeline or of one subject, and the cursor of the next page. */

import type { TidingsEvent } from '../../core/model/event.ts';
import { plus } from '../../core/model/time.ts';
import type { EventPage, EventQuery } from '../../core/ports/event-store.ts';
import { inGroups } from '../aws/parallel.ts';
import { instantOf, MAX_RECORDING_TIME, type Progress, parseCursor } from './cursor.ts';
import { eventsFromItem, pointsTo } from './event-item.ts';
import type { LedgerTable } from './ledger-table.ts';
import type { StoredItem } from './table.ts';
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

/** Returns everything that is already written. A segment that is written later is returned by a later page. */
export async function readEventPage(ledger: LedgerTable, find: FindItems, query: EventQuery): Promise<EventPage> {
  const { since = '', subject, after, limit } = query;
  const progress = parseCursor(after);
  const segments =
    subject === undefined ? readTimeline(ledger, find, progress, query) : readSubject(ledger, find, progress, subject);
  const events = await collect(segments, progress, limit, ({ time }) => time >= since);
  return { events, cursor: events.length === 0 ? after : progress.cursor() };
}

async function collect(
  segments: AsyncGenerator<Segment>,
  progress: Progress,
  limit: number,
  isMatch: (event: TidingsEvent) => boolean,
): Promise<readonly TidingsEvent[]> {
  const collected: TidingsEvent[] = [];
  for await (const { name, events } of segments) {
    if (events === undefined) {
      progress.markIncomplete(name);
      continue;
    }
    for (const { event, place } of events) {
      if (progress.isReturned(name, place) || !isMatch(event)) continue;
      if (collected.length >= limit) return collected;
      collected.push(event);
      progress.markReturned(name, place);
    }
    progress.markDone(name);
  }
  return collected;
}

async function* readTimeline(
  { timeline, clock }: LedgerTable,
  find: FindItems,
  { from, isDone }: Progress,
  { since }: EventQuery,
): AsyncGenerator<Segment> {
  for await (const { name, events: ids } of timeline.read({ from, since })) {
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
  const listed: { readonly id: string; readonly name: string }[] = [];
  const range = from === undefined ? {} : { range: { name: 'place', from, upTo: '~' } };
  for await (const { pk, place } of table.query({ index: 'lists', partition: ['list', subject], ...range })) {
    if (!isDone(String(place))) listed.push({ id: String(pk), name: String(place) });
  }
  for (const group of inGroups(listed, BATCH_SIZE)) {
    const items = await find(group.map(({ id }) => id));
    for (const { id, name } of group) {
      const item = items.get(id);
      yield { name, events: item === undefined ? [] : placedEvents(item) };
    }
  }
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
