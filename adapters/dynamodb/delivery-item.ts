/** Converts a delivery to an item and back. The item has attributes for the agenda, for lists and for its expiry. */

import { attemptsMade, type Delivery, type DeliveryStatus, QUEUE_GRACE } from '../../core/model/delivery.ts';
import { type Duration, plus } from '../../core/model/time.ts';
import { deliveryKey, type NewItem, type StoredItem, shardOf } from './keys.ts';
import { toSeconds } from './timeline.ts';

/** Statuses with their own list. Finished deliveries are found on the timeline, pending ones see below. */
const LISTED_STATUSES: readonly DeliveryStatus[] = ['waiting', 'held', 'failed'];

export function statusList(status: DeliveryStatus): string | undefined {
  return LISTED_STATUSES.includes(status) ? `delivery#${status}` : undefined;
}

/**
 * Pending deliveries that were put off, by subscription: what is done with those of one reads those of no other. Without those that were
 * only opened: most deliveries never enter a list. They are due within minutes, and found on the agenda.
 */
export const delayedList = (subscription: string) => `delayed#${subscription}`;

/** Those that wait for their send slot: when a receiver is back, they do not come sooner. */
export const bookedList = (subscription: string) => `booked#${subscription}`;

function listOf({ subscription, status, dueAt, slot }: Delivery): string | undefined {
  if (status !== 'pending' || dueAt === null) return statusList(status);
  return slot?.at === dueAt ? bookedList(subscription) : delayedList(subscription);
}

/** The attributes of a delivery that can change. Undefined ones are removed from the item. */
export function changingAttributes(delivery: Delivery, retention: Duration): Record<string, unknown> {
  const { id, status, settledAt, dueAt, attempts, slot, notBefore, into, createdAt, incarnation } = delivery;
  return {
    status,
    attempts,
    // The number of the next attempt: part of agenda entries, and the condition of writes.
    attempt: attemptsMade(delivery) + 1,
    settledAt: settledAt ?? undefined,
    slot,
    notBefore,
    into,
    incarnation,
    dueAt: dueAt ?? undefined,
    agenda: dueAt === null ? undefined : shardOf(id),
    list: listOf(delivery),
    // Unfinished deliveries do not expire.
    expiresAt: dueAt === null ? toSeconds(plus(createdAt, retention)) : undefined,
  };
}

export function deliveryItem(delivery: Delivery, place: string, retention: Duration): NewItem {
  const { id, subscription, events, createdAt, mark, standing, person, status, dueAt } = delivery;
  // A replay of many events, and a copy from another database, have later ones.
  const isDueSoon = dueAt !== null && dueAt <= plus(createdAt, QUEUE_GRACE);
  return {
    ...deliveryKey(id),
    subscription,
    events,
    createdAt,
    mark,
    standing,
    person,
    place: `${subscription}#${place}`,
    ...changingAttributes(delivery, retention),
    list: isDueSoon ? statusList(status) : listOf(delivery),
  };
}

/** Unchecked: only `deliveryItem` and `changingAttributes` write these items. */
export function deliveryFromItem(item: StoredItem): Delivery {
  const { pk, sk: _, place: __, attempt: ___, agenda: ____, list: _____, expiresAt: ______, ...rest } = item;
  const stored = rest as unknown as Delivery;
  return {
    ...stored,
    id: String(pk),
    settledAt: stored.settledAt ?? null,
    dueAt: stored.dueAt ?? null,
  };
}

/** Its place on the timeline. */
export function placeOfDelivery({ place }: StoredItem): string {
  const text = String(place);
  return text.slice(text.lastIndexOf('#', text.lastIndexOf('#') - 1) + 1);
}
