/** The records of a real stream, and that the recorded stream of the other tests has the same records. */

import { DeleteItemCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toItem } from '../../adapters/dynamodb/attribute-values.ts';
import { snapshotKey } from '../../adapters/dynamodb/keys.ts';
import { snapshotItem } from '../../adapters/dynamodb/snapshot-item.ts';
import { dynamoSnapshotStore } from '../../adapters/dynamodb/snapshot-store.ts';
import { transitionFromRecord } from '../../adapters/dynamodb/stream.ts';
import type { Fields } from '../../core/model/record.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import { type RecordedStream, recordStream } from '../adapters/dynamodb/recorded-stream.ts';
import { snapshot } from '../samples.ts';
import { openStream, type TableStream } from './stream.ts';
import { makeTables, reachesFunction, type Tables } from './template.ts';

let client: DynamoDBClient;
let tables: Tables;
let store: SnapshotStore;
let stream: TableStream;
let recorded: RecordedStream;
beforeEach(async () => {
  client = new DynamoDBClient();
  tables = await makeTables(client);
  recorded = recordStream(client, tables.snapshots);
  store = dynamoSnapshotStore({ client, table: tables.snapshots });
  stream = await openStream(client, tables.snapshots);
});
afterEach(async () => {
  await tables.remove();
  client.destroy();
});

const version = (id: string, number: number, change: Partial<Snapshot> = {}) =>
  snapshot(id, { version: number, record: { id, title: `Task ${id}, ${number}` }, ...change });
const commit = (...snapshots: readonly Snapshot[]) =>
  store.commit(snapshots.map((one) => ({ snapshot: one, expected: one.version - 1 })));
const imageOf = (one: Snapshot) => toItem(snapshotItem(one));
const transitionsOf = (records: readonly DynamoDBRecord[]) => records.flatMap((one) => transitionFromRecord(one) ?? []);

describe('the stream of the snapshots', () => {
  it('has one record per commit, with both images as written and increasing sequence numbers', async () => {
    const [first, second] = [version('1', 1), version('1', 2, { stage: { closed: true } })];
    await commit(first);
    await commit(second);
    const records = await stream.take();
    expect(records).toMatchObject([
      { eventName: 'INSERT', eventSource: 'aws:dynamodb', dynamodb: { NewImage: imageOf(first) } },
      { eventName: 'MODIFY', dynamodb: { OldImage: imageOf(first), NewImage: imageOf(second) } },
    ]);
    expect(records[0]?.dynamodb).not.toHaveProperty('OldImage');
    const numbers = records.map(({ dynamodb }) => BigInt(dynamodb?.SequenceNumber ?? ''));
    expect(numbers).toEqual(numbers.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(new Set(numbers).size).toBe(2);
    for (const { dynamodb } of records) {
      expect(dynamodb?.Keys).toEqual(toItem({ ...snapshotKey(first.key) }));
      expect(dynamodb?.StreamViewType).toBe('NEW_AND_OLD_IMAGES');
    }
  });

  it('returns each record once to a reader that continues from its last position', async () => {
    await commit(version('1', 1));
    expect(await stream.take()).toHaveLength(1);
    expect(await stream.take()).toEqual([]);
    await commit(version('1', 2));
    expect(transitionsOf(await stream.take()).map(({ after }) => after.version)).toEqual([2]);
  });

  it('has no record of a rejected write', async () => {
    await commit(version('1', 1));
    await stream.take();
    expect(await commit(version('1', 1), version('1', 7))).toEqual(['conflict', 'conflict']);
    expect(await stream.take()).toEqual([]);
  });

  it('keeps the order of the commits of a record under concurrent writes', async () => {
    const ids = Array.from({ length: 20 }, (_, n) => String(n + 1));
    for (const number of [1, 2, 3]) await commit(...ids.map((id) => version(id, number)));
    const transitions = transitionsOf(await stream.take());
    expect(transitions).toHaveLength(60);
    for (const id of ids) {
      const own = transitions.filter(({ after }) => after.key.id === id);
      expect(own.map(({ before, after }) => [before?.version, after.version])).toEqual([
        [undefined, 1],
        [1, 2],
        [2, 3],
      ]);
    }
  });

  it('has no transition for a put that changes nothing, with or without a stream record', async () => {
    const first = version('1', 1);
    await commit(first);
    await stream.take();
    await client.send(new PutItemCommand({ TableName: tables.snapshots, Item: imageOf(first) }));
    const records = await stream.take();
    // AWS writes no stream record; moto writes one with two equal images.
    expect(records.length).toBeLessThanOrEqual(1);
    for (const { dynamodb } of records) expect(dynamodb?.OldImage).toEqual(dynamodb?.NewImage);
    expect(transitionsOf(records)).toEqual([]);
  });

  it('has a record of a removed item, which is no transition and does not reach the function', async () => {
    const first = version('1', 1);
    await commit(first);
    await stream.take();
    const Key = toItem({ ...snapshotKey(first.key) });
    await client.send(new DeleteItemCommand({ TableName: tables.snapshots, Key }));
    const records = await stream.take();
    expect(records.map(({ eventName }) => eventName)).toEqual(['REMOVE']);
    expect(transitionsOf(records)).toEqual([]);
    expect(records.filter(reachesFunction)).toEqual([]);
  });

  it('reaches the function without baselines', async () => {
    await commit(version('1', 1, { cause: 'baseline' }), version('2', 1));
    await commit(version('1', 2));
    const received = transitionsOf((await stream.take()).filter(reachesFunction));
    expect(received.map(({ after }) => [after.key.id, after.version])).toEqual([
      ['2', 1],
      ['1', 2],
    ]);
  });

  it('carries any record unchanged', async () => {
    let id = 0;
    const any = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }));
    await fc.assert(
      fc.asyncProperty(any, async (value) => {
        id += 1;
        const record = JSON.parse(JSON.stringify(value).replaceAll('-0', '0')) as Fields;
        const given = snapshot(String(id), { record });
        await commit(given);
        expect(await store.get(given.key)).toEqual(given);
        expect(transitionsOf(await stream.take())).toEqual([{ before: null, after: given }]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the recorded stream of the other tests', () => {
  it('has the same images in the same order', async () => {
    await commit(version('1', 1), version('2', 1, { cause: 'baseline' }));
    await commit(version('1', 2), version('2', 9));
    await commit(version('1', 3, { nextMoment: '2026-11-16T00:00:00.000Z' }));
    const images = (records: readonly { readonly dynamodb?: object | undefined }[]) =>
      records.map(({ dynamodb }) => {
        const { NewImage, OldImage } = dynamodb as NonNullable<DynamoDBRecord['dynamodb']>;
        return { NewImage, OldImage };
      });
    const real = images(await stream.take());
    const ours = images(recorded.take());
    expect(real).toHaveLength(4);
    const byId = (id: string) => (one: (typeof real)[number]) => one.NewImage?.sk?.S?.endsWith(`#${id}`);
    for (const id of ['1', '2']) expect(ours.filter(byId(id))).toEqual(real.filter(byId(id)));
  });
});
