/**
 * A subscription store that includes the declared subscriptions of a config before they are applied. During a deployment
 * in AWS, functions with the new config run before `setup` has stored its subscriptions. Writes nothing.
 */

import { channelRegistry } from '../adapters/channels/registry.ts';
import type { Subscription } from '../core/model/subscription.ts';
import type { Clock } from '../core/model/time.ts';
import type { SubscriptionStore } from '../core/ports/subscription-store.ts';
import { mergeDeclared } from '../core/subscriptions/declare.ts';
import type { Config } from './config/config.ts';

/**
 * `list` returns what the store holds once the config is applied. `get` also finds a stored subscription that the config
 * no longer declares: its deliveries are sent until `setup` removes it.
 */
export function withDeclared(
  store: SubscriptionStore,
  { subscriptions }: Pick<Config, 'subscriptions'>,
  clock: Clock,
): SubscriptionStore {
  const declared = new Map(subscriptions.map((one) => [one.name, one]));
  const merge = (wanted: Subscription, stored: Subscription | undefined) =>
    mergeDeclared({ channels: channelRegistry, clock }, wanted, stored);
  return {
    ...store,
    async get(name) {
      const stored = await store.get(name);
      const wanted = declared.get(name);
      return wanted === undefined ? stored : merge(wanted, stored);
    },
    async list() {
      const stored = new Map((await store.list()).map((one) => [one.name, one]));
      const others = [...stored.values()].filter((one) => !one.declared && !declared.has(one.name));
      const wanted = subscriptions.map((one) => merge(one, stored.get(one.name)));
      return [...wanted, ...others].sort((a, b) => (a.name < b.name ? -1 : 1));
    },
  };
}
