/** The deliveries of the ledger on DynamoDB, their places on the agenda, and the lists people and verbs ask for. */

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
import { placeOf, type Timeline } from './timeline.ts';

/** Lists are read consistently: what is gathered or let go of must be what it seems. */
const CONSISTENT = true;

export function dynamoDeliveryStore(ledger: LedgerTable): DeliveryStore {
  const { table, timeline, retention } = ledger;

  const findNow = async (id: string): Promise<Delivery | undefined> => {
    const item = await table.get(deliveryKey(id), true);
    return item === undefined ? undefined : deliveryFromItem(item);
  };

  /**
   * At half the price first: a copy that is a moment old can at worst lead to an attempt whose outcome is then refused,
   * since every write is on a condition. One that is not there yet is asked for again: its job would be dropped.
   */
  const find = async (id: string): Promise<Delivery | undefined> => {
    const item = await table.get(deliveryKey(id), false);
    return item === undefined ? findNow(id) : deliveryFromItem(item);
  };

  const save = async (next: Delivery, condition: Condition): Promise<boolean> => {
    // First: killed in between, the events are only kept longer than they had to be.
    await keepForDelivery(ledger, next);
    const set = changingAttributes(next, retention);
    const outcome = await table.update(deliveryKey(next.id), { set }, condition);
    if (outcome !== 'unsure') return outcome === 'written';
    const kept = await findNow(next.id);
    return kept !== undefined && isSame(kept, next);
  };

  const change = (seen: Delivery, next: Delivery) =>
    save(next, { status: seen.status, attempt: attemptsMade(seen) + 1, dueAt: seen.dueAt ?? undefined });

  return {
    get: find,

    async list(query) {
      const found = await collect(table, candidates(table, timeline, query), query);
      const inOrder = query.end === 'oldest' ? found : found.reverse();
      return inOrder.map(deliveryFromItem);
    },

    async listByEvent(eventId) {
      const ids: string[] = [];
      for await (const item of table.query({ partition: ['pk', eventId], consistent: true })) {
        const [kind, linked] = String(item.sk).split('#');
        if (kind === 'delivery' && linked !== undefined) ids.push(linked);
        else ids.push(...deliveriesNamedBy(item));
      }
      const all = new Map<unknown, StoredItem>();
      // What was gathered goes on as part of another, and that one may have been held and gathered again.
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
      const kept = outcome === 'written' ? group : ((await findNow(id)) ?? group);
      const carried = new Set(kept.events);
      // A group that was held and let go waits like any other: it is no member of itself.
      const whole = members.filter(({ id, events }) => id !== kept.id && events.every((event) => carried.has(event)));
      // Wherever it stands on the agenda by now: tick may have moved it while it was being gathered. And though somebody
      // who found the subscription paused holds it by now: left alone it would be told twice.
      const mark = async (member: Delivery): Promise<void> => {
        const gathered: Delivery = { ...member, status: 'gathered', dueAt: null, into: kept.id };
        const attempt = attemptsMade(member) + 1;
        if (!(await save(gathered, { status: 'waiting', attempt }))) await save(gathered, { status: 'held', attempt });
      };
      // The one it is named after waits until all others are marked: whoever goes on after a kill finds the group by it.
      await inParallel(whole.slice(1), mark);
      await inParallel(whole.slice(0, 1), mark);
      return kept;
    },
  };
}

/** Whether the write whose answer was lost is the one that is kept. */
function isSame(kept: Delivery, next: Delivery): boolean {
  const lastOf = ({ attempts }: Delivery) => attempts.at(-1);
  const same = kept.status === next.status && kept.dueAt === next.dueAt && kept.into === next.into;
  return (
    same &&
    attemptsMade(kept) === attemptsMade(next) &&
    lastOf(kept)?.at === lastOf(next)?.at &&
    lastOf(kept)?.ms === lastOf(next)?.ms
  );
}

interface Candidate {
  readonly id: string;
  /** Where it must stand to be meant; undefined: wherever it does. */
  readonly place?: string;
}

/** Ids in the order asked for, from whatever names them: some may not be meant after all. */
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
  // They are listed by subscription.
  const all: StoredItem[] = [];
  for await (const item of items) all.push(item);
  yield* inOrder(all, end);
}

/** All that is pending is on the agenda, and little else: asked for rarely, it is worth no index of its own. */
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
    const named = deliveries.map((entry, n) => ({ ...entry, place: placeOf(name, n) }));
    const meant = named.filter((entry) => subscription === undefined || entry.subscription === subscription);
    yield* end === 'oldest' ? meant : meant.reverse();
  }
}

/** Reads candidates until there are enough of those that are what was asked for. */
async function collect(table: Table, from: AsyncGenerator<Candidate>, query: DeliveryQuery): Promise<StoredItem[]> {
  const found: StoredItem[] = [];
  let waiting: Candidate[] = [];
  const take = async (): Promise<void> => {
    const keys = waiting.map(({ id }) => deliveryKey(id));
    const items = new Map((await table.getMany(keys, CONSISTENT)).map((item) => [item.pk, item]));
    for (const { id, place } of waiting) {
      const item = items.get(deliveryKey(id).pk);
      const isMeant = item !== undefined && (query.status === undefined || item.status === query.status);
      if (isMeant && (place === undefined || place === placeOfDelivery(item))) found.push(item);
    }
    waiting = [];
  };
  for await (const candidate of from) {
    waiting.push(candidate);
    if (waiting.length >= Math.max(1, query.limit - found.length)) await take();
    if (found.length >= query.limit) break;
  }
  await take();
  return found.slice(0, query.limit);
}
