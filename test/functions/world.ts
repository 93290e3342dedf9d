/**
 * A local AWS in this process: the real functions on dynalite and fauxqs, with the simulator as the API. This module does
 * what Lambda does between them: schedules, stream batches and queue batches, in Lambda's formats.
 */

import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  MessageNotInflight,
  type MessageSystemAttributeName,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { DynamoDBRecord, SQSRecord } from 'aws-lambda';
import { startFauxqs } from 'fauxqs';
import type { AwsClientSettings } from '../../adapters/aws/client-settings.ts';
import { toItem } from '../../adapters/dynamodb/attribute-values.ts';
import { snapshotItem } from '../../adapters/dynamodb/snapshot-item.ts';
import { dynamoSnapshotStore } from '../../adapters/dynamodb/snapshot-store.ts';
import { dynamoStores } from '../../adapters/dynamodb/stores.ts';
import { COPIED_MARK } from '../../adapters/dynamodb/tables.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import { DAY } from '../../core/model/time.ts';
import { createAnnounce } from '../../functions/announce.ts';
import { createDeliver } from '../../functions/deliver.ts';
import { createManage } from '../../functions/manage.ts';
import { createPoll } from '../../functions/poll.ts';
import { createSetup } from '../../functions/setup.ts';
import { createTick } from '../../functions/tick.ts';
import type { AwsContextOptions } from '../../runtime/aws/context.ts';
import {
  CONFIG,
  LEDGER_TABLE,
  POLL_QUEUE_URL,
  QUEUE_URL,
  SLOW_POLL_QUEUE_URL,
  SNAPSHOTS_TABLE,
} from '../../runtime/aws/environment.ts';
import { parseTree } from '../../runtime/config/load.ts';
import { packConfig, unpackConfig } from '../../runtime/config/packed.ts';
import { dividesPolls } from '../../runtime/config/serves-api.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../simulator/simulator.ts';
import { startLocalTables } from '../adapters/dynamodb/local-tables.ts';
import { type RecordedStream, recordStream } from '../adapters/dynamodb/recorded-stream.ts';
import { movableClock } from '../movable-clock.ts';
import { SECRET } from '../samples.ts';
import { enforcePermissions } from './iam-check.ts';
import { type CallOptions, contextOf } from './lambda-call.ts';
import { enforcePayloadLimit } from './limits-check.ts';
import { startSecretStore } from './secret-store.ts';

/** After this many receives a message goes to the dead-letter queue. */
export const MOST_RECEIVES = 3;

/** References of a config for AWS. */
export const TOKEN = 'ssm:/tidings/token';
export const OPS = 'secret:tidings#ops';

export interface WorldOptions {
  readonly simulator?: SimulatorOptions;
  /** The config without the source. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Further secrets in the store, which the config names as variables. @default - none */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Options of the source. @default - polls tasks every second */
  readonly source?: Readonly<Record<string, unknown>>;
  /** Further variables of the functions. @default - none */
  readonly environment?: Readonly<Record<string, string>>;
  /** Settings of the client of X-Ray. @default - the SDK's own */
  readonly xray?: AwsClientSettings;
  /** Several sources, given the simulator's address. @default - one source */
  readonly sources?: (url: string) => readonly Readonly<Record<string, unknown>>[];
}

export type World = Awaited<ReturnType<typeof startWorld>>;

/** The parts of a world that the pipeline needs. Asynchronous, because servers may be remote. */
export interface PipelineWorld
  extends Pick<World, 'simulator' | 'clock' | 'options' | 'functions' | 'stores' | 'stop'> {
  /** The changes since the last call, as the event source mapping hands them over: without baselines and copies. */
  changes(): readonly DynamoDBRecord[] | Promise<readonly DynamoDBRecord[]>;
  readonly queues: Pick<World['queues'], 'url' | 'receive' | 'settle'> & {
    send(body: string): Promise<unknown>;
    /** Bodies of the messages in the dead-letter queue. */
    dead(): readonly string[] | Promise<readonly string[]>;
    /** How many messages could be received now. */
    count(): number | Promise<number>;
  };
}

const region = 'eu-central-1';
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

export async function startWorld({ simulator: size, ...options }: WorldOptions) {
  // So large that no cadence is lengthened: how much of the day is left would decide which polls scan.
  const simulator = await startSimulator({ tasks: 30, quota: 10_000_000, ...size });
  const tables = await startLocalTables();
  const names = await tables.create();
  const dynamodb = tables.connect();
  const stream = recordStream(dynamodb, names.snapshots);
  const token = simulator.tokens.Administrator[0] ?? '';
  const secrets = await startSecretStore({
    '/tidings/token': token,
    tidings: JSON.stringify({ ops: SECRET, ...options.secrets }),
  });
  const queues = await startQueues();
  // The API has the same time: a difference would delay what is due by time.
  const clock = movableClock((millis) => {
    queues.hasten(millis);
    simulator.account.clock.advance(millis);
  });
  const packed = packedConfig(simulator, options);
  const environment = {
    [SNAPSHOTS_TABLE]: names.snapshots,
    [LEDGER_TABLE]: names.ledger,
    [QUEUE_URL]: queues.url,
    ...withPollQueues(packed, queues.polls),
    [CONFIG]: packed,
    ...options.environment,
  };
  const clients = { dynamodb, sqs: queues.client };
  const { xray } = options;
  const clientSettings = { secrets: { region, credentials, endpoint: secrets.endpoint }, ...(xray && { xray }) };
  const awsOptions: AwsContextOptions = { environment, clients, clientSettings, clock, random: () => 0.5 };
  const functions = openFunctions(awsOptions);

  return {
    simulator,
    secrets,
    token,
    clock,
    options: awsOptions,
    functions,
    queues,
    tables,
    names,
    stores: dynamoStores({ client: tables.client, tables: names, retention: 90 * DAY, clock }),
    snapshots: dynamoSnapshotStore({ client: tables.client, table: names.snapshots }),
    /** The changes since the last call, as the event source mapping hands them over: without baselines and copies. */
    changes: streamBatches(stream),
    /** The stream record of a snapshot that another client wrote. */
    changesTo(after: Snapshot | undefined): readonly DynamoDBRecord[] {
      if (after === undefined) return [];
      const before = {
        ...after,
        version: after.version - 1,
        record: { ...after.record, status: 'Open', dateclosed: null },
        stage: {},
      };
      const images = { NewImage: toItem(snapshotItem(after)), OldImage: toItem(snapshotItem(before)) };
      return [{ eventName: 'MODIFY', dynamodb: { ...images, SequenceNumber: '1' } } as DynamoDBRecord];
    },
    async stop(): Promise<void> {
      for (const client of Object.values(clients)) client.destroy();
      await Promise.all([simulator.stop(), tables.stop(), secrets.stop(), queues.stop()]);
    },
  };
}

/** The changes since the last call, as the event source mapping hands them over: without baselines and copies. */
export function streamBatches(stream: RecordedStream): () => readonly DynamoDBRecord[] {
  let sequence = 0;
  return () =>
    stream.take().flatMap(({ dynamodb: images }): DynamoDBRecord[] => {
      const { NewImage, OldImage } = images as NonNullable<DynamoDBRecord['dynamodb']>;
      if (NewImage?.cause?.S === 'baseline' || NewImage?.[COPIED_MARK] !== undefined) return [];
      const eventName = OldImage === undefined ? 'INSERT' : 'MODIFY';
      sequence += 1;
      const place = { eventID: `change-${sequence}`, eventName } as const;
      return [
        { ...place, dynamodb: { ...images, SequenceNumber: String(sequence).padStart(21, '0') } } as DynamoDBRecord,
      ];
    });
}

/** The functions by name, invoked as Lambda does, with the permissions of their roles and Lambda's limits. */
export function openFunctions(options: AwsContextOptions) {
  const [poll, tick, announce] = [createPoll(options), createTick(options), createAnnounce(options)];
  const [deliver, manage, setup] = [createDeliver(options), createManage(options), createSetup(options)];
  const runAs = enforcePayloadLimit(enforcePermissions(options));
  const { environment = {} } = options;
  const dispatch = (call?: CallOptions) => runAs('poll', async () => poll({}, contextOf(call)));
  const pollBatch = (Records: readonly SQSRecord[], call?: CallOptions) =>
    runAs('poll', async () => poll({ Records }, contextOf(call)));
  return {
    /** One minute's run, and then the batches of the queues of polls. Throws the first failure after all of them. */
    async poll(call?: CallOptions): Promise<void> {
      const failures: unknown[] = [];
      const note = (error: unknown) => void failures.push(error);
      await dispatch(call).catch(note);
      for (const url of [environment[POLL_QUEUE_URL], environment[SLOW_POLL_QUEUE_URL]]) {
        if (url !== undefined) await drainPolls(url, (records) => pollBatch(records, call).catch(note));
      }
      if (failures.length > 0) throw failures[0];
    },
    /** The minute's run alone. */
    dispatch,
    pollBatch,
    tick: (call?: CallOptions) => runAs('tick', async () => tick({}, contextOf(call))),
    announce: (Records: readonly DynamoDBRecord[], call?: CallOptions) =>
      runAs('announce', async () => announce({ Records: [...Records] }, contextOf(call))),
    deliver: (Records: readonly SQSRecord[], call?: CallOptions) =>
      runAs('deliver', async () => deliver({ Records: [...Records] }, contextOf(call))),
    manage: (event: Parameters<typeof manage>[0]) => runAs('manage', async () => manage(event, contextOf())),
    setup: () => runAs('setup', async () => setup({}, contextOf())),
  };
}

/** A section of the config with which the queues of polls divide the sources, also a single one. */
export const DIVIDED = {
  manage: { url: 'https://tidings.example.com', secret: '${OPS}', api: { auth: 'keys' } },
} as const;

/** The variables of the queues of polls, where the stack has them. */
export function withPollQueues(packed: string, { usual, slow }: { readonly usual: string; readonly slow: string }) {
  return dividesPolls(unpackConfig(packed)) ? { [POLL_QUEUE_URL]: usual, [SLOW_POLL_QUEUE_URL]: slow } : {};
}

/** Hands all messages to the function. Those of a failed batch expire before they are visible again. */
async function drainPolls(url: string, run: (records: readonly SQSRecord[]) => Promise<unknown>): Promise<void> {
  const mapping = mappingOf(new SQSClient({ endpoint: new URL(url).origin, region, credentials }), url);
  try {
    for (let records = await mapping.receive(); records.length > 0; records = await mapping.receive()) {
      await run(records);
      await mapping.settle(records, []);
    }
  } finally {
    mapping.client.destroy();
  }
}

/** The config as the stack packs it into the functions. */
export function packedConfig(
  simulator: Simulator,
  { config, secrets = {}, source, sources }: Omit<WorldOptions, 'simulator'>,
): string {
  const resources = Object.fromEntries(
    ['invoice', 'project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'].map((name) => [
      name,
      'off',
    ]),
  );
  const one = {
    baseUrl: simulator.url,
    token: '${TOKEN}',
    timeZone: 'UTC',
    resources: { ...resources, task: { every: '1s' } },
    quota: { perMinute: 100_000 },
    ...source,
  };
  const raw = {
    ...(sources === undefined ? { source: one } : { sources: sources(simulator.url) }),
    network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    ...config,
  };
  const checked = packConfig(parseTree('tidings.yaml', raw, { TOKEN: 'token', OPS: SECRET, ...secrets }));
  return Object.keys(secrets).reduce(
    (text, name) => text.replaceAll(`\${${name}}`, `secret:tidings#${name}`),
    checked.replaceAll('${TOKEN}', TOKEN).replaceAll('${OPS}', OPS),
  );
}

async function startQueues() {
  const server = await startFauxqs({ port: 0, logger: false, host: '127.0.0.1' });
  const client = new SQSClient({ endpoint: `http://127.0.0.1:${server.port}`, region, credentials });
  const { queueArn: deadLetterTargetArn } = server.createQueue('dead', { region });
  const redrive = { deadLetterTargetArn, maxReceiveCount: String(MOST_RECEIVES) };
  const attributes = { RedrivePolicy: JSON.stringify(redrive) };
  const { queueUrl } = server.createQueue('jobs', { region, attributes });
  const reachable = (made: string) => `http://127.0.0.1:${server.port}/${made.split('/').slice(-2).join('/')}`;
  const url = reachable(queueUrl);
  const delayed = () => server.inspectQueue('jobs')?.messages.delayed ?? [];
  return {
    ...mappingOf(client, url),
    polls: {
      usual: reachable(server.createQueue('polls', { region }).queueUrl),
      slow: reachable(server.createQueue('slow-polls', { region }).queueUrl),
    },
    /** Bodies of the polls that wait. */
    waitingPolls: (name: 'polls' | 'slow-polls') =>
      server.inspectQueue(name)?.messages.ready.map(({ body }) => body) ?? [],
    endpoint: `http://127.0.0.1:${server.port}`,
    /** Bodies of the messages in the dead-letter queue. */
    dead: () => server.inspectQueue('dead')?.messages.ready.map(({ body }) => body) ?? [],
    /** How many messages could be received now. */
    count: () => server.inspectQueue('jobs')?.messages.ready.length ?? 0,
    waiting: () => server.inspectQueue('jobs')?.messages.ready.map(({ body }) => body) ?? [],
    /** Seconds until delayed messages become visible. */
    later: () => delayed().map(({ delayUntil = 0 }) => (delayUntil - Date.now()) / 1000),
    /** Advances the clock of the server with that of the world. */
    hasten: (millis: number) => {
      for (const message of delayed()) message.delayUntil = (message.delayUntil ?? 0) - millis;
    },
    stop: () => server.stop(),
  };
}

/** The event source mapping of a queue. */
export function mappingOf(client: SQSClient, url: string) {
  return {
    client,
    url,
    /** Sends any text to the queue. */
    send: (body: string) => client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body })),
    /** Up to ten messages, hidden until they are settled. */
    async receive(): Promise<readonly SQSRecord[]> {
      const MessageSystemAttributeNames: MessageSystemAttributeName[] = ['ApproximateReceiveCount'];
      const limits = { MaxNumberOfMessages: 10, VisibilityTimeout: 60 };
      const command = new ReceiveMessageCommand({ QueueUrl: url, ...limits, MessageSystemAttributeNames });
      const { Messages = [] } = await client.send(command);
      return Messages.map(({ MessageId = '', Body = '', ReceiptHandle = '', Attributes }) =>
        recordOf(MessageId, Body, ReceiptHandle, Attributes?.ApproximateReceiveCount),
      );
    },
    /** After a batch: failed messages become visible again, the others are deleted. */
    async settle(records: readonly SQSRecord[], failed: readonly string[]): Promise<void> {
      for (const { messageId, receiptHandle: ReceiptHandle } of records) {
        const where = { QueueUrl: url, ReceiptHandle };
        if (failed.includes(messageId)) {
          await client
            .send(new ChangeMessageVisibilityCommand({ ...where, VisibilityTimeout: 0 }))
            .catch((error: unknown) => {
              // On a slow machine it is visible again already.
              if (!(error instanceof MessageNotInflight)) throw error;
            });
        } else await client.send(new DeleteMessageCommand(where));
      }
    },
  };
}

export function recordOf(
  messageId: string,
  body: string,
  receiptHandle = '',
  ApproximateReceiveCount = '1',
): SQSRecord {
  return {
    messageId,
    receiptHandle,
    body,
    attributes: {
      ApproximateReceiveCount,
      SentTimestamp: '0',
      SenderId: '',
      ApproximateFirstReceiveTimestamp: '0',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-central-1:000000000000:jobs',
    awsRegion: region,
  };
}
