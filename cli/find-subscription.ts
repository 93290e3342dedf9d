/** Finds the subscription a command names, or says which there are. */

import { UsageError } from '../core/model/errors.ts';
import type { Subscription } from '../core/model/subscription.ts';
import type { Ledger } from '../core/ports/ledger.ts';

export async function findSubscription(ledger: Ledger, name: string): Promise<Subscription> {
  const found = await ledger.subscription(name);
  if (found !== undefined) return found;
  const known = (await ledger.subscriptions()).map((one) => one.name);
  throw new UsageError(
    'TIDINGS_SUBSCRIPTION_UNKNOWN',
    `subscription '${name}': there is none of that name; ${known.length === 0 ? 'there is none at all yet' : `there are ${known.join(', ')}`}`,
  );
}
