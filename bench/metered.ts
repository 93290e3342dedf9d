/**
 * Counts the units a DynamoDB client uses: those of tables as the server reports them, those of index writes computed from
 * the items before and after, since dynalite leaves these out.
 */

import {
  type AttributeValue,
  type BatchWriteItemCommandInput,
  type DynamoDBClient,
  GetItemCommand,
  type PutItemCommandInput,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { IndexDefinition, TableDefinition } from '../adapters/dynamodb/tables.ts';
import { isSameValue } from '../core/model/json.ts';
import { sizeOf } from './item-size.ts';

export interface Units {
  readonly read: number;
  readonly write: number;
  /** The part of `write` that indexes use. */
  readonly index: number;
  /** The part of `write` for leases and scan state, which does not depend on the number of records. */
  readonly upkeep: number;
}

export interface Meter {
  /** Units since the last call. */
  take(): Units;
}

type Image = Record<string, AttributeValue> | undefined;

/** `silent` is an unmetered client that reads the items before and after a write. */
export function meter(
  client: DynamoDBClient,
  silent: DynamoDBClient,
  tables: Readonly<Record<string, TableDefinition>>,
): Meter {
  const counted = { read: 0, write: 0, index: 0, upkeep: 0 };
  const imageOf = async (table: string, item: Image): Promise<Image> => {
    const Key = { pk: item?.pk ?? { S: '' }, sk: item?.sk ?? { S: '' } };
    return (await silent.send(new GetItemCommand({ TableName: table, Key, ConsistentRead: true }))).Item;
  };
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const input = { ...args.input, ReturnConsumedCapacity: 'TOTAL' };
        const touched = touchedBy(commandName, args.input);
        const before = await Promise.all(touched.map(({ table, item }) => imageOf(table, item)));
        const result = await next({ ...args, input });
        const { ConsumedCapacity = [] } = result.output as { ConsumedCapacity?: Consumed | readonly Consumed[] };
        const units = [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
        if (/Get|Query/.test(commandName)) counted.read += units;
        else counted.write += units;
        if (touched.length > 0 && touched.every(({ item }) => /^(lease|scan)#/.test(item?.pk?.S ?? '')))
          counted.upkeep += units;
        for (const [n, { table, item }] of touched.entries()) {
          const after = await imageOf(table, item);
          const indexes = tables[table]?.indexes ?? [];
          const cost = indexes.reduce((sum, index) => sum + indexUnits(index, before[n], after), 0);
          counted.write += cost;
          counted.index += cost;
        }
        return result;
      },
    { step: 'initialize' },
  );
  return {
    take() {
      const taken = { ...counted };
      Object.assign(counted, { read: 0, write: 0, index: 0, upkeep: 0 });
      return taken;
    },
  };
}

interface Consumed {
  readonly CapacityUnits?: number;
}

function touchedBy(command: string, input: unknown): { table: string; item: Image }[] {
  if (command === 'PutItemCommand') {
    const { TableName = '', Item } = input as PutItemCommandInput;
    return [{ table: TableName, item: Item }];
  }
  if (command === 'UpdateItemCommand') {
    const { TableName = '', Key } = input as UpdateItemCommandInput;
    return [{ table: TableName, item: Key }];
  }
  if (command !== 'BatchWriteItemCommand') return [];
  const { RequestItems = {} } = input as BatchWriteItemCommandInput;
  return Object.entries(RequestItems).flatMap(([table, requests]) =>
    requests.map(({ PutRequest, DeleteRequest }) => ({ table, item: PutRequest?.Item ?? DeleteRequest?.Key })),
  );
}

/** Units an index charges for a write: those of the removed and the added entry, or of the larger one if the key stays. */
function indexUnits(index: IndexDefinition, before: Image, after: Image): number {
  const [old, now] = [entryOf(index, before), entryOf(index, after)];
  if (old === undefined && now === undefined) return 0;
  if (old === undefined || now === undefined) return unitsOf(old ?? now ?? {});
  if (isSameValue(old, now)) return 0;
  const sameKey = [index.partitionKey, index.sortKey].every((name) => old[name]?.S === now[name]?.S);
  return sameKey ? Math.max(unitsOf(old), unitsOf(now)) : unitsOf(old) + unitsOf(now);
}

function entryOf({ partitionKey, sortKey, include }: IndexDefinition, item: Image): Image {
  if (item?.[partitionKey] === undefined || item[sortKey] === undefined) return undefined;
  const names = new Set(['pk', 'sk', partitionKey, sortKey, ...include]);
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)));
}

const unitsOf = (entry: Record<string, AttributeValue>) => Math.ceil(sizeOf(entry) / 1024);
