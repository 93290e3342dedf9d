/** The names that a subscription had before: its deliveries may still have them. */

import type { Subscription } from './subscription.ts';
import type { Duration, Instant } from './time.ts';

/** How long a rename is remembered: deliveries of the former name may arrive, and the config may be rolled back. */
export const RENAME_MEMORY: Duration = 7 * 24 * 60 * 60 * 1000;

/** The names it had before, the latest first. */
export function listFormerNames(
  { renamedFrom, formerNames = [] }: Pick<Subscription, 'renamedFrom' | 'formerNames'>,
  now: Instant,
): readonly string[] {
  const remembered = formerNames.filter(({ until }) => now < until).map(({ name }) => name);
  return [...new Set(renamedFrom === undefined ? remembered : [renamedFrom, ...remembered])];
}

/**
 * The subscription that has another name now. The ids of its deliveries come from its former name, and the next start moves to it what is
 * left under that name, so no other one can have it.
 */
export function findSuccessor<S extends Pick<Subscription, 'renamedFrom' | 'formerNames'>>(
  subscriptions: readonly S[],
  formerName: string,
  now: Instant,
): S | undefined {
  return subscriptions.find((one) => listFormerNames(one, now).includes(formerName));
}
