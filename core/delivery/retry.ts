/** Retries deliveries because a person asks for it: one, or all of a subscription. */

import { type Delivery, QUEUE_AHEAD, QUEUE_GRACE } from '../model/delivery.ts';
import { type Pace, UNPACED } from '../model/pace.ts';
import { type Clock, type Instant, plus } from '../model/time.ts';
import type { DeliveryStore, OpenDeliveryQuery } from '../ports/delivery-store.ts';
import { rampUp } from './expedite.ts';
import { READ_PAGE_SIZE, readPages } from './read-pages.ts';

interface RetryPorts {
  readonly deliveries: DeliveryStore;
  readonly clock: Clock;
}

/** Retries one delivery now, regardless of its schedule; a failed one gets one more attempt. False if it is finished. */
export async function retryNow({ deliveries, clock }: RetryPorts, id: string): Promise<boolean> {
  const delivery = await deliveries.get(id);
  if (delivery === undefined || delivery.status === 'settled' || delivery.status === 'gathered') return false;
  const now = clock.now();
  // It may be in flight. A group is attempted by the job of a member: a job for the group would send it twice.
  if (delivery.status === 'pending' && !isPostponed(delivery, now) && !isUnqueued(delivery)) return true;
  return moveTo(deliveries, delivery, now);
}

function moveTo(deliveries: DeliveryStore, delivery: Delivery, at: Instant): Promise<boolean> {
  const status = delivery.status === 'waiting' ? 'waiting' : 'pending';
  const { notBefore: _, ...rest } = delivery;
  return deliveries.update(delivery, { ...rest, status, settledAt: null, dueAt: at });
}

/** Whether tick has not queued it since its last attempt: queueing moves its due time by the grace period. */
function isUnqueued({ attempts, dueAt }: Delivery): boolean {
  const last = attempts.at(-1);
  return last !== undefined && dueAt !== null && dueAt < plus(last.at, QUEUE_GRACE);
}

/** Whether it is due so late that its attempt can neither be queued nor in flight. */
export function isPostponed({ dueAt }: Delivery, now: Instant): boolean {
  return dueAt !== null && dueAt > plus(now, QUEUE_AHEAD + QUEUE_GRACE);
}

export interface RetryAllOptions {
  readonly subscription: string;
  readonly status: OpenDeliveryQuery['status'];
  /** Only deliveries recorded since then. @default - all */
  readonly since?: Instant;
  /** Where the call before stopped, so that both are spread as one. @default 0 */
  readonly position?: number;
  /** Stops after this many, at the end of a page. @default - all */
  readonly limit?: number;
  /**
   * Stops after reading this many. `position` is a place in the list then, so it is only for dry runs and for deliveries that stay in the
   * list after they are retried. Of these the next call passes over as many as were sent in between; they stay on their schedule.
   * @default - reads all
   */
  readonly maxRead?: number | undefined;
  /** Only counts. @default false */
  readonly dryRun?: boolean;
  /** @default - in one go */
  readonly pace?: Pace;
  /** Stops before the next page if it returns false. @default - goes on */
  readonly mayGoOn?: (() => boolean) | undefined;
}

export interface RetryResult {
  readonly count: number;
  /** The position for the next call; null if nothing is left. */
  readonly next: number | null;
}

/**
 * Retries all deliveries of a subscription that have this status, oldest first, spread over time. One that is due earlier
 * anyway is neither moved nor counted, so that calls that are repeated until nothing is left come to an end.
 */
export async function retryAll({ deliveries, clock }: RetryPorts, options: RetryAllOptions): Promise<RetryResult> {
  const { subscription, status, since = '', position = 0, dryRun = false, pace = UNPACED } = options;
  const { limit = Number.POSITIVE_INFINITY, maxRead, mayGoOn = () => true } = options;
  const now = clock.now();
  const first = maxRead === undefined ? 0 : position;
  let last = first;
  let count = 0;
  let askedCount = 0;
  for await (const page of readPages(deliveries, { status, subscription, since, only: 'postponed' }, first)) {
    const asked = page.filter(({ createdAt }) => createdAt >= since);
    const moves = asked.flatMap((delivery, index) => {
      // One that has a time already stays in the list after it is moved.
      const at = rampUp(now, (delivery.dueAt === null ? position + count : first + askedCount) + index);
      const isLater = delivery.dueAt === null || (isPostponed(delivery, now) && delivery.dueAt > at);
      return isLater ? [{ delivery, at }] : [];
    });
    askedCount += asked.length;
    if (maxRead !== undefined && last - first >= maxRead) return { count, next: last };
    if (moves.length > 0 && (count >= limit || !mayGoOn()))
      return { count, next: maxRead === undefined ? position + count : last };
    last += READ_PAGE_SIZE;
    const moved = dryRun ? moves : await Promise.all(moves.map(({ delivery, at }) => moveTo(deliveries, delivery, at)));
    count += moved.filter((isMoved) => isMoved !== false).length;
    await pace();
  }
  return { count, next: null };
}
