/** One event on its way to one subscription, with its attempts, until settled or given up. */

import { createHash } from 'node:crypto';
import type { TidingsEvent } from './event.ts';
import { type Instant, MINUTE, plus } from './time.ts';

/** `pending`: more attempts to come; `settled`: the receiver has it; `failed`: given up, kept for replay. */
export type DeliveryStatus = 'pending' | 'settled' | 'failed';

export const DELIVERY_STATUSES: readonly DeliveryStatus[] = ['pending', 'settled', 'failed'];

export interface Attempt {
  /** 1 for the first. */
  readonly number: number;
  readonly at: Instant;
  readonly ms: number;
  readonly outcome: 'accepted' | 'retry' | 'gave-up';
  /** HTTP status, where there was an answer. */
  readonly status?: number;
  /** Error code, where there was no success. */
  readonly code?: string;
  readonly message?: string;
  /** First 4 KB of the answer. */
  readonly body?: string;
}

export interface Delivery {
  readonly id: string;
  readonly subscription: string;
  readonly events: readonly string[];
  readonly status: DeliveryStatus;
  readonly createdAt: Instant;
  readonly settledAt: Instant | null;
  /** The delivery's place on the agenda: when tick puts it on the queue (again). null when no longer pending. */
  readonly dueAt: Instant | null;
  readonly attempts: readonly Attempt[];
}

/**
 * How long a delivery on the queue is left alone before tick queues it once more. It covers a process that died
 * between recording and queueing; 2 min is well past an attempt's 15 s and the queue's 30 s of invisibility.
 */
export const QUEUE_GRACE = 2 * MINUTE;

/** A new delivery. Its id follows from event and subscription, so announcing twice opens it once. */
export function openDelivery(event: TidingsEvent, subscription: string, now: Instant): Delivery {
  const hash = createHash('sha256').update(`${event.id}\n${subscription}`).digest('hex');
  return {
    id: `dlv_${hash.slice(0, 32)}`,
    subscription,
    events: [event.id],
    status: 'pending',
    createdAt: now,
    settledAt: null,
    dueAt: plus(now, QUEUE_GRACE),
    attempts: [],
  };
}
