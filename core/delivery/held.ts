/** Moves deliveries that do not move by themselves: holds them, lets them go, tries them sooner. */

import { type Delivery, QUEUE_GRACE } from '../model/delivery.ts';
import { isForPeople } from '../model/subscription.ts';
import { type Clock, plus } from '../model/time.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import type { Health } from './health.ts';
import { changeHealth } from './subscription-state.ts';

export interface HeldPorts {
  readonly ledger: Ledger;
  readonly clock: Clock;
}

const BATCH = 500;

/** Its subscription is paused or disabled: kept until somebody lets it go. */
export async function hold(ledger: Ledger, delivery: Delivery): Promise<void> {
  await ledger.changeDelivery(delivery, { ...delivery, status: 'held', dueAt: null });
}

/** Puts all that is held back on the agenda, oldest first. Returns how many there were. */
export async function release({ ledger, clock }: HeldPorts, subscription: string): Promise<number> {
  const now = clock.now();
  const known = await ledger.subscription(subscription);
  const gathers = known !== undefined && isForPeople(known);
  for (let released = 0; ; ) {
    const held = await ledger.deliveries({ status: 'held', subscription, end: 'oldest', limit: BATCH });
    if (held.length === 0) return released;
    for (const delivery of held) {
      // Chat and mail gather what was held as they gather anything else.
      const status = gathers && delivery.attempts.length === 0 ? 'waiting' : 'pending';
      if (await ledger.changeDelivery(delivery, { ...delivery, status, dueAt: now })) released += 1;
    }
  }
}

/** Tries again now what waits for its next attempt: the receiver is back. */
export async function expedite({ ledger, clock }: HeldPorts, subscription: string): Promise<void> {
  const now = clock.now();
  const pending = await ledger.deliveries({ status: 'pending', subscription, end: 'oldest', limit: BATCH });
  for (const delivery of pending) {
    if (delivery.attempts.length === 0 || delivery.dueAt === null || delivery.dueAt <= plus(now, QUEUE_GRACE)) continue;
    await ledger.changeDelivery(delivery, { ...delivery, dueAt: now });
  }
}

/** Tries one delivery now, whatever its schedule says; one that was given up gets one more attempt. False when it is over. */
export async function retryNow({ ledger, clock }: HeldPorts, id: string): Promise<boolean> {
  const delivery = await ledger.delivery(id);
  if (delivery === undefined || delivery.status === 'settled' || delivery.status === 'gathered') return false;
  const status = delivery.status === 'waiting' ? 'waiting' : 'pending';
  return ledger.changeDelivery(delivery, { ...delivery, status, settledAt: null, dueAt: clock.now() });
}

export type PausePorts = HeldPorts & { readonly snapshots: SnapshotStore };

/** Nothing is sent from now on; what comes up is held. */
export async function pause(ports: PausePorts, subscription: string): Promise<Health> {
  return changeHealth(ports, subscription, 'person', (before) =>
    before.state === 'paused' ? before : { ...before, state: 'paused', disabledAt: null, probe: null, gone: false },
  );
}

/** Sends again, with a clean slate: its five days begin anew. What was held goes out. Returns how many that were. */
export async function resume(ports: PausePorts, subscription: string): Promise<number> {
  await changeHealth(ports, subscription, 'person', (before) =>
    before.state === 'ok' && before.failingSince === null
      ? before
      : {
          ...before,
          state: 'ok',
          reason: null,
          failingSince: null,
          warnedAt: null,
          disabledAt: null,
          probe: null,
          gone: false,
        },
  );
  return release(ports, subscription);
}
