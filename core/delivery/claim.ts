/**
 * Decides which of several jobs makes an attempt. Jobs are received at least once, and tick queues another one when the queue
 * is not drained in time.
 */

import { attemptsMade, type Delivery, QUEUE_GRACE } from '../model/delivery.ts';
import type { Subscription } from '../model/subscription.ts';
import { between, type Clock, plus } from '../model/time.ts';
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
  /**
   * Calls `renew` several times within `QUEUE_GRACE`, until the returned function is called. @default - never: the process is
   * ended before that
   */
  readonly keepAlive?: (renew: () => Promise<void>) => () => void;
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

/** The right of one job to make an attempt. */
export interface Claim {
  /** Whether the job still has it. Asked right before sending: composing a digest of a large account may have taken minutes. */
  confirm(): Promise<boolean>;
  /** It need not be kept any longer. */
  end(): void;
}

/** Machines recognize a duplicate by its id, which saves the write. */
const UNNEEDED: Claim = { confirm: async () => true, end: () => {} };

/**
 * Returns the claim if this job may send. For people it moves the time of the next queueing, which only one of several
 * concurrent jobs can do and which makes other jobs of this attempt stale. While the attempt takes long, `keepAlive` moves it on.
 */
export async function claimAttempt(
  ports: ClaimPorts,
  delivery: Delivery,
  subscription: Subscription | undefined,
): Promise<Claim | undefined> {
  const { agenda, channels, clock, keepAlive } = ports;
  if (subscription === undefined || traitsOf(channels, subscription.to).audience === 'machines') return UNNEEDED;
  let held = delivery;
  const move = async (): Promise<boolean> => {
    const until = plus(clock.now(), QUEUE_GRACE);
    const next = { ...held, dueAt: until === held.dueAt ? plus(until, 1) : until };
    const isMoved = await postponeAttempt(agenda, held, next.dueAt);
    if (isMoved) held = next;
    return isMoved;
  };
  // One after the other: a second move from the same time would look like the move of another job.
  let last = move();
  const renew = (): Promise<boolean> => {
    last = last.then((isHeld) => isHeld && move());
    return last;
  };
  if (!(await last)) return undefined;
  const end = keepAlive?.(async () => void (await renew())) ?? (() => {});
  return {
    confirm: async () => {
      const isHeld = await last;
      return isHeld && (between(clock.now(), held.dueAt ?? '') > QUEUE_GRACE / 2 || (await renew()));
    },
    end,
  };
}
