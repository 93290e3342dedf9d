/** One event, or a group of them, on its way to one subscription, with its attempts, until settled or given up. */

import { createHash } from 'node:crypto';
import type { TidingsEvent } from './event.ts';
import type { ReceiverResponse } from './receiver-response.ts';
import { type Instant, MINUTE, plus } from './time.ts';

/**
 * `waiting`: for its digest, for the end of quiet hours, or for others to be told with it; `pending`: attempts to come;
 * `held`: its subscription is paused or disabled; `gathered`: another delivery carries it; `settled`: the receiver has
 * it, or there was nothing left to tell; `failed`: given up, kept for replay.
 */
export const DELIVERY_STATUSES = ['waiting', 'pending', 'held', 'gathered', 'settled', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface Attempt extends ReceiverResponse {
  /** 1 for the first. */
  readonly number: number;
  readonly at: Instant;
  readonly ms: number;
  /** `skipped`: nothing was sent, for nothing of it was true any longer. */
  readonly outcome: 'accepted' | 'retry' | 'gave-up' | 'skipped';
  /** Error code, where there was no success. */
  readonly code?: string;
  readonly message?: string;
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
  /** Of very many the first and the last: each knows its number, see `attemptsMade`. */
  readonly attempts: readonly Attempt[];
  /** The delivery that carries its events now. Only of `gathered` ones. */
  readonly into?: string;
  /** @default - the event as it happened */
  readonly mark?: DeliveryMark;
}

/**
 * How long a delivery on the queue is left alone before tick queues it once more. It covers a process that died
 * between recording and queueing. 2 min is well past what an attempt takes; a message that is invisible for longer after
 * a kill (6 min in AWS, where the queue outwaits its function) comes back to a delivery that went on without it, stale.
 */
export const QUEUE_GRACE = 2 * MINUTE;

/** How far ahead of its moment a delivery is on the queue at the most: in AWS, where tick comes once a minute. */
export const QUEUE_AHEAD = MINUTE;

/** How many attempts were made, whether or not all of them are still kept. */
export function attemptsMade({ attempts }: Pick<Delivery, 'attempts'>): number {
  return attempts.at(-1)?.number ?? 0;
}

/**
 * A probe goes on for as long as its receiver is away, six times a day: kept are the attempts of the schedule, by which
 * one sees how it began, and those of the last days. What DynamoDB takes for an item, 400 KB, is never near.
 */
const FIRST_KEPT = 10;
const LAST_KEPT = 20;

/** Of old attempts the answer's body is let go: with 4 KB each it is most of what is kept. */
const BODIES_KEPT = 12;

/** The attempts of a delivery after one more. Whoever was reached by any of them stays known: nobody gets it twice. */
export function withAttempt(attempts: readonly Attempt[], made: Attempt): readonly Attempt[] {
  const all = [...attempts, made];
  const isKept = ({ reached = [] }: Attempt, index: number) =>
    index < FIRST_KEPT || index >= all.length - LAST_KEPT || reached.length > 0;
  return all.filter(isKept).map(withoutOldBody);
}

function withoutOldBody(attempt: Attempt, index: number, { length }: readonly Attempt[]): Attempt {
  if (length - index <= BODIES_KEPT || attempt.body === undefined) return attempt;
  const { body: _, ...rest } = attempt;
  return rest;
}

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

/** One delivery in place of several that waited, oldest first. Its id follows from the first: see `groupId`. */
export function openGroup(members: readonly [Delivery, ...Delivery[]], now: Instant): Delivery {
  const [first] = members;
  return {
    ...first,
    id: groupId(first),
    events: [...new Set(members.flatMap(({ events }) => events))],
    status: 'pending',
    createdAt: now,
    dueAt: plus(now, QUEUE_GRACE),
  };
}

/** The id of the group that is named after this delivery, whether or not there is one. */
export function groupId({ id }: Pick<Delivery, 'id'>): string {
  return deliveryId('group', id);
}

export function deliveryId(...parts: readonly string[]): string {
  return `dlv_${createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32)}`;
}
