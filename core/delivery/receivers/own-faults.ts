/**
 * Separates faults of our own from failures of the receiver: a secret, a store or the mail service that is not available,
 * or settings that are not valid. They are retried until they are fixed and use up none of the receiver's attempts. Pure.
 */

import type { Attempt, Delivery } from '../../model/delivery.ts';
import { type Duration, MINUTE, SECOND } from '../../model/time.ts';

/** Delays after the 1st, 2nd, … fault of our own; the last one repeats. */
const DELAYS: readonly Duration[] = [
  5 * SECOND,
  15 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
];

/** After this many faults in one delivery, about half an hour, the subscription counts as failing: a person must act. */
export const LASTING_FAULTS = DELAYS.length;

/** `jitter` in [0, 1) varies the delay by ±20 %. */
export function delayAfterOwnFault(faults: number, jitter: number): Duration {
  const delay = DELAYS[Math.min(faults, DELAYS.length) - 1] ?? SECOND;
  return Math.round(delay * (0.8 + 0.4 * jitter));
}

/** How many attempts failed through faults of our own. */
export function ownFaults({ attempts }: Pick<Delivery, 'attempts'>): number {
  return attempts.findLast(({ ownFault }) => ownFault !== undefined)?.ownFault ?? 0;
}

/** The number of an attempt among those that the receiver had a part in. */
export function receiverAttempt(attempts: readonly Attempt[], number: number): number {
  return number - ownFaults({ attempts });
}
