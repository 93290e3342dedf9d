/** Finds a subscription by name, or throws an error that lists the known names. */

import { UsageError } from '../core/model/errors.ts';
import type { Subscription } from '../core/model/subscription.ts';
import type { SubscriptionStore } from '../core/ports/subscription-store.ts';

export async function findSubscription(subscriptions: SubscriptionStore, name: string): Promise<Subscription> {
  const found = await subscriptions.get(name);
  if (found !== undefined) return found;
  const known = (await subscriptions.list()).map((one) => one.name);
  throw new UsageError(
    'TIDINGS_SUBSCRIPTION_UNKNOWN',
    `subscription '${name}' not found; ${known.length === 0 ? 'there are no subscriptions yet' : `known subscriptions: ${known.join(', ')}`}`,
  );
}
