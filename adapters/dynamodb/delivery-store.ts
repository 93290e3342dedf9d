/** DeliveryStore on DynamoDB. Lists are read from the agenda, the status lists or the timeline, whichever has the ids. */

import { attemptsMade, type Delivery } from '../../core/model/delivery.ts';
import type { DeliveryQuery, DeliveryStore } from '../../core/ports/delivery-store.ts';
import { inParallel } from '../aws/parallel.ts';
import { compareText } from './agenda.ts';
import { changingAttributes, deliveryFromItem, deliveryItem, placeOfDelivery, statusList } from './delivery-item.ts';
import { deliveriesNamedBy } from './event-item.ts';
import { keepForDelivery } from './event-store.ts';
import type { Condition } from './expressions.ts';
import { deliveryKey, SHARDS } from './keys.ts';
import type { LedgerTable } from './ledger-table.ts';
import type { StoredItem, Table } from './table.ts';
import { type Timeline, timelinePlace } from './timeline.ts';

/** Lists are read consistently: gathering and releasing must see the current state. */
const CONSISTENT = true;

/** Index entries read at a time. */
const MAX_PAGE = 1000;

export function dynamoDeliveryStore(ledger: LedgerTable): DeliveryStore {
  const { table, timeline, retention } = ledger;

  const findConsistent = async (id: string): Promise<Delivery | undefined> => {
    const item = await table.get(deliveryKey(id), true);
    return item === undefined ? undefined : deliveryFromItem(item);
  };

  /**
   * Tries an eventually consistent read first, at half the price. A stale copy can at worst cause an attempt with an
   * outcome that is not saved, because every write is conditional. A missing item is read again consistently: its job
   * would be dropped.
   */
  const find = async (id: string): Promise<Delivery | undefined> => {
    const item = await table.get(deliveryKey(id), false);
    return item === undefined ? findConsistent(id) : deliveryFromItem(item);
  };

  const save = async (next: Delivery, condition: Condition): Promise<boolean> => {
    // First: if the process dies in between, the events are only kept longer than necessary.
    await keepForDelivery(ledger, next);
    const set = changingAttributes(next, retention);
    const outcome = await table.update(deliveryKey(next.id), { set }, condition);
    if (outcome !== 'unsure') return outcome === 'written';
    const kept = await findConsistent(next.id);
    return kept !== undefined && isSame(kept, next);
  };

  const conditionOf = ({ status, attempts, dueAt }: Delivery): Condition => ({
    status,
    attempt: attemptsMade({ attempts }) + 1,
    dueAt: dueAt ?? undefined,
  });
  const change = (seen: Delivery, next: Delivery) => save(next, conditionOf(seen));

  return {
    get: (id, consistent = false) => (consistent ? findConsistent(id) : find(id)),

    async list(query) {
      const found = await collect(table, candidates(table, timeline, query), query);
      const inOrder = query.end === 'oldest' ? found : found.reverse();
      return inOrder.map(deliveryFromItem);
    },

    async listIds(query) {
      const ids: string[] = [];
      const all = candidates(table, timeline, { ...query, end: 'oldest', limit: MAX_PAGE });
      for await (const { id } of all) ids.push(id);
      return ids;
    },

    async rename(seen, subscription) {
      const item = await table.get(deliveryKey(seen.id), true);
      if (item === undefined || item.subscription === subscription) return false;
      const set = { subscription, place: `${subscription}#${placeOfDelivery(item)}` };
      const outcome = await table.update(deliveryKey(seen.id), { set }, conditionOf(seen));
      if (outcome !== 'unsure') return outcome === 'written';
      return (await findConsistent(seen.id))?.subscription === subscription;
    },

    async listByEvent(eventId) {
      const ids: string[] = [];
      for await (const item of table.query({ partition: ['pk', eventId], consistent: true })) {
        const [kind, linked] = String(item.sk).split('#');
        if (kind === 'delivery' && linked !== undefined) ids.push(linked);
        else ids.push(...deliveriesNamedBy(item));
      }
      const all = new Map<unknown, StoredItem>();
      // A gathered delivery is part of a group, which may have been held and gathered again.
      for (let next: readonly unknown[] = ids; next.length > 0; ) {
        const found = await table.getMany(
          next.map((id) => deliveryKey(String(id))),
          CONSISTENT,
        );
        for (const item of found) all.set(item.pk, item);
        next = found.map(({ into }) => into).filter((into) => into !== undefined && !all.has(into));
      }
      const unique = [...all.values()];
      return unique.sort((a, b) => compareText(placeOfDelivery(a), placeOfDelivery(b))).map(deliveryFromItem);
    },

    async saveAttempt(delivery) {
      return save(delivery, { status: 'pending', attempt: attemptsMade(delivery) });
    },

    update: change,

    async gather(group, members) {
      const { id, subscription } = group;
      const places = await timeline.add({ events: [], deliveries: [{ id, subscription }] });
      await keepForDelivery(ledger, group);
      const item = deliveryItem(group, places.deliveries.get(id) ?? '', retention);
      const outcome = await table.put(item, { pk: undefined });
      const kept = outcome === 'written' ? group : ((await findConsistent(id)) ?? group);
      const carried = new Set(kept.events);
      // A group that was held and released waits like any other delivery, but is not a member of itself.
      const carriedMembers = members.filter(
        ({ id, events }) => id !== kept.id && events.every((event) => carried.has(event)),
      );
      // Not conditional on `dueAt`: since the member was read, tick may have postponed it, or a job that found the
      // subscription paused may have held it. Left unmarked, its events would be sent twice.
      const mark = async (member: Delivery): Promise<void> => {
        const gathered: Delivery = { ...member, status: 'gathered', dueAt: null, into: kept.id };
        const attempt = attemptsMade(member) + 1;
        if (!(await save(gathered, { status: 'waiting', attempt }))) await save(gathered, { status: 'held', attempt });
      };
      // The group's id is derived from its first member, which is marked last: if the process dies midway, the next run
      // finds the group through it.
      await inParallel(carriedMembers.slice(1), mark);
      await inParallel(carriedMembers.slice(0, 1), mark);
      return kept;
    },
  };
}

/** Whether the stored delivery is the result of the write with the lost response. */
function isSame(stored: Delivery, next: Delivery): boolean {
  const lastAttempt = ({ attempts }: Delivery) => attempts.at(-1);
  const same = stored.status === next.status && stored.dueAt === next.dueAt && stored.into === next.into;
  return (
    same &&
    attemptsMade(stored) === attemptsMade(next) &&
    lastAttempt(stored)?.at === lastAttempt(next)?.at &&
    lastAttempt(stored)?.ms === lastAttempt(next)?.ms
  );
}

interface Candidate {
  readonly id: string;
  /** The place the delivery must have to match. @default - any */
  readonly place?: string;
}

/** Ids in the requested order, from the cheapest source that has them. Some may not match the query. */
function candidates(table: Table, timeline: Timeline, query: DeliveryQuery): AsyncGenerator<Candidate> {
  if (query.status === 'pending') return fromAgenda(table, query);
  const list = query.status === undefined ? undefined : statusList(query.status);
  return list === undefined ? fromTimeline(timeline, query) : fromList(table, list, query);
}

async function* fromList(
  table: Table,
  list: string,
  { subscription, end = 'newest', limit }: DeliveryQuery,
): AsyncGenerator<Candidate> {
  const items = table.query({
    index: 'lists',
    partition: ['list', list],
    ...(subscription === undefined ? {} : { range: { name: 'place', prefix: `${subscription}#` } }),
    backward: end === 'newest',
    ...(subscription === undefined ? {} : { step: Math.min(limit, 1000) }),
  });
  if (subscription !== undefined) {
    for await (const { pk } of items) yield { id: String(pk) };
    return;
  }
  // The list is sorted by subscription, so all of it must be read to sort by time.
  const all: StoredItem[] = [];
  for await (const item of items) all.push(item);
  yield* inOrder(all, end);
}

/** The agenda has all pending deliveries and little else. This query is too rare for its own index. */
async function* fromAgenda(table: Table, { subscription, end = 'newest' }: DeliveryQuery): AsyncGenerator<Candidate> {
  const all: StoredItem[] = [];
  for (const shard of SHARDS) {
    for await (const item of table.query({ index: 'agenda', partition: ['agenda', shard] })) {
      if (subscription === undefined || item.subscription === subscription) all.push(item);
    }
  }
  yield* inOrder(all, end);
}

function* inOrder(items: readonly StoredItem[], end: 'newest' | 'oldest'): Generator<Candidate> {
  const sign = end === 'oldest' ? 1 : -1;
  const sorted = items.toSorted((a, b) => sign * compareText(placeOfDelivery(a), placeOfDelivery(b)));
  for (const { pk } of sorted) yield { id: String(pk) };
}

async function* fromTimeline(
  timeline: Timeline,
  { subscription, end = 'newest' }: DeliveryQuery,
): AsyncGenerator<Candidate> {
  for await (const { name, deliveries } of end === 'oldest' ? timeline.read() : timeline.readBackward()) {
    const named = deliveries.map((entry, n) => ({ ...entry, place: timelinePlace(name, n) }));
    const matching = named.filter((entry) => subscription === undefined || entry.subscription === subscription);
    yield* end === 'oldest' ? matching : matching.reverse();
  }
}

/** Reads candidates until enough of them match the query. */
async function collect(table: Table, from: AsyncGenerator<Candidate>, query: DeliveryQuery): Promise<StoredItem[]> {
  const found: StoredItem[] = [];
  let waiting: Candidate[] = [];
  const readWaiting = async (): Promise<void> => {
    const keys = waiting.map(({ id }) => deliveryKey(id));
    const items = new Map((await table.getMany(keys, CONSISTENT)).map((item) => [item.pk, item]));
    for (const { id, place } of waiting) {
      const item = items.get(deliveryKey(id).pk);
      const isMatch = item !== undefined && (query.status === undefined || item.status === query.status);
      if (isMatch && (place === undefined || place === placeOfDelivery(item))) found.push(item);
    }
    waiting = [];
  };
  for await (const candidate of from) {
    waiting.push(candidate);
    if (waiting.length >= Math.max(1, query.limit - found.length)) await readWaiting();
    if (found.length >= query.limit) break;
  }
  await readWaiting();
  return found.slice(0, query.limit);
}
