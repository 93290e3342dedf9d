/**
 * Tidings in AWS put together, as far as every function needs it: the config and the snapshots. What only some need
 * (the ledger, the queue, secrets, sources, channels) is in the folder beside this file, so that no function carries another's code.
 */

import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { AwsClientSettings } from '../../adapters/aws/client-settings.ts';
import { dynamoSnapshotStore } from '../../adapters/dynamodb/snapshot-store.ts';
import { DYNAMODB_CLIENT } from '../../adapters/dynamodb/table.ts';
import { UsageError } from '../../core/model/errors.ts';
import type { Clock } from '../../core/model/time.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import type { Config, Environment } from '../config/config.ts';
import { unpackConfig } from '../config/packed.ts';
import { systemClock } from '../system-clock.ts';
import { createZoneLookup } from '../zones.ts';
import { CONFIG, SNAPSHOTS_TABLE } from './environment.ts';

export interface AwsClients {
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
}

export interface AwsServiceSettings {
  /** Parameter Store and Secrets Manager. @default - the SDK's own */
  readonly secrets?: AwsClientSettings;
  /** SES. @default - the SDK's own */
  readonly mail?: AwsClientSettings;
  /** EventBridge. @default - the SDK's own */
  readonly bus?: AwsClientSettings;
}

export interface AwsContextOptions {
  /** See aws/environment.ts. @default - that of the process */
  readonly environment?: Environment;
  /** Those that are not given are made at their first use, with the settings of their adapters. @default - none is given */
  readonly clients?: Partial<AwsClients>;
  /** Settings of the SDK clients that adapters open themselves. @default - the SDK's own */
  readonly clientSettings?: AwsServiceSettings;
  /** @default - the machine's own */
  readonly clock?: Clock;
  /** In [0, 1): jitter. @default Math.random */
  readonly random?: () => number;
  /** Names this process among pollers. @default - a new name with every cold start */
  readonly holder?: string;
}

export interface AwsContext {
  readonly config: Config;
  readonly environment: Environment;
  readonly clients: Partial<AwsClients> & Pick<AwsClients, 'dynamodb'>;
  readonly clientSettings: AwsServiceSettings;
  readonly clock: Clock;
  readonly random: () => number;
  readonly holder: string;
  readonly snapshots: SnapshotStore;
  readonly zoneOf: (source: string) => Promise<string>;
}

export function openAwsContext(options: AwsContextOptions = {}): AwsContext {
  const { environment = process.env, clock = systemClock, random = Math.random, holder = randomUUID() } = options;
  // Spelled out: in a bundle esbuild puts the text in the place of exactly these words.
  const config = unpackConfig(environment[CONFIG] ?? process.env.TIDINGS_CONFIG);
  const dynamodb = options.clients?.dynamodb ?? new DynamoDBClient(DYNAMODB_CLIENT);
  const snapshots = dynamoSnapshotStore({ client: dynamodb, table: requireEnv(environment, SNAPSHOTS_TABLE) });
  return {
    config,
    environment,
    clients: { ...options.clients, dynamodb },
    clientSettings: options.clientSettings ?? {},
    clock,
    random,
    holder,
    snapshots,
    zoneOf: createZoneLookup(config.sources, snapshots),
  };
}

/** The value of a variable the stack sets. */
export function requireEnv(environment: Environment, name: string): string {
  const value = environment[name];
  if (value !== undefined && value !== '') return value;
  throw new UsageError('TIDINGS_ENVIRONMENT_INCOMPLETE', `${name}: expected it to be set, got nothing`);
}

/** Opens at the first call, and gives the same from then on: once for all calls a warm function gets. */
export function lazy<T>(open: () => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => {
    made ??= { it: open() };
    return made.it;
  };
}
