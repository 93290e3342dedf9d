/**
 * The composition root of the functions: config, clock and snapshots, which every function needs. The other parts (ledger,
 * queue, secrets, sources, channels) are opened by modules in this folder, so that no bundle contains another's code.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as realSleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { AwsClientSettings } from '../../adapters/aws/client-settings.ts';
import { dynamoSnapshotStore } from '../../adapters/dynamodb/snapshot-store.ts';
import { DYNAMODB_CLIENT } from '../../adapters/dynamodb/table.ts';
import { UsageError } from '../../core/model/errors.ts';
import type { Clock, Duration } from '../../core/model/time.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import { createKnownZoneLookup } from '../../core/source/account/known-zone.ts';
import type { Config, Environment } from '../config/config.ts';
import { unpackConfig } from '../config/packed.ts';
import { listInTurn } from '../list-in-turn.ts';
import { systemClock } from '../system-clock.ts';
import { createZoneLookup } from '../zones.ts';
import { CONFIG, LEDGER_TABLE, SNAPSHOTS_TABLE } from './environment.ts';

interface AwsClients {
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
}

interface AwsServiceSettings {
  /** Parameter Store and Secrets Manager. @default - the SDK's own */
  readonly secrets?: AwsClientSettings;
  /** SES. @default - the SDK's own */
  readonly mail?: AwsClientSettings;
  /** EventBridge. @default - the SDK's own */
  readonly bus?: AwsClientSettings;
  /** X-Ray. @default - the SDK's own */
  readonly xray?: AwsClientSettings;
}

export interface AwsContextOptions {
  /** See environment.ts. @default process.env */
  readonly environment?: Environment;
  /** SDK clients to use. @default - opened at first use */
  readonly clients?: Partial<AwsClients>;
  /** Settings of the SDK clients that adapters open themselves. @default - the SDK's own */
  readonly clientSettings?: AwsServiceSettings;
  /** @default - the system clock */
  readonly clock?: Clock;
  /** Source of jitter, in [0, 1). @default Math.random */
  readonly random?: () => number;
  /** Waits between tries. @default - real time */
  readonly sleep?: (millis: Duration) => Promise<unknown>;
  /** Identifies this process as a lease holder. @default - a random id per cold start */
  readonly holder?: string;
}

export interface AwsContext {
  readonly config: Config;
  readonly environment: Environment;
  readonly clients: Partial<AwsClients> & Pick<AwsClients, 'dynamodb'>;
  readonly clientSettings: AwsServiceSettings;
  readonly clock: Clock;
  readonly random: () => number;
  readonly sleep: (millis: Duration) => Promise<unknown>;
  readonly holder: string;
  readonly snapshots: SnapshotStore;
  readonly zoneOf: (source: string) => Promise<string>;
  /** Undefined while the zone of a source is unknown. */
  readonly knownZoneOf: (source: string) => Promise<string | undefined>;
}

export function openAwsContext(options: AwsContextOptions = {}): AwsContext {
  const { environment = process.env, clock = systemClock, random = Math.random } = options;
  // Spelled out, because esbuild replaces exactly this expression with the config.
  const config = unpackConfig(environment[CONFIG] ?? process.env.TIDINGS_CONFIG);
  const dynamodb = options.clients?.dynamodb ?? new DynamoDBClient(DYNAMODB_CLIENT);
  const stored = dynamoSnapshotStore({
    client: dynamodb,
    table: requireEnv(environment, SNAPSHOTS_TABLE),
    ledger: requireEnv(environment, LEDGER_TABLE),
  });
  const snapshots = { ...stored, listOpen: listInTurn(stored.listOpen) };
  return {
    config,
    environment,
    clients: { ...options.clients, dynamodb },
    clientSettings: options.clientSettings ?? {},
    clock,
    random,
    sleep: options.sleep ?? realSleep,
    holder: options.holder ?? randomUUID(),
    snapshots,
    zoneOf: createZoneLookup(config.sources, snapshots),
    knownZoneOf: createKnownZoneLookup(config.sources, snapshots),
  };
}

/**
 * Opens a part once per process of a function, whichever sources are in effect: what it caches and connects to outlives a change of the
 * sources. For parts that depend on the declared config at most.
 */
export function oncePerContext<Context extends Pick<AwsContext, 'clients'>, Part>(
  open: (aws: Context) => Part,
): (aws: Context) => Part {
  const opened = new WeakMap<AwsContext['clients'], { readonly part: Part }>();
  return (aws) => {
    const known = opened.get(aws.clients) ?? { part: open(aws) };
    opened.set(aws.clients, known);
    return known.part;
  };
}

/** The value of a variable that the stack sets. */
export function requireEnv(environment: Environment, name: string): string {
  const value = environment[name];
  if (value !== undefined && value !== '') return value;
  throw new UsageError('TIDINGS_ENVIRONMENT_INCOMPLETE', `environment variable ${name} is not set`);
}

/** Opens at the first call and returns the same value from then on, so that warm invocations reuse it. */
export function lazy<T>(open: () => T): () => T {
  let opened: { readonly value: T } | undefined;
  return () => {
    opened ??= { value: open() };
    return opened.value;
  };
}
