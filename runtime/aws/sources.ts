/** Opens the sources of the config for polling in AWS. Tokens are read at first use. */

import { dynamoLeaseStore } from '../../adapters/dynamodb/lease-store.ts';
import { dynamoManifestStore } from '../../adapters/dynamodb/manifest-store.ts';
import { dynamoScanStateStore } from '../../adapters/dynamodb/scan-state-store.ts';
import { openTable } from '../../adapters/dynamodb/table.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import type { PollPorts } from '../../core/source/poll.ts';
import { openSourceApi } from '../open-source-api.ts';
import { type AwsContext, requireEnv } from './context.ts';
import { LEDGER_TABLE } from './environment.ts';

/** The poll ports of each source, by name. */
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
  return new Map(
    config.sources.map((source) => {
      const api = openSourceApi(source, secrets, random);
      return [source.name, { api, ...stores, clock, holder }];
    }),
  );
}
