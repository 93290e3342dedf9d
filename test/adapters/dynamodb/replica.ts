/**
 * A lagging replica, which dynalite does not have: eventually consistent reads and index reads go to copies of the tables,
 * which have the state of their last update. All other reads and writes use the real tables.
 */

import {
  type BatchGetItemCommandInput,
  type BatchWriteItemCommandInput,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  type GetItemCommandInput,
  PutItemCommand,
  type PutItemCommandInput,
  type QueryCommandInput,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { inParallel } from '../../../adapters/aws/parallel.ts';
import type { LocalTables } from './local-tables.ts';

type Names = Awaited<ReturnType<LocalTables['create']>>;
type Key = NonNullable<GetItemCommandInput['Key']>;

export interface Replica {
  /** Updates the replica with all earlier writes, or only with the items that match. */
  catchUp(isMeant?: () => boolean): Promise<void>;
  /** Another client of the same tables, with the same lag. */
  follow(client: DynamoDBClient): void;
  /** Number of reads from the replica. */
  reads(): number;
}

export async function lagBehind(client: DynamoDBClient, tables: LocalTables, names: Names): Promise<Replica> {
  const copies = await tables.create();
  const copyOf = new Map([
    [names.snapshots, copies.snapshots],
    [names.ledger, copies.ledger],
  ]);
  const written = new Map<string, { readonly table: string; readonly key: Key }>();
  let reads = 0;
  const follow = (client: DynamoDBClient) =>
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          const input = staleInput(commandName, args.input, copyOf);
          if (input !== undefined) {
            reads += 1;
            return next({ ...args, input });
          }
          try {
            return await next(args);
          } finally {
            // Now the item exists and can be copied.
            for (const write of writesOf(commandName, args.input)) written.set(JSON.stringify(write), write);
          }
        },
      // Below the middleware that observes requests.
      { step: 'initialize', priority: 'low' },
    );
  follow(client);
  return {
    reads: () => reads,
    follow,
    async catchUp(isMeant = () => true) {
      const all = [...written].filter(isMeant);
      for (const [name] of all) written.delete(name);
      // Not all at once: thousands of waiting requests would let those of the functions time out.
      await inParallel(all, ([, { table, key }]) => copy(tables.client, key, table, copyOf.get(table) ?? ''));
    },
  };
}

async function copy(client: DynamoDBClient, Key: Key, from: string, to: string): Promise<void> {
  const { Item } = await client.send(new GetItemCommand({ TableName: from, Key, ConsistentRead: true }));
  if (Item === undefined) await client.send(new DeleteItemCommand({ TableName: to, Key }));
  else await client.send(new PutItemCommand({ TableName: to, Item }));
}

/** The same read on the replica; undefined for writes and consistent reads. */
function staleInput(command: string, input: object, copyOf: ReadonlyMap<string, string>): object | undefined {
  if (command === 'GetItemCommand' || command === 'QueryCommand') {
    const { TableName = '', ConsistentRead } = input as GetItemCommandInput | QueryCommandInput;
    return ConsistentRead === true ? undefined : { ...input, TableName: copyOf.get(TableName) };
  }
  if (command !== 'BatchGetItemCommand') return undefined;
  const [[table, read] = ['', undefined]] = Object.entries((input as BatchGetItemCommandInput).RequestItems ?? {});
  return read?.ConsistentRead === true ? undefined : { RequestItems: { [copyOf.get(table) ?? '']: read } };
}

function writesOf(command: string, input: object): { readonly table: string; readonly key: Key }[] {
  const keyOf = ({ pk, sk }: Record<string, unknown>) => ({ pk, sk }) as Key;
  if (command === 'PutItemCommand') {
    const { TableName = '', Item = {} } = input as PutItemCommandInput;
    return [{ table: TableName, key: keyOf(Item) }];
  }
  if (command === 'UpdateItemCommand') {
    const { TableName = '', Key = {} } = input as UpdateItemCommandInput;
    return [{ table: TableName, key: keyOf(Key) }];
  }
  if (command !== 'BatchWriteItemCommand') return [];
  return Object.entries((input as BatchWriteItemCommandInput).RequestItems ?? {}).flatMap(([table, requests]) =>
    requests.map((one) => ({ table, key: keyOf(one.PutRequest?.Item ?? one.DeleteRequest?.Key ?? {}) })),
  );
}
