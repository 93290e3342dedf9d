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
  const stored = await store.list();
  const others = stored.filter((one) => !one.declared && !declared.has(one.name));
  const origins = new Map(stored.filter((one) => one.declared).map((one) => [one.name, one]));
  return [...subscriptions.map((one) => continueStored(one, origins.get(one.name))), ...others].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
}

/** What it continues: its deliveries are those of the stored one, also of one that was added before it was declared, or was renamed. */
function continueStored(declared: Subscription, stored: Subscription | undefined): Subscription {
  const { createdAt, formerNames } = stored ?? {};
  if (createdAt === undefined && formerNames === undefined) return declared;
  return {
    ...declared,
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(formerNames === undefined ? {} : { formerNames }),
  };
}
