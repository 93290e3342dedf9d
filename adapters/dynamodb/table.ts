/**
 * One table and the few things we ask of it: get, put, update and query by key, each on a condition where one is given.
 * Never a scan. Knows keys and attributes, not what they mean.
 */

import { setTimeout as realSleep } from 'node:timers/promises';
import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
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

/** `unsure`: the condition did not hold, but an earlier try whose answer was lost may be the reason. */
export type WriteOutcome = 'written' | 'refused' | 'unsure';

export interface QueryOptions {
  /** @default - the table itself */
  readonly index?: string;
  readonly partition: readonly [name: string, value: string];
  /** @default - all of the partition */
  readonly range?: Range;
  /** From the last item on. @default false */
  readonly backward?: boolean;
  /** No index can be read so. @default false */
  readonly consistent?: boolean;
  /** Items of a step, for those who will not read all. @default - as many as fit 1 MB */
  readonly step?: number;
}

export type StoredItem = Readonly<Record<string, unknown>>;

export interface Table {
  /** Asked for several in one turn, it asks once: the same item is then read, and paid for, once. */
  get(key: Key, consistent: boolean): Promise<StoredItem | undefined>;
  /** Those that exist, in no order. */
  getMany(keys: readonly Key[], consistent: boolean): Promise<readonly StoredItem[]>;
  put(item: NewItem, condition?: Condition): Promise<WriteOutcome>;
  update(key: Key, update: Update, condition?: Condition): Promise<WriteOutcome>;
  query(options: QueryOptions): AsyncGenerator<StoredItem>;
  /** Puts and deletes without conditions, in no order. */
  writeAll(puts: readonly NewItem[], deletes: readonly Key[]): Promise<void>;
}

export interface TableOptions {
  /** Made with `DYNAMODB_CLIENT`. */
  readonly client: DynamoDBClient;
  /** Its name or ARN. */
  readonly table: string;
  /** For one request, the SDK's own retries included. @default 15 s */
  readonly timeout?: Duration;
  /** Waits between tries of what a batch left over. @default - real time */
  readonly sleep?: (millis: number) => Promise<void>;
}

/** More attempts than the SDK's 3: a hot partition throttles for seconds, until DynamoDB has split it. */
export const DYNAMODB_CLIENT = { maxAttempts: 8, requestHandler: FAST_REQUEST_HANDLER } as const;

/** About as long as leftovers of a batch are waited for. */
const TIMEOUT = 15 * SECOND;

type Send<T> = (by: { readonly abortSignal: AbortSignal }) => Promise<T>;

const GET_AT_ONCE = 100;
const WRITE_AT_ONCE = 25;

/** What a batch leaves over is throttled: waited for up to about 13 s in all, then it is for the caller to come again. */
const LEFTOVER_TRIES = 8;
const LEFTOVER_WAIT = 50;

export function openTable({ client, table, timeout = TIMEOUT, sleep = realSleep }: TableOptions): Table {
  const failed = (what: string, cause: unknown) =>
    new RetryLater('TIDINGS_STORE_FAILED', `table '${table}': ${what} failed: ${nameOf(cause)}${errorMessage(cause)}`, {
      cause,
    });

  const inTime = async <T>(send: Send<T>): Promise<T> => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeout);
    try {
      return await send({ abortSignal: deadline.signal });
    } catch (error) {
      throw deadline.signal.aborted ? new Error(`no answer within ${timeout / SECOND} s`, { cause: error }) : error;
    } finally {
      clearTimeout(timer);
    }
  };

  const ask = async <T>(what: string, send: Send<T>): Promise<T> => {
    try {
      return await inTime(send);
    } catch (error) {
      throw failed(what, error);
    }
  };

  const write = async (what: string, send: Send<unknown>): Promise<WriteOutcome> => {
    try {
      await inTime(send);
      return 'written';
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw failed(what, error);
      return (error.$metadata.attempts ?? 1) > 1 ? 'unsure' : 'refused';
    }
  };

  /** Sends until nothing is left over. */
  const untilDone = async <T>(what: string, all: readonly T[], send: (part: readonly T[]) => Promise<readonly T[]>) => {
    let left = all;
    for (let tries = 0; left.length > 0; tries++) {
      if (tries === LEFTOVER_TRIES) throw failed(what, new Error(`${left.length} of ${all.length} were left over`));
      if (tries > 0) await sleep(LEFTOVER_WAIT * 2 ** tries);
      left = await send(left);
    }
  };

  const getBatch = async (keys: readonly Key[], consistent: boolean): Promise<readonly Item[]> => {
    const found: Item[] = [];
    await untilDone<Record<string, AttributeValue>>(
      'BatchGetItem',
      keys.map(({ pk, sk }) => toItem({ pk, sk })),
      async (part) => {
        const RequestItems = { [table]: { Keys: [...part], ConsistentRead: consistent } };
        const answer = await ask('BatchGetItem', (by) => client.send(new BatchGetItemCommand({ RequestItems }), by));
        found.push(...(answer.Responses?.[table] ?? Object.values(answer.Responses ?? {}).flat()));
        return Object.values(answer.UnprocessedKeys ?? {}).flatMap(({ Keys }) => Keys ?? []);
      },
    );
    return found;
  };

  const getOne = async ({ pk, sk }: Key, consistent: boolean): Promise<readonly Item[]> => {
    const command = new GetItemCommand({ TableName: table, Key: toItem({ pk, sk }), ConsistentRead: consistent });
    const { Item } = await ask('GetItem', (by) => client.send(command, by));
    return Item === undefined ? [] : [Item];
  };

  const getMany = async (keys: readonly Key[], consistent: boolean): Promise<readonly StoredItem[]> => {
    const unique = [...new Map(keys.map((key) => [nameOfKey(key), key])).values()];
    const [only, ...more] = unique;
    if (only === undefined) return [];
    if (more.length === 0) return (await getOne(only, consistent)).map(fromItem);
    const batches = await inParallel(inGroups(unique, GET_AT_ONCE), (group) => getBatch(group, consistent));
    return batches.flat().map(fromItem);
  };

  const gatherers = { true: gatherGets(getMany, true), false: gatherGets(getMany, false) };

  return {
    get: (key, consistent) => gatherers[`${consistent}`](key),
    getMany,

    async put(item, condition) {
      const command = new PutItemCommand({ TableName: table, Item: toItem(item), ...compileCondition(condition) });
      return write('PutItem', (by) => client.send(command, by));
    },

    async update({ pk, sk }, update, condition) {
      const Key = toItem({ pk, sk });
      const command = new UpdateItemCommand({ TableName: table, Key, ...compileUpdate(update, condition) });
      return write('UpdateItem', (by) => client.send(command, by));
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
        const answer = await ask('Query', (by) => client.send(command, by));
        for (const item of answer.Items ?? []) yield fromItem(item);
        from = answer.LastEvaluatedKey;
      } while (from !== undefined);
    },

    async writeAll(puts, deletes) {
      const requests: WriteRequest[] = [
        ...puts.map((item) => ({ PutRequest: { Item: toItem(item) } })),
        ...deletes.map(({ pk, sk }) => ({ DeleteRequest: { Key: toItem({ pk, sk }) } })),
      ];
      await inParallel(inGroups(requests, WRITE_AT_ONCE), (group) =>
        untilDone<WriteRequest>('BatchWriteItem', group, async (part) => {
          const command = new BatchWriteItemCommand({ RequestItems: { [table]: [...part] } });
          const { UnprocessedItems } = await ask('BatchWriteItem', (by) => client.send(command, by));
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
 * Collects what is asked for in one turn of the event loop, and asks for it together. None of them is asked for before
 * the last one joined, so that no answer is older than its question.
 */
function gatherGets(getMany: Table['getMany'], consistent: boolean): (key: Key) => Promise<StoredItem | undefined> {
  let pending: Pending[] = [];
  const flush = async (): Promise<void> => {
    const asked = pending;
    pending = [];
    try {
      const found = await getMany(
        asked.map(({ key }) => key),
        consistent,
      );
      const byName = new Map(found.map((item) => [nameOfKey({ pk: String(item.pk), sk: String(item.sk) }), item]));
      for (const { key, resolve } of asked) resolve(byName.get(nameOfKey(key)));
    } catch (error) {
      for (const { reject } of asked) reject(error);
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
