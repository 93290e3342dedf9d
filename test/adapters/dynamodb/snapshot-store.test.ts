/** Behaviour of the DynamoDB snapshot store beyond the contract of all stores. */

import { GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fromItem, toItem } from '../../../adapters/dynamodb/attribute-values.ts';
import { dynamoSnapshotStore } from '../../../adapters/dynamodb/snapshot-store.ts';
import { dynamoStores } from '../../../adapters/dynamodb/stores.ts';
import type { Fields } from '../../../core/model/record.ts';
import { DAY, fixedClock, MINUTE } from '../../../core/model/time.ts';
import { fitFields, MAX_RECORD_BYTES } from '../../../core/resources/fit.ts';
import { NOON, snapshot } from '../../samples.ts';
import { failOnce } from './faults.ts';
import { type LocalTables, startLocalTables } from './local-tables.ts';

let tables: LocalTables;
let table: string;
beforeAll(async () => {
  tables = await startLocalTables();
});
afterAll(async () => tables.stop());
beforeEach(async () => {
  table = (await tables.create()).snapshots;
});

const key = (id: string) => ({ source: 'main', resource: 'task', id });

describe('snapshots', () => {
  it('are readable items without null attributes', async () => {
    const store = dynamoSnapshotStore({ client: tables.client, table });
    await store.commit([{ snapshot: snapshot('812'), expected: 0 }]);
    const Key = toItem({ pk: 'main#task', sk: '003#812' });
    const { Item = {} } = await tables.client.send(new GetItemCommand({ TableName: table, Key }));
    expect(fromItem(Item)).toEqual({
      pk: 'main#task',
      sk: '003#812',
      version: 1,
      record: { id: '812', title: 'Task 812', status: 'Open', dateclosed: null },
      stage: { closed: false },
      committedAt: NOON,
      cause: 'poll',
      occurred: { after: null, before: NOON },
    });
  });

  it('can store any record', async () => {
    const store = dynamoSnapshotStore({ client: tables.client, table });
    let id = 0;
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), async (value) => {
        id += 1;
        const record = JSON.parse(JSON.stringify(value).replaceAll('-0', '0')) as Fields;
        await store.commit([{ snapshot: snapshot(String(id), { record }), expected: 0 }]);
        expect((await store.get(key(String(id))))?.record).toEqual(record);
      }),
      { numRuns: 60 },
    );
  });

  it('can store the largest and the deepest record that cleaning allows', async () => {
    const store = dynamoSnapshotStore({ client: tables.client, table });
    const deep = JSON.parse(`${'{"a":'.repeat(19)}1${'}'.repeat(19)}`);
    const record = fitFields({ id: '1', deep, summary: 'é'.repeat(MAX_RECORD_BYTES), note: 'x'.repeat(30_000) });
    expect(await store.commit([{ snapshot: snapshot('1', { record }), expected: 0 }])).toEqual(['committed']);
    expect((await store.get(key('1')))?.record).toEqual(record);
  });

  it('are committed even if the response to the write was lost', async () => {
    const client = tables.connect({ maxAttempts: 3 });
    failOnce(client, 0, 'after');
    const store = dynamoSnapshotStore({ client, table });
    expect(await store.commit([{ snapshot: snapshot('1'), expected: 0 }])).toEqual(['committed']);
    client.destroy();
  });

  it('are a conflict if the response was lost and another writer was first', async () => {
    const plain = dynamoSnapshotStore({ client: tables.client, table });
    await plain.commit([{ snapshot: snapshot('1', { committedAt: '2026-11-14T11:00:00.000Z' }), expected: 0 }]);
    const client = tables.connect({ maxAttempts: 3 });
    failOnce(client, 0, 'before');
    const store = dynamoSnapshotStore({ client, table });
    expect(await store.commit([{ snapshot: snapshot('1'), expected: 0 }])).toEqual(['conflict']);
    client.destroy();
  });

  it('are due across all shards, earliest first, up to the limit', async () => {
    const store = dynamoSnapshotStore({ client: tables.client, table });
    const ids = Array.from({ length: 40 }, (_, n) => String(n + 1));
    const at = (id: string) => `2026-11-${String(10 + (Number(id) % 7)).padStart(2, '0')}T00:00:00.000Z`;
    await store.commit(ids.map((id) => ({ snapshot: snapshot(id, { nextMoment: at(id) }), expected: 0 })));
    const due = await store.due({ until: '2026-11-14T00:00:00.000Z' }, 17);
    expect(due).toHaveLength(17);
    const moments = due.map((moment) => moment.at);
    expect(moments).toEqual(ids.map(at).sort().slice(0, 17));
  });
});

describe('open records', () => {
  it('are read from the index alone while only this version polls, and from all records while another does', async () => {
    const names = await tables.create();
    const client = tables.connect();
    const queries: unknown[] = [];
    client.middlewareStack.add(
      (next, { commandName }) =>
        (args) => {
          if (commandName === 'QueryCommand') queries.push((args.input as { IndexName?: string }).IndexName);
          return next(args);
        },
      { step: 'initialize' },
    );
    const { snapshots, leases } = dynamoStores({ client, tables: names, retention: DAY, clock: fixedClock(NOON) });
    await snapshots.commit([{ snapshot: snapshot('1', { stage: { overdue: true } }), expected: 0 }]);
    const list = async () => {
      queries.length = 0;
      const ids: string[] = [];
      for await (const one of snapshots.listOpen('main', 'task')) ids.push(one.key.id);
      expect(ids).toEqual(['1']);
      return queries;
    };
    const poll = async () => {
      const lease = await leases.acquire('poll/main', 'me', NOON, MINUTE);
      if (lease !== undefined) await leases.release(lease);
    };
    await poll();
    expect(await list()).toEqual([undefined]);
    await poll();
    expect(await list()).toEqual(['standing']);
    // Version 1.0.0 takes the lease.
    const key = toItem({ pk: 'lease#poll/main', sk: 'lease' });
    const older = { ':fence': 3, ':holder': 'older', ':until': '' };
    await client.send(
      new UpdateItemCommand({
        TableName: names.ledger,
        Key: key,
        UpdateExpression: 'SET fence = :fence, holder = :holder, #until = :until',
        ExpressionAttributeNames: { '#until': 'until' },
        ExpressionAttributeValues: toItem(older),
      }),
    );
    expect(await list()).toEqual([undefined]);
    expect(await list()).toEqual([undefined]);
    await poll();
    expect(await list()).toEqual([undefined]);
    expect(await list()).toEqual(['standing']);
    client.destroy();
  });
});
