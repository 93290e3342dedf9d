/** Opens the sources of the config for polling in AWS. Tokens are read at first use. */

import { dynamoLeaseStore } from '../../adapters/dynamodb/lease-store.ts';
import { dynamoManifestStore } from '../../adapters/dynamodb/manifest-store.ts';
import { dynamoScanStateStore } from '../../adapters/dynamodb/scan-state-store.ts';
import { openTable } from '../../adapters/dynamodb/table.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import type { PollPorts } from '../../core/source/poll-ports.ts';
import { openSourceApi } from '../open-source-api.ts';
import { type AwsContext, oncePerContext, requireEnv } from './context.ts';
import { LEDGER_TABLE } from './environment.ts';
import { createSourceApis } from './source-apis.ts';

/**
 * The poll ports of each source, by name. After a change of the sources the clients of unchanged ones are the same, with their
 * connections and their pace; the others are closed.
 */
export function openSources(aws: AwsContext, secrets: Secrets): ReadonlyMap<string, PollPorts> {
  const { config, clients, environment, snapshots, clock, holder, random } = aws;
  const options = { client: clients.dynamodb, table: requireEnv(environment, LEDGER_TABLE) };
  const table = openTable(options);
  const stores = {
    snapshots,
    manifests: dynamoManifestStore(options),
    scanStates: dynamoScanStateStore(table),
    leases: dynamoLeaseStore(table),
  };
  const apiOf = sourceApis(aws).openAll(config.sources, (source) => openSourceApi(source, secrets, random));
  return new Map([...apiOf].map(([name, api]) => [name, { api, ...stores, clock, holder }]));
}

const sourceApis = oncePerContext((_: Pick<AwsContext, 'clients'>) => createSourceApis());
