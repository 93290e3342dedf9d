import type { BatchGetItemCommandInput, BatchWriteItemCommandInput, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTable, type Table } from '../../../adapters/dynamodb/table.ts';
import { RetryLater } from '../../../core/model/errors.ts';
import { type LocalTables, startLocalTables } from './local-tables.ts';

let tables: LocalTables;
let name: string;
let client: DynamoDBClient;
let table: Table;
let commands: string[];
beforeAll(async () => {
  tables = await startLocalTables();
});
afterAll(async () => tables.stop());
beforeEach(async () => {
  name = (await tables.create()).ledger;
  client = tables.connect();
  commands = [];
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        commands.push(commandName);
        return next(args);
      },
    { step: 'initialize', priority: 'high' },
  );
  table = openTable({ client, table: name, sleep: async () => {} });
});

const key = (n: number) => ({ pk: 'a', sk: String(n).padStart(4, '0') });
const keys = (count: number) => Array.from({ length: count }, (_, n) => key(n));

/** Leaves half of every batch unprocessed, like a throttled table. */
function leaveHalf(): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === 'BatchGetItemCommand') {
          const { RequestItems } = args.input as BatchGetItemCommandInput;
          const Keys = RequestItems?.[name]?.Keys ?? [];
          const half = Math.ceil(Keys.length / 2);
          const halfInput = { RequestItems: { [name]: { ...RequestItems?.[name], Keys: Keys.slice(0, half) } } };
          const result = await next({ ...args, input: halfInput });
          Object.assign(result.output, {
            UnprocessedKeys: half < Keys.length ? { [name]: { Keys: Keys.slice(half) } } : {},
          });
          return result;
        }
        if (commandName !== 'BatchWriteItemCommand') return next(args);
        const { RequestItems } = args.input as BatchWriteItemCommandInput;
        const all = RequestItems?.[name] ?? [];
        const half = Math.ceil(all.length / 2);
        const result = await next({ ...args, input: { RequestItems: { [name]: all.slice(0, half) } } });
        Object.assign(result.output, { UnprocessedItems: half < all.length ? { [name]: all.slice(half) } : {} });
        return result;
      },
    { step: 'initialize', priority: 'low' },
  );
}

describe('a table', () => {
  it('writes and reads more than one batch, including unprocessed items', async () => {
    leaveHalf();
    await table.writeAll(
      keys(130).map((one) => ({ ...one, n: 1 })),
      [],
    );
    expect(await table.getMany(keys(140), true)).toHaveLength(130);
    await table.writeAll([], keys(30));
    const sortKeys: unknown[] = [];
    for await (const item of table.query({ partition: ['pk', 'a'], step: 7 })) sortKeys.push(item.sk);
    expect(sortKeys).toEqual(
      keys(130)
        .slice(30)
        .map(({ sk }) => sk),
    );
    expect(commands).not.toContain('ScanCommand');
  });

  it('sends one request for the gets of one turn, and reads the same item once', async () => {
    await table.writeAll(
      keys(3).map((one) => ({ ...one, n: 1 })),
      [],
    );
    commands = [];
    const found = await Promise.all([key(0), key(1), key(0), key(9)].map((one) => table.get(one, true)));
    expect(found.map((item) => item?.sk)).toEqual(['0000', '0001', '0000', undefined]);
    expect(commands).toEqual(['BatchGetItemCommand']);
    commands = [];
    await Promise.all([table.get(key(0), false), table.get(key(0), false), table.get(key(1), true)]);
    expect(commands).toEqual(['GetItemCommand', 'GetItemCommand']);
  });

  it('never returns a result that was read before the call', async () => {
    await table.put({ ...key(0), n: 1 });
    const early = table.get(key(0), true);
    await new Promise((resolve) => setImmediate(resolve));
    await table.put({ ...key(0), n: 2 });
    expect((await table.get(key(0), true))?.n).toBe(2);
    await early;
  });

  it('writes conditionally, and reports a failed condition', async () => {
    expect(await table.put({ ...key(0), n: 1 }, { pk: undefined })).toBe('written');
    expect(await table.put({ ...key(0), n: 2 }, { pk: undefined })).toBe('refused');
    expect(await table.update(key(0), { set: { n: 3, m: 'x' } }, { n: 1, m: undefined })).toBe('written');
    expect(await table.update(key(0), { set: { n: 4 } }, { n: 1 })).toBe('refused');
    expect(await table.update(key(0), { set: { m: undefined }, add: { ids: ['a', 'b'] } })).toBe('written');
    expect(await table.update(key(0), { take: { ids: ['a'] } })).toBe('written');
    expect(await table.get(key(0), true)).toEqual({ ...key(0), n: 3, ids: ['b'] });
  });

  it('throws RetryLater with the names of table and operation', async () => {
    const missing = openTable({ client: tables.connect({ maxAttempts: 1 }), table: 'no-such-table' });
    const failure = await missing.get(key(0), true).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RetryLater);
    expect(failure).toMatchObject({
      code: 'TIDINGS_STORE_FAILED',
      message: expect.stringMatching(/^table 'no-such-table': GetItem failed: ResourceNotFoundException: /),
    });
  });

  it('gives up on items that are never processed', async () => {
    client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName !== 'BatchWriteItemCommand') return next(args);
          const { RequestItems } = args.input as BatchWriteItemCommandInput;
          return { response: {}, output: { $metadata: {}, UnprocessedItems: RequestItems } } as never;
        },
      { step: 'initialize', priority: 'low' },
    );
    await expect(table.writeAll([{ ...key(0), n: 1 }], [])).rejects.toThrow('1 of 1 items were not processed');
  });
});
