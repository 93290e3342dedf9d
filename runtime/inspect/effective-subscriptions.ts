/** The subscriptions in effect, for read-only commands: those the config declares, and those added by command. */

import type { Subscription } from '../../core/model/subscription.ts';
import type { SubscriptionStore } from '../../core/ports/subscription-store.ts';
import type { Config } from '../config/config.ts';

/** The subscriptions as stored once the config is applied, sorted by name. Writes nothing. */
export async function effectiveSubscriptions(
  { subscriptions }: Pick<Config, 'subscriptions'>,
  store: Pick<SubscriptionStore, 'list'>,
): Promise<readonly Subscription[]> {
  const declared = new Set(subscriptions.map(({ name }) => name));
  const others = (await store.list()).filter((one) => !one.declared && !declared.has(one.name));
  return [...subscriptions, ...others].sort((a, b) => (a.name < b.name ? -1 : 1));
}
