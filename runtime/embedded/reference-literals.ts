/** Replaces secrets that are written literally in a subscription by references, so that the data file holds no secret. */

import { isLiteralSecret } from '../../adapters/secrets/local-secrets.ts';
import { isSameValue } from '../../core/model/json.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import type { SubscriptionStore } from '../../core/ports/subscription-store.ts';
import { isSecret, type Path } from '../config/problems.ts';

type KeepLiteral = (secret: string) => string;

/** The same object if it has no literal secret. */
export function referenceLiterals(subscription: Subscription, keep: KeepLiteral): Subscription {
  return mapSubscriptionSecrets(subscription, (text) => (isLiteralSecret(text) ? keep(text) : text));
}

/** Replaces each secret of its settings and of its rotation. The same object if none changes. */
export function mapSubscriptionSecrets(subscription: Subscription, refer: (secret: string) => string): Subscription {
  const { to, rotation } = subscription;
  const settings = mapSecrets(to.settings, refer) as object;
  const next = rotation && {
    ...rotation,
    secret: refer(rotation.secret),
    replaces: refer(rotation.replaces),
    previous: refer(rotation.previous),
    ...(rotation.earlier && { earlier: rotation.earlier.map((one) => ({ ...one, secret: refer(one.secret) })) }),
  };
  const changed = { ...subscription, to: { ...to, settings }, ...(next === undefined ? {} : { rotation: next }) };
  return isSameValue(changed, subscription) ? subscription : changed;
}

function mapSecrets(value: unknown, refer: (text: string) => string, path: Path = []): unknown {
  if (typeof value === 'string') return isSecret(path) ? refer(value) : value;
  if (Array.isArray(value)) return value.map((item, index) => mapSecrets(item, refer, [...path, index]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapSecrets(item, refer, [...path, key])]));
}

/** Replaces the literal secrets that earlier versions stored. */
export async function referenceStoredLiterals(
  store: Pick<SubscriptionStore, 'list' | 'update'>,
  keep: KeepLiteral,
): Promise<void> {
  for (const stored of await store.list()) {
    if (referenceLiterals(stored, keep) === stored) continue;
    await store.update(stored.name, (latest) => referenceLiterals(latest, keep));
  }
}
