/** Where the ids of deliveries are: in the status lists, on the agenda or on the timeline, whichever has those that are asked for. */

import { QUEUE_AHEAD, QUEUE_GRACE } from '../../core/model/delivery.ts';
import { type Instant, plus } from '../../core/model/time.ts';
import type { DeliveryQuery, OpenDeliveryQuery } from '../../core/ports/delivery-store.ts';
import { compareText } from './agenda.ts';
import { bookedList, delayedList, placeOfDelivery, statusList } from './delivery-item.ts';
import { SHARDS, type StoredItem } from './keys.ts';
import type { LedgerTable } from './ledger-table.ts';
import type { Table } from './table.ts';
import { type Batch, type Timeline, timelinePlace } from './timeline.ts';

/** Ids on the timeline that one page reads to find those of a subscription: about 1 MB, and 250 read units. */
const MAX_TIMELINE_IDS = 10_000;

/** Entries of the agenda that one page reads: about as many read units. With more of them it reads the timeline. */
const MAX_AGENDA_ENTRIES = 10_000;

/** Deliveries of a status that one page reads to sort them by time: about 50 read units. With more of them it reads the timeline. */
const MAX_LISTED = 2000;

/** Of each shard of the agenda, for the pending deliveries of one subscription that are in no list: about 20 read units. */
const MAX_DUE_SOON = 1000;

interface CandidateQuery extends DeliveryQuery {
  /** Only those recorded before this place. Only if the newest come first. @default - all */
  readonly before?: string;
  /** Those recorded earlier may be left out. @default - none is */
  readonly since?: Instant;
}

export interface Candidate {
  readonly id: string;
  /** Its place on the timeline, as far as the index knows. */
  readonly at: string;
  /** The place the delivery must have to match. @default - any */
  readonly place?: string;
}

/** Says that much was read. A page ends there, and the next one continues after this place. */
interface ReadingEnd {
  readonly id?: undefined;
  readonly at: string;
}

/** As `candidates`, the newest first, and ends when much was read, however many deliveries of others there are. */
export async function* pageCandidates(
  table: Table,
  timeline: Timeline,
  query: CandidateQuery,
): AsyncGenerator<Candidate | ReadingEnd> {
  const { subscription, before } = query;
  const list = query.status === undefined ? undefined : statusList(query.status);
  if (list !== undefined && subscription !== undefined) {
    yield* candidates(table, timeline, query);
    return;
  }
  const listed = list === undefined ? undefined : await readList(table, list, MAX_LISTED);
  if (listed !== undefined) {
    yield* olderThan(before, inOrder(listed, 'newest'));
    return;
  }
  const onAgenda = query.status === 'pending' ? await readAgenda(table, MAX_AGENDA_ENTRIES) : undefined;
  if (onAgenda !== undefined) {
    yield* olderThan(before, inOrder(onAgenda.filter(isOf(subscription)), 'newest'));
    return;
  }
  let read = 0;
  for await (const batch of timeline.readAllBackward(before)) {
    yield* olderThan(before, ofBatch(batch, subscription).reverse());
    read += batch.deliveries.length + batch.events.length + 1;
    if (read >= MAX_TIMELINE_IDS) {
      yield { at: batch.name };
      return;
    }
  }
}

/** Ids in the requested order, from the cheapest source that has them. Some may not match the query. */
export function candidates(table: Table, timeline: Timeline, query: CandidateQuery): AsyncGenerator<Candidate> {
  if (query.status === 'pending') return fromAgenda(table, query);
  const list = query.status === undefined ? undefined : statusList(query.status);
  return list === undefined ? fromTimeline(timeline, query) : fromList(table, list, query);
}

async function* fromList(
  table: Table,
  list: string,
  { subscription, end = 'newest', limit, before, since }: CandidateQuery,
): AsyncGenerator<Candidate> {
  if (subscription !== undefined) {
    const items = table.query({
      index: 'lists',
      partition: ['list', list],
      range: rangeOf(subscription, before, since),
      backward: end === 'newest',
      step: Math.min(limit, 1000),
    });
    for await (const item of items) yield* olderThan(before, [{ id: String(item.pk), at: placeOfDelivery(item) }]);
    return;
  }
  yield* olderThan(before, inOrder((await readList(table, list)) ?? [], end));
}

/**
 * The list of a status is sorted by subscription, so all of it must be read to sort by time. Undefined if it has more entries than that.
 * @param most @default - reads all of them
 */
async function readList(
  table: Table,
  list: string,
  most = Number.POSITIVE_INFINITY,
): Promise<readonly StoredItem[] | undefined> {
  const all: StoredItem[] = [];
  for await (const item of table.query({ index: 'lists', partition: ['list', list] })) {
    if (all.push(item) > most) return undefined;
  }
  return all;
}

/** Places start with the time at which a delivery was recorded. */
function rangeOf(subscription: string, before = '~', since = '') {
  return { name: 'place', from: `${subscription}#${since}`, upTo: `${subscription}#${before}` };
}

function* olderThan(before: string | undefined, all: Iterable<Candidate>): Generator<Candidate> {
  for (const candidate of all) if (before === undefined || candidate.at < before) yield candidate;
}

/**
 * The pending deliveries of one subscription, oldest first: those that were put off from their lists, and those that are due within minutes
 * from the agenda, where most of them were only opened. What others have put off is not read.
 */
export async function* pendingOf(
  { table, clock }: LedgerTable,
  { subscription, only, limit = Number.POSITIVE_INFINITY }: OpenDeliveryQuery,
): AsyncGenerator<Candidate> {
  const found = new Map<unknown, StoredItem>();
  for (const list of only === 'delayed' ? [delayedList] : [delayedList, bookedList]) {
    const partition = ['list', list(subscription)] as const;
    for await (const item of table.query({ index: 'lists', partition })) {
      found.set(item.pk, item);
      if (found.size >= limit) break;
    }
  }
  const soon = only === undefined ? await readDueSoon(table, plus(clock.now(), QUEUE_AHEAD + QUEUE_GRACE)) : [];
  for (const item of soon.filter(isOf(subscription))) found.set(item.pk, item);
  yield* inOrder([...found.values()], 'oldest');
}

/** The latest of them first: what was opened just now is due after what could not be queued in time. */
async function readDueSoon(table: Table, upTo: Instant): Promise<readonly StoredItem[]> {
  const readShard = async (shard: string) => {
    const items: StoredItem[] = [];
    const range = { name: 'dueAt', upTo };
    const entries = table.query({
      ...{ index: 'agenda', partition: ['agenda', shard], range, backward: true, step: MAX_DUE_SOON },
    });
    for await (const item of entries) if (items.push(item) >= MAX_DUE_SOON) break;
    return items;
  };
  return (await Promise.all(SHARDS.map(readShard))).flat();
}

/** The agenda has all pending deliveries and little else. This query is too rare for its own index. */
async function* fromAgenda(
  table: Table,
  { subscription, end = 'newest', before }: CandidateQuery,
): AsyncGenerator<Candidate> {
  const all = (await readAgenda(table)) ?? [];
  yield* olderThan(before, inOrder(all.filter(isOf(subscription)), end));
}

/** Undefined if it has more entries than that. @param most @default - reads all of them */
async function readAgenda(table: Table, most = Number.POSITIVE_INFINITY): Promise<readonly StoredItem[] | undefined> {
  const all: StoredItem[] = [];
  for (const shard of SHARDS) {
    for await (const item of table.query({ index: 'agenda', partition: ['agenda', shard] })) {
      if (all.push(item) > most) return undefined;
    }
  }
  return all;
}

const isOf = (subscription: string | undefined) => (one: StoredItem) =>
  subscription === undefined || one.subscription === subscription;

function* inOrder(items: readonly StoredItem[], end: 'newest' | 'oldest'): Generator<Candidate> {
  const sign = end === 'oldest' ? 1 : -1;
  const sorted = items.toSorted((a, b) => sign * compareText(placeOfDelivery(a), placeOfDelivery(b)));
  for (const item of sorted) yield { id: String(item.pk), at: placeOfDelivery(item) };
}

async function* fromTimeline(
  timeline: Timeline,
  { subscription, end = 'newest', before }: CandidateQuery,
): AsyncGenerator<Candidate> {
  for await (const batch of end === 'oldest' ? timeline.readAll() : timeline.readAllBackward(before)) {
    const matching = ofBatch(batch, subscription);
    yield* olderThan(before, end === 'oldest' ? matching : matching.reverse());
  }
}

function ofBatch({ name, deliveries }: Batch, subscription: string | undefined): Candidate[] {
  return deliveries.flatMap((entry, n) => {
    const place = timelinePlace(name, n);
    return subscription === undefined || entry.subscription === subscription
      ? [{ id: entry.id, place, at: place }]
      : [];
  });
}
