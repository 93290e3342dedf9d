/** Lets a delivery wait until its rate allows to send it. Gives it up if that takes too long. */

import { attemptsMade, type Delivery, type SendSlot } from '../model/delivery.ts';
import { between, formatDuration, SECOND } from '../model/time.ts';
import { checkOpen } from './check-open.ts';
import { enterLane, type LanePorts } from './enter-lane.ts';
import { giveUp } from './give-up.ts';
import type { PausePorts } from './hold.ts';
import { MAX_RATE_WAIT } from './rate-limit.ts';
import type { Health } from './receivers/health-state.ts';
import { type Held, type Postponed, type Stale, stale, type TooLate } from './unattempted.ts';

export interface AwaitSlotPorts extends PausePorts, Pick<LanePorts, 'random'> {
  /**
   * Waits for the send slot of a delivery whose receiver's rate several processes share, and books one if it has none.
   * Returns undefined once the slot has come; otherwise a slot that is too far away to wait for, or that it would come too
   * late. @default - the lanes of this process keep every rate
   */
  readonly waitForSlot?: (delivery: Delivery) => Promise<SendSlot | 'too-late' | undefined>;
}

/** After a shorter wait, reading the delivery again is not worth its cost. */
const RECHECK_AFTER_WAIT = SECOND;

/**
 * Returns the health once the send slot has come; otherwise puts the delivery on the agenda for its slot. Reads both again
 * after a long wait: a person may have paused the subscription, or another job may have made this attempt.
 */
export async function awaitSlot(
  ports: AwaitSlotPorts,
  delivery: Delivery,
  health: Health,
): Promise<Health | Held | Postponed | Stale | TooLate> {
  const { deliveries, clock, waitForSlot } = ports;
  const askedAt = clock.now();
  const slot = await waitForSlot?.(delivery);
  if (slot === 'too-late') return giveUpLate(ports, delivery);
  if (slot !== undefined) {
    // If the process dies before this, or another job was faster, the slot stays unused.
    const isBooked = await deliveries.update(delivery, { ...delivery, slot, dueAt: slot.at });
    return isBooked ? { kind: 'postponed', until: slot.at, because: 'rate-limit' } : stale('changed');
  }
  if (between(askedAt, clock.now()) < RECHECK_AFTER_WAIT) return health;
  const latest = await deliveries.get(delivery.id, true);
  const isSame = latest?.status === delivery.status && attemptsMade(latest) === attemptsMade(delivery);
  if (!isSame) return stale('changed');
  const open = await checkOpen(ports, latest);
  // Tick has queued another job for this attempt.
  if (latest.dueAt !== delivery.dueAt) return stale('changed');
  // Unchanged, or the pause that this delivery itself has set as the probe.
  if ('kind' in open || open.circuit?.pausedUntil === health.circuit?.pausedUntil) return open;
  return enterLane(ports, delivery, open);
}

async function giveUpLate(ports: AwaitSlotPorts, delivery: Delivery): Promise<TooLate | Stale> {
  const message = `the rate of the subscription does not allow to send it within ${formatDuration(MAX_RATE_WAIT)}`;
  const isSaved = await giveUp(ports, delivery, { code: 'TIDINGS_DELIVERY_TOO_LATE', message });
  return isSaved ? { kind: 'too-late' } : stale('changed');
}
