/** A delivery: one event, or a group of events, to one subscription, with its attempts. */

import { createHash } from 'node:crypto';
import type { Day } from './calendar.ts';
import type { TidingsEvent } from './event.ts';
import type { ReceiverResponse } from './receiver-response.ts';
import { incarnationOf, isIncarnation, type Subscription } from './subscription.ts';
import { type Duration, type Instant, MINUTE, plus } from './time.ts';

/**
 * `waiting`: for its digest, for the start of the day, for the end of quiet hours, or for more events to gather; `pending`: has attempts left;
 * `held`: its subscription is paused or disabled; `gathered`: another delivery carries its events; `settled`: accepted by
 * the receiver, or skipped (see `skipReason`); `failed`: given up, kept for replay.
 */
export const DELIVERY_STATUSES = ['waiting', 'pending', 'held', 'gathered', 'settled', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface Attempt extends ReceiverResponse {
  /** 1 for the first. */
  readonly number: number;
  readonly at: Instant;
  readonly ms: number;
  /** `skipped`: nothing was sent, because all events were outdated, or every reader has unsubscribed. */
  readonly outcome: 'accepted' | 'retry' | 'gave-up' | 'skipped';
  /** The error code. @default - the attempt succeeded */
  readonly code?: string;
  readonly message?: string;
  /** How many attempts so far failed through faults of our own, this one included. @default - not a fault of our own */
  readonly ownFault?: number;
  /**
   * The ids of the events of a person's delivery that the message left out, because they were outdated or concerned others.
   * Only on the last attempt. @default - it contained all of them
   */
  readonly omitted?: readonly string[];
}

/** `replay`: a person asked to send it again; `test`: a test event. */
export type DeliveryMark = 'replay' | 'test';

/** A time to send that the rate of the subscription allows. */
export interface SendSlot {
  readonly at: Instant;
  /** The time between two slots when it was booked. With another rate the slot is void. */
  readonly interval: Duration;
}

/** A digest of what is open in one source on one day. */
export interface OpenDigest {
  readonly source: string;
  readonly day: Day;
  /** The records of one person, such as `task/412`. @default - all that are open */
  readonly subjects?: readonly string[];
}

export interface Delivery {
  readonly id: string;
  readonly subscription: string;
  readonly events: readonly string[];
  readonly status: DeliveryStatus;
  readonly createdAt: Instant;
  readonly settledAt: Instant | null;
  /** When tick queues it (again): its position on the agenda. Null if it is not on the agenda. */
  readonly dueAt: Instant | null;
  /** If there are many, only the first and the last are kept; `attemptsMade` returns their number. */
  readonly attempts: readonly Attempt[];
  /** It is neither sent nor gathered before this time: the start of its readers' day. @default - whenever it is due */
  readonly notBefore?: Instant;
  /**
   * It lists what is open when it is sent, in addition to its events. Stored under this name, which is older than the term
   * open digest. @default - only its events
   */
  readonly standing?: readonly OpenDigest[];
  /** The only reader, such as `main/5`; `main/` is no one, and stands for the fallback. @default - all receivers of the subscription */
  readonly person?: string;
  /** The slot that is booked for its next attempt. @default - none */
  readonly slot?: SendSlot;
  /** The delivery that carries its events. Set only if `gathered`. */
  readonly into?: string;
  /** @default - the event as it happened */
  readonly mark?: DeliveryMark;
  /** Which of the subscriptions that had its name one after the other it was opened for. @default - a version before this field opened it */
  readonly incarnation?: string;
}

/**
 * How long after queueing a delivery tick queues it again, in case the process died between recording and queueing. An
 * attempt takes much less. After a kill, a job may stay invisible for longer (6 minutes in AWS): by then its attempt has
 * been made with another job, and it is stale.
 */
export const QUEUE_GRACE = 2 * MINUTE;

/** How early tick queues a delivery at most: in AWS tick runs once a minute and queues with a delay. */
export const QUEUE_AHEAD = MINUTE;

/** Up to this many deliveries of a removed subscription are counted: a key may leave any number, and remove it again and again. */
export const MAX_UNSENT_COUNT = 10_000;

/** `12`, or `10,000 or more` */
export function formatUnsentCount(count: number): string {
  return `${count.toLocaleString('en')}${count < MAX_UNSENT_COUNT ? '' : ' or more'}`;
}

/** The number of attempts made, including those that are no longer kept. */
export function attemptsMade({ attempts }: Pick<Delivery, 'attempts'>): number {
  return attempts.at(-1)?.number ?? 0;
}

/** What version 1.0.0 and earlier ones recorded as the response to a mail that was not sent, as if it had been accepted. */
const UNSUBSCRIBED_BODY = 'all readers have unsubscribed';

/** Why the attempt sent nothing; undefined: it was sent, or failed. */
export function attemptSkipReason({ outcome, message, body, status }: Attempt): string | undefined {
  if (outcome === 'skipped') return (message ?? 'all events are outdated').replace(/^skipped: /, '');
  const isOldSkip = outcome === 'accepted' && status === undefined && body === UNSUBSCRIBED_BODY;
  return isOldSkip ? UNSUBSCRIBED_BODY : undefined;
}

/** Whether it was given up because its subscription was removed. Nobody has to act: the removal said how many there were. */
export const isDropped = ({ code }: Attempt) => code === 'TIDINGS_DELIVERY_SUBSCRIPTION_GONE';

/** Why a settled delivery was not sent; undefined: it was accepted, or is not settled. */
export function skipReason({ status, attempts }: Pick<Delivery, 'status' | 'attempts'>): string | undefined {
  const last = attempts.at(-1);
  return status === 'settled' && last !== undefined ? attemptSkipReason(last) : undefined;
}

/**
 * A probe is attempted six times a day for as long as its receiver is down. The first attempts, which show how the outage
 * began, and those of the last days are kept, so that the item stays far below the 400 KB limit of DynamoDB.
 */
const FIRST_KEPT = 10;
const LAST_KEPT = 20;

/**
 * Of the response bodies, which make up most of the size of an attempt (up to 4 KB), the last ones are kept. A key may retry its
 * deliveries again and again, and its receiver chooses what it responds.
 */
const MAX_BODY_BYTES = 16 * 1024;

/** Adds an attempt. Attempts that reached recipients are always kept, so that no recipient gets the message twice. */
export function withAttempt(attempts: readonly Attempt[], attempt: Attempt): readonly Attempt[] {
  const all = [...attempts, attempt];
  const isKept = ({ reached = [] }: Attempt, index: number) =>
    index < FIRST_KEPT || index >= all.length - LAST_KEPT || reached.length > 0;
  return withoutOldBodies(all.filter(isKept));
}

function withoutOldBodies(attempts: readonly Attempt[]): readonly Attempt[] {
  let bytes = 0;
  return attempts
    .toReversed()
    .map((attempt) => {
      const { body, ...rest } = attempt;
      if (body === undefined) return attempt;
      bytes += Buffer.byteLength(body);
      return bytes <= MAX_BODY_BYTES ? attempt : rest;
    })
    .toReversed();
}

/**
 * A new delivery. Its id is derived from event and subscription, so announcing an event twice opens it once, even if the
 * subscription is renamed in between.
 * @param gatherUntil when it is sent together with other events. @default - it is sent at once, alone
 */
export function openDelivery(
  event: TidingsEvent,
  subscription: string,
  now: Instant,
  gatherUntil?: Instant,
  renamedFrom: string = subscription,
): Delivery {
  return {
    id: deliveryId(event.id, renamedFrom),
    subscription,
    events: [event.id],
    status: gatherUntil === undefined ? 'pending' : 'waiting',
    createdAt: now,
    settledAt: null,
    dueAt: gatherUntil ?? plus(now, QUEUE_GRACE),
    attempts: [],
  };
}

/** The same delivery for this subscription only, and for no later one of its name. */
export function ofIncarnation(
  delivery: Delivery,
  subscription: Pick<Subscription, 'declared' | 'createdAt'>,
): Delivery {
  const incarnation = incarnationOf(subscription);
  return incarnation === undefined ? delivery : { ...delivery, incarnation };
}

/**
 * Whether it was opened for this subscription, not for an earlier one of its name, for those who read what became of an event. A delivery
 * without an incarnation is of an earlier one if it is older than the subscription.
 */
export function isDeliveryOf(
  subscription: Pick<Subscription, 'declared' | 'createdAt'>,
  { incarnation, createdAt }: Pick<Delivery, 'incarnation' | 'createdAt'>,
): boolean {
  const { declared, createdAt: addedAt = '' } = subscription;
  if (incarnation === undefined && !declared) return createdAt >= addedAt;
  return isIncarnation(subscription, incarnation);
}

/** The delivery of the same event for one person. */
export function forPerson(delivery: Delivery, person: string): Delivery {
  return { ...delivery, id: deliveryId(delivery.id, person), person };
}

/**
 * The delivery of an open digest, which may have no events of its own. Its id is derived from subscription, source and day:
 * it is sent once a day, even if the time of the digest is changed. See find-digest.ts for a name that is used again on a day.
 */
export function openDigest(
  { source, day }: OpenDigest,
  subscription: string,
  now: Instant,
  dueAt: Instant,
  renamedFrom: string = subscription,
): Delivery {
  return {
    id: digestId({ source, day }, renamedFrom),
    subscription,
    events: [],
    status: 'waiting',
    createdAt: now,
    settledAt: null,
    dueAt,
    attempts: [],
    standing: [{ source, day }],
  };
}

/** @param incarnation of a subscription that is not the first of its name on that day. @default - it is the first */
export function digestId({ source, day }: OpenDigest, subscription: string, incarnation?: string): string {
  return deliveryId('digest', subscription, source, day, ...(incarnation === undefined ? [] : [incarnation]));
}

/** One delivery for all events of its members, oldest first. Its id is derived from the first member, see `groupId`. */
export function openGroup(members: readonly [Delivery, ...Delivery[]], now: Instant): Delivery {
  const [first] = members;
  const standing = members.flatMap((member) => member.standing ?? []);
  return {
    ...first,
    id: groupId(first),
    events: [...new Set(members.flatMap(({ events }) => events))],
    ...(standing.length === 0 ? {} : { standing }),
    status: 'pending',
    createdAt: now,
    dueAt: plus(now, QUEUE_GRACE),
  };
}

/** Whether the group contains everything of a member. A group is not a member of itself. */
export function isCarriedBy(group: Delivery, { id, events, standing = [] }: Delivery): boolean {
  const carried = new Set(group.events);
  const isListed = ({ source, day }: OpenDigest) =>
    group.standing?.some((one) => one.source === source && one.day === day) === true;
  return id !== group.id && events.every((event) => carried.has(event)) && standing.every(isListed);
}

/** The same delivery under another id, to send what the stored one left out. */
export function openAgain(delivery: Delivery, stored: Pick<Delivery, 'id'>): Delivery {
  return { ...delivery, id: deliveryId('again', stored.id) };
}

/** The id of the group of which this delivery is the first member, whether or not the group exists. */
export function groupId({ id }: Pick<Delivery, 'id'>): string {
  return deliveryId('group', id);
}

export function deliveryId(...parts: readonly string[]): string {
  return `dlv_${createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32)}`;
}
