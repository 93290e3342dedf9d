/**
 * Lambda, stream and queue in a chaos run: sandboxes with different clocks, which fail or die at any call to AWS; repeated
 * and concurrent duplicate batches. Knows nothing about the expected results.
 */

import { ConditionalCheckFailedException, type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBRecord, SQSRecord } from 'aws-lambda';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { dynamoStores } from '../../adapters/dynamodb/stores.ts';
import { sqsQueue } from '../../adapters/sqs/queue.ts';
import { DAY, plus } from '../../core/model/time.ts';
import type { AwsContextOptions } from '../../runtime/aws/context.ts';
import { type RecordedStream, recordStream } from '../adapters/dynamodb/recorded-stream.ts';
import { lagBehind } from '../adapters/dynamodb/replica.ts';
import type { SeededRandom } from '../truth/seeded-random.ts';
import { ENDED, faultyProcess } from '../truth/storm-process.ts';
import type { StormMails } from './storm-mails.ts';
import { openFunctions, type World } from './world.ts';

export interface CloudOptions {
  readonly world: World;
  readonly chance: SeededRandom;
  /** Whether indexes and eventually consistent reads lag. */
  readonly lags: boolean;
  /** The deployed functions. */
  readonly environment: () => AwsContextOptions['environment'];
  readonly clientSettings: AwsContextOptions['clientSettings'];
  readonly mails: StormMails;
}

/** Clocks differ by up to twice this. A step of the run is longer, so that its order is known. */
const SKEW = 400;

/** Share of batches that are delivered twice. */
const TWICE = 0.15;

const SHARDS = 3;
const CREDENTIALS = { region: 'eu-central-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

export async function openCloud({ world, chance, lags, environment, clientSettings, mails }: CloudOptions) {
  const replica = lags ? await lagBehind(world.tables.connect(), world.tables, world.names) : undefined;
  const streams: RecordedStream[] = [];
  const clients: { destroy(): void }[] = [];
  const rates = { faults: 0, twice: 0 };
  const injected = { faults: 0, ends: 0 };

  function openSandbox() {
    const dynamodb = world.tables.connect({ maxAttempts: 1 });
    const sqs = new SQSClient({ ...CREDENTIALS, endpoint: world.queues.endpoint });
    clients.push(dynamodb, sqs);
    const name = `/sandbox-${clients.length}`;
    const onFault = () => mails.markInterrupted(name);
    const process = faultyProcess({ chance, rates, injected, faultError, onFault });
    for (const client of [dynamodb, sqs] as readonly Pick<DynamoDBClient, 'middlewareStack'>[]) {
      client.middlewareStack.add(
        (send) => async (args) => {
          const result = await process.call(() => send(args));
          mails.markSaved(name, args.input);
          return result;
        },
        { step: 'initialize', priority: 'high' },
      );
    }
    streams.push(recordStream(dynamodb, world.names.snapshots));
    replica?.follow(dynamodb);
    const skew = Math.round((chance.unit() * 2 - 1) * SKEW);
    const clock = { now: () => plus(world.clock.now(), skew) };
    const run = async <T>(work: Promise<T>) => {
      const result = await process.run(work);
      if (process.isEnded()) mails.markEnded(name);
      return result;
    };
    return { ...process, run, name, clients: { dynamodb, sqs }, clock };
  }

  const idle = new Map<string, { readonly sandbox: ReturnType<typeof openSandbox>; readonly functions: Functions }[]>();
  type Functions = ReturnType<typeof openFunctions>;

  function openFunction() {
    const sandbox = openSandbox();
    const { clients, clock } = sandbox;
    const random = () => chance.unit();
    const endpoint = `${clientSettings?.mail?.endpoint}${sandbox.name}`;
    const settings = { ...clientSettings, mail: { ...clientSettings?.mail, endpoint } };
    const options = { environment: environment() ?? {}, clients, clientSettings: settings, clock, random };
    return { sandbox, functions: openFunctions(options) };
  }

  /** Undefined if it failed or died. A sandbox runs one invocation at a time. */
  async function invoke<T>(name: string, call: (functions: Functions) => Promise<T>): Promise<T | undefined> {
    const waiting = idle.get(name) ?? [];
    idle.set(name, waiting);
    const found = waiting.pop() ?? openFunction();
    const answer = await found.sandbox.run(call(found.functions)).catch(() => undefined);
    if (!found.sandbox.isEnded()) waiting.push(found);
    return answer === ENDED ? undefined : answer;
  }

  const shards: DynamoDBRecord[][] = Array.from({ length: SHARDS }, () => []);
  const busy = new Set<DynamoDBRecord[]>();
  const committed: DynamoDBRecord[] = [];

  /** In order per item, as in a stream. Without baselines, which the filter excludes. */
  function collect(): void {
    const version = ({ dynamodb }: DynamoDBRecord) => Number(dynamodb?.NewImage?.version?.N);
    const fresh = streams.flatMap((stream) => stream.take()).map((record) => record as DynamoDBRecord);
    for (const { dynamodb } of fresh.sort((a, b) => version(a) - version(b))) {
      if (dynamodb?.NewImage?.cause?.S === 'baseline') continue;
      const SequenceNumber = String(committed.length + 1).padStart(21, '0');
      const record = { eventID: `change-${SequenceNumber}`, dynamodb: { ...dynamodb, SequenceNumber } };
      const key = `${dynamodb?.NewImage?.pk?.S}${dynamodb?.NewImage?.sk?.S}`;
      committed.push(record);
      shards[(key.charCodeAt(key.length - 1) + key.length) % SHARDS]?.push(record);
    }
  }

  /** A batch of an idle shard. The records from the failed one on are repeated. */
  async function announce(): Promise<void> {
    collect();
    const shard = chance.pick(shards.filter((one) => one.length > 0 && !busy.has(one)));
    if (shard === undefined) return;
    busy.add(shard);
    const batch = shard.slice(0, 1 + Math.floor(chance.unit() * 10));
    const again = chance.unit() < rates.twice ? 1 : 0;
    const answer = await invoke('announce', (functions) => functions.announce(batch));
    if (again === 1) await invoke('announce', (functions) => functions.announce(batch));
    const failed = answer?.batchItemFailures[0]?.itemIdentifier;
    const stopped = batch.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === failed);
    if (answer !== undefined) shard.splice(0, stopped === -1 ? batch.length : stopped);
    busy.delete(shard);
  }

  const hidden: (readonly SQSRecord[])[] = [];
  const idsOf = (records: readonly SQSRecord[]) => records.map(({ messageId }) => messageId);

  /** A batch of the queue, possibly to two sandboxes. After a crash it stays invisible for a while. */
  async function deliver(): Promise<void> {
    const records = await world.queues.receive();
    if (records.length === 0) return;
    const copies = Array.from({ length: chance.unit() < rates.twice ? 2 : 1 }, () =>
      invoke('deliver', (functions) => functions.deliver(records)),
    );
    const [answer] = await Promise.all(copies);
    if (answer === undefined) hidden.push(records);
    else
      await world.queues.settle(
        records,
        answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
      );
  }

  return {
    injected,
    /** Every commit except baselines, in the order of the stream. */
    committed,
    invoke,
    announce,
    deliver,
    async showHidden(): Promise<void> {
      for (const records of hidden.splice(0)) await world.queues.settle(records, idsOf(records));
    },
    /** Runs a CLI command, which may die too. */
    async person(act: (ports: ReturnType<typeof portsOf>) => Promise<unknown>): Promise<void> {
      const sandbox = openSandbox();
      await sandbox.run(act(portsOf(world, sandbox))).catch(() => undefined);
    },
    /** Deploys new code: old sandboxes are not used any more. */
    deploy: () => idle.clear(),
    storm(faults: number): void {
      Object.assign(rates, { faults, twice: faults === 0 ? 0 : TWICE });
      idle.clear();
    },
    /** Makes this share of the lagging writes visible. */
    catchUp: async (share: number) => replica?.catchUp(() => chance.unit() < share),
    hasChanges(): boolean {
      collect();
      return shards.some(({ length }) => length > 0);
    },
    close: () => {
      for (const client of clients) client.destroy();
    },
  };
}

type Hands = { readonly clients: { readonly dynamodb: DynamoDBClient; readonly sqs: SQSClient } } & {
  readonly clock: World['clock'] | { now(): string };
};

function portsOf({ names, queues }: World, { clients: { dynamodb, sqs }, clock }: Hands) {
  return {
    ...dynamoStores({ client: dynamodb, tables: names, retention: 90 * DAY, clock }),
    queue: sqsQueue({ client: sqs, url: queues.url }),
    channels: channelRegistry,
    clock,
  };
}

function faultError(): Error {
  return Object.assign(new Error('injected by the test'), { name: 'TimeoutError', $metadata: {} });
}

/**
 * dynalite distinguishes the index entries of one moment by six characters of a hash: of 10,000 deliveries that are due at the same
 * time, a few lose their entry to another. Writing an item again restores its entry, but only if it has the attributes.
 */
export async function restoreIndexEntry({ tables, names }: World, id: string): Promise<void> {
  const Key = { pk: { S: id }, sk: { S: 'delivery' } };
  const touch = { ConditionExpression: 'attribute_exists(dueAt)', UpdateExpression: 'SET dueAt = dueAt' };
  await tables.client.send(new UpdateItemCommand({ TableName: names.ledger, Key, ...touch })).catch((error) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}
