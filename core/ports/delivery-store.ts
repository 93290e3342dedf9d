/** Port: deliveries and their attempts. Every write is conditional, so concurrent workers cannot undo each other. */

import type { Delivery, DeliveryStatus } from '../model/delivery.ts';
import type { Instant } from '../model/time.ts';

export interface DeliveryQuery {
  /** @default - any */
  readonly status?: DeliveryStatus;
  /** @default - any */
  readonly subscription?: string;
  /** Which ones to return when there are more than `limit`. The result is oldest first either way. @default newest */
  readonly end?: 'newest' | 'oldest';
  readonly limit: number;
}

/** A page of deliveries, newest first. */
export interface DeliveryPageQuery {
  /** @default - any */
  readonly status?: DeliveryStatus;
  /** @default - any */
  readonly subscription?: string;
  /** The cursor of an earlier page: continue after it. @default - from the newest on */
  readonly after?: string;
  readonly limit: number;
  /** Ends the page before its deliveries take more bytes as JSON. It has at least one. @default - any number */
  readonly maxBytes?: number;
}

export interface DeliveryPage {
  /** Newest first. */
  readonly deliveries: readonly Delivery[];
  /**
   * Where this page ended; undefined when nothing follows. A reader that continues from it gets each older delivery once,
   * whatever is recorded in between. A page may be short, or empty, and yet have a cursor: one call reads a limited number
   * of deliveries that do not match.
   */
  readonly cursor: string | undefined;
}

/** Deliveries that are not finished. */
export interface OpenDeliveryQuery {
  readonly status: Exclude<DeliveryStatus, 'settled' | 'gathered'>;
  readonly subscription: string;
  /**
   * Which of the pending ones, where a store finds them sooner: `postponed` may leave out those due within minutes, `delayed` also those that
   * wait for their send slot. @default - all; of those due within minutes some may be left out while very many of others are
   */
  readonly only?: 'postponed' | 'delayed';
  /** Those that were recorded earlier may be left out. @default - none is */
  readonly since?: Instant;
  /** @default - all */
  readonly limit?: number | undefined;
}

export interface DeliveryStore {
  /** @param consistent whether the result must include every earlier write. @default false: it may lag behind */
  get(id: string, consistent?: boolean): Promise<Delivery | undefined>;
  list(query: DeliveryQuery): Promise<readonly Delivery[]>;
  page(query: DeliveryPageQuery): Promise<DeliveryPage>;
  /** The ids of the deliveries of a subscription with this status, oldest first. An index may lag behind: check the delivery. */
  listIds(query: OpenDeliveryQuery): Promise<readonly string[]>;
  /**
   * The deliveries of this event, in the order they were recorded, including those of removed subscriptions.
   * @param subscriptions only theirs: a key can replay an event to its own ones any number of times. @default - of all
   * @param most no more than these, to show them: those of one subscription leave out none of the others. @default - all
   */
  listByEvent(eventId: string, subscriptions?: readonly string[], most?: number): Promise<readonly Delivery[]>;
  /** Saves a delivery after one more attempt. Returns false and writes nothing when that attempt is already recorded. */
  saveAttempt(delivery: Delivery): Promise<boolean>;
  /** Saves `next` if subscription, status, number of attempts and due time are still those of `before`. */
  update(before: Delivery, next: Delivery): Promise<boolean>;
  /** Moves a delivery to another subscription, and to its incarnation, under the same condition. */
  rename(before: Delivery, subscription: string, incarnation?: string): Promise<boolean>;
  /**
   * Records the group unless it exists, and marks the members whose events it carries as gathered. A member is marked only
   * while it is waiting or held. The first member, after which the group is named, is marked last, so that an interrupted
   * call can be repeated and leaves nothing out. Returns the stored group.
   */
  gather(group: Delivery, members: readonly Delivery[]): Promise<Delivery>;
}
