/** Which subscriptions hold, for commands that only look: those the config declares, and those made otherwise. */

import type { Subscription } from '../../core/model/subscription.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { Config } from '../config/config.ts';

/** As the ledger will have them once the config is applied, by name. Writes nothing. */
export async function subscriptionsInForce(
  { subscriptions }: Pick<Config, 'subscriptions'>,
  ledger: Pick<Ledger, 'subscriptions'>,
): Promise<readonly Subscription[]> {
  const declared = new Set(subscriptions.map(({ name }) => name));
  const others = (await ledger.subscriptions()).filter((one) => !one.declared && !declared.has(one.name));
  return [...subscriptions, ...others].sort((a, b) => (a.name < b.name ? -1 : 1));
}
