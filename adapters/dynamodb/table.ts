/**
 * Requests to one table: get, put, update and query by key, with optional conditions. Never a scan. Knows keys and
 * attributes, not what they mean.
 */

import { setTimeout as realSleep } from 'node:timers/promises';
import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { errorMessage, RetryLater } from '../../core/model/errors.ts';
import { type Duration, SECOND } from '../../core/model/time.ts';
import { FAST_REQUEST_HANDLER } from '../aws/client-settings.ts';
import { inGroups, inParallel } from '../aws/parallel.ts';
import { fromItem, type Item, toItem } from './attribute-values.ts';
import {
  type Condition,
  compileCondition,
  compileQuery,
  compileUpdate,
  type Range,
  type Update,
} from './expressions.ts';
import type { Key, NewItem } from './keys.ts';

/** `unsure`: the condition storeError, but possibly because an earlier try succeeded and its response was lost. */
type WriteOutcome = 'written' | 'refused' | 'unsure';

export interface QueryOptions {
  /** @default - the table itself */
  readonly index?: string;
  readonly partition: readonly [name: string, value: string];
  /** @default - the whole partition */
  readonly range?: Range;
  /** Starts at the last item. @default false */
  readonly backward?: boolean;
  /** Not supported for indexes. @default false */
  readonly consistent?: boolean;
  /** Items per request, for callers that may stop early. @default - as many as fit in 1 MB */
  readonly step?: number;
}

export type StoredItem = Readonly<Record<string, unknown>>;

export interface Table {
  /** Calls of one event-loop turn share a request, so that the same item is read, and paid for, once. */
  get(key: Key, consistent: boolean): Promise<StoredItem | undefined>;
  /** The items that exist, in no particular order. */
  getMany(keys: readonly Key[], consistent: boolean): Promise<readonly StoredItem[]>;
  put(item: NewItem, condition?: Condition): Promise<WriteOutcome>;
  update(key: Key, update: Update, condition?: Condition): Promise<WriteOutcome>;
  /** Adds 1 to a number. Returns the new number, or undefined if the condition is not met. */
  increment(key: Key, name: string, condition: Condition): Promise<number | undefined>;
  /** Deletes one item. */
  remove(key: Key, condition?: Condition): Promise<WriteOutcome>;
  query(options: QueryOptions): AsyncGenerator<StoredItem>;
  /** Puts and deletes without conditions, in no particular order. */
  writeAll(puts: readonly NewItem[], deletes: readonly Key[]): Promise<void>;
}

export interface TableOptions {
  /** Must be created with `DYNAMODB_CLIENT`. */
  readonly client: DynamoDBClient;
  /** Name or ARN of the table. */
  readonly table: string;
  /** For one request, including the SDK's retries. @default 15 s */
  readonly timeout?: Duration;
  /** Waits before unprocessed items of a batch are sent again. @default - real time */
  readonly sleep?: (millis: number) => Promise<void>;
}

/** More attempts than the SDK's 3: a hot partition throttles for seconds, until DynamoDB has split it. */
export const DYNAMODB_CLIENT = { maxAttempts: 8, requestHandler: FAST_REQUEST_HANDLER } as const;

/** About the same time as for unprocessed items of a batch. */
const TIMEOUT = 15 * SECOND;

type Send<T> = (options: { readonly abortSignal: AbortSignal }) => Promise<T>;

/** The limits of BatchGetItem and BatchWriteItem. */
const MAX_GETS_PER_BATCH = 100;
const MAX_WRITES_PER_BATCH = 25;

/** Unprocessed items were throttled. They are retried for up to about 13 s; then the request fails. */
const MAX_BATCH_TRIES = 8;
const FIRST_BATCH_WAIT_MS = 50;

export function openTable({ client, table, timeout = TIMEOUT, sleep = realSleep }: TableOptions): Table {
  const storeError = (operation: string, cause: unknown) =>
    new RetryLater(
      'TIDINGS_STORE_FAILED',
      `table '${table}': ${operation} failed: ${nameOf(cause)}${errorMessage(cause)}`,
      {
        cause,
      },
    );

  const withTimeout = async <T>(send: Send<T>): Promise<T> => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeout);
    try {
      return await send({ abortSignal: deadline.signal });
    } catch (error) {
      throw deadline.signal.aborted ? new Error(`no response within ${timeout / SECOND} s`, { cause: error }) : error;
    } finally {
      clearTimeout(timer);
    }
  };

  const request = async <T>(operation: string, send: Send<T>): Promise<T> => {
    try {
      return await withTimeout(send);
    } catch (error) {
      throw storeError(operation, error);
    }
  };

  const write = async (operation: string, send: Send<unknown>): Promise<WriteOutcome> => {
    try {
      await withTimeout(send);
      return 'written';
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw storeError(operation, error);
      return (error.$metadata.attempts ?? 1) > 1 ? 'unsure' : 'refused';
    }
  };

  /** Sends until no item is unprocessed. */
  const sendBatch = async <T>(
    operation: string,
    all: readonly T[],
    send: (part: readonly T[]) => Promise<readonly T[]>,
  ) => {
    let remaining = all;
    for (let tries = 0; remaining.length > 0; tries++) {
      if (tries === MAX_BATCH_TRIES)
        throw storeError(operation, new Error(`${remaining.length} of ${all.length} items were not processed`));
      if (tries > 0) await sleep(FIRST_BATCH_WAIT_MS * 2 ** tries);
      remaining = await send(remaining);
    }
  };

  const getBatch = async (keys: readonly Key[], consistent: boolean): Promise<readonly Item[]> => {
    const found: Item[] = [];
    await sendBatch<Record<string, AttributeValue>>(
      'BatchGetItem',
      keys.map(({ pk, sk }) => toItem({ pk, sk })),
      async (part) => {
        const RequestItems = { [table]: { Keys: [...part], ConsistentRead: consistent } };
        const response = await request('BatchGetItem', (options) =>
          client.send(new BatchGetItemCommand({ RequestItems }), options),
        );
        found.push(...(response.Responses?.[table] ?? Object.values(response.Responses ?? {}).flat()));
        return Object.values(response.UnprocessedKeys ?? {}).flatMap(({ Keys }) => Keys ?? []);
      },
    );
    return found;
  };

  const getOne = async ({ pk, sk }: Key, consistent: boolean): Promise<readonly Item[]> => {
    const command = new GetItemCommand({ TableName: table, Key: toItem({ pk, sk }), ConsistentRead: consistent });
    const { Item } = await request('GetItem', (options) => client.send(command, options));
    return Item === undefined ? [] : [Item];
  };

  const getMany = async (keys: readonly Key[], consistent: boolean): Promise<readonly StoredItem[]> => {
    const unique = [...new Map(keys.map((key) => [nameOfKey(key), key])).values()];
    const [only, ...more] = unique;
    if (only === undefined) return [];
    if (more.length === 0) return (await getOne(only, consistent)).map(fromItem);
    const batches = await inParallel(inGroups(unique, MAX_GETS_PER_BATCH), (group) => getBatch(group, consistent));
    return batches.flat().map(fromItem);
  };

  const batchedGets = { true: batchGets(getMany, true), false: batchGets(getMany, false) };

  return {
    get: (key, consistent) => batchedGets[`${consistent}`](key),
    getMany,

    async put(item, condition) {
      const command = new PutItemCommand({ TableName: table, Item: toItem(item), ...compileCondition(condition) });
      return write('PutItem', (options) => client.send(command, options));
    },

    async update({ pk, sk }, update, condition) {
      const Key = toItem({ pk, sk });
      const command = new UpdateItemCommand({ TableName: table, Key, ...compileUpdate(update, condition) });
      return write('UpdateItem', (options) => client.send(command, options));
    },

    async increment({ pk, sk }, name, condition) {
      const command = new UpdateItemCommand({
        TableName: table,
        Key: toItem({ pk, sk }),
        ...compileUpdate({ increment: { [name]: 1 } }, condition),
        ReturnValues: 'UPDATED_NEW',
      });
      try {
        const { Attributes = {} } = await withTimeout((options) => client.send(command, options));
        return Number(fromItem(Attributes)[name]);
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return undefined;
        throw storeError('UpdateItem', error);
      }
    },

    async remove({ pk, sk }, condition) {
      const command = new DeleteItemCommand({
        TableName: table,
        Key: toItem({ pk, sk }),
        ...compileCondition(condition),
      });
      return write('DeleteItem', (options) => client.send(command, options));
    },

    async *query({ index, partition, range, backward = false, consistent = false, step }) {
      let from: Record<string, AttributeValue> | undefined;
      do {
        const command: QueryCommand = new QueryCommand({
          TableName: table,
          IndexName: index,
          ...compileQuery(partition, range),
          ScanIndexForward: !backward,
          ConsistentRead: consistent,
          Limit: step,
          ExclusiveStartKey: from,
        });
        const response = await request('Query', (options) => client.send(command, options));
        for (const item of response.Items ?? []) yield fromItem(item);
        from = response.LastEvaluatedKey;
      } while (from !== undefined);
    },

    async writeAll(puts, deletes) {
      const requests: WriteRequest[] = [
        ...puts.map((item) => ({ PutRequest: { Item: toItem(item) } })),
        ...deletes.map(({ pk, sk }) => ({ DeleteRequest: { Key: toItem({ pk, sk }) } })),
      ];
      await inParallel(inGroups(requests, MAX_WRITES_PER_BATCH), (group) =>
        sendBatch<WriteRequest>('BatchWriteItem', group, async (part) => {
          const command = new BatchWriteItemCommand({ RequestItems: { [table]: [...part] } });
          const { UnprocessedItems } = await request('BatchWriteItem', (options) => client.send(command, options));
          return Object.values(UnprocessedItems ?? {}).flat();
        }),
      );
    },
  };
}

type Pending = {
  readonly key: Key;
  readonly resolve: (found: StoredItem | undefined) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Collects the keys requested in one event-loop turn and reads them together. The request is sent after the last key was
 * added, so no result is older than its call.
 */
function batchGets(getMany: Table['getMany'], consistent: boolean): (key: Key) => Promise<StoredItem | undefined> {
  let pending: Pending[] = [];
  const flush = async (): Promise<void> => {
    const batch = pending;
    pending = [];
    try {
      const found = await getMany(
        batch.map(({ key }) => key),
        consistent,
      );
      const byName = new Map(found.map((item) => [nameOfKey({ pk: String(item.pk), sk: String(item.sk) }), item]));
      for (const { key, resolve } of batch) resolve(byName.get(nameOfKey(key)));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  return (key) =>
    new Promise((resolve, reject) => {
      if (pending.length === 0) setImmediate(() => void flush());
      pending.push({ key, resolve, reject });
    });
}

const nameOfKey = ({ pk, sk }: Key) => JSON.stringify([pk, sk]);

const nameOf = (error: unknown) => (error instanceof Error && error.name !== 'Error' ? `${error.name}: ` : '');
