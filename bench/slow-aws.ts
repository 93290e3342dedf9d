/** Emulated AWS services behind a latency like that within a region. Counts the requests in flight. */

import { Agent, createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFauxqs } from 'fauxqs';
import { LEDGER_TABLE, QUEUE_URL, SNAPSHOTS_TABLE } from '../runtime/aws/environment.ts';
import { startLocalTables } from '../test/adapters/dynamodb/local-tables.ts';
import { startSecretStore } from '../test/functions/secret-store.ts';

/** Of a request to DynamoDB or SQS, from the function's side. */
const LATENCY_MS = 8;

const REGION = 'eu-central-1';

export type SlowAws = Awaited<ReturnType<typeof startSlowAws>>;

export async function startSlowAws(secrets: Readonly<Record<string, string>>) {
  const tables = await startLocalTables();
  const names = await tables.create();
  const store = await startSecretStore(secrets);
  const queues = await startFauxqs({ port: 0, logger: false, host: '127.0.0.1' });
  const { queueUrl } = queues.createQueue('jobs', { region: REGION });
  const flight = { now: 0, max: 0 };
  const dynamodb = await startSlowProxy(tables.endpoint, flight);
  const sqs = await startSlowProxy(`http://127.0.0.1:${queues.port}`, { now: 0, max: 0 });
  return {
    tables,
    names,
    /** The variables of a function. */
    environment: {
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_DYNAMODB: dynamodb.endpoint,
      AWS_ENDPOINT_URL_SQS: sqs.endpoint,
      AWS_ENDPOINT_URL_SSM: store.endpoint,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: store.endpoint,
      [SNAPSHOTS_TABLE]: names.snapshots,
      [LEDGER_TABLE]: names.ledger,
      [QUEUE_URL]: `${sqs.endpoint}/${queueUrl.split('/').slice(-2).join('/')}`,
    },
    /** Messages on the queue, delayed ones included. */
    queued(): number {
      const { ready = [], delayed = [] } = queues.inspectQueue('jobs')?.messages ?? {};
      return ready.length + delayed.length;
    },
    /** The most requests to DynamoDB that were in flight since the last call. */
    takeMaxInFlight(): number {
      const { max } = flight;
      flight.max = flight.now;
      return max;
    },
    async stop(): Promise<void> {
      await Promise.all([dynamodb.stop(), sqs.stop()]);
      await Promise.all([tables.stop(), store.stop(), queues.stop()]);
    },
  };
}

async function startSlowProxy(target: string, flight: { now: number; max: number }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const server = createServer(async (request, response) => {
    flight.now += 1;
    flight.max = Math.max(flight.max, flight.now);
    response.once('close', () => {
      flight.now -= 1;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    await sleep(LATENCY_MS);
    const { method, headers, url: path = '/' } = request;
    const forwarded = sendRequest(new URL(path, target), { method, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    forwarded.once('error', () => response.destroy());
    forwarded.end(Buffer.concat(chunks));
  });
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop(): Promise<void> {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
