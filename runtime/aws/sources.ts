/** Opens the sources of the config for polling in AWS. Tokens are read at first use. */

import { dynamoLeaseStore } from '../../adapters/dynamodb/lease-store.ts';
import { dynamoManifestStore } from '../../adapters/dynamodb/manifest-store.ts';
import { dynamoScanStateStore } from '../../adapters/dynamodb/scan-state-store.ts';
import { openTable } from '../../adapters/dynamodb/table.ts';
import { type ResolveSecret, withSecrets } from '../../adapters/secrets/with-secrets.ts';
import type { SourceClient } from '../../adapters/sources/definition.ts';
import { sourceDefinition } from '../../adapters/sources/registry.ts';
import { TidingsError } from '../../core/model/errors.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import type { SourceApi } from '../../core/ports/source-api.ts';
import type { PollPorts } from '../../core/source/poll.ts';
import type { SourceConfig } from '../config/config.ts';
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

/** The API client with the current token. A rotated token is used once the cache expires, or at once if the old one is refused. */
function openSourceApi(
  { kind, baseUrl, token: reference, quota: { perMinute } }: SourceConfig,
  secrets: Pick<Secrets, 'resolve'>,
  random: () => number,
): SourceApi {
  const definition = sourceDefinition(kind);
  let current: { readonly token: string; readonly api: SourceClient } | undefined;
  /** Requests made with earlier tokens. */
  let earlierRequests = 0;
  const open = async (resolve: ResolveSecret): Promise<SourceClient> => {
    const token = await resolve(reference);
    if (current?.token !== token) {
      earlierRequests += current?.api.requests() ?? 0;
      // Requests in flight with the old token may finish.
      void current?.api.close().catch(() => {});
      current = { token, api: await definition.open({ baseUrl, token, perMinute, random }) };
    }
    return current.api;
  };
  const request = <Response>(send: (api: SourceClient) => Promise<Response>): Promise<Response> =>
    withSecrets(secrets, isUnauthorized, async (resolve) => send(await open(resolve)));
  return {
    traits: definition.traits,
    list: (...query) => request((api) => api.list(...query)),
    get: (...query) => request((api) => api.get(...query)),
    quota: (signal) => request((api) => api.quota(signal)),
    requests: () => earlierRequests + (current?.api.requests() ?? 0),
    tokenDigest: () => current?.api.tokenDigest?.(),
  };
}

const isUnauthorized = (error: unknown) =>
  error instanceof TidingsError && error.code === 'TIDINGS_SOURCE_UNAUTHORIZED';
