/**
 * Requests to one table: get, put, update and query by key, with optional conditions. Only a move or a restore of all data
 * scans. Knows keys and attributes, not what they mean.
 */

import { setTimeout as realSleep } from 'node:timers/promises';
import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { SECOND } from '../../core/model/time.ts';
import { FAST_REQUEST_HANDLER } from '../aws/client-settings.ts';
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
import type { Key, NewItem, StoredItem } from './keys.ts';
import { request, sendBatch, type TableContext, type TableOptions, type WriteOutcome, write } from './send.ts';
import { COUNTED, COUNTED_WRITE } from './unit-meter.ts';

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
  /** Items of the first request, for callers that may stop early. Each further one asks for twice as many. @default - as many as fit in 1 MB */
  readonly step?: number;
}

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
  /** All items, page by page, in no particular order. @param after the last item of the page to continue after */
  scan(after?: Key): AsyncGenerator<readonly StoredItem[]>;
  /** Puts and deletes without conditions, in no particular order. */
  writeAll(puts: readonly NewItem[], deletes: readonly Key[]): Promise<void>;
}

/** More attempts than the SDK's 3: a hot partition throttles for seconds, until DynamoDB has split it. */
export const DYNAMODB_CLIENT = { maxAttempts: 8, requestHandler: FAST_REQUEST_HANDLER } as const;

/** About the same time as for unprocessed items of a batch. */
const TIMEOUT = 15 * SECOND;

/** The limits of BatchGetItem and BatchWriteItem. */
const MAX_GETS_PER_BATCH = 100;
const MAX_WRITES_PER_BATCH = 25;

/** Of DynamoDB, for tables and indexes. No item has a longer key, and DynamoDB rejects a request that names one. */
const MAX_PARTITION_KEY_BYTES = 2048;
const MAX_SORT_KEY_BYTES = 1024;

/** Callers choose ids: one that is too long is the id of nothing, and no failure. */
const mayExist = ({ pk, sk }: Key) =>
  Buffer.byteLength(pk) <= MAX_PARTITION_KEY_BYTES && Buffer.byteLength(sk) <= MAX_SORT_KEY_BYTES;

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
    scan: (after) => scan(context, after),
    writeAll: (puts, deletes) => writeAll(context, puts, deletes),
  };
}

async function getMany(
  context: TableContext,
  keys: readonly Key[],
  consistent: boolean,
): Promise<readonly StoredItem[]> {
  const unique = [...new Map(keys.filter(mayExist).map((key) => [nameOfKey(key), key])).values()];
  const [only, ...more] = unique;
  if (only === undefined) return [];
  if (more.length === 0) return (await getOne(context, only, consistent)).map(fromItem);
  const groups = inGroups(unique, MAX_GETS_PER_BATCH);
  const batches = await inParallel(groups, (group) => getBatch(context, group, consistent));
  return batches.flat().map(fromItem);
}

async function getOne(context: TableContext, { pk, sk }: Key, consistent: boolean): Promise<readonly Item[]> {
  const { client, table } = context;
  const command = new GetItemCommand({
    ...COUNTED,
    TableName: table,
    Key: toItem({ pk, sk }),
    ConsistentRead: consistent,
  });
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
      const command = new BatchGetItemCommand({ ...COUNTED, RequestItems });
      const response = await request(context, 'BatchGetItem', (options) => client.send(command, options));
      items.push(...(response.Responses?.[table] ?? Object.values(response.Responses ?? {}).flat()));
      return Object.values(response.UnprocessedKeys ?? {}).flatMap(({ Keys }) => Keys ?? []);
    },
  );
  return items;
}

async function put(context: TableContext, item: NewItem, condition?: Condition): Promise<WriteOutcome> {
  const { client, table } = context;
  const command = new PutItemCommand({
    ...COUNTED_WRITE,
    TableName: table,
    Item: toItem(item),
    ...compileCondition(condition),
  });
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
  const command = new UpdateItemCommand({
    ...COUNTED_WRITE,
    TableName: table,
    Key,
    ...compileUpdate(change, condition),
  });
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
    ...COUNTED_WRITE,
    TableName: table,
    Key: toItem({ pk, sk }),
    ...compileUpdate({ increment: { [name]: 1 } }, condition),
    ReturnValues: 'UPDATED_NEW',
  });
  try {
    const { Attributes = {} } = await request(context, 'UpdateItem', (options) => client.send(command, options));
    return Number(fromItem(Attributes)[name]);
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

async function remove(context: TableContext, { pk, sk }: Key, condition?: Condition): Promise<WriteOutcome> {
  const { client, table } = context;
  const Key = toItem({ pk, sk });
  const command = new DeleteItemCommand({ ...COUNTED_WRITE, TableName: table, Key, ...compileCondition(condition) });
  return write(context, 'DeleteItem', (options) => client.send(command, options));
}

async function* query(
  context: TableContext,
  { index, partition, range, backward = false, consistent = false, step }: QueryOptions,
): AsyncGenerator<StoredItem> {
  const { client, table } = context;
  const prefix = range !== undefined && 'prefix' in range ? range.prefix : '';
  if (!mayExist({ pk: partition[1], sk: prefix })) return;
  let from: Record<string, AttributeValue> | undefined;
  let limit = step;
  do {
    const command: QueryCommand = new QueryCommand({
      ...COUNTED,
      TableName: table,
      IndexName: index,
      ...compileQuery(partition, range),
      ScanIndexForward: !backward,
      ConsistentRead: consistent,
      Limit: limit,
      ExclusiveStartKey: from,
    });
    const response = await request(context, 'Query', (options) => client.send(command, options));
    for (const item of response.Items ?? []) yield fromItem(item);
    from = response.LastEvaluatedKey;
    limit = limit === undefined ? undefined : 2 * limit;
  } while (from !== undefined);
}

async function* scan(context: TableContext, after?: Key): AsyncGenerator<readonly StoredItem[]> {
  const { client, table } = context;
  let from = after === undefined ? undefined : toItem({ pk: after.pk, sk: after.sk });
  do {
    const command: ScanCommand = new ScanCommand({
      ...COUNTED,
      TableName: table,
      ConsistentRead: true,
      ExclusiveStartKey: from,
    });
    const response = await request(context, 'Scan', (options) => client.send(command, options));
    yield (response.Items ?? []).map(fromItem);
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
      const command = new BatchWriteItemCommand({ ...COUNTED, RequestItems: { [table]: [...part] } });
      const response = await request(context, 'BatchWriteItem', (options) => client.send(command, options));
      return Object.values(response.UnprocessedItems ?? {}).flat();
    }),
  );
}
