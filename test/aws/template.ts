/**
 * Synthesizes the templates of the example and creates their tables and queues, so that the tests run on the deployed
 * definitions. Resolves only the references that tables and queues use.
 */

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  type DynamoDBClient,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand, DeleteQueueCommand, GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Template } from 'aws-cdk-lib/assertions';
import { compilePattern, type PatternTest } from '../../core/filters/pattern.ts';
import { makeStacks, resourceOf, synthesize, writeManySources } from '../lib/stacks.ts';

interface GlobalTable
  extends Pick<
    CreateTableCommandInput,
    'AttributeDefinitions' | 'BillingMode' | 'KeySchema' | 'GlobalSecondaryIndexes' | 'SSESpecification'
  > {
  readonly StreamSpecification?: { readonly StreamViewType: 'NEW_AND_OLD_IMAGES' };
  readonly TimeToLiveSpecification?: { readonly AttributeName: string; readonly Enabled: boolean };
}

interface Deployed {
  readonly snapshots: GlobalTable;
  readonly ledger: GlobalTable;
  readonly jobs: Readonly<Record<string, unknown>>;
  readonly dead: Readonly<Record<string, unknown>>;
  readonly polls: Readonly<Record<string, unknown>>;
  /** The filter of the event source mapping between the stream and its function. */
  readonly filter: PatternTest;
}

let read: Deployed | undefined;

/** Cached per test file, because synthesis takes seconds. */
function deployed(): Deployed {
  if (read !== undefined) return read;
  const { functions, storage } = synthesize(makeStacks());
  const folder = mkdtempSync(join(tmpdir(), 'tidings-sources-'));
  const { functions: pollFunctions } = synthesize(makeStacks({ config: writeManySources(folder, 2) }));
  rmSync(folder, { recursive: true });
  const table = (start: string) => resourceOf(storage, 'AWS::DynamoDB::GlobalTable', start) as unknown as GlobalTable;
  const queue = (template: Template, start: string) => resourceOf(template, 'AWS::SQS::Queue', start);
  read = {
    snapshots: table('DataSnapshots'),
    ledger: table('DataLedger'),
    jobs: queue(functions, 'TidingsDeliveries'),
    dead: queue(storage, 'DataDeadLetters'),
    polls: queue(pollFunctions, 'TidingsPollerPolls'),
    filter: filterOf(resourceOf(functions, 'AWS::Lambda::EventSourceMapping', 'TidingsAnnouncer')),
  };
  return read;
}

function filterOf({ FilterCriteria }: { readonly FilterCriteria?: unknown }): PatternTest {
  const { Filters } = FilterCriteria as { readonly Filters: readonly { readonly Pattern: string }[] };
  const patterns = Filters.map(({ Pattern }) => compilePattern(JSON.parse(Pattern)));
  return (record) => patterns.some((matches) => matches(record));
}

/** Whether the filter passes a stream record to the function. */
export function reachesFunction(record: object): boolean {
  return deployed().filter(record);
}

export interface Tables {
  readonly snapshots: string;
  readonly ledger: string;
  remove(): Promise<void>;
}

export async function makeTables(client: DynamoDBClient): Promise<Tables> {
  const { snapshots, ledger } = deployed();
  const run = randomUUID();
  const names = { snapshots: `snapshots-${run}`, ledger: `ledger-${run}` };
  await Promise.all([makeTable(client, names.snapshots, snapshots), makeTable(client, names.ledger, ledger)]);
  const remove = async () => {
    for (const TableName of Object.values(names)) await client.send(new DeleteTableCommand({ TableName }));
  };
  return { ...names, remove };
}

/** Creates a global table with one replica as CloudFormation does, but without deletion protection, so that tests can delete it. */
async function makeTable(client: DynamoDBClient, TableName: string, table: GlobalTable): Promise<void> {
  const { AttributeDefinitions, BillingMode, KeySchema, GlobalSecondaryIndexes, SSESpecification } = table;
  const { StreamSpecification, TimeToLiveSpecification } = table;
  const parts = { AttributeDefinitions, BillingMode, KeySchema, GlobalSecondaryIndexes, SSESpecification };
  const stream = StreamSpecification && { StreamSpecification: { ...StreamSpecification, StreamEnabled: true } };
  await client.send(new CreateTableCommand({ TableName, ...parts, ...stream }));
  await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName });
  if (TimeToLiveSpecification !== undefined)
    await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
}

export interface Queues {
  readonly jobs: string;
  readonly dead: string;
  /** The queues of polls. */
  readonly usual: string;
  readonly slow: string;
  remove(): Promise<void>;
}

/** `most`: receives before a message becomes a dead letter. @default - as many as in the template */
export async function makeQueues(client: SQSClient, { most }: { readonly most?: number } = {}): Promise<Queues> {
  const { jobs, dead, polls } = deployed();
  const run = randomUUID();
  const deadUrl = await makeQueue(client, `dead-${run}`, dead);
  const command = new GetQueueAttributesCommand({ QueueUrl: deadUrl, AttributeNames: ['QueueArn'] });
  const { Attributes } = await client.send(command);
  const RedrivePolicy = { ...Object(jobs.RedrivePolicy), deadLetterTargetArn: Attributes?.QueueArn };
  if (most !== undefined) RedrivePolicy.maxReceiveCount = most;
  const jobsUrl = await makeQueue(client, `jobs-${run}`, { ...jobs, RedrivePolicy });
  const [usual, slow] = [await makeQueue(client, `polls-${run}`, polls), await makeQueue(client, `slow-${run}`, polls)];
  const remove = async () => {
    for (const QueueUrl of [jobsUrl, deadUrl, usual, slow]) await client.send(new DeleteQueueCommand({ QueueUrl }));
  };
  return { dead: deadUrl, jobs: jobsUrl, usual, slow, remove };
}

async function makeQueue(client: SQSClient, QueueName: string, properties: object): Promise<string> {
  const text = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));
  const Attributes = Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, text(value)]));
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName, Attributes }));
  if (QueueUrl === undefined) throw new Error(`queue ${QueueName} was not created`);
  return QueueUrl;
}
