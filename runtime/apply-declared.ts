/** Applies the subscriptions of a config to the store. A replaced signing secret keeps signing during its rotation. */

import { signingSecretOf } from '../adapters/channels/registry.ts';
import type { Instant } from '../core/model/time.ts';
import type { Applied, SubscriptionStore } from '../core/ports/subscription-store.ts';
import { carryOverRotation } from '../core/subscriptions/rotate.ts';
import type { Config } from './config/config.ts';

export function applyDeclared(
  { subscriptions }: Pick<Config, 'subscriptions'>,
  store: Pick<SubscriptionStore, 'applyDeclared'>,
  now: Instant,
): Promise<Applied> {
  return store.applyDeclared(subscriptions, (declared, kept) =>
    carryOverRotation(declared, kept, now, signingSecretOf),
  );
}
