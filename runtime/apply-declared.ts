/** Makes the declared subscriptions those of a config, without a receiver missing a beat when a secret changed. */

import type { Instant } from '../core/model/time.ts';
import type { Applied, Ledger } from '../core/ports/ledger.ts';
import { carriedOver } from '../core/subscriptions/rotate.ts';
import type { Config } from './config/config.ts';

export async function applyDeclared(
  { subscriptions }: Pick<Config, 'subscriptions'>,
  ledger: Pick<Ledger, 'subscription' | 'applyDeclared'>,
  now: Instant,
): Promise<Applied> {
  const declared = subscriptions.map(async (one) => carriedOver(one, await ledger.subscription(one.name), now));
  return ledger.applyDeclared(await Promise.all(declared));
}
