/** Changes the signing secret of a subscription: for a day, every request carries both signatures. */

import { formerSecrets, ROTATION_OVERLAP, type Subscription, signingSecrets } from '../model/subscription.ts';
import { type Instant, plus } from '../model/time.ts';
import { auditedChange, type ChangeAuthor } from '../ports/audit-store.ts';
import { type ChannelRegistry, traitsOf } from '../ports/channel.ts';
import type { VerbOptions, VerbPorts } from './verb-ports.ts';

export type RotateResult =
  | { readonly kind: 'rotated'; readonly secret: string; readonly until: Instant }
  /**
   * `unsigned`: its messages are not signed. `changed`: another request has changed the secret meanwhile. `too-many`: as many
   * secrets as a request may carry signatures are in use.
   */
  | { readonly kind: 'missing' | 'unsigned' | 'changed' | 'too-many' };

/** The signatures that a request carries at most: some receivers limit the size of headers to 8 KB, an Ed25519 signature has 92 bytes. */
const MAX_SIGNING_SECRETS = 5;

/**
 * Replaces the signing secret. For a day, both sign; one that was replaced before signs until its own day ends.
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
  const configuredOf = ({ to }: Subscription) => traitsOf(channels, to).signingSecret(to.settings);
  if (signingSecrets(stored, configuredOf(stored) ?? current, now).length >= MAX_SIGNING_SECRETS)
    return { kind: 'too-many' };
  const rotate = async (): Promise<RotateResult> => {
    const secret = await makeSecret(current);
    let until: Instant | undefined;
    const isThere = await subscriptions.update(name, (latest) => {
      assertAllowed?.(latest);
      const configured = configuredOf(latest);
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

export function sayTooManySecrets(name: string): string {
  return `the secret of '${name}' was rotated ${MAX_SIGNING_SECRETS - 1} times within a day, and every request carries the signatures of all: wait until the first one ends`;
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
  return { ...subscription, rotation: nextRotation(subscription, { configured, secret, replaces: configured }, now) };
}

interface NewSecret {
  /** The secret in the settings before. */
  readonly configured: string;
  readonly secret: string;
  readonly replaces: string;
}

/** The secret in use becomes the previous one. Those before it sign until their own end, as many as a request may carry. */
function nextRotation(
  { rotation }: Subscription,
  { configured, secret, replaces }: NewSecret,
  now: Instant,
): NonNullable<Subscription['rotation']> {
  const until = plus(now, ROTATION_OVERLAP);
  const applies = rotation !== undefined && rotation.replaces === configured;
  const previous = applies ? rotation.secret : configured;
  const earlier = (applies ? formerSecrets(rotation, now) : [])
    .filter((former) => former.secret !== secret && former.secret !== previous)
    .slice(0, MAX_SIGNING_SECRETS - 2);
  return { secret, replaces, previous, until, ...(earlier.length === 0 ? {} : { earlier }) };
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
  if (configured === secret) return declared;
  const [current = configured] = signingSecrets(kept, configured, now);
  if (current === secret) {
    // The rotated secret was put into the config. Those that it replaced sign until their end.
    const [former, ...earlier] = kept.rotation === undefined ? [] : formerSecrets(kept.rotation, now);
    if (former === undefined) return declared;
    const rest = earlier.length === 0 ? {} : { earlier };
    return {
      ...declared,
      rotation: { secret, replaces: secret, previous: former.secret, until: former.until, ...rest },
    };
  }
  return { ...declared, rotation: nextRotation(kept, { configured, secret, replaces: secret }, now) };
}
