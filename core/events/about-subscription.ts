/** Events about subscriptions: which one an event is about, and which subscriptions do not get it. Pure. */

import type { TidingsEvent } from '../model/event.ts';
import type { Subscription } from '../model/subscription.ts';

const TYPE_PREFIX = 'subscription.';
const SUBJECT_PREFIX = 'subscription/';

/** The name of the subscription that an event is about; undefined for all other events. */
export function subscriptionOf({ type, subject }: Pick<TidingsEvent, 'type' | 'subject'>): string | undefined {
  return type.startsWith(TYPE_PREFIX) ? subject.slice(SUBJECT_PREFIX.length) : undefined;
}

/**
 * Whether a subscription does not get an event that it matches. A failing receiver is not sent its own failure events: each would
 * fail too and cause another one. A key that sees only its own subscriptions gets no events about those of others.
 * @param ownerOf the owner of a subscription; undefined if it has none, or was removed
 */
export function isWithheld(
  event: Pick<TidingsEvent, 'type' | 'subject'>,
  { name, owner, ofOwnerOnly }: Pick<Subscription, 'name' | 'owner' | 'ofOwnerOnly'>,
  ownerOf: (name: string) => string | undefined,
): boolean {
  const about = subscriptionOf(event);
  if (about === undefined) return false;
  return about === name || (ofOwnerOnly === true && (owner === undefined || ownerOf(about) !== owner));
}
