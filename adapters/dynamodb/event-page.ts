/** A page of recorded events, along the timeline or of one subject, and where to go on. Reads; records nothing. */

import type { TidingsEvent } from '../../core/model/event.ts';
import { plus } from '../../core/model/time.ts';
import type { EventPage, EventQuery } from '../../core/ports/event-store.ts';
import { inGroups } from '../aws/parallel.ts';
import { instantOf, type Progress, progressFrom, RECORDING } from './cursor.ts';
import { eventsFromItem, pointsTo } from './event-item.ts';
import type { LedgerTable } from './ledger-table.ts';
import type { StoredItem } from './table.ts';
import { batchOf } from './timeline.ts';

/** The items of these events, and of those they point to. */
export type FindItems = (ids: readonly string[]) => Promise<ReadonlyMap<string, StoredItem>>;

/** An event, and where it stands. */
interface Placed {
  readonly event: TidingsEvent;
  readonly place: string;
}

/** What was recorded together: a batch of the timeline, or one transition of a record. */
interface Stretch {
  readonly name: string;
  /** In their order. Undefined: it is just being written. */
  readonly placed: readonly Placed[] | undefined;
}

/** As many as are read in one request. */
const BATCH_SIZE = 100;

/** Everything there is is shown at once; whoever goes on from the cursor misses nothing that was slower. */
export async function eventPage(parts: LedgerTable, find: FindItems, query: EventQuery): Promise<EventPage> {
  const { since = '', subject, after, limit } = query;
  const progress = progressFrom(after);
  const stretches =
    subject === undefined ? alongTimeline(parts, find, progress, query) : ofSubject(parts, find, progress, subject);
  const events = await take(stretches, progress, limit, ({ time }) => time >= since);
  return { events, cursor: events.length === 0 ? after : progress.cursor() };
}

async function take(
  stretches: AsyncGenerator<Stretch>,
  progress: Progress,
  limit: number,
  isMeant: (event: TidingsEvent) => boolean,
): Promise<readonly TidingsEvent[]> {
  const events: TidingsEvent[] = [];
  for await (const { name, placed } of stretches) {
    if (placed === undefined) {
      progress.hold(name);
      continue;
    }
    for (const { event, place } of placed) {
      if (progress.isTaken(name, place) || !isMeant(event)) continue;
      if (events.length >= limit) return events;
      events.push(event);
      progress.take(name, place);
    }
    progress.pass(name);
  }
  return events;
}

async function* alongTimeline(
  { timeline, clock }: LedgerTable,
  find: FindItems,
  { from, isDone }: Progress,
  { since }: EventQuery,
): AsyncGenerator<Stretch> {
  for await (const { name, events } of timeline.read({ from, since })) {
    if (isDone(name)) continue;
    const items = await find(events);
    const isWhole = events.every((id) => items.has(id));
    const isRecording = plus(instantOf(name), RECORDING) > clock.now();
    const placed = events.flatMap((id) => placedIn(name, items.get(id)));
    yield { name, placed: isWhole || !isRecording ? placed : undefined };
  }
}

async function* ofSubject(
  { table }: LedgerTable,
  find: FindItems,
  { from, isDone }: Progress,
  subject: string,
): AsyncGenerator<Stretch> {
  const listed: { readonly id: string; readonly name: string }[] = [];
  const range = from === undefined ? {} : { range: { name: 'place', from, upTo: '~' } };
  for await (const { pk, place } of table.query({ index: 'lists', partition: ['list', subject], ...range })) {
    if (!isDone(String(place))) listed.push({ id: String(pk), name: String(place) });
  }
  for (const group of inGroups(listed, BATCH_SIZE)) {
    const items = await find(group.map(({ id }) => id));
    for (const { id, name } of group) {
      const item = items.get(id);
      yield { name, placed: item === undefined ? [] : placedOf(item) };
    }
  }
}

/** What a batch names may have been recorded before, or again: it stands where it says itself. */
function placedIn(batch: string, item: StoredItem | undefined): readonly Placed[] {
  if (item === undefined || pointsTo(item) !== undefined) return [];
  return batchOf(String(item.place)) === batch ? placedOf(item) : [];
}

/** Those of one transition stand at one place, one after the other. */
function placedOf(item: StoredItem): Placed[] {
  const { events, place } = eventsFromItem(item);
  return events.map((event, n) => ({ event, place: n === 0 ? place : `${place}+${String(n).padStart(2, '0')}` }));
}
