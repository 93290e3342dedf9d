/** An account, its tables with a meter, and the steps of the pipeline one by one: what `cost-units` counts. */

import {
  type AttributeValue,
  type DynamoDBClient,
  ScanCommand,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { transitionOf } from '../adapters/dynamodb/stream.ts';
import type { TableDefinition } from '../adapters/dynamodb/tables.ts';
import { sizeOf } from '../adapters/dynamodb/values.ts';
import { openDatabase } from '../adapters/sqlite/database.ts';
import { sqliteQueue } from '../adapters/sqlite/queue.ts';
import { workApi } from '../adapters/work-api/client.ts';
import { deliver } from '../core/delivery/deliver.ts';
import { announce } from '../core/events/announce.ts';
import { HOUR, MINUTE } from '../core/model/time.ts';
import { resourceOf } from '../core/resources/catalogue.ts';
import { defaultRules } from '../core/snapshot/stage.ts';
import { poll } from '../core/source/poll.ts';
import { startSimulator } from '../simulator/simulator.ts';
import { entryOf, type Units } from './metered.ts';
import { openMetered } from './units.ts';

/** Behind the machine's own clock, which answers carry: the cursor of a delta is the earlier of the two. */
const PAST = '2025-11-17T08:00:00Z';

export const TASKS = 2000;
export const INVOICES = 200;

/** What DynamoDB adds to each item, in the table and in each index that has it. */
const OVERHEAD = 100;

/** As many as a stream hands over at a time, and as many as a queue does. */
export const STREAM_BATCH = 100;
export const QUEUE_BATCH = 10;

export type World = Awaited<ReturnType<typeof openWorld>>;

/** An account of tasks and invoices that was read once, with a meter at the tables. */
export async function openWorld() {
  const simulator = await startSimulator({
    tasks: TASKS,
    invoices: INVOICES,
    now: PAST,
    speed: 0,
    quota: 1_000_000,
  });
  const { clock: time } = simulator.account;
  const clock = { now: () => new Date(time.now()).toISOString() };
  const stores = await openMetered(clock);
  const api = workApi({
    baseUrl: simulator.url,
    token: simulator.tokens.Administrator[0] ?? '',
    perMinute: Number.POSITIVE_INFINITY,
  });
  const database = openDatabase(':memory:');
  const look = async (resource: 'task' | 'invoice', everything = false) => {
    const cadence = { every: 5 * MINUTE, sweep: 24 * HOUR };
    const resources = [{ resource: resourceOf(resource), cadence }];
    const order = { source: 'main', resources, rules: defaultRules, reserve: 0, timeZone: 'UTC', everything };
    const report = await poll({ ...stores, api, clock, holder: 'bench' }, order);
    if (report.failed[0] !== undefined) throw new Error(report.failed[0].message);
    return report.scans[0];
  };
  const { metered } = stores;
  return {
    ...stores,
    account: simulator.account,
    clock,
    look,
    queue: sqliteQueue(database),
    zoneOf: async () => 'UTC',
    /** What a piece of work takes. */
    async units(work: () => Promise<unknown>): Promise<Units> {
      metered.take();
      await work();
      return metered.take();
    },
    later: (by = 6 * MINUTE) => time.advance(by),
    async close() {
      await api.close();
      await stores.close();
      await simulator.stop();
      database.close();
    },
  };
}

/** Every tenth of the tasks gets another title: changes are scattered over an account, not side by side. */
function change({ account, clock }: World, count: number): void {
  const tasks = account.list('task', { limit: String(TASKS) });
  for (let n = 0; n < count; n++) {
    account.update('task', String(tasks[(n * 10) % tasks.length]?.id), { title: `Renamed ${clock.now()}` });
  }
}

async function announceAll({ ledger, queue, clock, zoneOf, stream }: World): Promise<void> {
  const transitions = stream.take().flatMap((record) => transitionOf(record) ?? []);
  for (let at = 0; at < transitions.length; at += STREAM_BATCH) {
    await announce({ ledger, queue, clock, customEvents: [], zoneOf }, transitions.slice(at, at + STREAM_BATCH));
  }
}

async function deliverAll({ ledger, snapshots, queue, clock, zoneOf }: World): Promise<void> {
  const channelFor = () => ({ send: async () => ({ status: 200, body: '{"ok":true}' }) });
  const ports = { ledger, snapshots, channelFor, clock, random: () => 0.5, zoneOf };
  for (;;) {
    const jobs = await queue.receive({ limit: QUEUE_BATCH, visibility: MINUTE }, clock.now());
    if (jobs.length === 0) return;
    await Promise.all(jobs.map(({ job }) => deliver(ports, job)));
    for (const job of jobs) await queue.acknowledge(job);
  }
}

/** So many changes at once, step by step. */
export async function spend(world: World, count: number) {
  change(world, count);
  world.later();
  const found = await world.units(() => world.look('task'));
  const announced = await world.units(() => announceAll(world));
  const delivered = await world.units(() => deliverAll(world));
  return { found, announced, delivered };
}

export async function measurePolling(world: World) {
  const { units, look, later } = world;
  await look('task');
  await look('invoice');
  world.stream.take();
  // The second settles on the size of its pages, and writes down how the source is.
  for (const resource of ['task', 'invoice'] as const) await look(resource, true);
  const idle = await units(() => look('task'));
  // What the simulator made up a moment ago is behind the deltas then, and the list of open invoices is known.
  for (let round = 0; round < 2; round++) {
    later();
    await look('task');
    await look('invoice');
  }
  const sweep = await units(() => look('task', true));
  const small = await units(() => look('invoice', true));
  later();
  const delta = await units(() => look('task'));
  const open = await units(() => look('invoice'));
  return { idle, sweep, small, delta, open };
}

export async function bytesOf(client: DynamoDBClient, table: string, definition: TableDefinition) {
  let bytes = 0;
  let items = 0;
  let ExclusiveStartKey: Record<string, AttributeValue> | undefined;
  do {
    const page: ScanCommandOutput = await client.send(
      new ScanCommand({ TableName: table, ...(ExclusiveStartKey === undefined ? {} : { ExclusiveStartKey }) }),
    );
    for (const item of page.Items ?? []) {
      items += 1;
      bytes += sizeOf(item) + OVERHEAD;
      for (const index of definition.indexes) {
        const entry = entryOf(index, item);
        if (entry !== undefined) bytes += sizeOf(entry) + OVERHEAD;
      }
    }
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return { bytes, items };
}

/** The delta after the one that found them, which looks back to them. */
export async function lookAgain(world: World, count: number): Promise<Units> {
  change(world, count);
  world.later(5 * MINUTE);
  await world.look('task');
  world.later(5 * MINUTE);
  const again = await world.units(() => world.look('task'));
  // Once more without them: what follows is not about these.
  await announceAll(world);
  await deliverAll(world);
  world.later();
  await world.look('task');
  return again;
}
