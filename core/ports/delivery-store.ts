/** Port: deliveries and their attempts. Every write is conditional, so concurrent workers cannot undo each other. */

import type { Delivery, DeliveryStatus } from '../model/delivery.ts';

export interface DeliveryQuery {
  /** @default - any */
  readonly status?: DeliveryStatus;
  /** @default - any */
  readonly subscription?: string;
  /** Which ones to return when there are more than `limit`. The result is oldest first either way. @default newest */
  readonly end?: 'newest' | 'oldest';
  readonly limit: number;
}

export interface DeliveryStore {
  get(id: string): Promise<Delivery | undefined>;
  list(query: DeliveryQuery): Promise<readonly Delivery[]>;
  /** All deliveries of this event, in the order they were recorded, including those of removed subscriptions. */
  listByEvent(eventId: string): Promise<readonly Delivery[]>;
  /** Saves a delivery after one more attempt. Returns false and writes nothing when that attempt is already recorded. */
  saveAttempt(delivery: Delivery): Promise<boolean>;
  /** Saves `next` if status, number of attempts and due time are still those of `seen`. */
  update(seen: Delivery, next: Delivery): Promise<boolean>;
  /**
   * Records the group unless it exists, and marks the members whose events it carries as gathered. A member is marked only
   * while it is waiting or held. The first member, after which the group is named, is marked last, so that an interrupted
   * call can be repeated and leaves nothing out. Returns the stored group.
   */
  gather(group: Delivery, members: readonly Delivery[]): Promise<Delivery>;
}
