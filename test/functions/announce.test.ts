/** The announce function: its logs, and how it handles records that are not commits. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toItem } from '../../adapters/dynamodb/attribute-values.ts';
import { snapshotItem } from '../../adapters/dynamodb/snapshot-item.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import { snapshot } from '../samples.ts';
import { type CapturedOutput, captureOutput } from './lambda-call.ts';
import { openFunctions, startWorld, type World } from './world.ts';

let world: World;
let output: CapturedOutput;

beforeEach(async () => {
  world = await startWorld({ config: {} });
  output = captureOutput();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await world.stop();
});

function change(number: number, after: Snapshot | undefined, before?: Snapshot): DynamoDBRecord {
  const image = (one: Snapshot | undefined) => (one === undefined ? undefined : toItem(snapshotItem(one)));
  const images = { NewImage: image(after), OldImage: image(before) };
  return { eventID: `change-${number}`, dynamodb: { ...images, SequenceNumber: String(number) } } as DynamoDBRecord;
}

/** A receiver that failed once more, or has recovered from a single failure. */
function changeOfHealth(version: number): DynamoDBRecord {
  const key = { source: '_tidings', resource: 'subscription', id: 'ops' };
  const at = (number: number) => snapshot('ops', { key, version: number, record: { state: 'ok', n: number } });
  return change(version, at(version + 1), at(version));
}

const closed = (id: string) =>
  snapshot(id, { version: 2, record: { ...snapshot(id).record, status: 'Closed', dateclosed: '2026-11-14' } });

/**
 * An event source mapping with ReportBatchItemFailures and BisectBatchOnFunctionError: bisects the batch when the function
 * throws, repeats from the reported record on, and gives up after the retries, which bisecting does not use up.
 */
async function putAside(batch: readonly DynamoDBRecord[], retries = 2): Promise<(readonly DynamoDBRecord[])[]> {
  const failed = await world.functions.announce(batch).then(
    ({ batchItemFailures: [first] }) => first?.itemIdentifier,
    () => 'fell over',
  );
  if (failed === undefined) return [];
  if (failed === 'fell over' && batch.length > 1) {
    const half = Math.ceil(batch.length / 2);
    return [...(await putAside(batch.slice(0, half))), ...(await putAside(batch.slice(half)))];
  }
  const rest = batch.slice(batch.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === failed));
  return retries === 0 ? [rest] : putAside(rest, retries - 1);
}

describe('announce', () => {
  it('logs the ids of the events, and counts them', async () => {
    await world.functions.announce([change(1, snapshot('1')), change(2, snapshot('2'))]);
    const { events } = await world.stores.events.list({ limit: 10 });
    expect(events).toHaveLength(2);
    const [line] = output.lines('announced');
    expect(line?.events).toEqual(events.map(({ id, type, subject }) => ({ id, type, change: `main/${subject} v1` })));
    expect(output.metric('EventsAnnounced')).toEqual([2]);
    expect(output.dimensions()).toEqual([{ service: 'tidings', function: 'announce' }]);
  });

  it('ignores deleted items, items edited by hand, and empty batches', async () => {
    const answer = await world.functions.announce([
      change(1, undefined, snapshot('1')),
      change(2, snapshot('2', { cause: 'tick' }), snapshot('2')),
    ]);
    await world.functions.announce([]);
    expect(answer).toEqual({ batchItemFailures: [] });
    expect((await world.stores.events.list({ limit: 10 })).events).toEqual([]);
    expect(output.lines('announced')).toEqual([]);
  });

  it('throws when the first of several records fails, and reports it when it is alone', async () => {
    const lost = openFunctions({
      ...world.options,
      environment: { ...world.options.environment, TIDINGS_LEDGER_TABLE: 'not-there' },
    });
    const records = [change(7, closed('1'), snapshot('1')), change(8, closed('2'), snapshot('2'))];
    await expect(lost.announce(records)).rejects.toMatchObject({ code: 'TIDINGS_STORE_FAILED' });
    expect(await lost.announce(records.slice(0, 1))).toEqual({ batchItemFailures: [{ itemIdentifier: '7' }] });
    expect(output.lines('announcing a change failed')).toMatchObject([
      { change: 'change-7', error: { code: 'TIDINGS_STORE_FAILED' } },
      { change: 'change-7', error: { code: 'TIDINGS_STORE_FAILED' } },
    ]);
    expect(await world.functions.announce(records)).toEqual({ batchItemFailures: [] });
  });

  it('loses no other records because of one that always fails', async () => {
    const ids = Array.from({ length: 100 }, (_, at) => String(at + 1));
    const records = ids.map((id) => change(Number(id), snapshot(id)));
    const broken = {
      ...records[36],
      dynamodb: { SequenceNumber: '37', NewImage: { pk: { S: 'nonsense' }, sk: { XX: 1 } } },
    };
    records[36] = broken as unknown as DynamoDBRecord;
    expect(await putAside(records)).toEqual([[broken]]);
    const { events } = await world.stores.events.list({ limit: 200 });
    expect(events.map(({ subject }) => subject).toSorted()).toEqual(
      ids
        .filter((id) => id !== '37')
        .map((id) => `task/${id}`)
        .toSorted(),
    );
  });

  it.each([
    ['as JSON', (payload: object) => payload],
    ['as text', (payload: object) => JSON.stringify(payload)],
  ])('announces records from the bucket, %s, when replayed as the runbook describes', async (_, put) => {
    const Records = [change(1, closed('1'), snapshot('1'))];
    // The format in which Lambda stores a failed batch.
    const object = JSON.stringify({
      requestContext: { condition: 'RetryAttemptsExhausted', approximateInvokeCount: 101 },
      version: '1.0',
      DDBStreamBatchInfo: { batchSize: 1, startSequenceNumber: '1', endSequenceNumber: '1' },
      payload: put({ Records }),
    });
    // The jq command of the runbook, without jq.
    const runbook = readFileSync(join(import.meta.dirname, '../../docs/runbook.md'), 'utf8');
    expect(runbook).toContain(`jq -c '.payload | if type == "string" then fromjson else . end'`);
    const { payload } = JSON.parse(object);
    const event = typeof payload === 'string' ? JSON.parse(payload) : payload;
    expect(await world.functions.announce(event.Records)).toEqual({ batchItemFailures: [] });
    expect(output.lines('announced')).toHaveLength(1);
    const { events } = await world.stores.events.list({ limit: 10 });
    expect(events).toMatchObject([{ type: 'task.updated', subject: 'task/1', data: { version: 2 } }]);
  });

  /** The functions on a client that counts its lists of subscriptions. */
  function countLists() {
    const client = world.tables.connect();
    const counted = { lists: 0 };
    client.middlewareStack.add((next) => (args) => {
      if (JSON.stringify(args.input).includes('"subscriptions"')) counted.lists += 1;
      return next(args);
    });
    const { announce } = openFunctions({ ...world.options, clients: { ...world.options.clients, dynamodb: client } });
    return { announce, counted, end: () => client.destroy() };
  }

  it('reads no subscriptions for changes that are no news, such as most of the health of a receiver', async () => {
    const { announce, counted, end } = countLists();
    const flapping = Array.from({ length: 3 }, (_, n) => changeOfHealth(n + 1));
    expect(await announce(flapping)).toEqual({ batchItemFailures: [] });
    expect(counted.lists).toBe(0);
    await announce([change(1, snapshot('1'))]);
    expect(counted.lists).toBe(1);
    end();
  });

  it('reads the subscriptions twice for a batch in which one record fails', async () => {
    const { announce, counted, end } = countLists();
    const records = Array.from({ length: 20 }, (_, n) => change(n + 1, snapshot(String(n + 1))));
    const NewImage = { pk: { S: 'nonsense' }, sk: { XX: 1 } };
    records[10] = { dynamodb: { SequenceNumber: '11', NewImage } } as unknown as DynamoDBRecord;
    expect(await announce(records)).toEqual({ batchItemFailures: [{ itemIdentifier: '11' }] });
    expect(counted.lists).toBeLessThanOrEqual(2);
    end();
  });

  it('announces one by one after a transient failure, and reports nothing', async () => {
    let calls = 0;
    const client = world.tables.connect({ maxAttempts: 1 });
    client.middlewareStack.add(
      (next, { commandName }) =>
        (args) => {
          // The first write of the batch fails, as a throttled table's does.
          if (commandName?.startsWith('Put') === true && calls++ === 0) throw new Error('throttled');
          return next(args);
        },
      { step: 'initialize' },
    );
    const shaky = openFunctions({ ...world.options, clients: { ...world.options.clients, dynamodb: client } });
    const records = [change(1, snapshot('1')), change(2, snapshot('2'))];
    expect(await shaky.announce(records)).toEqual({ batchItemFailures: [] });
    client.destroy();
    expect((await world.stores.events.list({ limit: 10 })).events).toHaveLength(2);
  });
});
