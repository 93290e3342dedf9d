/** Makes the declared subscriptions those of a config, without a receiver missing a beat when a secret changed. */

import type { Instant } from '../core/model/time.ts';
import type { Applied, Ledger } from '../core/ports/ledger.ts';
import { carryOverRotation } from '../core/subscriptions/rotate.ts';
import type { Config } from './config/config.ts';

export function applyDeclared(
  { subscriptions }: Pick<Config, 'subscriptions'>,
  ledger: Pick<Ledger, 'applyDeclared'>,
  now: Instant,
): Promise<Applied> {
  return ledger.applyDeclared(subscriptions, (declared, kept) => carryOverRotation(declared, kept, now));
}
