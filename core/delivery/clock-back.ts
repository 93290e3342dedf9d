/**
 * Brings deliveries forward after the machine's clock ran ahead and was put back: their due times were computed from a
 * time that has not come. Does not decide whether the clock was put back.
 */

import { nextAudibleDigest } from '../events/deliver-at.ts';
import { attemptsMade, type Delivery, QUEUE_GRACE } from '../model/delivery.ts';
import { listFormerNames } from '../model/former-names.ts';
import { type Pace, UNPACED } from '../model/pace.ts';
import type { Subscription } from '../model/subscription.ts';
import { between, DAY, HOUR, type Instant, plus } from '../model/time.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import type { SubscriptionStore } from '../ports/subscription-store.ts';
import { isFuture } from '../source/clock-moved.ts';
import { type WaitPorts, zoneOfDelivery } from './find-wait.ts';
import { readPages } from './read-pages.ts';
import { receiverAttempt } from './receivers/own-faults.ts';
import { nextDelay } from './schedule.ts';

export interface ClockBackPorts extends WaitPorts {
  readonly deliveries: DeliveryStore;
  readonly subscriptions: SubscriptionStore;
  /** Called after each page of deliveries. @default - all are read in one go */
  readonly pace?: Pace;
}

/** A delivery that waits for less than this gathers events; one that waits longer has a time of day, or is paused. */
const MAX_GATHER_WINDOW = HOUR;

/** Whether the newest delivery was recorded while the clock ran ahead. Asked at start: one read. */
export async function hasFutureDeliveries({
  deliveries,
  clock,
}: Pick<ClockBackPorts, 'deliveries' | 'clock'>): Promise<boolean> {
  const [newest] = await deliveries.list({ limit: 1 });
  return newest !== undefined && isFuture(newest.createdAt, clock.now());
}

/**
 * Returns how many deliveries were brought forward. Reads them in pages, those of keys last: a key may have hundreds of thousands
 * that wait, which would fill the memory.
 */
export async function bringForward(ports: ClockBackPorts): Promise<number> {
  const { deliveries, clock, pace = UNPACED } = ports;
  const now = clock.now();
  let count = 0;
  const correct = async (delivery: Delivery) => {
    const dueAt = correctDueAt(delivery, now, await nextDigestOf(ports, delivery, now));
    if (dueAt !== delivery.dueAt && (await deliveries.update(delivery, { ...delivery, dueAt }))) count += 1;
  };
  for (const subscription of await listNames(ports, now)) {
    for (const status of ['pending', 'waiting'] as const) {
      for await (const page of readPages(deliveries, { status, subscription })) {
        await Promise.all(page.map(correct));
        await pace();
      }
    }
  }
  return count;
}

/** With former names, under which deliveries may still be stored. */
async function listNames({ subscriptions }: ClockBackPorts, now: Instant): Promise<ReadonlySet<string>> {
  const all = await subscriptions.list();
  const isOfKey = ({ owner }: Subscription) => owner !== undefined;
  const ordered = [...all.filter((one) => !isOfKey(one)), ...all.filter(isOfKey)];
  return new Set(ordered.flatMap((one) => [one.name, ...listFormerNames(one, now)]));
}

/** The next digest of its subscription. Undefined if it has none. */
async function nextDigestOf(ports: ClockBackPorts, delivery: Delivery, now: Instant): Promise<Instant | undefined> {
  if (delivery.status !== 'waiting' || !isFuture(delivery.dueAt, now)) return undefined;
  const { digest, quiet, timeZone } = (await ports.subscriptions.get(delivery.subscription)) ?? {};
  if (digest === undefined) return undefined;
  return nextAudibleDigest(digest, quiet, now, timeZone ?? (await zoneOfDelivery(ports, delivery)));
}

/**
 * The due time, or an earlier one if the present one may not come from a correct clock. Too early is harmless except for a
 * digest: before an attempt, quiet hours, the start of the day and pauses of the receiver are checked again.
 *
 * @param nextDigest of the subscription. @default - it has none
 */
export function correctDueAt(delivery: Delivery, now: Instant, nextDigest?: Instant): Instant | null {
  const { dueAt, status, createdAt, standing } = delivery;
  if (dueAt === null || !isFuture(dueAt, now)) return dueAt;
  if (status !== 'waiting') return isOnSchedule(delivery, now) ? dueAt : now;
  const isFromFuture = isFuture(createdAt, now);
  if (standing !== undefined) {
    if (!isFromFuture && !isBeyondDay(delivery, dueAt)) return dueAt;
    // The same time of day, within a day.
    return plus(dueAt, -DAY * Math.floor(between(now, dueAt) / DAY));
  }
  if (nextDigest !== undefined) return dueAt < nextDigest ? dueAt : nextDigest;
  const window = between(createdAt, dueAt);
  return isFromFuture && window < MAX_GATHER_WINDOW ? plus(now, Math.max(0, window)) : now;
}

/** A day ends within 36 hours of its date in UTC, whatever the zone. */
const MAX_DAY_END = 36 * HOUR;

/** Whether tick queued an open digest while the clock ran ahead, which moves the due time: it is due on its day. */
function isBeyondDay({ standing: [digest] = [] }: Delivery, dueAt: Instant): boolean {
  return digest !== undefined && dueAt > plus(`${digest.day}T00:00:00.000Z`, MAX_DAY_END + QUEUE_GRACE);
}

/** Whether the next attempt follows the last one as the retry schedule says, and the last one was not in the future. */
function isOnSchedule(delivery: Delivery, now: Instant): boolean {
  const last = delivery.attempts.at(-1);
  if (last === undefined || delivery.dueAt === null || isFuture(last.at, now)) return false;
  const longest = nextDelay(receiverAttempt(delivery.attempts, attemptsMade(delivery)), 1) ?? DAY;
  return delivery.dueAt <= plus(last.at, longest);
}
