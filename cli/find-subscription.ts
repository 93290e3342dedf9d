/** Finds the subscription a command names, or says which there are. */

import { UsageError } from '../core/model/errors.ts';
import type { Subscription } from '../core/model/subscription.ts';
import type { SubscriptionStore } from '../core/ports/subscription-store.ts';

export async function findSubscription(subscriptions: SubscriptionStore, name: string): Promise<Subscription> {
  const found = await subscriptions.get(name);
  if (found !== undefined) return found;
  const known = (await subscriptions.list()).map((one) => one.name);
  throw new UsageError(
    'TIDINGS_SUBSCRIPTION_UNKNOWN',
    `subscription '${name}': there is none of that name; ${known.length === 0 ? 'there is none at all yet' : `there are ${known.join(', ')}`}`,
  );
}
