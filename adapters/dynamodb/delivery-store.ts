/** DeliveryStore on DynamoDB. Lists are read from the agenda, the status lists or the timeline, whichever has the ids. */

import { attemptsMade, type Delivery, isCarriedBy } from '../../core/model/delivery.ts';
import type { DeliveryStore } from '../../core/ports/delivery-store.ts';
import { inParallel } from '../aws/parallel.ts';
import { compareText } from './agenda.ts';
import { candidates, pendingOf } from './delivery-candidates.ts';
import {
  bookedList,
  changingAttributes,
  delayedList,
  deliveryFromItem,
  deliveryItem,
  placeOfDelivery,
} from './delivery-item.ts';
import { collectDeliveries, readDeliveryPage } from './delivery-page.ts';
import { deliveriesNamedBy } from './event-item.ts';
import { keepForDelivery } from './event-store.ts';
import type { Condition } from './expressions.ts';
import { deliveryKey, isDeliveryId, isEventId, type StoredItem } from './keys.ts';
import type { LedgerTable } from './ledger-table.ts';

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

  const conditionOf = ({ subscription, status, attempts, dueAt }: Delivery): Condition => ({
    subscription,
    status,
    attempt: attemptsMade({ attempts }) + 1,
    dueAt: dueAt ?? undefined,
  });
  const change = (before: Delivery, next: Delivery) => save(next, conditionOf(before));

  return {
    async get(id, consistent = false) {
      if (!isDeliveryId(id)) return undefined;
      return consistent ? findConsistent(id) : find(id);
    },

    async list(query) {
      const deliveries = await collectDeliveries(table, candidates(table, timeline, query), query);
      const inOrder = query.end === 'oldest' ? deliveries : deliveries.reverse();
      return inOrder.map(deliveryFromItem);
    },

    page: (query) => readDeliveryPage(ledger, query),

    async listIds(query) {
      const ids: string[] = [];
      const { limit = Number.POSITIVE_INFINITY } = query;
      const all =
        query.status === 'pending'
          ? pendingOf(ledger, query)
          : candidates(table, timeline, { ...query, end: 'oldest', limit: MAX_PAGE });
      for await (const { id } of all) if (ids.push(id) >= limit) break;
      return ids;
    },

    async rename(before, subscription, incarnation) {
      const item = await table.get(deliveryKey(before.id), true);
      if (item === undefined || item.subscription === subscription) return false;
      const ownList = [delayedList, bookedList].find((listOf) => listOf(before.subscription) === item.list);
      const list = ownList === undefined ? {} : { list: ownList(subscription) };
      const set = { subscription, place: `${subscription}#${placeOfDelivery(item)}`, incarnation, ...list };
      const outcome = await table.update(deliveryKey(before.id), { set }, conditionOf(before));
      if (outcome !== 'unsure') return outcome === 'written';
      return (await findConsistent(before.id))?.subscription === subscription;
    },

    async listByEvent(eventId, subscriptions, most = Number.POSITIVE_INFINITY) {
      if (!isEventId(eventId)) return [];
      const ids: string[] = [];
      // The item of the event comes before the links, which replays make: it names what was sent at first.
      for await (const item of table.query({ partition: ['pk', eventId], consistent: true, backward: true })) {
        const [kind, linked] = String(item.sk).split('#');
        if (kind === 'delivery' && linked !== undefined) ids.push(linked);
        else ids.push(...deliveriesNamedBy(item));
        if (subscriptions === undefined && ids.length >= most) break;
      }
      const all = new Map<unknown, StoredItem>();
      // A gathered delivery is part of a group, which may have been held and gathered again.
      const first = subscriptions === undefined ? ids.slice(0, most) : ids;
      for (let next: readonly unknown[] = first; next.length > 0; ) {
        const items = await table.getMany(
          next.map((id) => deliveryKey(String(id))),
          true,
        );
        for (const item of items) all.set(item.pk, item);
        next = items.map(({ into }) => into).filter((into) => into !== undefined && !all.has(into));
      }
      const unique = [...all.values()].sort((a, b) => compareText(placeOfDelivery(a), placeOfDelivery(b)));
      const deliveries = unique.map(deliveryFromItem);
      return subscriptions === undefined
        ? deliveries
        : deliveries.filter(({ subscription }) => subscriptions.includes(subscription)).slice(-most);
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
      // A group that was held and released waits like any other delivery, but is not a member of itself.
      const carriedMembers = members.filter((member) => isCarriedBy(kept, member));
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
