/** Runs the contract suites of the ports with the AWS adapters, on the tables and the queue of the templates. */

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll } from 'vitest';
import { dynamoManifestStore } from '../../adapters/dynamodb/manifest-store.ts';
import { dynamoRateLimiter } from '../../adapters/dynamodb/rate-limiter.ts';
import { dynamoSnapshotStore } from '../../adapters/dynamodb/snapshot-store.ts';
import { dynamoStores } from '../../adapters/dynamodb/stores.ts';
import { transitionFromRecord } from '../../adapters/dynamodb/stream.ts';
import { sqsQueue } from '../../adapters/sqs/queue.ts';
import { DAY } from '../../core/model/time.ts';
import { tickingClock } from '../adapters/dynamodb/ticking-clock.ts';
import { manifestStoreContract } from '../contract/manifest-store.ts';
import { queueContract } from '../contract/queue.ts';
import { rateLimiterContract } from '../contract/rate-limiter.ts';
import { snapshotStoreContract } from '../contract/snapshot-store.ts';
import { storeContracts } from '../contract/stores.ts';
import { openStream } from './stream.ts';
import { makeQueues, makeTables } from './template.ts';

const client = new DynamoDBClient();
const sqs = new SQSClient();
afterAll(() => {
  client.destroy();
  sqs.destroy();
});

snapshotStoreContract('DynamoDB with its stream', { history: 'not kept' }, async () => {
  const { snapshots, remove } = await makeTables(client);
  const stream = await openStream(client, snapshots);
  return {
    store: dynamoSnapshotStore({ client, table: snapshots }),
    changes: async () => (await stream.take()).flatMap((record) => transitionFromRecord(record) ?? []),
    close: remove,
  };
});

storeContracts('DynamoDB', { expires: 'by itself' }, async () => {
  const { remove, ...tables } = await makeTables(client);
  const options = { client, tables, retention: 90 * DAY, clock: tickingClock() };
  return { stores: dynamoStores(options), close: remove };
});

manifestStoreContract('DynamoDB', async () => {
  const { ledger, remove } = await makeTables(client);
  return { manifests: dynamoManifestStore({ client, table: ledger }), close: remove };
});

rateLimiterContract('DynamoDB', async () => {
  const { ledger, remove } = await makeTables(client);
  return {
    turns: [dynamoRateLimiter({ client, table: ledger }), dynamoRateLimiter({ client, table: ledger })],
    close: remove,
  };
});

queueContract('SQS', { time: 'its own', fairness: 'by itself', receipts: 'any' }, async () => {
  const { jobs, remove } = await makeQueues(sqs);
  return { queue: sqsQueue({ client: sqs, url: jobs, wait: 0 }), close: remove };
});
