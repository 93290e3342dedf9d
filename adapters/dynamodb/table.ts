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
import { withinLimit } from '../aws/in-flight.ts';
import { inGroups, inParallel } from '../aws/parallel.ts';
import { fromItem, type Item, toItem } from './attribute-values.ts';
import { batchGets, nameOfKey } from './batch-gets.ts';
import {
  type Condition,
  compileCondition,
  compileQuery,
  compileUpdate,
  type Range,
  type Update,
} from './expressions.ts';
import type { Key, NewItem } from './keys.ts';

/** `unsure`: the condition failed, but possibly because an earlier try succeeded and its response was lost. */
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
  /** For one request, including the SDK's retries, from when it is sent. @default 15 s */
  readonly timeout?: Duration;
  /** Waits before unprocessed items of a batch are sent again. @default - real time */
  readonly sleep?: (millis: number) => Promise<void>;
}

/** More attempts than the SDK's 3: a hot partition throttles for seconds, until DynamoDB has split it. */
export const DYNAMODB_CLIENT = { maxAttempts: 8, requestHandler: FAST_REQUEST_HANDLER } as const;

/** About the same time as for unprocessed items of a batch. */
const TIMEOUT = 15 * SECOND;

/** The limits of BatchGetItem and BatchWriteItem. */
const MAX_GETS_PER_BATCH = 100;
const MAX_WRITES_PER_BATCH = 25;

/** Unprocessed items were throttled, or a response is full. The request fails if none is processed for about 13 s. */
const MAX_BATCH_TRIES = 8;
const FIRST_BATCH_WAIT_MS = 50;

export function openTable({ client, table, timeout = TIMEOUT, sleep = realSleep }: TableOptions): Table {
  const context: TableContext = { client, table, timeout, sleep };
  const readMany: Table['getMany'] = (keys, consistent) => getMany(context, keys, consistent);
  const get = { true: batchGets(readMany, true), false: batchGets(readMany, false) };
  return {
    get: (key, consistent) => get[`${consistent}`](key),
    getMany: readMany,
    put: (item, condition) => put(context, item, condition),
    update: (key, change, condition) => update(context, key, change, condition),
    increment: (key, name, condition) => increment(context, key, name, condition),
    remove: (key, condition) => remove(context, key, condition),
    query: (options) => query(context, options),
    writeAll: (puts, deletes) => writeAll(context, puts, deletes),
  };
}

type TableContext = Required<TableOptions>;

async function getMany(
  context: TableContext,
  keys: readonly Key[],
  consistent: boolean,
): Promise<readonly StoredItem[]> {
  const unique = [...new Map(keys.map((key) => [nameOfKey(key), key])).values()];
  const [only, ...more] = unique;
  if (only === undefined) return [];
  if (more.length === 0) return (await getOne(context, only, consistent)).map(fromItem);
  const groups = inGroups(unique, MAX_GETS_PER_BATCH);
  const batches = await inParallel(groups, (group) => getBatch(context, group, consistent));
  return batches.flat().map(fromItem);
}

async function getOne(context: TableContext, { pk, sk }: Key, consistent: boolean): Promise<readonly Item[]> {
  const { client, table } = context;
  const command = new GetItemCommand({ TableName: table, Key: toItem({ pk, sk }), ConsistentRead: consistent });
  const { Item } = await request(context, 'GetItem', (options) => client.send(command, options));
  return Item === undefined ? [] : [Item];
}

async function getBatch(context: TableContext, keys: readonly Key[], consistent: boolean): Promise<readonly Item[]> {
  const { client, table } = context;
  const items: Item[] = [];
  await sendBatch<Record<string, AttributeValue>>(
    context,
    'BatchGetItem',
    keys.map(({ pk, sk }) => toItem({ pk, sk })),
    async (part) => {
      const RequestItems = { [table]: { Keys: [...part], ConsistentRead: consistent } };
      const command = new BatchGetItemCommand({ RequestItems });
      const response = await request(context, 'BatchGetItem', (options) => client.send(command, options));
      items.push(...(response.Responses?.[table] ?? Object.values(response.Responses ?? {}).flat()));
      return Object.values(response.UnprocessedKeys ?? {}).flatMap(({ Keys }) => Keys ?? []);
    },
  );
  return items;
}

async function put(context: TableContext, item: NewItem, condition?: Condition): Promise<WriteOutcome> {
  const { client, table } = context;
  const command = new PutItemCommand({ TableName: table, Item: toItem(item), ...compileCondition(condition) });
  return write(context, 'PutItem', (options) => client.send(command, options));
}

async function update(
  context: TableContext,
  { pk, sk }: Key,
  change: Update,
  condition?: Condition,
): Promise<WriteOutcome> {
  const { client, table } = context;
  const Key = toItem({ pk, sk });
  const command = new UpdateItemCommand({ TableName: table, Key, ...compileUpdate(change, condition) });
  return write(context, 'UpdateItem', (options) => client.send(command, options));
}

async function increment(
  context: TableContext,
  { pk, sk }: Key,
  name: string,
  condition: Condition,
): Promise<number | undefined> {
  const { client, table } = context;
  const command = new UpdateItemCommand({
    TableName: table,
    Key: toItem({ pk, sk }),
    ...compileUpdate({ increment: { [name]: 1 } }, condition),
    ReturnValues: 'UPDATED_NEW',
  });
  try {
    const { Attributes = {} } = await withTimeout(context, (options) => client.send(command, options));
    return Number(fromItem(Attributes)[name]);
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw storeError(context, 'UpdateItem', error);
  }
}

async function remove(context: TableContext, { pk, sk }: Key, condition?: Condition): Promise<WriteOutcome> {
  const { client, table } = context;
  const Key = toItem({ pk, sk });
  const command = new DeleteItemCommand({ TableName: table, Key, ...compileCondition(condition) });
  return write(context, 'DeleteItem', (options) => client.send(command, options));
}

async function* query(
  context: TableContext,
  { index, partition, range, backward = false, consistent = false, step }: QueryOptions,
): AsyncGenerator<StoredItem> {
  const { client, table } = context;
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
    const response = await request(context, 'Query', (options) => client.send(command, options));
    for (const item of response.Items ?? []) yield fromItem(item);
    from = response.LastEvaluatedKey;
  } while (from !== undefined);
}

async function writeAll(context: TableContext, puts: readonly NewItem[], deletes: readonly Key[]): Promise<void> {
  const { client, table } = context;
  const requests: WriteRequest[] = [
    ...puts.map((item) => ({ PutRequest: { Item: toItem(item) } })),
    ...deletes.map(({ pk, sk }) => ({ DeleteRequest: { Key: toItem({ pk, sk }) } })),
  ];
  await inParallel(inGroups(requests, MAX_WRITES_PER_BATCH), (group) =>
    sendBatch<WriteRequest>(context, 'BatchWriteItem', group, async (part) => {
      const command = new BatchWriteItemCommand({ RequestItems: { [table]: [...part] } });
      const response = await request(context, 'BatchWriteItem', (options) => client.send(command, options));
      return Object.values(response.UnprocessedItems ?? {}).flat();
    }),
  );
}

/** Sends until no item is unprocessed. `send` returns those that are. */
async function sendBatch<T>(
  context: TableContext,
  operation: string,
  all: readonly T[],
  send: (part: readonly T[]) => Promise<readonly T[]>,
): Promise<void> {
  let remaining = all;
  for (let tries = 0; remaining.length > 0; tries++) {
    if (tries === MAX_BATCH_TRIES) {
      throw storeError(context, operation, new Error(`${remaining.length} of ${all.length} items were not processed`));
    }
    if (tries > 0) await context.sleep(FIRST_BATCH_WAIT_MS * 2 ** tries);
    const unprocessed = await send(remaining);
    if (unprocessed.length < remaining.length) tries = 0;
    remaining = unprocessed;
  }
}

type Send<T> = (options: { readonly abortSignal: AbortSignal }) => Promise<T>;

async function request<T>(context: TableContext, operation: string, send: Send<T>): Promise<T> {
  try {
    return await withTimeout(context, send);
  } catch (error) {
    throw storeError(context, operation, error);
  }
}

async function write(context: TableContext, operation: string, send: Send<unknown>): Promise<WriteOutcome> {
  try {
    await withTimeout(context, send);
    return 'written';
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw storeError(context, operation, error);
    return (error.$metadata.attempts ?? 1) > 1 ? 'unsure' : 'refused';
  }
}

/** The timeout starts when the request is sent: until then it may wait for others of the same client. */
function withTimeout<T>({ client, timeout }: TableContext, send: Send<T>): Promise<T> {
  return withinLimit(client, () => sendBefore(timeout, send));
}

async function sendBefore<T>(timeout: Duration, send: Send<T>): Promise<T> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeout);
  try {
    return await send({ abortSignal: deadline.signal });
  } catch (error) {
    throw deadline.signal.aborted ? new Error(`no response within ${timeout / SECOND} s`, { cause: error }) : error;
  } finally {
    clearTimeout(timer);
  }
}

function storeError({ table }: TableContext, operation: string, cause: unknown): RetryLater {
  const reason = `${nameOf(cause)}${errorMessage(cause)}`;
  return new RetryLater('TIDINGS_STORE_FAILED', `table '${table}': ${operation} failed: ${reason}`, { cause });
}

const nameOf = (error: unknown) => (error instanceof Error && error.name !== 'Error' ? `${error.name}: ` : '');
