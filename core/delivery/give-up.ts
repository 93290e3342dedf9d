/** Gives a delivery up without an attempt, so that it takes no slot from those that are still sent. */

import { attemptsMade, type Delivery, withAttempt } from '../model/delivery.ts';
import type { ErrorCode } from '../model/error-codes.ts';
import type { Clock } from '../model/time.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';

export interface GiveUpPorts {
  readonly deliveries: Pick<DeliveryStore, 'update'>;
  readonly clock: Clock;
}

/** Returns false if it was changed meanwhile. */
export function giveUp(
  { deliveries, clock }: GiveUpPorts,
  delivery: Delivery,
  { code, message }: { readonly code: ErrorCode; readonly message: string },
): Promise<boolean> {
  const { slot: _, ...unbooked } = delivery;
  const now = clock.now();
  const number = attemptsMade(delivery) + 1;
  const attempts = withAttempt(delivery.attempts, { number, at: now, ms: 0, outcome: 'gave-up', code, message });
  return deliveries.update(delivery, { ...unbooked, attempts, status: 'failed', settledAt: now, dueAt: null });
}
