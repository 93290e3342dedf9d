/** Moves deliveries that do not move by themselves: holds them, lets them go, tries them sooner. */

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

const BATCH = 500;

/** Its subscription is paused or disabled: kept until somebody lets it go. */
export async function hold(ports: PausePorts, delivery: Delivery): Promise<void> {
  const held: Delivery = { ...delivery, status: 'held', dueAt: null };
  if (await ports.deliveries.update(delivery, held)) await releaseIfOpen(ports, held);
}

/** Resumed between our look and our note, it was not seen by whoever resumed: nobody else would let it go. */
export async function releaseIfOpen(ports: PausePorts, held: Delivery): Promise<void> {
  if (!isOpen(await readFreshHealth(ports, held.subscription))) return;
  await releaseOne(ports.deliveries, held, await gathers(ports, held.subscription), ports.clock.now());
}

/** Puts all that is held back on the agenda, oldest first. Returns how many there were. */
export async function release(ports: HoldPorts, subscription: string): Promise<number> {
  const { deliveries, clock } = ports;
  const now = clock.now();
  const isGathering = await gathers(ports, subscription);
  for (let released = 0; ; ) {
    const held = await deliveries.list({ status: 'held', subscription, end: 'oldest', limit: BATCH });
    if (held.length === 0) return released;
    for (const delivery of held) if (await releaseOne(deliveries, delivery, isGathering, now)) released += 1;
  }
}

/** Chat and mail gather what was held as they gather anything else. */
async function gathers({ subscriptions, channels }: HoldPorts, subscription: string): Promise<boolean> {
  const known = await subscriptions.get(subscription);
  return known !== undefined && traitsOf(channels, known.to).gathers;
}

function releaseOne(deliveries: DeliveryStore, held: Delivery, isGathering: boolean, now: Instant): Promise<boolean> {
  const status = isGathering && held.attempts.length === 0 ? 'waiting' : 'pending';
  return deliveries.update(held, { ...held, status, dueAt: now });
}

/**
 * Tries again now what waits for its next attempt: the receiver is back. Not what was tried early once and failed again:
 * it is this one the receiver will not have, and each success of another would burn one more of its attempts.
 */
export async function expedite(
  { deliveries, clock }: Pick<HoldPorts, 'deliveries' | 'clock'>,
  subscription: string,
): Promise<void> {
  const now = clock.now();
  const pending = await deliveries.list({ status: 'pending', subscription, end: 'oldest', limit: BATCH });
  // What is due before may be on the queue already: a second job would make the same attempt side by side with it.
  const soon = plus(now, QUEUE_AHEAD + QUEUE_GRACE);
  for (const delivery of pending) {
    if (delivery.attempts.length === 0 || delivery.dueAt === null || delivery.dueAt <= soon) continue;
    if (cameEarly(delivery)) continue;
    await deliveries.update(delivery, { ...delivery, dueAt: now });
  }
}

/** Whether its last attempt came sooner than the schedule would have had it. */
function cameEarly(delivery: Delivery): boolean {
  const [before, last] = delivery.attempts.slice(-2);
  const soonest = nextDelay(attemptsMade(delivery) - 1, 0);
  return before !== undefined && last !== undefined && soonest !== undefined && between(before.at, last.at) < soonest;
}

/** Puts a delivery whose attempt cannot be made yet back on the agenda, where all can see for when; tick queues it then. */
export async function postponeAttempt(agenda: Agenda, delivery: Delivery, to: Instant): Promise<void> {
  const { id, subscription, dueAt: at } = delivery;
  if (at === null) return;
  await agenda.postpone({ kind: 'attempt', at, delivery: id, subscription, attempt: attemptsMade(delivery) + 1 }, to);
}

/** Tries one delivery now, whatever its schedule says; one that was given up gets one more attempt. False when it is over. */
export async function retryNow(
  { deliveries, clock }: Pick<HoldPorts, 'deliveries' | 'clock'>,
  id: string,
): Promise<boolean> {
  const delivery = await deliveries.get(id);
  if (delivery === undefined || delivery.status === 'settled' || delivery.status === 'gathered') return false;
  // On its way already. A group is tried with the job of a member: queued by itself it would be sent a second time meanwhile.
  if (delivery.status === 'pending' && delivery.attempts.length === 0) return true;
  const status = delivery.status === 'waiting' ? 'waiting' : 'pending';
  return deliveries.update(delivery, { ...delivery, status, settledAt: null, dueAt: clock.now() });
}

/** Nothing is sent from now on; what comes up is held. */
export async function pause(ports: Omit<PausePorts, 'channels'>, subscription: string): Promise<Health> {
  return changeHealth(ports, subscription, 'person', (before) =>
    before.state === 'paused' ? before : { ...before, state: 'paused', disabledAt: null, probe: null, gone: false },
  );
}

/** Sends again, with a clean slate: its five days begin anew. What was held goes out. Returns how many that were. */
export async function resume(ports: PausePorts, subscription: string): Promise<number> {
  await changeHealth(ports, subscription, 'person', (before) =>
    before.state === 'ok' && before.failingSince === null ? before : { ...HEALTHY, muted: before.muted },
  );
  return release(ports, subscription);
}
