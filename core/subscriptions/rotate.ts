/** Changes the signing secret of a subscription: for a day, every request carries both signatures. Pure. */

import { ROTATION_OVERLAP, type Subscription, signingSecrets } from '../model/subscription.ts';
import { type Instant, plus } from '../model/time.ts';

/**
 * The subscription with a new signing secret. The one in use signs beside it for a day.
 *
 * @param configured the secret in the settings of its channel
 * @param secret a reference to the new one
 */
export function rotateSecret(
  subscription: Subscription,
  configured: string,
  secret: string,
  now: Instant,
): Subscription {
  const [previous = configured] = signingSecrets(subscription, configured, now);
  const until = plus(now, ROTATION_OVERLAP);
  return { ...subscription, rotation: { secret, replaces: configured, previous, until } };
}

/**
 * A declared subscription as it is to be stored, given the stored one: a rotation continues while the configured secret
 * stays the same, and a configured secret that changes is a rotation itself.
 *
 * @param secretOf the signing secret in the settings of a subscription; undefined where its channel does not sign
 */
export function carryOverRotation(
  declared: Subscription,
  kept: Subscription | undefined,
  now: Instant,
  secretOf: (subscription: Subscription) => string | undefined,
): Subscription {
  const secret = secretOf(declared);
  const configured = kept === undefined ? undefined : secretOf(kept);
  if (kept === undefined || secret === undefined || configured === undefined) return declared;
  if (kept.rotation !== undefined && kept.rotation.replaces === secret) return { ...declared, rotation: kept.rotation };
  const [previous = configured] = signingSecrets(kept, configured, now);
  if (previous === secret || configured === secret) return declared;
  return { ...declared, rotation: { secret, replaces: secret, previous, until: plus(now, ROTATION_OVERLAP) } };
}
