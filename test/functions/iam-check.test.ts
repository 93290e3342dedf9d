import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, describe, expect, it } from 'vitest';
import { LEDGER_TABLE, SNAPSHOTS_TABLE } from '../../runtime/aws/environment.ts';
import { enforcePermissions } from './iam-check.ts';

const settings = { region: 'eu-central-1' };
const dynamodb = new DynamoDBClient(settings);
const sqs = new SQSClient(settings);
const environment = { [SNAPSHOTS_TABLE]: 'snapshots', [LEDGER_TABLE]: 'ledger' };
const runAs = enforcePermissions({ clients: { dynamodb, sqs }, environment });

// Every call that is allowed gets an empty response.
for (const client of [dynamodb, sqs] as readonly Pick<DynamoDBClient, 'middlewareStack'>[]) {
  client.middlewareStack.add(() => async () => ({ output: { $metadata: {} }, response: {} }), {
    step: 'initialize',
    priority: 'low',
  });
}
afterAll(() => {
  dynamodb.destroy();
  sqs.destroy();
});

const put = (TableName: string) => dynamodb.send(new PutItemCommand({ TableName, Item: {} }));
const query = (TableName: string, IndexName: string) => dynamodb.send(new QueryCommand({ TableName, IndexName }));
const queueJobs = () => sqs.send(new SendMessageBatchCommand({ QueueUrl: 'http://127.0.0.1/jobs', Entries: [] }));

describe('the check of permissions', () => {
  it('lets a function make the calls of its role', async () => {
    await runAs('poll', () => put('snapshots'));
    await runAs('tick', () => query('ledger', 'agenda'));
    await runAs('tick', queueJobs);
  });

  it.each([
    ['an action', 'tick', () => dynamodb.send(new DeleteItemCommand({ TableName: 'ledger', Key: {} }))],
    ['a table', 'announce', () => put('snapshots')],
    ['an index', 'tick', () => query('ledger', 'lists')],
    ['a table of a batch', 'poll', () => dynamodb.send(new BatchWriteItemCommand({ RequestItems: { snapshots: [] } }))],
    ['the queue', 'poll', queueJobs],
    ['a table that is not of the deployment', 'poll', () => put('other')],
  ] as const)('denies %s that the role does not have', async (_, name, call) => {
    let denied: unknown;
    const invocation = runAs(name, async () => {
      await call().catch((error: unknown) => {
        denied = error;
      });
    });
    await expect(invocation).rejects.toThrow(`the role of ${name} does not allow`);
    expect(denied).toMatchObject({ name: 'AccessDeniedException', $metadata: { httpStatusCode: 400 } });
  });

  it('does not check calls of the test itself', async () => {
    await put('other');
  });
});
