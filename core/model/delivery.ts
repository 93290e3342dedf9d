/** One event, or a group of them, on its way to one subscription, with its attempts, until settled or given up. */

import { createHash } from 'node:crypto';
import type { TidingsEvent } from './event.ts';
import { type Instant, MINUTE, plus } from './time.ts';

/**
 * `waiting`: for its digest, for the end of quiet hours, or for others to be told with it; `pending`: attempts to come;
 * `held`: its subscription is paused or disabled; `gathered`: another delivery carries it; `settled`: the receiver has
 * it, or there was nothing left to tell; `failed`: given up, kept for replay.
 */
export const DELIVERY_STATUSES = ['waiting', 'pending', 'held', 'gathered', 'settled', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface Attempt {
  /** 1 for the first. */
  readonly number: number;
  readonly at: Instant;
  readonly ms: number;
  /** `skipped`: nothing was sent, for nothing of it was true any longer. */
  readonly outcome: 'accepted' | 'retry' | 'gave-up' | 'skipped';
  /** HTTP status, where there was an answer. */
  readonly status?: number;
  /** Error code, where there was no success. */
  readonly code?: string;
  readonly message?: string;
  /** First 4 KB of the answer. */
  readonly body?: string;
  /** The receiver's own name for the request, to ask its people about. */
  readonly requestId?: string;
  /** Of several receivers, those who took it although the attempt failed: the next one leaves them out. @default - nobody */
  readonly reached?: readonly string[];
}

/** `replay`: sent again because a person asked; `test`: made up, to see whether it arrives. */
export type DeliveryMark = 'replay' | 'test';

export interface Delivery {
  readonly id: string;
  readonly subscription: string;
  readonly events: readonly string[];
  readonly status: DeliveryStatus;
  readonly createdAt: Instant;
  readonly settledAt: Instant | null;
  /** The delivery's place on the agenda: when tick puts it on the queue (again). null when nothing will happen by itself. */
  readonly dueAt: Instant | null;
  readonly attempts: readonly Attempt[];
  /** The delivery that carries its events now. Only of `gathered` ones. */
  readonly into?: string;
  /** @default - the event as it happened */
  readonly mark?: DeliveryMark;
}

/**
 * How long a delivery on the queue is left alone before tick queues it once more. It covers a process that died
 * between recording and queueing; 2 min is well past an attempt's 15 s and the queue's 60 s of invisibility.
 */
export const QUEUE_GRACE = 2 * MINUTE;

/** A new delivery. Its id follows from event and subscription, so announcing twice opens it once. */
export function openDelivery(event: TidingsEvent, subscription: string, now: Instant, tellAt?: Instant): Delivery {
  return {
    id: deliveryId(event.id, subscription),
    subscription,
    events: [event.id],
    status: tellAt === undefined ? 'pending' : 'waiting',
    createdAt: now,
    settledAt: null,
    dueAt: tellAt ?? plus(now, QUEUE_GRACE),
    attempts: [],
  };
}

/** One delivery in place of several that waited. Its id follows from the first: gathering again gives the same one. */
export function openGroup(members: readonly [Delivery, ...Delivery[]], now: Instant): Delivery {
  const [first] = members;
  return {
    ...first,
    id: deliveryId('group', first.id),
    events: [...new Set(members.flatMap(({ events }) => events))],
    status: 'pending',
    createdAt: now,
    dueAt: plus(now, QUEUE_GRACE),
  };
}

export function deliveryId(...parts: readonly string[]): string {
  return `dlv_${createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32)}`;
}
