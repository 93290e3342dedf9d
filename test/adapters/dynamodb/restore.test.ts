/** `tidings restore --aws`: copies restored tables back and continues. The copy sends no events. */

import { type AttributeValue, type DynamoDBClient, PutItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dynamoManifestStore } from '../../../adapters/dynamodb/manifest-store.ts';
import { dynamoSnapshotStore } from '../../../adapters/dynamodb/snapshot-store.ts';
import { dynamoStores } from '../../../adapters/dynamodb/stores.ts';
import { type StreamRecord, transitionFromRecord } from '../../../adapters/dynamodb/stream.ts';
import { COPIED_MARK, STREAM_FILTER } from '../../../adapters/dynamodb/tables.ts';
import { workApi } from '../../../adapters/sources/work/client.ts';
import { workResourceOf } from '../../../adapters/sources/work/resources.ts';
import { versionBeforeRestores } from '../../../core/model/snapshot.ts';
import { DAY, HOUR, MINUTE } from '../../../core/model/time.ts';
import { defaultRules } from '../../../core/snapshot/stage.ts';
import { poll } from '../../../core/source/poll.ts';
import { restoreTables } from '../../../runtime/aws/restore-tables.ts';
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
  const { cause, [COPIED_MARK]: copied } = dynamodb?.NewImage ?? {};
  const [{ 'anything-but': silent }] = STREAM_FILTER.dynamodb.NewImage.cause.S;
  const isSilent = cause === undefined || !('S' in cause) || silent.some((one) => one === cause.S);
  return !isSilent && copied === undefined;
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
    const gone = String(simulator.account.list('task', { excludeclosed: 't' }).at(-1)?.id);
    simulator.account.remove('task', gone);
    await pollOnce();
    await pollOnce();
    expect(news().map(([one]) => one)).toEqual([gone]);
    const madeAt = clock.now();
    const kept = { snapshots: await itemsOf(client, names.snapshots), ledger: await itemsOf(client, names.ledger) };
    const [task] = simulator.account.list('task', { excludeclosed: 't', limit: '1' });
    const id = String(task?.id);
    simulator.account.update('task', id, { statusid: 7 });
    await pollOnce();
    const first = news();
    expect(first).toEqual([[id, 1, 2, '7']]);

    const restored = await tables.create();
    for (const Item of kept.ledger) await client.send(new PutItemCommand({ TableName: restored.ledger, Item }));
    for (const Item of kept.snapshots) await client.send(new PutItemCommand({ TableName: restored.snapshots, Item }));
    stream.take();
    const restore = (now: string) =>
      restoreTables({ client, from: restored, to: names, asOf: madeAt, now, progress: () => {} });
    await expect(restore(clock.now())).rejects.toThrow(/the stack read source 'main' at .*paused: true/);
    simulator.account.clock.advance(6 * MINUTE);
    const report = await restore(clock.now());
    expect(report.records).toBe(kept.snapshots.length);
    // Repeated, it does the same.
    await restore(clock.now());
    const stale = (await itemsOf(client, names.ledger)).filter(({ pk }) => pk?.S?.startsWith('manifest#'));
    expect(stale).toEqual([]);
    expect(news()).toEqual([]);
    const back = await snapshots.get({ source: 'main', resource: 'task', id: gone });
    // Deleted, and not only out of sight.
    expect([back?.deletedAt !== null, back?.cause]).toEqual([true, 'poll']);

    await pollOnce();
    // The same version but for the raise, which event ids leave out: receivers get the same ids again.
    const [found] = news();
    expect(found?.slice(0, 1)).toEqual([id]);
    const again = await snapshots.get({ source: 'main', resource: 'task', id });
    expect(again && versionBeforeRestores(again)).toBe(2);
    expect(again?.version).toBeGreaterThan(1000);
    await pollOnce();
    expect(news()).toEqual([]);
    await api.close();
    client.destroy();
  });
});
