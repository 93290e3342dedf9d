/**
 * Lets a delivery pass to its receiver, or postpones it while the receiver's circuit is open (see circuit.ts). A postponed
 * delivery uses up no attempt.
 */

import type { Delivery } from '../model/delivery.ts';
import type { Clock, Instant } from '../model/time.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import { postpone } from './hold.ts';
import { type Circuit, pauseEnd, spreadAfterPause, withProbe } from './receivers/circuit.ts';
import { isOpen } from './receivers/health.ts';
import type { Health } from './receivers/health-state.ts';
import { changeHealth } from './receivers/subscription-state.ts';
import type { Postponed, Stale } from './unattempted.ts';

export interface LanePorts {
  readonly deliveries: Pick<DeliveryStore, 'update'>;
  readonly snapshots: SnapshotStore;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
}

/** Postpones a delivery whose receiver is paused. Undefined if it may be attempted. */
export async function postponeIfPaused(
  ports: LanePorts,
  delivery: Delivery,
  health: Health,
): Promise<Postponed | Stale | undefined> {
  const end = isExempt(delivery, health) ? undefined : pauseEnd(health.circuit, ports.clock.now());
  if (end === undefined) return undefined;
  const until = await timeAfterPause(ports, delivery, health, end);
  return postpone(ports.deliveries, delivery, { until, because: 'receiver-paused' });
}

/**
 * Returns the health if the delivery may be attempted now; otherwise postpones it. When a pause has ended, the first
 * delivery becomes the probe, and the others stay paused until its result is known.
 */
export async function enterLane(
  ports: LanePorts,
  delivery: Delivery,
  health: Health,
): Promise<Health | Postponed | Stale> {
  const paused = await postponeIfPaused(ports, delivery, health);
  if (paused !== undefined) return paused;
  const ended = health.circuit;
  if (isExempt(delivery, health) || ended === null || ended.pausedUntil === null) return health;
  const probing = withProbe(ended, delivery.id, ports.clock.now());
  const after = await changeCircuit(ports, delivery, ended, probing);
  if (after.circuit?.probe === delivery.id) return after;
  // Another delivery probes the receiver, has just reached it, or has failed again.
  return (await postponeIfPaused(ports, delivery, after)) ?? after;
}

/** A test is always sent. A disabled subscription has a probe of its own. */
const isExempt = ({ mark }: Delivery, health: Health) => mark === 'test' || !isOpen(health);

/** The first delivery that finds the receiver paused probes it as soon as the pause ends; the others follow later. */
async function timeAfterPause(ports: LanePorts, delivery: Delivery, health: Health, until: Instant): Promise<Instant> {
  const { clock, random } = ports;
  // The first of the waiting deliveries takes all the others with it.
  if (delivery.status === 'waiting' || health.circuit === null) return until;
  const { circuit } = health;
  const chosen =
    circuit.probe === null ? await changeCircuit(ports, delivery, circuit, { ...circuit, probe: delivery.id }) : health;
  return chosen.circuit?.probe === delivery.id
    ? until
    : spreadAfterPause(until, health.failingSince, clock.now(), random());
}

/** Changes the circuit unless it has changed since it was read. Returns the health as it is then. */
function changeCircuit(ports: LanePorts, { subscription }: Delivery, read: Circuit, next: Circuit): Promise<Health> {
  return changeHealth(ports, subscription, 'delivery', (before) =>
    before.circuit?.pausedUntil === read.pausedUntil && before.circuit.probe === read.probe
      ? { ...before, circuit: next }
      : before,
  );
}
