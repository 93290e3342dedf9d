/**
 * Denies a function the calls to AWS that its role does not allow, as IAM does: of every service and every client, also those that the
 * adapters open themselves. A denied call also fails the invocation, because a function may handle the error. Calls of the tests
 * themselves are not checked.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { AwsContextOptions } from '../../runtime/aws/context.ts';
import {
  CONFIG,
  DEPLOYMENT,
  LEDGER_TABLE,
  POLL_QUEUE_URL,
  QUEUE_URL,
  SLOW_POLL_QUEUE_URL,
  SNAPSHOTS_TABLE,
  TRACING,
} from '../../runtime/aws/environment.ts';
import type { FunctionName } from '../../runtime/aws/metrics.ts';
import { unpackConfig } from '../../runtime/config/packed.ts';
import { isAllowed, type Permission, permissionsOfCall, type Statement, statementsOf } from './iam-policy.ts';

/** One invocation of a function. */
interface Invocation {
  readonly name: FunctionName;
  readonly statements: readonly Statement[];
  /** The calls that were denied. */
  readonly denied: string[];
}

export type RunAs = <T>(name: FunctionName, invoke: () => Promise<T>) => Promise<T>;

const invocations = new AsyncLocalStorage<Invocation>();

export function enforcePermissions({ environment = {} }: Pick<AwsContextOptions, 'environment'>): RunAs {
  checkAllClients();
  return async (name, invoke) => {
    const invocation: Invocation = { name, statements: roleOf(name, environment), denied: [] };
    const result = await invocations.run(invocation, invoke).catch((error: unknown) => {
      failIfDenied(invocation);
      throw error;
    });
    failIfDenied(invocation);
    return result;
  };
}

function roleOf(name: FunctionName, environment: NonNullable<AwsContextOptions['environment']>): readonly Statement[] {
  const tracing = environment[TRACING] === 'xray' ? 'xray' : undefined;
  const deployed = { config: unpackConfig(environment[CONFIG]), tracing } as const;
  return statementsOf(name, deployed, {
    snapshots: environment[SNAPSHOTS_TABLE] ?? '',
    ledger: environment[LEDGER_TABLE] ?? '',
    queue: environment[QUEUE_URL] ?? '',
    pollQueues: [environment[POLL_QUEUE_URL] ?? '', environment[SLOW_POLL_QUEUE_URL] ?? ''],
    stack: environment[DEPLOYMENT] ?? 'Tidings',
  });
}

function failIfDenied({ name, denied }: Invocation): void {
  if (denied.length > 0) throw new Error(`the role of ${name} does not allow ${[...new Set(denied)].join(', ')}`);
}

interface SdkClient {
  readonly config: { readonly serviceId: string };
  send(command: SdkCommand, ...rest: readonly unknown[]): unknown;
}

interface SdkCommand {
  readonly constructor: { readonly name: string };
  readonly input: object;
}

let isChecking = false;

/** All clients of the SDK inherit `send` from one class. Before any middleware, such as that of tests which redirects a call. */
function checkAllClients(): void {
  if (isChecking) return;
  isChecking = true;
  const { prototype } = Object.getPrototypeOf(SQSClient) as { readonly prototype: SdkClient };
  const { send } = prototype;
  prototype.send = function (this: SdkClient, command, ...rest) {
    const denied = findDenied(this.config.serviceId, command);
    return denied === undefined ? send.call(this, command, ...rest) : Promise.reject(denied);
  };
}

/** The response of the service if the role of the running function does not allow the call. */
function findDenied(service: string, command: SdkCommand): Error | undefined {
  const invocation = invocations.getStore();
  if (invocation === undefined) return undefined;
  const needed = permissionsOfCall(service, command.constructor.name.replace(/Command$/, ''), command.input);
  const missing = needed.find((one) => !isAllowed(invocation.statements, one));
  if (missing === undefined) return undefined;
  invocation.denied.push(describe(missing));
  const message = `User: ${invocation.name} is not authorized to perform: ${describe(missing)} because no identity-based policy allows the ${missing.action} action`;
  const $metadata = { httpStatusCode: service === 'SESv2' || service === 'SQS' ? 403 : 400 };
  return Object.assign(new Error(message), { name: 'AccessDeniedException', $fault: 'client', $metadata });
}

function describe({ action, resource, context = {} }: Permission): string {
  const values = Object.values(context).flat();
  return `${action} on ${resource}${values.length === 0 ? '' : ` (${values.join(', ')})`}`;
}
