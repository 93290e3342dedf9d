/** The table of events, deliveries and subscriptions, for functions that construct the stores they use on it. */

import { type LedgerTable, openLedgerTable } from '../../adapters/dynamodb/ledger-table.ts';
import { dynamoRateLimiter } from '../../adapters/dynamodb/rate-limiter.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';
import { type AwsContext, requireEnv } from './context.ts';
import { LEDGER_TABLE } from './environment.ts';

export function openLedger({ config, environment, clients, clock }: AwsContext): LedgerTable {
  const table = requireEnv(environment, LEDGER_TABLE);
  return openLedgerTable({ client: clients.dynamodb, table, retention: config.retention, clock });
}

/** The rate limiter shares the table. */
export function openRateLimiter({ environment, clients }: AwsContext): RateLimiter {
  return dynamoRateLimiter({ client: clients.dynamodb, table: requireEnv(environment, LEDGER_TABLE) });
}
