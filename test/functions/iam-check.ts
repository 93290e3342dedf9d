/**
 * Denies a function the calls to tables and queue that its role does not allow, as IAM does. A denied call also fails the
 * invocation, because a function may handle the error. Calls of the tests themselves are not checked.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type FunctionPermissions, permissionsFor, type TablePermissions } from '../../lib/function-permissions.ts';
import type { AwsContextOptions } from '../../runtime/aws/context.ts';
import { CONFIG, LEDGER_TABLE, SNAPSHOTS_TABLE } from '../../runtime/aws/environment.ts';
import type { FunctionName } from '../../runtime/aws/metrics.ts';
import { packedHasSlack, packedIsManaged } from '../../runtime/config/serves-api.ts';

/** One invocation of a function. */
interface Invocation {
  readonly name: FunctionName;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The calls that were denied. */
  readonly denied: string[];
}

export type RunAs = <T>(name: FunctionName, invoke: () => Promise<T>) => Promise<T>;

const invocations = new AsyncLocalStorage<Invocation>();

/** Clients are shared by functions and worlds, so each is checked once. */
const checked = new WeakSet<object>();

export function enforcePermissions({ clients = {}, environment = {} }: AwsContextOptions): RunAs {
  for (const client of Object.values(clients)) {
    if (checked.has(client)) continue;
    checked.add(client);
    checkCalls(client as Pick<DynamoDBClient, 'middlewareStack'>);
  }
  return async (name, invoke) => {
    const invocation: Invocation = { name, environment, denied: [] };
    const result = await invocations.run(invocation, invoke).catch((error: unknown) => {
      failIfDenied(invocation);
      throw error;
    });
    failIfDenied(invocation);
    return result;
  };
}

function failIfDenied({ name, denied }: Invocation): void {
  if (denied.length > 0) throw new Error(`the role of ${name} does not allow ${[...new Set(denied)].join(', ')}`);
}

function checkCalls(client: Pick<DynamoDBClient, 'middlewareStack'>): void {
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const invocation = invocations.getStore();
        if (invocation === undefined) return next(args);
        const action = commandName.replace(/Command$/, '');
        const call = findDenied(invocation, action, args.input as CallInput);
        if (call === undefined) return next(args);
        invocation.denied.push(call);
        const message = `User: ${invocation.name} is not authorized to perform: ${call}`;
        const response = { $fault: 'client', $metadata: { httpStatusCode: 400 } };
        throw Object.assign(new Error(message), { name: 'AccessDeniedException', ...response });
      },
    // Above the middleware of tests that redirects a call to a lagging copy of its table.
    { step: 'initialize', priority: 'high' },
  );
}

interface CallInput {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly RequestItems?: object;
}

/** The first part of a call that the role does not allow. */
function findDenied({ name, environment }: Invocation, action: string, input: CallInput): string | undefined {
  const config = environment[CONFIG] ?? '';
  const features = { isManaged: packedIsManaged(config), hasSlack: packedHasSlack(config) };
  const permissions = permissionsFor(name, features);
  // A batch needs the permission for one message.
  if (action === 'SendMessageBatch') return permissions.queue === true ? undefined : 'sqs:SendMessage on the queue';
  const { TableName = '', IndexName, RequestItems } = input;
  const tables = RequestItems === undefined ? [TableName] : Object.keys(RequestItems);
  const denied = tables.find((table) => !allows(tablePermissions(permissions, environment, table), action, IndexName));
  if (denied === undefined) return undefined;
  return `dynamodb:${action} on ${denied}${IndexName === undefined ? '' : `/index/${IndexName}`}`;
}

function tablePermissions(
  { snapshots, ledger }: FunctionPermissions,
  environment: Invocation['environment'],
  table: string,
): TablePermissions | undefined {
  if (table === environment[SNAPSHOTS_TABLE]) return snapshots;
  return table === environment[LEDGER_TABLE] ? ledger : undefined;
}

/** Permissions on a table do not include its indexes. */
function allows({ table, indexes = [] }: TablePermissions = { table: [] }, action: string, index?: string): boolean {
  return index === undefined ? table.includes(action) : action === 'Query' && indexes.includes(index);
}
