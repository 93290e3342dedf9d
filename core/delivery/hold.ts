/** Holds, releases and reschedules deliveries, and pauses and resumes subscriptions. */

import { attemptsMade, type Delivery, QUEUE_AHEAD, QUEUE_GRACE } from '../model/delivery.ts';
import { between, type Clock, type Instant, plus } from '../model/time.ts';
import type { Agenda } from '../ports/agenda.ts';
import { type ChannelRegistry, traitsOf } from '../ports/channel.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import type { SubscriptionStore } from '../ports/subscription-store.ts';
import { HEALTHY, type Health, isOpen } from './health.ts';
import { nextDelay } from './schedule.ts';
import { changeHealth, readFreshHealth } from './subscription-state.ts';

export interface HoldPorts {
  readonly deliveries: DeliveryStore;
  readonly subscriptions: SubscriptionStore;
  readonly channels: ChannelRegistry;
  readonly clock: Clock;
}

export type PausePorts = HoldPorts & { readonly snapshots: SnapshotStore };

const BATCH_SIZE = 500;

/** Holds a delivery whose subscription is paused or disabled, until it is released. */
export async function hold(ports: PausePorts, delivery: Delivery): Promise<void> {
  const held: Delivery = { ...delivery, status: 'held', dueAt: null };
  if (await ports.deliveries.update(delivery, held)) await releaseIfOpen(ports, held);
}

/** If the subscription was resumed between our read and write, resume() missed this delivery: release it here. */
export async function releaseIfOpen(ports: PausePorts, held: Delivery): Promise<void> {
  if (!isOpen(await readFreshHealth(ports, held.subscription))) return;
  await releaseOne(ports.deliveries, held, await gathers(ports, held.subscription), ports.clock.now());
}

/** Puts all held deliveries back on the agenda, oldest first. Returns their number. */
export async function release(ports: HoldPorts, subscription: string): Promise<number> {
  const { deliveries, clock } = ports;
  const now = clock.now();
  const isGathering = await gathers(ports, subscription);
  for (let released = 0; ; ) {
    const held = await deliveries.list({ status: 'held', subscription, end: 'oldest', limit: BATCH_SIZE });
    if (held.length === 0) return released;
    for (const delivery of held) if (await releaseOne(deliveries, delivery, isGathering, now)) released += 1;
  }
}

/** Chat and mail gather released deliveries like any others. */
async function gathers({ subscriptions, channels }: HoldPorts, subscription: string): Promise<boolean> {
  const known = await subscriptions.get(subscription);
  return known !== undefined && traitsOf(channels, known.to).gathers;
}

function releaseOne(deliveries: DeliveryStore, held: Delivery, isGathering: boolean, now: Instant): Promise<boolean> {
  const status = isGathering && held.attempts.length === 0 ? 'waiting' : 'pending';
  return deliveries.update(held, { ...held, status, dueAt: now });
}

/**
 * Retries pending deliveries now, because the receiver is back. Skips those whose last early retry failed: the receiver
 * rejects that delivery, and each success of another one would use up one more of its attempts.
 */
export async function expedite(
  { deliveries, clock }: Pick<HoldPorts, 'deliveries' | 'clock'>,
  subscription: string,
): Promise<void> {
  const now = clock.now();
  const pending = await deliveries.list({ status: 'pending', subscription, end: 'oldest', limit: BATCH_SIZE });
  // Deliveries due before that may already be queued: a second job would make the same attempt concurrently.
  const soon = plus(now, QUEUE_AHEAD + QUEUE_GRACE);
  for (const delivery of pending) {
    if (delivery.attempts.length === 0 || delivery.dueAt === null || delivery.dueAt <= soon) continue;
    if (cameEarly(delivery)) continue;
    await deliveries.update(delivery, { ...delivery, dueAt: now });
  }
}

/** Whether its last attempt was made earlier than scheduled. */
function cameEarly(delivery: Delivery): boolean {
  const [before, last] = delivery.attempts.slice(-2);
  const soonest = nextDelay(attemptsMade(delivery) - 1, 0);
  return before !== undefined && last !== undefined && soonest !== undefined && between(before.at, last.at) < soonest;
}

/** Moves a delivery that cannot be attempted yet on the agenda; tick queues it at that time. */
export async function postponeAttempt(agenda: Agenda, delivery: Delivery, to: Instant): Promise<void> {
  const { id, subscription, dueAt: at } = delivery;
  if (at === null) return;
  await agenda.postpone({ kind: 'attempt', at, delivery: id, subscription, attempt: attemptsMade(delivery) + 1 }, to);
}

/** Retries one delivery now, regardless of its schedule; a failed one gets one more attempt. False if it is finished. */
export async function retryNow(
  { deliveries, clock }: Pick<HoldPorts, 'deliveries' | 'clock'>,
  id: string,
): Promise<boolean> {
  const delivery = await deliveries.get(id);
  if (delivery === undefined || delivery.status === 'settled' || delivery.status === 'gathered') return false;
  // Already in flight. A group is attempted by the job of a member: a job for the group would send it twice.
  if (delivery.status === 'pending' && delivery.attempts.length === 0) return true;
  const status = delivery.status === 'waiting' ? 'waiting' : 'pending';
  return deliveries.update(delivery, { ...delivery, status, settledAt: null, dueAt: clock.now() });
}

/** Stops sending; deliveries that come due are held. */
export async function pause(ports: Omit<PausePorts, 'channels'>, subscription: string): Promise<Health> {
  return changeHealth(ports, subscription, 'person', (before) =>
    before.state === 'paused' ? before : { ...before, state: 'paused', disabledAt: null, probe: null, gone: false },
  );
}

/** Resumes sending with a clean health record, and releases held deliveries. Returns their number. */
export async function resume(ports: PausePorts, subscription: string): Promise<number> {
  await changeHealth(ports, subscription, 'person', (before) =>
    before.state === 'ok' && before.failingSince === null ? before : { ...HEALTHY, muted: before.muted },
  );
  return release(ports, subscription);
}
