/** Polling reads its state consistently, and writes it in an order in which a crash hides no change. */

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dynamoManifestStore } from '../../../adapters/dynamodb/manifest-store.ts';
import { dynamoSnapshotStore } from '../../../adapters/dynamodb/snapshot-store.ts';
import { dynamoStores } from '../../../adapters/dynamodb/stores.ts';
import { openTable } from '../../../adapters/dynamodb/table.ts';
import { initialScanState } from '../../../core/model/scan.ts';
import { DAY, MINUTE, plus } from '../../../core/model/time.ts';
import type { PageFingerprint } from '../../../core/ports/manifest-store.ts';
import { packEntries } from '../../../core/source/scan/manifest.ts';
import { NOON, snapshot } from '../../samples.ts';
import { failOnce } from './faults.ts';
import { type LocalTables, startLocalTables } from './local-tables.ts';
import { tickingClock } from './ticking-clock.ts';

const key = { source: 'main', resource: 'task', scope: 'all' } as const;
const head = (digest: string): PageFingerprint => ({
  index: 0,
  offset: 0,
  limit: 500,
  rows: 2,
  firstId: '1',
  lastId: '2',
  digest,
  bytes: 9,
  took: 1,
});
const packed = (fingerprint: bigint) => packEntries(['1', '2'].map((id) => ({ id, fingerprint })));

let tables: LocalTables;
let names: Awaited<ReturnType<LocalTables['create']>>;
beforeAll(async () => {
  tables = await startLocalTables();
});
afterAll(async () => tables.stop());
beforeEach(async () => {
  names = await tables.create();
});

interface ReadInput {
  readonly ConsistentRead?: boolean;
  readonly RequestItems?: Readonly<Record<string, { readonly ConsistentRead?: boolean }>>;
}

/** Eventually consistent reads return the state before the last writes, as DynamoDB may do. */
function lagging(): DynamoDBClient {
  const client = tables.connect();
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const { ConsistentRead, RequestItems = {} } = args.input as ReadInput;
        const isRead = ['GetItemCommand', 'QueryCommand', 'BatchGetItemCommand'].includes(String(commandName));
        const isConsistent = ConsistentRead ?? Object.values(RequestItems).every((table) => table.ConsistentRead);
        if (!isRead || isConsistent) return next(args);
        return { output: { $metadata: {}, Items: [], Responses: {} }, response: {} } as Awaited<
          ReturnType<typeof next>
        >;
      },
    { step: 'initialize' },
  );
  return client;
}

const open = (client: LocalTables['client']) =>
  dynamoStores({ client, tables: names, retention: 90 * DAY, clock: tickingClock() });

describe('when eventually consistent reads lag', () => {
  it('a lease is extended by its holder, refused to others, and acquired by the next with a higher fence', async () => {
    const stores = open(lagging());
    const mine = await stores.leases.acquire('poll/main', 'me', NOON, 2 * MINUTE);
    expect(await stores.leases.acquire('poll/main', 'me', plus(NOON, MINUTE), 2 * MINUTE)).toMatchObject({
      fence: mine?.fence,
    });
    expect(await stores.leases.acquire('poll/main', 'you', plus(NOON, MINUTE), 2 * MINUTE)).toBeUndefined();
    const next = await stores.leases.acquire('poll/main', 'you', plus(NOON, 3 * MINUTE), 2 * MINUTE);
    expect(next).toMatchObject({ fence: 2 });
  });

  it('the scan state is the last one saved', async () => {
    const stores = open(lagging());
    for (const version of [1, 2, 3]) {
      expect(await stores.scanStates.save({ ...initialScanState('main', 'task'), version })).toBe(true);
      expect((await stores.scanStates.get('main', 'task'))?.version).toBe(version);
    }
  });

  it('a manifest has its latest dirty ids and pages', async () => {
    const manifests = dynamoManifestStore({ client: lagging(), table: names.ledger });
    await manifests.write(key, head('d'), packed(3n), []);
    await manifests.finish(key, 1);
    await manifests.markDirty(key, ['1']);
    expect(await manifests.head(key)).toEqual({ chunks: [head('d')], dirty: ['1'] });
    expect(Buffer.from((await manifests.entries(key, 0)) ?? [])).toEqual(Buffer.from(packed(3n)));
  });

  it('snapshots are the last ones committed', async () => {
    const snapshots = dynamoSnapshotStore({ client: lagging(), table: names.snapshots });
    await snapshots.commit(['1', '2'].map((id) => ({ snapshot: snapshot(id), expected: 0 })));
    expect((await snapshots.get(snapshot('1').key))?.version).toBe(1);
    expect((await snapshots.getMany('main', 'task', ['1', '2'])).size).toBe(2);
    expect(await Array.fromAsync(snapshots.list('main', 'task'))).toHaveLength(2);
  });
});

describe('writing a page of the manifest', () => {
  it('clears no dirty id before its new fingerprint is valid, wherever the process dies', async () => {
    let isDone = false;
    for (let at = 0; !isDone; at++) {
      const { ledger: table } = await tables.create();
      const steady = dynamoManifestStore({ client: tables.client, table });
      await steady.write(key, head('old'), packed(3n), []);
      await steady.finish(key, 1);
      await steady.markDirty(key, ['1', '2']);
      const client = tables.connect({ maxAttempts: 1 });
      failOnce(client, at, 'after');
      isDone = await dynamoManifestStore({ client, table })
        .write(key, head('new'), packed(4n), ['1'])
        .then(
          () => true,
          () => false,
        );
      const kept = await steady.head(key);
      const isNew = kept?.chunks[0]?.digest === 'new';
      expect(kept?.dirty.includes('1') === true || isNew, `killed after call ${at}`).toBe(true);
      expect(kept?.dirty, `killed after call ${at}`).toContain('2');
      if (isDone) expect(kept).toEqual({ chunks: [head('new')], dirty: ['2'] });
      client.destroy();
    }
  });
});

describe('a scan state', () => {
  it('with a lost response counts as saved if it was, but not if another writer saved', async () => {
    const client = tables.connect({ maxAttempts: 3 });
    failOnce(client, 0, 'after');
    const stores = open(client);
    const state = { ...initialScanState('main', 'task'), version: 1, count: 7 };
    expect(await stores.scanStates.save(state)).toBe(true);
    expect(await stores.scanStates.get('main', 'task')).toEqual(state);
    const other = tables.connect({ maxAttempts: 3 });
    failOnce(other, 0, 'throttled');
    const late = open(other);
    expect(await late.scanStates.save({ ...state, count: 8 })).toBe(false);
    expect(await stores.scanStates.get('main', 'task')).toEqual(state);
    for (const one of [client, other]) one.destroy();
  });

  it.each([
    ['without a number', {}],
    ['with one it took over and did not count', { version: 7 }],
  ])('written by an earlier version %s can be saved', async (_, written) => {
    const { version: __, ...older } = initialScanState('main', 'task');
    const table = openTable({ client: tables.client, table: names.ledger });
    await table.put({ pk: 'scan#main', sk: 'task', state: { ...older, ...written } });
    const stores = open(tables.client);
    expect(await stores.scanStates.get('main', 'task')).toEqual(initialScanState('main', 'task'));
    expect(await stores.scanStates.save({ ...initialScanState('main', 'task'), version: 1 })).toBe(true);
    expect(await stores.scanStates.save({ ...initialScanState('main', 'task'), version: 1 })).toBe(false);
  });
});
