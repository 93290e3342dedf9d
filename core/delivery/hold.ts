/** Holds, releases and postpones deliveries, and pauses and resumes subscriptions. */

import { attemptsMade, type Delivery } from '../model/delivery.ts';
import { listFormerNames } from '../model/former-names.ts';
import type { Clock, Instant } from '../model/time.ts';
import type { Agenda } from '../ports/agenda.ts';
import { type ChannelRegistry, traitsOf } from '../ports/channel.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import type { SubscriptionStore } from '../ports/subscription-store.ts';
import { expedite, rampUp } from './expedite.ts';
import { forEachPage, type PageTurns } from './page-turns.ts';
import { HEALTHY, isOpen, keepLasting } from './receivers/health.ts';
import type { Health } from './receivers/health-state.ts';
import { changeHealth, readFreshHealth } from './receivers/subscription-state.ts';
import { type Held, type Postponed, type Stale, stale, type Wait } from './unattempted.ts';

export interface HoldPorts extends Pick<PageTurns, 'betweenPages' | 'pace'> {
  readonly deliveries: DeliveryStore;
  readonly subscriptions: SubscriptionStore;
  readonly channels: ChannelRegistry;
  readonly clock: Clock;
}

export type PausePorts = HoldPorts & { readonly snapshots: SnapshotStore };

/** Holds a delivery whose subscription is paused or disabled, until it is released. */
export async function hold(ports: PausePorts, delivery: Delivery): Promise<Held | Stale> {
  const { slot: _, ...unbooked } = delivery;
  const held: Delivery = { ...unbooked, status: 'held', dueAt: null };
  if (!(await ports.deliveries.update(delivery, held))) return stale('changed');
  await releaseIfOpen(ports, held);
  return { kind: 'held' };
}

/** If the subscription was resumed between our read and write, resume() missed this delivery: release it here. */
export async function releaseIfOpen(ports: PausePorts, held: Delivery): Promise<void> {
  if (!isOpen(await readFreshHealth(ports, held.subscription))) return;
  await releaseOne(ports.deliveries, held, await gathers(ports, held.subscription), ports.clock.now());
}

/** Stops before the next page of deliveries if it returns false. */
export type MayGoOn = () => boolean;

/**
 * Puts all held deliveries back on the agenda, oldest first, and spreads them. Returns their number.
 * @param mayGoOn @default - releases all
 */
export async function release(ports: HoldPorts, subscription: string, mayGoOn: MayGoOn = () => true): Promise<number> {
  const { deliveries, clock, betweenPages, pace } = ports;
  const now = clock.now();
  const owner = (await ports.subscriptions.get(subscription))?.owner;
  const isGathering = await gathers(ports, subscription);
  let released = 0;
  for (const name of await namesOf(ports, subscription)) {
    for (let count = Number.POSITIVE_INFINITY; count > 0; ) {
      // Deliveries may have been held since the last round.
      count = 0;
      const isEnd = await forEachPage(
        { deliveries, owner, betweenPages, pace },
        { status: 'held', subscription: name },
        async (page) => {
          if (!mayGoOn()) return false;
          const dueAt = (index: number) => (isGathering ? now : rampUp(now, released + index));
          const moved = await Promise.all(
            page.map((delivery, index) => releaseOne(deliveries, delivery, isGathering, dueAt(index))),
          );
          released += moved.filter((isMoved) => isMoved).length;
          count += page.length;
          return true;
        },
      );
      if (!isEnd) return released;
    }
  }
  return released;
}

/**
 * With its former names: an index that lagged during the rename may have hidden a held delivery, which was not moved. A
 * former name that another subscription has now is that one's own.
 */
async function namesOf({ subscriptions, clock }: HoldPorts, name: string): Promise<readonly string[]> {
  const subscription = await subscriptions.get(name);
  const names = [name];
  for (const former of subscription === undefined ? [] : listFormerNames(subscription, clock.now()))
    if ((await subscriptions.get(former)) === undefined) names.push(former);
  return names;
}

/** Chat and mail gather released deliveries like any others. */
async function gathers({ subscriptions, channels }: HoldPorts, name: string): Promise<boolean> {
  const subscription = await subscriptions.get(name);
  return subscription !== undefined && traitsOf(channels, subscription.to).gathers;
}

function releaseOne(deliveries: DeliveryStore, held: Delivery, isGathering: boolean, dueAt: Instant): Promise<boolean> {
  const status = isGathering && held.attempts.length === 0 ? 'waiting' : 'pending';
  return deliveries.update(held, { ...held, status, dueAt });
}

/** Moves a delivery on the agenda; tick queues it at that time. Returns false if it was moved or finished since it was read. */
export async function postponeAttempt(agenda: Agenda, delivery: Delivery, to: Instant): Promise<boolean> {
  const { id, subscription, dueAt: at } = delivery;
  if (at === null) return false;
  return agenda.postpone({ kind: 'attempt', at, delivery: id, subscription, attempt: attemptsMade(delivery) + 1 }, to);
}

/** Moves a delivery that has to wait to the end of the wait. Not on the agenda alone: it is among those that were put off. */
export async function postpone(
  deliveries: Pick<DeliveryStore, 'update'>,
  delivery: Delivery,
  wait: Wait,
): Promise<Postponed | Stale> {
  const isMoved = await deliveries.update(delivery, { ...delivery, dueAt: wait.until });
  return isMoved ? { kind: 'postponed', ...wait } : stale('changed');
}

/** Stops sending; deliveries that come due are held. */
export async function pause(ports: Omit<PausePorts, 'channels'>, subscription: string): Promise<Health> {
  return changeHealth(ports, subscription, 'person', (before) =>
    before.state === 'paused' ? before : { ...before, state: 'paused', disabledAt: null, probe: null, gone: false },
  );
}

/**
 * Resumes sending with a clean health record, releases held deliveries, and retries those that waited for a failing receiver.
 * Returns the number of released ones. One that was stopped continues when it is repeated.
 */
export async function resume(ports: PausePorts, subscription: string, mayGoOn: MayGoOn = () => true): Promise<number> {
  let wasFailing = false;
  await changeHealth(ports, subscription, 'person', (before) => {
    wasFailing = before.failingSince !== null;
    return before.state === 'ok' && !wasFailing ? before : { ...HEALTHY, muted: before.muted, ...keepLasting(before) };
  });
  const released = await release(ports, subscription, mayGoOn);
  const stop = {
    get aborted() {
      return !mayGoOn();
    },
  };
  const owner = (await ports.subscriptions.get(subscription))?.owner;
  if (wasFailing && !(await expedite(ports, subscription, { owner, signal: stop })))
    await markCatchUp(ports, subscription);
  return released;
}

/** A later success continues, see `catchUp`: when the resume is repeated, nothing says any more that it was failing. */
async function markCatchUp(ports: PausePorts, subscription: string): Promise<void> {
  const now = ports.clock.now();
  await changeHealth(ports, subscription, 'person', (before) =>
    isOpen(before) && before.catchUp === null ? { ...before, catchUp: now } : before,
  );
}
