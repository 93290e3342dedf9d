/** The ledger of functions that work with events and deliveries. Polling needs a small part of it: see sources.ts. */

import { dynamoLedger } from '../../adapters/dynamodb/ledger.ts';
import { dynamoTurns } from '../../adapters/dynamodb/rate-limiter.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';
import { type AwsContext, requireEnv } from './context.ts';
import { LEDGER_TABLE } from './environment.ts';

export function openLedger({ config, environment, clients, clock }: AwsContext): Ledger {
  const table = requireEnv(environment, LEDGER_TABLE);
  return dynamoLedger({ client: clients.dynamodb, table, retention: config.retention, clock });
}

/** The turns of receivers with a rate, which are kept beside it. */
export function openRateLimiter({ environment, clients }: AwsContext): RateLimiter {
  return dynamoTurns({ client: clients.dynamodb, table: requireEnv(environment, LEDGER_TABLE) });
}
