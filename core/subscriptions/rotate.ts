/** Changes the signing secret of a subscription: for a day, every request carries both signatures. */

import { ROTATION_OVERLAP, type Subscription, signingSecrets } from '../model/subscription.ts';
import { type Instant, plus } from '../model/time.ts';
import { auditedChange, type ChangeAuthor } from '../ports/audit-store.ts';
import { type ChannelRegistry, traitsOf } from '../ports/channel.ts';
import type { VerbOptions, VerbPorts } from './verbs.ts';

export type RotateResult =
  | { readonly kind: 'rotated'; readonly secret: string; readonly until: Instant }
  /** `unsigned`: its messages are not signed. `changed`: another request has changed the secret meanwhile. */
  | { readonly kind: 'missing' | 'unsigned' | 'changed' };

/**
 * Replaces the signing secret. For a day, both sign.
 * @param makeSecret returns the reference to a new secret, given the one to the current secret
 */
export async function rotateSubscription(
  ports: VerbPorts,
  author: ChangeAuthor,
  name: string,
  makeSecret: (current: string) => Promise<string>,
  { assertAllowed }: Pick<VerbOptions, 'assertAllowed'> = {},
): Promise<RotateResult> {
  const { subscriptions, clock, channels } = ports;
  const now = clock.now();
  const currentOf = (subscription: Subscription) => currentSecret(channels, subscription, now);
  const stored = await subscriptions.get(name);
  if (stored === undefined) return { kind: 'missing' };
  assertAllowed?.(stored);
  const current = currentOf(stored);
  if (current === undefined) return { kind: 'unsigned' };
  const rotate = async (): Promise<RotateResult> => {
    const secret = await makeSecret(current);
    let until: Instant | undefined;
    const isThere = await subscriptions.update(name, (latest) => {
      assertAllowed?.(latest);
      const configured = traitsOf(channels, latest.to).signingSecret(latest.to.settings);
      if (configured === undefined || currentOf(latest) !== current) return latest;
      const rotated = rotateSecret(latest, configured, secret, now);
      until = rotated.rotation?.until;
      return rotated;
    });
    if (!isThere) return { kind: 'missing' };
    return until === undefined ? { kind: 'changed' } : { kind: 'rotated', secret, until };
  };
  const action = { action: 'subscription.rotated', target: `subscription/${name}` };
  const isRefused = ({ kind }: RotateResult) => kind !== 'rotated';
  return auditedChange(ports, author, action, rotate, { isRefused });
}

/** The reference to the secret that signs now; undefined if its messages are not signed. */
export function currentSecret(channels: ChannelRegistry, subscription: Subscription, now: Instant): string | undefined {
  const { channel, settings } = subscription.to;
  const configured = traitsOf(channels, { channel }).signingSecret(settings);
  return configured === undefined ? undefined : signingSecrets(subscription, configured, now)[0];
}

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
