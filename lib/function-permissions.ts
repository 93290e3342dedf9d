/**
 * The permissions of each function on the tables, the queue, secrets, mail and buses. Plain data: the constructs grant it, the tests of the
 * functions deny everything else.
 */

import { SOURCES_PARTITION, SUBSCRIPTION_HEALTH_PARTITION } from '../adapters/dynamodb/tables.ts';
import type { FunctionName } from '../runtime/aws/metrics.ts';
import { permissionsOf, referencesOf, senderOf } from '../runtime/config/aws-references.ts';
import type { Config } from '../runtime/config/config.ts';
import { dividesPolls, isManagedOverHttp } from '../runtime/config/serves-api.ts';

export interface TablePermissions {
  /** DynamoDB actions on the table itself. */
  readonly table: readonly string[];
  /** Actions on the items of these partitions only. @default - none */
  readonly partitions?: { readonly actions: readonly string[]; readonly keys: readonly string[] };
  /** Indexes the function may query. @default - none */
  readonly indexes?: readonly string[];
}

export interface FunctionPermissions {
  /** @default - no access */
  readonly snapshots?: TablePermissions;
  /** @default - no access */
  readonly ledger?: TablePermissions;
  /** Whether it sends jobs to the queue. @default false */
  readonly queue?: boolean;
  /** Whether it sends polls to the queues of polls. @default false */
  readonly pollQueues?: boolean;
  /** References to the secrets it reads. @default - none */
  readonly secrets?: readonly string[];
  /** Whether it reads the secrets that the CLI creates for the stack. @default false */
  readonly managedSecrets?: boolean;
  /** Whether it reads those that are tokens of sources. @default false */
  readonly managedTokens?: boolean;
  /** The address it sends mail from. @default - it sends none */
  readonly sender?: string;
  /** Whether it sends spans to X-Ray. @default false */
  readonly traces?: boolean;
  /** What the channels of the config ask for, such as buses. @default - nothing */
  readonly channels?: ReturnType<typeof permissionsOf>;
}

/** Reads made in one turn of the event loop are sent as one batch. */
const READ = ['GetItem', 'BatchGetItem'] as const;

export const FUNCTION_PERMISSIONS: Readonly<Record<FunctionName, FunctionPermissions>> = {
  poll: {
    snapshots: { table: [...READ, 'Query', 'PutItem'], indexes: ['agenda'] },
    // Scan states, leases and manifests; stale pages of a manifest are deleted.
    ledger: { table: [...READ, 'Query', 'PutItem', 'UpdateItem', 'BatchWriteItem'] },
  },
  tick: {
    // The time zone of a source, for the next open digest. Once a day the health of subscriptions that are gone gets a time to live.
    snapshots: {
      table: READ,
      partitions: { actions: ['Query', 'PutItem'], keys: [SUBSCRIPTION_HEALTH_PARTITION] },
    },
    // It reads the subscriptions and opens the deliveries of open digests.
    ledger: { table: [...READ, 'Query', 'PutItem', 'UpdateItem'], indexes: ['agenda'] },
    queue: true,
  },
  announce: {
    // The time zone of a source is stored with its health.
    snapshots: { table: READ },
    ledger: { table: [...READ, 'Query', 'PutItem', 'UpdateItem'] },
    queue: true,
  },
  deliver: {
    // The health of a subscription is a snapshot: its change is an event. An open digest lists what is open.
    snapshots: { table: [...READ, 'Query', 'PutItem'], indexes: ['standing'] },
    // Deliveries, events and subscriptions; the scan states say when the data of an open digest were last read.
    ledger: { table: [...READ, 'Query', 'PutItem', 'UpdateItem'], indexes: ['agenda', 'lists'] },
  },
  manage: {
    // Unsubscribed addresses are part of a subscription's health. This function is on the internet: it must not be able to write
    // a record of the account, from which events would be derived.
    snapshots: { table: READ, partitions: { actions: ['PutItem'], keys: [SUBSCRIPTION_HEALTH_PARTITION] } },
    // The age of the oldest due delivery is part of /health, and so are the sources that are not in the config.
    ledger: { table: READ, partitions: { actions: ['Query'], keys: [SOURCES_PARTITION] }, indexes: ['agenda'] },
  },
  setup: {
    // Subscriptions removed from the config are deleted. The backlog and the health of renamed ones are moved.
    snapshots: { table: [...READ, 'PutItem'] },
    ledger: { table: [...READ, 'Query', 'PutItem', 'UpdateItem', 'BatchWriteItem'], indexes: ['agenda', 'lists'] },
  },
};

/** What the functions may do in addition if the config turns the management API or the console on. */
const API_PERMISSIONS: Readonly<Partial<Record<FunctionName, FunctionPermissions>>> = {
  deliver: {
    // Subscriptions that answer 410 Gone are removed, if they were made as REST hooks.
    ledger: { table: ['DeleteItem'] },
    // The deliveries of a key that gets an event many times.
    queue: true,
  },
  manage: {
    // What time will bring is read from the agenda of the snapshots.
    snapshots: { table: ['Query'], indexes: ['agenda'] },
    // Subscriptions, keys, the audit trail, and replays with their deliveries.
    ledger: { table: ['Query', 'PutItem', 'UpdateItem', 'DeleteItem'], indexes: ['lists'] },
    queue: true,
  },
};

/** What the functions may do in addition if the config has the Slack app. */
const SLACK_PERMISSIONS: Readonly<Partial<Record<FunctionName, FunctionPermissions>>> = {
  deliver: {
    // What time will bring is read from the agenda of the snapshots.
    snapshots: { table: ['Query'], indexes: ['agenda'] },
    // Subscriptions that a channel ends, links that a person removes, and the digest that a person ends in the home.
    ledger: { table: ['DeleteItem', 'BatchWriteItem'] },
    // Tests, and work that is tried again.
    queue: true,
  },
  manage: {
    // Requests of Slack's, remembered so that none acts twice, and the work that follows from them.
    ledger: { table: ['PutItem', 'UpdateItem', 'DeleteItem'] },
    queue: true,
  },
};

/** What decides about the permissions of a deployment. */
export interface DeployedConfig {
  readonly config: Pick<Config, 'manage' | 'slack' | 'mail' | 'sources' | 'subscriptions'>;
  /** References that deliver and poll may read in addition to those of the config. @default - none */
  readonly moreSecrets?: readonly string[];
  /** @default - nothing is traced */
  readonly tracing?: 'xray' | undefined;
}

/** The functions on the way of a change. */
const TRACED: readonly FunctionName[] = ['poll', 'announce', 'deliver'];

/** All permissions of a function. */
export function permissionsFor(name: FunctionName, deployed: DeployedConfig): FunctionPermissions {
  const permissions = permissionsByConfig(name, deployed);
  return deployed.tracing !== undefined && TRACED.includes(name) ? { ...permissions, traces: true } : permissions;
}

function permissionsByConfig(name: FunctionName, { config, moreSecrets = [] }: DeployedConfig): FunctionPermissions {
  const base = FUNCTION_PERMISSIONS[name];
  const managed = isManagedOverHttp(config) ? addPermissions(base, API_PERMISSIONS[name]) : base;
  const all = config.slack === undefined ? managed : addPermissions(managed, SLACK_PERMISSIONS[name]);
  const { poll, deliver, manage } = referencesOf(config);
  if (name === 'poll') {
    // Tokens of sources that were added over the API are sealed with the master secret.
    const master = isManagedOverHttp(config) && config.manage !== undefined ? [config.manage.secret] : [];
    const secrets = [...poll, ...master, ...moreSecrets];
    return { ...all, secrets, managedTokens: true, pollQueues: dividesPolls(config) };
  }
  if (name === 'manage') return { ...all, secrets: manage };
  if (name !== 'deliver') return all;
  return {
    ...all,
    secrets: [...deliver, ...moreSecrets],
    managedSecrets: true,
    ...(config.mail === undefined ? {} : { sender: senderOf(config.mail.from).address }),
    channels: permissionsOf(config),
  };
}

function addPermissions(base: FunctionPermissions, more: FunctionPermissions | undefined): FunctionPermissions {
  if (more === undefined) return base;
  return {
    snapshots: mergePermissions(base.snapshots, more.snapshots),
    ledger: mergePermissions(base.ledger, more.ledger),
    queue: base.queue === true || more.queue === true,
  };
}

/** Only the permissions of every deployment are limited to partitions. */
function mergePermissions(a?: TablePermissions, b?: TablePermissions): TablePermissions {
  const merge = (one: readonly string[] = [], two: readonly string[] = []) => [...new Set([...one, ...two])];
  return { table: merge(a?.table, b?.table), partitions: a?.partitions, indexes: merge(a?.indexes, b?.indexes) };
}
