/**
 * `scale-out`: what a source costs among 1,000, against one among 10: the function `poll` on emulated tables and queues, one
 * simulated hour around midnight, polled every five minutes. Units, requests and executions are counted. Seconds and lag are computed from what was
 * counted, with fixed times for a response of the API and of AWS, and without CPU, which `lambda-cpu` measures.
 *
 * A source has 10 tasks here. What 5,000 add is the same for each source: the first read, and what `units` counts for a sweep.
 */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context } from 'aws-lambda';
import { startFauxqs } from 'fauxqs';
import { LEDGER_DEFINITION, SNAPSHOTS_DEFINITION } from '../adapters/dynamodb/tables.ts';
import { DAY, fromMillis, HOUR, MINUTE, SECOND } from '../core/model/time.ts';
import { createPoll } from '../functions/poll.ts';
import {
  CONFIG,
  LEDGER_TABLE,
  POLL_QUEUE_URL,
  SLOW_POLL_QUEUE_URL,
  SNAPSHOTS_TABLE,
} from '../runtime/aws/environment.ts';
import { parseTree } from '../runtime/config/load.ts';
import { packConfig } from '../runtime/config/packed.ts';
import { startSimulator } from '../simulator/simulator.ts';
import { startLocalTables } from '../test/adapters/dynamodb/local-tables.ts';
import { startSecretStore } from '../test/functions/secret-store.ts';
import { type Benchmark, type Figure, percentile } from './bench.ts';
import { meter } from './metered.ts';

const FEW = 10;
const MANY = 1_000;
const TASKS = 10;
const LENGTH = HOUR;

/** A response of the API, in milliseconds. */
const API_MS = 400;
/** A response of DynamoDB or SQS, and how many requests are in flight at once. */
const AWS_MS = 8;
const IN_FLIGHT = 32;

/** Executions for each queue, as deployed by default. */
const EXECUTIONS = 10;
/** The batching window, and the time until Lambda has received the messages. */
const RECEIVE_MS = 2 * SECOND;

const REGION = { region: 'eu-central-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

/** Per source and hour, except for the lag. */
interface PerSource {
  readonly read: number;
  readonly write: number;
  readonly requests: number;
  readonly messages: number;
  /** Seconds that are billed, of executions with 1 GB. */
  readonly seconds: number;
  /** From the run of the minute in which it is due to its start, in seconds. */
  readonly lag: number;
}

export const scaleOut: Benchmark = async () => {
  const few = await runSources(FEW);
  const many = await runSources(MANY);
  const figure = (name: Exclude<keyof PerSource, 'lag'>, what: string): Figure => ({
    name: `scale-out (${what})`,
    ours: `${many[name].toFixed(2)} with ${MANY.toLocaleString('en')} sources`,
    floor: `${few[name].toFixed(2)} with ${FEW}`,
    ratio: many[name] / few[name],
    aim: 1.1,
  });
  return [
    figure('read', 'read units per source and hour'),
    figure('write', 'write units per source and hour'),
    figure('requests', 'API requests per source and hour'),
    figure('messages', 'messages per source and hour'),
    figure('seconds', 'billed seconds per source and hour'),
    {
      name: `scale-out (lag p99, ${MANY.toLocaleString('en')} sources due at once)`,
      ours: `${many.lag.toFixed(1)} s, ${few.lag.toFixed(1)} s with ${FEW}`,
      floor: 'the minute until they are due again, 60 s',
      ratio: (many.lag * SECOND) / MINUTE,
      aim: 1,
    },
  ];
};

async function runSources(count: number): Promise<PerSource> {
  // Logs and metrics of thousands of executions are not part of the figures.
  process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
  process.env.POWERTOOLS_METRICS_DISABLED = 'true';
  const cloud = await openCloud(count);
  try {
    return await cloud.run();
  } finally {
    await cloud.close();
  }
}

async function openCloud(count: number) {
  const evening = Date.UTC(2026, 10, 17, 23, 30);
  let now = evening - 20 * MINUTE;
  const clock = { now: () => fromMillis(now) };
  const simulator = await startSimulator({ tasks: TASKS, now: clock.now(), speed: 0, quota: 100_000_000 });
  const tables = await startLocalTables();
  const names = await tables.create();
  const dynamodb = tables.connect();
  const calls = { aws: 0, api: 0 };
  const countRequest = (message: unknown) => {
    const { request } = message as { readonly request: { readonly origin: unknown } };
    if (String(request.origin) === new URL(simulator.url).origin) calls.api += 1;
  };
  subscribe('undici:request:create', countRequest);
  dynamodb.middlewareStack.add(
    (next) => (args) => {
      calls.aws += 1;
      return next(args);
    },
    { step: 'initialize' },
  );
  const metered = meter(dynamodb, tables.client, {
    [names.snapshots]: SNAPSHOTS_DEFINITION,
    [names.ledger]: LEDGER_DEFINITION,
  });
  const secrets = await startSecretStore({ '/tidings/token': simulator.tokens.Administrator[0] ?? '' });
  const queues = await startFauxqs({ port: 0, logger: false, host: '127.0.0.1' });
  const endpoint = `http://127.0.0.1:${queues.port}`;
  const sqs = new SQSClient({ ...REGION, endpoint });
  const urlOf = (name: string) =>
    `${endpoint}/${queues.createQueue(name, { region: REGION.region }).queueUrl.split('/').slice(-2).join('/')}`;
  const urls = [urlOf('polls'), urlOf('slow-polls')] as const;
  const poll = createPoll({
    environment: {
      [SNAPSHOTS_TABLE]: names.snapshots,
      [LEDGER_TABLE]: names.ledger,
      [POLL_QUEUE_URL]: urls[0],
      [SLOW_POLL_QUEUE_URL]: urls[1],
      [CONFIG]: packConfig(parseTree('tidings.yaml', { sources: sourcesOf(count, simulator.url) }, {}, 'aws')),
    },
    clients: { dynamodb, sqs },
    clientSettings: { secrets: { ...REGION, endpoint: secrets.endpoint } },
    clock,
    random: () => 0.5,
  });

  const receive = async (QueueUrl: string) => {
    const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 600 });
    const { Messages = [] } = await sqs.send(command);
    for (const { ReceiptHandle } of Messages) await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    return Messages.map(({ MessageId, Body }) => ({ messageId: MessageId, body: Body ?? '' }));
  };

  /** One execution: how long it waits, computed from its requests. */
  const execute = async (event: unknown, sources: number): Promise<number> => {
    const before = { aws: calls.aws, api: calls.api };
    await poll(event as never, contextOf());
    const api = (calls.api - before.api) / Math.max(1, sources);
    // The requests of a source follow each other; its sources wait at the same time.
    return api * API_MS + ((calls.aws - before.aws) / Math.min(IN_FLIGHT, Math.max(1, sources))) * AWS_MS;
  };

  const lags: number[] = [];
  const spent = { messages: 0, millis: 0 };

  const minute = async (isCounted: boolean): Promise<void> => {
    const dispatch = await execute({}, count);
    spent.millis += dispatch;
    const free = urls.map(() => new Array<number>(EXECUTIONS).fill(now + dispatch + RECEIVE_MS));
    for (const [at, url] of urls.entries()) {
      const slots = free[at] ?? [];
      for (let records = await receive(url); records.length > 0; records = await receive(url)) {
        slots.sort((a, b) => a - b);
        const start = slots[0] ?? 0;
        const took = await execute({ Records: records }, records.length);
        slots[0] = start + took;
        spent.messages += records.length;
        spent.millis += took;
        if (isCounted) lags.push(...records.map(() => start - now));
      }
    }
    now += MINUTE;
    simulator.account.clock.advance(MINUTE);
  };

  return {
    async run(): Promise<PerSource> {
      // First reads, spread over the minutes as people add sources.
      while (now < evening) await minute(false);
      metered.take();
      Object.assign(spent, { messages: 0, millis: 0 });
      const before = calls.api;
      while (now < evening + LENGTH) await minute(true);
      const { read, write } = metered.take();
      const each = (value: number) => value / count / (LENGTH / HOUR);
      return {
        read: each(read),
        write: each(write),
        requests: each(calls.api - before),
        messages: each(spent.messages),
        seconds: each(spent.millis / SECOND),
        lag: percentile(lags, 0.99) / SECOND,
      };
    },
    async close(): Promise<void> {
      unsubscribe('undici:request:create', countRequest);
      sqs.destroy();
      dynamodb.destroy();
      await Promise.all([simulator.stop(), tables.stop(), secrets.stop(), queues.stop()]);
    },
  };
}

function sourcesOf(count: number, baseUrl: string) {
  const others = ['invoice', 'project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'];
  const resources = { ...Object.fromEntries(others.map((name) => [name, 'off'])), task: { every: '5m' } };
  const quota = { perMinute: 1_000_000 };
  return Array.from({ length: count }, (_, n) => ({
    ...{ name: `account-${n}`, baseUrl, token: 'ssm:/tidings/token', timeZone: 'UTC', resources, quota },
  }));
}

function contextOf(): Context {
  return {
    awsRequestId: 'bench',
    functionName: 'poll',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:poll',
    memoryLimitInMB: '1024',
    logGroupName: '/aws/lambda/poll',
    logStreamName: 'stream',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => DAY,
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
}
