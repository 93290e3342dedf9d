/**
 * The policy of a function's role as statements, and the parts of a call to AWS that IAM checks. Evaluates them as IAM does: what no
 * statement allows is denied. test/lib compares the statements with those of the template.
 */

import { type DeployedConfig, permissionsFor, type TablePermissions } from '../../lib/function-permissions.ts';
import { managedSecretsPath } from '../../runtime/aws/deployed-stores.ts';
import type { FunctionName } from '../../runtime/aws/metrics.ts';
import { awsReference } from '../../runtime/config/aws-reference.ts';

export interface Statement {
  readonly actions: readonly string[];
  /** Resources, without the account and region. `*` stands for any characters. */
  readonly resources: readonly string[];
  /** For all values that the call has of this key. @default - unconditional */
  readonly condition?: { readonly key: ConditionKey; readonly values: readonly string[] };
}

type ConditionKey = 'dynamodb:LeadingKeys' | 'ses:FromAddress';

/** One permission that a call needs. */
export interface Permission {
  readonly action: string;
  readonly resource: string;
  /** What conditions may compare. @default - nothing */
  readonly context?: Partial<Record<ConditionKey, readonly string[]>>;
}

/** The names of the resources of a deployment. */
export interface DeployedNames {
  readonly snapshots: string;
  readonly ledger: string;
  readonly queue: string;
  /** @default - none */
  readonly pollQueues?: readonly string[];
  readonly stack: string;
}

export function statementsOf(name: FunctionName, deployed: DeployedConfig, names: DeployedNames): Statement[] {
  const permissions = permissionsFor(name, deployed);
  const { snapshots, ledger, queue, pollQueues, traces, secrets = [] } = permissions;
  const { managedSecrets, managedTokens, sender, channels = [] } = permissions;
  const references = secrets.flatMap((reference) => awsReference(reference) ?? []);
  const read = (store: 'ssm' | 'secret', action: string, type: string): Statement[] =>
    references
      .filter((one) => one.store === store)
      .map((one) => ({ actions: [action], resources: [`${type}${one.name}`] }));
  return [
    ...tableStatements(names.snapshots, snapshots),
    ...tableStatements(names.ledger, ledger),
    ...(queue === true ? [{ actions: ['sqs:SendMessage'], resources: [names.queue] }] : []),
    ...(pollQueues === true ? [{ actions: ['sqs:SendMessage'], resources: names.pollQueues ?? [] }] : []),
    ...(traces === true ? [{ actions: ['xray:PutTraceSegments'], resources: ['*'] }] : []),
    ...read('ssm', 'ssm:GetParameter', 'parameter'),
    ...read('secret', 'secretsmanager:GetSecretValue', 'secret:'),
    ...(managedTokens === true
      ? [{ actions: ['ssm:GetParameter'], resources: [`parameter${managedSecretsPath(names.stack)}source-*`] }]
      : []),
    ...(managedSecrets === true
      ? [{ actions: ['ssm:GetParameter'], resources: [`parameter${managedSecretsPath(names.stack)}*`] }]
      : []),
    ...(sender === undefined
      ? []
      : [
          {
            actions: ['ses:SendEmail'],
            resources: ['identity/*', 'configuration-set/*'],
            condition: { key: 'ses:FromAddress', values: [sender] } as const,
          },
        ]),
    ...channels.map(({ action, resource, name: target }) => ({
      actions: [action],
      resources: [target.startsWith('arn:') ? target : `${resource}/${target}`],
    })),
  ];
}

function tableStatements(table: string, permissions: TablePermissions = { table: [] }): Statement[] {
  const { table: actions, partitions, indexes = [] } = permissions;
  const onTable = (names: readonly string[]) => ({
    actions: names.map((action) => `dynamodb:${action}`),
    resources: [`table/${table}`],
  });
  return [
    onTable(actions),
    ...(partitions === undefined
      ? []
      : [
          {
            ...onTable(partitions.actions),
            condition: { key: 'dynamodb:LeadingKeys', values: partitions.keys } as const,
          },
        ]),
    { actions: ['dynamodb:Query'], resources: indexes.map((index) => `table/${table}/index/${index}`) },
  ];
}

export function isAllowed(statements: readonly Statement[], { action, resource, context = {} }: Permission): boolean {
  return statements.some(
    ({ actions, resources, condition }) =>
      actions.includes(action) &&
      resources.some((pattern) => matches(pattern, resource)) &&
      // As ForAllValues: also true if the call has no value of this key.
      (condition === undefined || (context[condition.key] ?? []).every((value) => condition.values.includes(value))),
  );
}

function matches(pattern: string, text: string): boolean {
  return pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : pattern === text;
}

/** The input of a call, as far as IAM checks it. */
interface CallInput {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly Key?: Item;
  readonly Item?: Item;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
  readonly RequestItems?: Readonly<Record<string, readonly WriteRequest[] | { readonly Keys?: readonly Item[] }>>;
  readonly QueueUrl?: string;
  readonly Name?: string;
  readonly SecretId?: string;
  readonly FromEmailAddress?: string;
  readonly ConfigurationSetName?: string;
  readonly Entries?: readonly { readonly EventBusName?: string }[];
}

type Item = Readonly<Record<string, { readonly S?: string }>>;
interface WriteRequest {
  readonly PutRequest?: { readonly Item?: Item };
  readonly DeleteRequest?: { readonly Key?: Item };
}

/** All permissions that a call needs. Of an unknown call: one that no role has. */
export function permissionsOfCall(service: string, command: string, input: CallInput): readonly Permission[] {
  switch (service) {
    case 'DynamoDB':
      return tablePermissions(`dynamodb:${command}`, input);
    case 'SQS':
      // A batch needs the permission for one message.
      return [
        { action: `sqs:${command.replace(/^SendMessageBatch$/, 'SendMessage')}`, resource: input.QueueUrl ?? '' },
      ];
    case 'XRay':
      return [{ action: `xray:${command}`, resource: '*' }];
    case 'SSM':
      return [{ action: `ssm:${command}`, resource: `parameter${input.Name}` }];
    case 'Secrets Manager':
      return [{ action: `secretsmanager:${command}`, resource: `secret:${input.SecretId}` }];
    case 'SESv2':
      return mailPermissions(`ses:${command}`, input);
    case 'EventBridge':
      return (input.Entries ?? []).map(({ EventBusName: bus = 'default' }) => ({
        action: `events:${command}`,
        resource: bus.startsWith('arn:') ? bus : `event-bus/${bus}`,
      }));
    default:
      return [{ action: `${service}:${command}`, resource: '' }];
  }
}

function tablePermissions(action: string, input: CallInput): readonly Permission[] {
  const { TableName, IndexName, Key, Item, RequestItems } = input;
  if (RequestItems === undefined) {
    const resource = `table/${TableName}${IndexName === undefined ? '' : `/index/${IndexName}`}`;
    const keys = partitionOf(Key ?? Item ?? queriedItem(input));
    return [{ action, resource, context: { 'dynamodb:LeadingKeys': keys } }];
  }
  return Object.entries(RequestItems).map(([table, items]) => {
    const keys = 'Keys' in items ? (items.Keys ?? []) : (items as readonly WriteRequest[]).map(itemOf);
    return { action, resource: `table/${table}`, context: { 'dynamodb:LeadingKeys': keys.flatMap(partitionOf) } };
  });
}

function itemOf({ PutRequest, DeleteRequest }: WriteRequest): Item | undefined {
  return PutRequest?.Item ?? DeleteRequest?.Key;
}

/** A query of the table names the partition in its condition. */
function queriedItem(input: CallInput): Item | undefined {
  const [, name = '', value = ''] = /^(\S+) = (\S+)/.exec(input.KeyConditionExpression ?? '') ?? [];
  const pk = input.ExpressionAttributeValues?.[value];
  return input.ExpressionAttributeNames?.[name] === 'pk' && pk !== undefined ? { pk } : undefined;
}

/** A call that names no item, such as a query of an index, needs an unconditional statement: no role has a conditional one for it. */
function partitionOf(item: Item | undefined): readonly string[] {
  return item?.pk?.S === undefined ? ['(no item)'] : [item.pk.S];
}

/** SES checks the identity of the sender, and the configuration set. */
function mailPermissions(action: string, { FromEmailAddress = '', ConfigurationSetName }: CallInput) {
  const [, address = FromEmailAddress] = /<([^>]+)>$/.exec(FromEmailAddress) ?? [];
  const context = { 'ses:FromAddress': [address] };
  return [
    { action, resource: `identity/${address}`, context },
    ...(ConfigurationSetName === undefined
      ? []
      : [{ action, resource: `configuration-set/${ConfigurationSetName}`, context }]),
  ];
}
