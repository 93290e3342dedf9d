/**
 * Decides which of several jobs makes an attempt. Jobs are received at least once, and tick queues another one when the queue
 * is not drained in time.
 */

import { attemptsMade, type Delivery, QUEUE_GRACE } from '../model/delivery.ts';
import type { Subscription } from '../model/subscription.ts';
import { type Clock, plus } from '../model/time.ts';
import type { Agenda } from '../ports/agenda.ts';
import { type ChannelRegistry, traitsOf } from '../ports/channel.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import type { AttemptJob } from '../ports/queue.ts';
import { postponeAttempt } from './hold.ts';
import { type Stale, stale } from './unattempted.ts';

export interface ClaimPorts {
  readonly agenda: Agenda;
  readonly channels: ChannelRegistry;
  readonly clock: Clock;
}

/**
 * Returns the delivery if the job is for its next attempt. A read that lags behind may not show what the job was queued for.
 *
 * @param recorded the delivery, if it was recorded just now. @default - it is read
 */
export async function findDelivery(
  deliveries: DeliveryStore,
  job: AttemptJob,
  recorded?: Delivery,
): Promise<Delivery | Stale> {
  const delivery = recorded ?? (await deliveries.get(job.delivery));
  if (delivery === undefined) return stale('missing');
  if (isCurrent(job, delivery)) return delivery;
  const latest = await deliveries.get(job.delivery, true);
  return latest !== undefined && isCurrent(job, latest) ? latest : stale('outdated');
}

function isCurrent({ attempt, dueAt }: AttemptJob, delivery: Delivery): boolean {
  if (delivery.status !== 'pending' && delivery.status !== 'waiting') return false;
  return attemptsMade(delivery) === attempt - 1 && (dueAt === undefined || dueAt === delivery.dueAt);
}

/**
 * Whether this job may send. For people it moves the time of the next queueing, which only one of several concurrent jobs
 * can do and which makes other jobs of this attempt stale. Machines recognize a duplicate by its id, which saves the write.
 */
export async function claimAttempt(
  { agenda, channels, clock }: ClaimPorts,
  delivery: Delivery,
  subscription: Subscription | undefined,
): Promise<boolean> {
  if (subscription === undefined || traitsOf(channels, subscription.to).audience === 'machines') return true;
  const until = plus(clock.now(), QUEUE_GRACE);
  return postponeAttempt(agenda, delivery, until === delivery.dueAt ? plus(until, 1) : until);
}
