/** Changes the signing secret of a subscription without a receiver missing a beat: both sign for a day. Pure. */

import { type HttpTarget, ROTATION_OVERLAP, type Subscription, signingSecrets } from '../model/subscription.ts';
import { type Instant, plus } from '../model/time.ts';

/** `secret`: a reference to the new one. What was in force signs beside it for a day. */
export function rotateSecret(
  subscription: Subscription,
  target: HttpTarget,
  secret: string,
  now: Instant,
): Subscription {
  const [previous = target.secret] = signingSecrets(subscription, target, now);
  const until = plus(now, ROTATION_OVERLAP);
  return { ...subscription, rotation: { secret, replaces: target.secret, previous, until } };
}

/**
 * A declared subscription as it is to be kept, given the one that was: a rotation goes on while the config says what it
 * said, and a secret that the config changes is a rotation itself.
 */
export function carryOverRotation(declared: Subscription, kept: Subscription | undefined, now: Instant): Subscription {
  if (kept === undefined || !('http' in declared.to) || !('http' in kept.to)) return declared;
  const [before = ''] = signingSecrets(kept, kept.to.http, now);
  const { secret } = declared.to.http;
  if (kept.rotation !== undefined && kept.rotation.replaces === secret) return { ...declared, rotation: kept.rotation };
  if (before === secret || kept.to.http.secret === secret) return declared;
  const until = plus(now, ROTATION_OVERLAP);
  return { ...declared, rotation: { secret, replaces: secret, previous: before, until } };
}
