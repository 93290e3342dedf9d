/** A delivery as an item, and back: with its place on the agenda, in the lists, and the day from which it may go. */

import { attemptsMade, type Delivery, type DeliveryStatus } from '../../core/model/delivery.ts';
import { type Duration, plus } from '../../core/model/time.ts';
import { deliveryKey, type NewItem, shardOf } from './keys.ts';
import type { StoredItem } from './table.ts';
import { toSeconds } from './timeline.ts';

/** Those that somebody asks for by status; what is pending is on the agenda, what is over is found on the timeline. */
const LISTED: readonly DeliveryStatus[] = ['waiting', 'held', 'failed'];

export function statusList(status: DeliveryStatus): string | undefined {
  return LISTED.includes(status) ? `delivery#${status}` : undefined;
}

/** Everything about a delivery that can change; what is undefined goes from the item. */
export function changingAttributes(delivery: Delivery, retention: Duration): Record<string, unknown> {
  const { id, status, settledAt, dueAt, attempts, into, createdAt } = delivery;
  return {
    status,
    attempts,
    // Of the attempt to make next: told by the agenda, and what a write depends on.
    attempt: attemptsMade(delivery) + 1,
    settledAt: settledAt ?? undefined,
    into,
    dueAt: dueAt ?? undefined,
    agenda: dueAt === null ? undefined : shardOf(id),
    list: statusList(status),
    // What is on its way is kept whatever its age.
    expiresAt: dueAt === null ? toSeconds(plus(createdAt, retention)) : undefined,
  };
}

export function deliveryItem(delivery: Delivery, place: string, retention: Duration): NewItem {
  const { id, subscription, events, createdAt, mark } = delivery;
  return {
    ...deliveryKey(id),
    subscription,
    events,
    createdAt,
    mark,
    place: `${subscription}#${place}`,
    ...changingAttributes(delivery, retention),
  };
}

/** We wrote it, in this form. */
export function deliveryFromItem(item: StoredItem): Delivery {
  const { pk, sk: _, place: __, attempt: ___, agenda: ____, list: _____, expiresAt: ______, ...rest } = item;
  const kept = rest as unknown as Delivery;
  return {
    ...kept,
    id: String(pk),
    settledAt: kept.settledAt ?? null,
    dueAt: kept.dueAt ?? null,
  };
}

/** Where it stands on the timeline. */
export function placeOfDelivery({ place }: StoredItem): string {
  const text = String(place);
  return text.slice(text.lastIndexOf('#', text.lastIndexOf('#') - 1) + 1);
}
