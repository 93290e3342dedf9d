/** Many calls at once wait for each other in the adapter, never for a socket of the SDK, and do not fail by waiting. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callAws } from '../../../adapters/aws/call.ts';
import { withinLimit } from '../../../adapters/aws/in-flight.ts';
import { DYNAMODB_CLIENT, openTable } from '../../../adapters/dynamodb/table.ts';
import { sqsQueue } from '../../../adapters/sqs/queue.ts';
import { failureOf } from './aws-server.ts';

/** Occupies all slots of a client until it is called. */
function occupy(client: object): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (let slot = 0; slot < 32; slot++) void withinLimit(client, () => promise);
  return resolve;
}

describe('500 calls at once to a slow service', () => {
  const RESPONSE_MS = 150;
  let url: string;
  let most: number;
  let stop: () => void;
  beforeEach(async () => {
    let inFlight = 0;
    most = 0;
    const server = createServer((request, response) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      request.resume().on('end', async () => {
        await sleep(RESPONSE_MS);
        inFlight -= 1;
        response.setHeader('content-type', 'application/x-amz-json-1.0');
        response.end('{}');
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    stop = () => {
      server.close();
      server.closeAllConnections();
    };
  });
  afterEach(() => stop());

  const settings = { region: 'eu-central-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
  const numbers = Array.from({ length: 500 }, (_, n) => String(n));

  it('to two tables: at most 32 are in flight, and each succeeds at its first try', async () => {
    const client = new DynamoDBClient({ ...DYNAMODB_CLIENT, ...settings, endpoint: url, maxAttempts: 1 });
    const tables = ['ledger', 'snapshots'].map((table) => openTable({ client, table }));
    const writes = numbers.map((sk, n) => tables[n % 2]?.update({ pk: 'p', sk }, { set: { dueAt: 'later' } }));
    expect(new Set(await Promise.all(writes))).toEqual(new Set(['written']));
    expect(most).toBe(32);
    client.destroy();
  });

  it('to the queue: at most 32 are in flight, and each succeeds', async () => {
    const client = new SQSClient({ ...settings, endpoint: url, maxAttempts: 1 });
    const queue = sqsQueue({ client, url: `${url}/jobs` });
    const job = { kind: 'task', task: 'slack', attempt: 1, group: 'slack' } as const;
    await Promise.all(numbers.map((receipt) => queue.acknowledge({ job, receipt, receives: 1 })));
    expect(most).toBe(32);
    client.destroy();
  });
});

describe('a call that waits for others of its client', () => {
  it('starts its timeout when it is sent', async () => {
    const client = {};
    const free = occupy(client);
    let isSent = false;
    const call = callAws(
      client,
      async () => {
        isSent = true;
        return 'answer';
      },
      { timeout: 20 },
    );
    await sleep(60);
    expect(isSent).toBe(false);
    free();
    expect(await call).toBe('answer');
  });

  it('of a table starts its timeout when it is sent', async () => {
    const client = new DynamoDBClient({ region: 'eu-central-1' });
    client.middlewareStack.add(() => async () => ({ output: { $metadata: {} }, response: {} }), {
      step: 'initialize',
      priority: 'high',
    });
    const free = occupy(client);
    const write = openTable({ client, table: 'ledger', timeout: 20 }).put({ pk: 'p', sk: 's' });
    await sleep(60);
    free();
    expect(await write).toBe('written');
    client.destroy();
  });

  it('ends at once when its caller is shutting down, and is never sent', async () => {
    const client = {};
    const free = occupy(client);
    const shutdown = new AbortController();
    let isSent = false;
    const send = async () => {
      isSent = true;
    };
    const failure = failureOf(callAws(client, send, { timeout: 20_000, signal: shutdown.signal }));
    shutdown.abort();
    expect(await failure).toMatchObject({ kind: 'transient', awsCode: 'Aborted' });
    free();
    await sleep(0);
    expect(isSent).toBe(false);
  });

  it('does not wait for calls of another client', async () => {
    const free = occupy({});
    expect(await callAws({}, async () => 'answer', { timeout: 20_000 })).toBe('answer');
    free();
  });

  it('is sent in order of arrival, also after a call that failed', async () => {
    const client = {};
    const free = occupy(client);
    const order: number[] = [];
    const calls = Array.from({ length: 100 }, (_, n) =>
      withinLimit(client, async () => {
        order.push(n);
        if (n % 3 === 0) throw new Error('failed');
      }),
    );
    free();
    await Promise.allSettled(calls);
    expect(order).toEqual(calls.map((_, n) => n));
  });
});
