/**
 * Finds the delivery of an open digest of a day, among those of all subscriptions that had its name on that day: each of them has
 * a digest of its own. Changes nothing.
 */

import { type Delivery, digestId, type OpenDigest } from '../model/delivery.ts';
import { listFormerNames } from '../model/former-names.ts';
import { incarnationOf, isIncarnation, type Subscription } from '../model/subscription.ts';
import type { Instant } from '../model/time.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';

/** What of the subscription decides which deliveries are its own. */
type DigestOwner = Pick<Subscription, 'name' | 'renamedFrom' | 'formerNames' | 'declared' | 'createdAt'>;

export interface DigestOfDay {
  /** The id of its delivery, whether or not it is stored. */
  readonly id: string;
  /** @default - it is not stored */
  readonly own?: Delivery;
  /** The delivery with that id, which an earlier subscription of the name has left unsent. @default - there is none */
  readonly leftBehind?: Delivery;
}

/** The first subscription of a day has the id that is derived from its name. One after it has another id only if that one is taken. */
export async function findDigest(
  deliveries: Pick<DeliveryStore, 'get'>,
  subscription: DigestOwner,
  day: OpenDigest,
  now: Instant,
): Promise<DigestOfDay> {
  const { name, renamedFrom = name, createdAt } = subscription;
  const id = digestId(day, renamedFrom);
  const stored = await deliveries.get(id);
  if (stored === undefined) return { id };
  const names = [name, ...listFormerNames(subscription, now)];
  if (names.includes(stored.subscription) && isIncarnation(subscription, stored.incarnation))
    return { id, own: stored };
  // Declaring a subscription changes its incarnation, and not when it was added.
  const incarnation = createdAt ?? incarnationOf(subscription);
  const ownId = incarnation === undefined ? id : digestId(day, renamedFrom, incarnation);
  const own = ownId === id ? undefined : await deliveries.get(ownId);
  if (own !== undefined) return { id: ownId, own };
  return stored.subscription === name && isUnsent(stored) ? { id, leftBehind: stored } : { id: ownId };
}

const isUnsent = ({ status }: Delivery) => status === 'waiting' || status === 'pending' || status === 'held';
