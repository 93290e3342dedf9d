/** Restoring as docs/deploy.md describes it: copy back, delete the manifest, continue. The copy sends no events. */

import {
  type AttributeValue,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dynamoManifestStore } from '../../../adapters/dynamodb/manifest-store.ts';
import { dynamoSnapshotStore } from '../../../adapters/dynamodb/snapshot-store.ts';
import { dynamoStores } from '../../../adapters/dynamodb/stores.ts';
import { type StreamRecord, transitionFromRecord } from '../../../adapters/dynamodb/stream.ts';
import { STREAM_FILTER } from '../../../adapters/dynamodb/tables.ts';
import { workApi } from '../../../adapters/sources/work/client.ts';
import { workResourceOf } from '../../../adapters/sources/work/resources.ts';
import { DAY, HOUR, MINUTE } from '../../../core/model/time.ts';
import { defaultRules } from '../../../core/snapshot/stage.ts';
import { poll } from '../../../core/source/poll.ts';
import { type Simulator, startSimulator } from '../../../simulator/simulator.ts';
import { type LocalTables, startLocalTables } from './local-tables.ts';
import { recordStream } from './recorded-stream.ts';

type Item = Record<string, AttributeValue>;

let tables: LocalTables;
let simulator: Simulator;
beforeAll(async () => {
  tables = await startLocalTables();
  simulator = await startSimulator({ tasks: 60, now: '2026-11-16T08:00:00Z', speed: 0 });
});
afterAll(async () => {
  await simulator.stop();
  await tables.stop();
});

async function itemsOf(client: DynamoDBClient, TableName: string): Promise<Item[]> {
  const items: Item[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName })) items.push(...Items);
  return items;
}

/** The stream records that pass the filter of the function. */
function passes({ dynamodb }: StreamRecord): boolean {
  const [{ 'anything-but': silent }] = STREAM_FILTER.dynamodb.NewImage.cause.S;
  const cause = dynamodb?.NewImage?.cause;
  return cause !== undefined && 'S' in cause && !silent.some((one) => one === cause.S);
}

describe('a restore', () => {
  it('sends no events, and later changes are detected again as the same transitions', async () => {
    const names = await tables.create();
    const client = tables.connect();
    const stream = recordStream(client);
    const clock = { now: () => new Date(simulator.account.clock.now()).toISOString() };
    const snapshots = dynamoSnapshotStore({ client, table: names.snapshots });
    const manifests = dynamoManifestStore({ client, table: names.ledger });
    const stores = dynamoStores({ client, tables: names, retention: 90 * DAY, clock });
    const token = simulator.tokens.Administrator[0] ?? '';
    const api = workApi({ baseUrl: simulator.url, token, perMinute: Number.POSITIVE_INFINITY });
    const resources = [{ resource: workResourceOf('task'), cadence: { every: 5 * MINUTE, sweep: 6 * HOUR } }];
    const pollOnce = async () => {
      simulator.account.clock.advance(6 * MINUTE);
      await poll(
        { ...stores, api, snapshots, manifests, clock, holder: 'test' },
        {
          source: 'main',
          baseUrl: 'https://work.example.com/api',
          resources,
          rules: defaultRules,
          reserve: 0,
          timeZone: 'UTC',
          everything: true,
        },
      );
    };
    const news = () =>
      stream
        .take()
        .filter(passes)
        .flatMap((record) => transitionFromRecord(record) ?? [])
        .filter(({ after }) => after.key.resource === 'task')
        .map(({ before, after }) => [after.key.id, before?.version, after.version, after.record?.statusid]);

    await pollOnce();
    expect(news()).toEqual([]);
    const kept = { snapshots: await itemsOf(client, names.snapshots), ledger: await itemsOf(client, names.ledger) };
    const [task] = simulator.account.list('task', { excludeclosed: 't', limit: '1' });
    const id = String(task?.id);
    simulator.account.update('task', id, { statusid: 7 });
    await pollOnce();
    const first = news();
    expect(first).toEqual([[id, 1, 2, '7']]);

    for (const Item of kept.ledger) await client.send(new PutItemCommand({ TableName: names.ledger, Item }));
    for (const item of kept.snapshots) {
      const Item = { ...item, cause: { S: 'baseline' } };
      await client.send(new PutItemCommand({ TableName: names.snapshots, Item }));
    }
    const stale = (await itemsOf(client, names.ledger)).filter(({ pk }) => pk?.S?.startsWith('manifest#'));
    expect(stale.length).toBeGreaterThan(0);
    for (const { pk, sk } of stale) {
      if (pk === undefined || sk === undefined) continue;
      await client.send(new DeleteItemCommand({ TableName: names.ledger, Key: { pk, sk } }));
    }
    expect(news()).toEqual([]);

    await pollOnce();
    // The same versions of the same record: receivers get the same event ids again.
    expect(news()).toEqual(first);
    await pollOnce();
    expect(news()).toEqual([]);
    await api.close();
    client.destroy();
  });
});
