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
import type { Job } from '../ports/queue.ts';
import { postponeAttempt } from './hold.ts';

export interface ClaimPorts {
  readonly agenda: Agenda;
  readonly channels: ChannelRegistry;
  readonly clock: Clock;
}

/** Returns the delivery if the job is for its next attempt. A read that lags behind may not show what the job was queued for. */
export async function findDelivery(deliveries: DeliveryStore, job: Job): Promise<Delivery | undefined> {
  const seen = await deliveries.get(job.delivery);
  if (seen === undefined || isCurrent(job, seen)) return seen;
  const latest = await deliveries.get(job.delivery, true);
  return latest !== undefined && isCurrent(job, latest) ? latest : undefined;
}

function isCurrent({ attempt, dueAt }: Job, delivery: Delivery): boolean {
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
