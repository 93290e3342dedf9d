/** The ledger of functions that work with events and deliveries. Polling needs a small part of it: see sources.ts. */

import { dynamoLedger } from '../../adapters/dynamodb/ledger.ts';
import { dynamoTurns } from '../../adapters/dynamodb/turns.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { Turns } from '../../core/ports/turns.ts';
import { type Aws, needed } from '../aws.ts';
import { LEDGER_TABLE } from './environment.ts';

export function ledgerOf({ config, environment, clients, clock }: Aws): Ledger {
  const table = needed(environment, LEDGER_TABLE);
  return dynamoLedger({ client: clients.dynamodb, table, retention: config.retention, clock });
}

/** The turns of receivers with a rate, which are kept beside it. */
export function turnsOf({ environment, clients }: Aws): Turns {
  return dynamoTurns({ client: clients.dynamodb, table: needed(environment, LEDGER_TABLE) });
}
