import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { PurgeQueueCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetParameterCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, describe, expect, it } from 'vitest';
import { snapshotKey } from '../../adapters/dynamodb/keys.ts';
import { healthKey } from '../../core/delivery/receivers/health.ts';
import {
  CONFIG,
  CONFIGURATION_SET,
  DEPLOYMENT,
  LEDGER_TABLE,
  QUEUE_URL,
  SNAPSHOTS_TABLE,
} from '../../runtime/aws/environment.ts';
import { parseTree } from '../../runtime/config/load.ts';
import { packConfig } from '../../runtime/config/packed.ts';
import { SECRET } from '../samples.ts';
import { enforcePermissions } from './iam-check.ts';

const settings = { region: 'eu-central-1' };
const dynamodb = new DynamoDBClient(settings);
const sqs = new SQSClient(settings);
const ssm = new SSMClient(settings);
const secretsManager = new SecretsManagerClient(settings);
const ses = new SESv2Client(settings);
const eventBridge = new EventBridgeClient(settings);
const clients = [dynamodb, sqs, ssm, secretsManager, ses, eventBridge];

const config = {
  source: { baseUrl: 'https://work.example.com', token: '${TOKEN}', timeZone: 'UTC' },
  mail: { from: 'Tidings <tidings@example.com>' },
  manage: { url: 'https://tidings.example.com', secret: '${LINKS}' },
  subscriptions: [
    { name: 'ops', events: ['task.*'], to: { http: { url: 'https://ops.example.com', secret: '${OPS}' } } },
    { name: 'bus', events: ['task.*'], to: { bus: { name: 'news' } } },
  ],
};
const packed = packConfig(parseTree('tidings.yaml', config, { TOKEN: 't', LINKS: SECRET, OPS: SECRET }))
  .replaceAll('${TOKEN}', 'ssm:/tidings/token')
  .replaceAll('${LINKS}', 'ssm:/tidings/links')
  .replaceAll('${OPS}', 'secret:tidings#ops');
const environment = {
  [SNAPSHOTS_TABLE]: 'snapshots',
  [LEDGER_TABLE]: 'ledger',
  [QUEUE_URL]: 'http://127.0.0.1/jobs',
  [DEPLOYMENT]: 'News',
  [CONFIGURATION_SET]: 'mails',
  [CONFIG]: packed,
};
const runAs = enforcePermissions({ environment });

// Every call that is allowed gets an empty response.
for (const client of clients as readonly Pick<DynamoDBClient, 'middlewareStack'>[]) {
  client.middlewareStack.add(() => async () => ({ output: { $metadata: {} }, response: {} }), {
    step: 'initialize',
    priority: 'low',
  });
}
afterAll(() => {
  for (const client of clients) client.destroy();
});

const put = (TableName: string, pk = 'main#task') =>
  dynamodb.send(new PutItemCommand({ TableName, Item: { pk: { S: pk }, sk: { S: '003#812' } } }));
const query = (TableName: string, IndexName: string) => dynamodb.send(new QueryCommand({ TableName, IndexName }));
const queueJobs = (QueueUrl = 'http://127.0.0.1/jobs') =>
  sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries: [] }));
const readParameter = (Name: string) => ssm.send(new GetParameterCommand({ Name }));
const readSecret = (SecretId: string) => secretsManager.send(new GetSecretValueCommand({ SecretId }));
const sendMail = (FromEmailAddress: string) =>
  ses.send(new SendEmailCommand({ FromEmailAddress, ConfigurationSetName: 'mails', Content: {} }));
const putEvent = (EventBusName: string) =>
  eventBridge.send(new PutEventsCommand({ Entries: [{ EventBusName, Detail: '{}' }] }));
const healthPartition = snapshotKey(healthKey('ops')).pk;

describe('the check of permissions', () => {
  it.each([
    ['writes snapshots', 'poll', () => put('snapshots')],
    ['queries an index', 'tick', () => query('ledger', 'agenda')],
    ['queues jobs', 'tick', () => queueJobs()],
    ['reads its token', 'poll', () => readParameter('/tidings/token')],
    ['reads the secret of a receiver', 'deliver', () => readSecret('tidings')],
    ['reads a rotated secret', 'deliver', () => readParameter('/tidings/secrets/News/ops-1a2b')],
    ['sends mail', 'deliver', () => sendMail('"Tidings" <tidings@example.com>')],
    ['puts events on the bus', 'deliver', () => putEvent('news')],
    ['writes the health of a subscription', 'manage', () => put('snapshots', healthPartition)],
  ] as const)('lets a function make the calls of its role: it %s', async (_, name, call) => {
    await expect(runAs(name, call as () => Promise<unknown>)).resolves.toBeDefined();
  });

  it.each([
    ['an action', 'tick', () => dynamodb.send(new DeleteItemCommand({ TableName: 'ledger', Key: {} }))],
    ['a table', 'announce', () => put('snapshots')],
    ['a scan', 'poll', () => dynamodb.send(new ScanCommand({ TableName: 'ledger' }))],
    ['an index', 'tick', () => query('ledger', 'lists')],
    ['a table of a batch', 'poll', () => dynamodb.send(new BatchWriteItemCommand({ RequestItems: { snapshots: [] } }))],
    [
      'one of two tables',
      'poll',
      () => dynamodb.send(new BatchGetItemCommand({ RequestItems: { ledger: { Keys: [] }, other: { Keys: [] } } })),
    ],
    ['the queue', 'poll', () => queueJobs()],
    ['another queue', 'tick', () => queueJobs('http://127.0.0.1/others')],
    [
      'another action on the queue',
      'tick',
      () => sqs.send(new PurgeQueueCommand({ QueueUrl: 'http://127.0.0.1/jobs' })),
    ],
    ['a table that is not of the deployment', 'poll', () => put('other')],
    ['a record, which it would write', 'manage', () => put('snapshots')],
    ['the health of a source', 'manage', () => put('snapshots', 'main#source')],
    ['a partition that only begins alike', 'manage', () => put('snapshots', `${healthPartition}s`)],
    ['the token', 'deliver', () => readParameter('/tidings/token')],
    ['the rotated secrets of another stack', 'deliver', () => readParameter('/tidings/secrets/Other/ops-1a2b')],
    [
      'the storing of a secret',
      'manage',
      () => ssm.send(new PutParameterCommand({ Name: '/tidings/links', Value: 'x' })),
    ],
    ['another secret', 'deliver', () => readSecret('others')],
    ['any secret', 'announce', () => readSecret('tidings')],
    ['another sender', 'deliver', () => sendMail('ceo@example.com')],
    ['mail', 'manage', () => sendMail('tidings@example.com')],
    ['another bus', 'deliver', () => putEvent('default')],
  ] as const)('denies %s that the role does not have', async (_, name, call) => {
    let denied: unknown;
    const invocation = runAs(name, async () => {
      await call().catch((error: unknown) => {
        denied = error;
      });
    });
    await expect(invocation).rejects.toThrow(`the role of ${name} does not allow`);
    expect(denied).toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining('is not authorized to perform'),
    });
  });

  it('does not check calls of the test itself', async () => {
    await put('other');
  });
});
