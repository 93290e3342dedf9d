/**
 * Composes the management API and the console of a deployment. A module of its own, loaded only if the config turns one of them on: it brings the
 * config's schema and the sender of pings.
 */

import { randomBytes } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { channelRegistry } from '../adapters/channels/registry.ts';
import { dynamoStores } from '../adapters/dynamodb/stores.ts';
import { dynamoUnitMeter } from '../adapters/dynamodb/unit-meter.ts';
import type { HttpTransport } from '../adapters/http/http-transport.ts';
import type { ApiPorts } from '../manage/api/http/api-ports.ts';
import type { Caller } from '../manage/api/http/caller.ts';
import { openManagementApi } from '../manage/management-api.ts';
import { openAwsChannels } from '../runtime/aws/channels.ts';
import { requireEnv } from '../runtime/aws/context.ts';
import { LEDGER_TABLE, SNAPSHOTS_TABLE } from '../runtime/aws/environment.ts';
import { openQueue } from '../runtime/aws/queue.ts';
import { openSecrets } from '../runtime/aws/secrets.ts';
import type { AwsContextInEffect } from '../runtime/aws/stored-sources.ts';
import { servesApi, servesConsole } from '../runtime/config/serves-api.ts';
import { withDeclared } from '../runtime/with-declared.ts';

export interface ManageApiParts {
  /** Undefined if the config turns it off. */
  readonly api: Hono | undefined;
  /** Undefined unless the config turns it on. */
  readonly console: Hono | undefined;
  /** Closes connections to receivers: Lambda freezes the process between invocations. */
  close(): Promise<void>;
  /** Closes all other connections too, when other parts take over. */
  dispose(): Promise<void>;
}

export async function openManageApi(aws: AwsContextInEffect): Promise<ManageApiParts> {
  const { config, environment, clients, clock } = aws;
  const http = openTransportLazily(config.network.allow);
  const secrets = openSecrets(aws);
  const channels = openAwsChannels(aws, secrets, http);
  const tables = { snapshots: requireEnv(environment, SNAPSHOTS_TABLE), ledger: requireEnv(environment, LEDGER_TABLE) };
  const stores = dynamoStores({ client: clients.dynamodb, tables, retention: config.retention, clock });
  const ports: ApiPorts = {
    ...stores,
    subscriptions: withDeclared(stores.subscriptions, config, clock),
    queue: openQueue(aws),
    secrets,
    channels: channelRegistry,
    channelFor: channels.channelFor,
    http,
    config,
    readConfig: aws.readConfig,
    longRequests: stores.leases,
    unitMeter: dynamoUnitMeter,
    mode: 'aws',
    clock,
    randomBytes,
  };
  // Thrown on, so that Lambda counts it and its alarm goes off.
  const report = (error: unknown) => {
    throw error;
  };
  const api = servesApi(config) ? openManagementApi({ api: ports, identify: readIdentity, report }) : undefined;
  const console = servesConsole(config)
    ? (await import('../console/app.tsx')).consoleApp({ api: ports, report })
    : undefined;
  return { api, console, close: () => http.close(), dispose: () => channels.close() };
}

/** The IAM identity that API Gateway has verified; undefined on routes without the IAM authorizer. */
function readIdentity(context: Context): Caller | undefined {
  const { requestContext } = (context.env ?? {}) as {
    readonly requestContext?: { readonly authorizer?: { readonly iam?: { readonly userArn?: string } } };
  };
  const id = requestContext?.authorizer?.iam?.userArn;
  return id === undefined ? undefined : { kind: 'iam', id, scopes: ['admin'] };
}

/** undici is half of the code, and only the consent of an endpoint needs it. */
function openTransportLazily(allow: readonly string[]): HttpTransport {
  let opening: Promise<HttpTransport> | undefined;
  const open = () => {
    opening ??= import('../adapters/http/http-transport.ts').then(({ openHttpTransport }) =>
      openHttpTransport({ allow }),
    );
    return opening;
  };
  return {
    post: async (...request) => (await open()).post(...request),
    options: async (...request) => (await open()).options(...request),
    close: async () => (await opening)?.close(),
  };
}
