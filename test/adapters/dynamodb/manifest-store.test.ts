/** Behaviour of the DynamoDB manifest store beyond the contract: parts, and the cost of a change. */

import { DeleteItemCommand, type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fromItem, toItem } from '../../../adapters/dynamodb/attribute-values.ts';
import { dynamoManifestStore } from '../../../adapters/dynamodb/manifest-store.ts';
import { LEDGER_DEFINITION } from '../../../adapters/dynamodb/tables.ts';
import { sizeOf } from '../../../bench/item-size.ts';
import { meter } from '../../../bench/metered.ts';
import type { ManifestStore, PageFingerprint } from '../../../core/ports/manifest-store.ts';
import { packEntries } from '../../../core/source/scan/manifest.ts';
import { type LocalTables, startLocalTables } from './local-tables.ts';

const key = { source: 'main', resource: 'task', scope: 'all' } as const;
const head = (rows: number, digest = 'd'): PageFingerprint => ({
  index: 0,
  offset: 0,
  limit: rows,
  rows,
  firstId: '1',
  lastId: String(rows),
  digest,
  bytes: rows * 900,
  took: 40,
});
const entries = (count: number, moved = -1) =>
  packEntries(
    Array.from({ length: count }, (_, n) => ({ id: String(n + 1), fingerprint: n === moved ? 9n : BigInt(n) })),
  );

let tables: LocalTables;
let client: DynamoDBClient;
let table: string;
let manifests: ManifestStore;
beforeAll(async () => {
  tables = await startLocalTables();
});
afterAll(async () => tables.stop());
beforeEach(async () => {
  client = tables.connect();
  table = (await tables.create()).ledger;
  manifests = dynamoManifestStore({ client, table });
});

async function parts(): Promise<ReturnType<typeof fromItem>[]> {
  const { Items = [] } = await tables.client.send(
    new QueryCommand({
      TableName: table,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :part)',
      ExpressionAttributeValues: toItem({ ':pk': 'manifest#main#task#all', ':part': 'part#' }),
    }),
  );
  for (const item of Items) expect(sizeOf(item)).toBeLessThanOrEqual(1024);
  return Items.map(fromItem);
}

describe('a chunk', () => {
  it('with more entries than an item can hold is read unchanged', async () => {
    const packed = entries(30_000);
    expect(packed.byteLength).toBeGreaterThan(400 * 1024);
    await manifests.write(key, head(30_000), packed, []);
    await manifests.finish(key, 1);
    const kept = await manifests.entries(key, 0);
    expect(Buffer.compare(kept ?? Buffer.alloc(0), Buffer.from(packed))).toBe(0);
    expect((await manifests.head(key))?.chunks).toEqual([head(30_000)]);
  });

  it('with one changed record costs one part, the part it replaces, and the fingerprint', async () => {
    await manifests.write(key, head(2000), entries(2000), []);
    const metered = meter(client, tables.client, { [table]: LEDGER_DEFINITION });
    await manifests.write(key, head(2000, 'e'), entries(2000, 777), []);
    expect(metered.take()).toEqual({ read: 1, write: 3, index: 0, upkeep: 0 });
    expect(await parts()).toHaveLength(Math.ceil(2000 / 54));
    const kept = await manifests.entries(key, 0);
    expect(Buffer.compare(kept ?? Buffer.alloc(0), Buffer.from(entries(2000, 777)))).toBe(0);
  });

  it('is deleted with its parts', async () => {
    for (const index of [0, 1, 2]) await manifests.write(key, { ...head(100), index }, entries(100), []);
    await manifests.finish(key, 1);
    expect((await parts()).map(({ sk }) => String(sk).slice(0, 11))).toEqual(['part#000000', 'part#000000']);
  });

  it('with a missing part makes the manifest invalid', async () => {
    await manifests.write(key, head(100), entries(100), []);
    await manifests.finish(key, 1);
    const [first] = await parts();
    const Key = toItem({ pk: first?.pk, sk: first?.sk });
    await tables.client.send(new DeleteItemCommand({ TableName: table, Key }));
    await expect(manifests.entries(key, 0)).rejects.toMatchObject({ code: 'TIDINGS_MANIFEST_BROKEN' });
    expect(await manifests.head(key)).toBeUndefined();
  });
});

describe('parts of a writer that died before the fingerprint was written', () => {
  /** Writes, and dies before it writes the fingerprint. */
  async function breakOff(index: number, packed: Uint8Array): Promise<void> {
    const dying = tables.connect({ maxAttempts: 1 });
    dying.middlewareStack.add(
      (next, { commandName }) =>
        (args) => {
          if (commandName === 'PutItemCommand') throw new Error('killed');
          return next(args);
        },
      { step: 'initialize' },
    );
    const store = dynamoManifestStore({ client: dying, table });
    await expect(store.write(key, { ...head(100, 'x'), index }, packed, ['1'])).rejects.toThrow('killed');
    dying.destroy();
  }

  it('are ignored, and deleted when their page is read and written again', async () => {
    await manifests.markDirty(key, ['1']);
    await manifests.write(key, head(100), entries(100), []);
    await manifests.finish(key, 1);
    await breakOff(0, entries(100, 7));
    expect(await parts()).toHaveLength(3);
    // Cleared last: what was not written is still dirty.
    expect((await manifests.head(key))?.dirty).toEqual(['1']);
    expect(Buffer.compare((await manifests.entries(key, 0)) ?? Buffer.alloc(0), Buffer.from(entries(100)))).toBe(0);
    await manifests.write(key, head(100, 'e'), entries(100, 80), ['1']);
    expect(await parts()).toHaveLength(2);
    expect(Buffer.compare((await manifests.entries(key, 0)) ?? Buffer.alloc(0), Buffer.from(entries(100, 80)))).toBe(0);
    expect((await manifests.head(key))?.dirty).toEqual([]);
  });

  it('are kept if a later write uses them', async () => {
    await manifests.write(key, head(100), entries(100), []);
    await breakOff(0, entries(100, 7));
    await manifests.entries(key, 0);
    await manifests.write(key, head(100, 'e'), entries(100, 7), []);
    expect(await parts()).toHaveLength(2);
    expect(Buffer.compare((await manifests.entries(key, 0)) ?? Buffer.alloc(0), Buffer.from(entries(100, 7)))).toBe(0);
  });

  it('are deleted with the end of the list if there was never a fingerprint', async () => {
    await breakOff(4, entries(100));
    await manifests.write(key, head(100), entries(100), []);
    await manifests.finish(key, 1);
    expect((await parts()).map(({ sk }) => String(sk).slice(0, 11))).toEqual(['part#000000', 'part#000000']);
  });
});

describe('dirty ids', () => {
  it('of a bulk edit cost a few write units, not one per record', async () => {
    const ids = Array.from({ length: 3000 }, (_, n) => String(1_000_000 + n));
    const metered = meter(client, tables.client, { [table]: LEDGER_DEFINITION });
    await manifests.markDirty(key, ids);
    expect(metered.take().write).toBeLessThan(30);
    await manifests.finish(key, 0);
    expect((await manifests.head(key))?.dirty.toSorted()).toEqual(ids);
    await manifests.clearDirty(key, ids);
    expect((await manifests.head(key))?.dirty).toEqual([]);
  });
});
