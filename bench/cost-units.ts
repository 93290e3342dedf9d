/**
 * `cost-units`: the units and bytes that `tidings cost` reckons with, counted on real tables and held against the figures
 * of runtime/measured.ts. Where a figure here is missed, the estimate is too low, and measured.ts has to be mended.
 */

import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { transitionOf } from '../adapters/dynamodb/stream.ts';
import { LEDGER_TABLE, SNAPSHOTS_TABLE, type TableDefinition } from '../adapters/dynamodb/tables.ts';
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
import {
  FINGERPRINTS_A_READ,
  MEASURED_BYTES,
  MEASURED_UNITS,
  RECORDS_A_PART,
  RECORDS_A_READ,
} from '../runtime/measured.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { Benchmark, Figure } from './bench.ts';
import { entryOf, type Units } from './metered.ts';
import { openMetered } from './units.ts';

/** Behind the machine's own clock, which answers carry: the cursor of a delta is the earlier of the two. */
const PAST = '2025-11-17T08:00:00Z';

const TASKS = 2000;
const INVOICES = 200;

/** What DynamoDB adds to each item, in the table and in each index that has it. */
const OVERHEAD = 100;

/** As many as a stream hands over at a time, and as many as a queue does. */
const STREAM_BATCH = 100;
const QUEUE_BATCH = 10;

type World = Awaited<ReturnType<typeof openWorld>>;

/** An account of tasks and invoices that was read once, with a meter at the tables. */
async function openWorld() {
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
    later: () => time.advance(6 * MINUTE),
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

const less = (a: Units, b: Units): Units => ({
  read: a.read - b.read,
  write: a.write - b.write,
  index: a.index - b.index,
});
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
async function spend(world: World, count: number) {
  change(world, count);
  world.later();
  const found = await world.units(() => world.look('task'));
  const announced = await world.units(() => announceAll(world));
  const delivered = await world.units(() => deliverAll(world));
  return { found, announced, delivered };
}

async function measurePolling(world: World) {
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

async function bytesOf(client: DynamoDBClient, table: string, definition: TableDefinition) {
  let bytes = 0;
  let items = 0;
  let ExclusiveStartKey: Record<string, never> | undefined;
  do {
    const page = await client.send(
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
    ExclusiveStartKey = page.LastEvaluatedKey as typeof ExclusiveStartKey;
  } while (ExclusiveStartKey !== undefined);
  return { bytes, items };
}

/** What a step took, and what the estimate reckons for the same. */
interface Counted {
  readonly step: string;
  readonly took: Pick<Units, 'read' | 'write'>;
  readonly reckoned: Pick<Units, 'read' | 'write'>;
}

const times = ({ read, write }: Pick<Units, 'read' | 'write'>, by: number) => ({ read: read * by, write: write * by });
const sum = (...parts: readonly Pick<Units, 'read' | 'write'>[]) => ({
  read: parts.reduce((all, { read }) => all + read, 0),
  write: parts.reduce((all, { write }) => all + write, 0),
});

function countedPolling({ idle, delta, open, sweep, small }: Awaited<ReturnType<typeof measurePolling>>): Counted[] {
  const { idlePoll, scan, sweep: whole } = MEASURED_UNITS;
  const read = (records: number) => sum(idlePoll, whole, { read: records / RECORDS_A_READ, write: 0 });
  return [
    { step: 'a poll with nothing due', took: idle, reckoned: idlePoll },
    { step: 'a delta that finds nothing', took: delta, reckoned: sum(idlePoll, scan) },
    { step: 'the open invoices', took: open, reckoned: read(INVOICES) },
    { step: `a sweep of ${INVOICES}`, took: small, reckoned: read(INVOICES) },
    { step: `a sweep of ${TASKS}`, took: sweep, reckoned: read(TASKS) },
  ];
}

type Spent = Awaited<ReturnType<typeof spend>>;

function countedChanges(spent: Spent, changes: number, receivers: number, delta: Units): Counted[] {
  const { found, announceBatch, event, opened, deliverBatch, delivered } = MEASURED_UNITS;
  const deliveries = changes * receivers;
  const batches = Math.ceil(deliveries / QUEUE_BATCH);
  const of = `${changes} changed, ${receivers} receivers each`;
  return [
    { step: `poll: ${of}`, took: sum(spent.found), reckoned: sum(delta, times(found, changes)) },
    {
      step: `announce: ${of}`,
      took: spent.announced,
      reckoned: sum(announceBatch, times(event, changes), times(opened, deliveries)),
    },
    {
      step: `deliver: ${of}`,
      took: spent.delivered,
      reckoned: sum(times(deliverBatch, batches), times(delivered, deliveries)),
    },
  ];
}

function reckonedSweep(changes: number): Counted['reckoned'] {
  const { swept, part } = MEASURED_UNITS;
  const fingerprints = { read: TASKS / FINGERPRINTS_A_READ, write: 0 };
  return sum(times(swept, changes), times(part, Math.min(changes, TASKS / RECORDS_A_PART)), fingerprints);
}

/** The account is made once, and each step builds on the one before. */
async function measure(world: World): Promise<{ counted: Counted[]; bytes: typeof MEASURED_BYTES }> {
  const { client, tables, ledger, units, look } = world;
  const subscribe = (name: string) => {
    const to = { http: { url: `https://${name}.example.com/hook`, secret: '${OPS_SECRET}' } };
    return ledger.saveSubscription({ name, events: ['task.updated'], to, declared: false });
  };
  const kept = async () => (await bytesOf(client, tables.ledger, LEDGER_TABLE)).bytes;
  const polling = await measurePolling(world);
  world.stream.take();
  const { bytes, items } = await bytesOf(client, tables.snapshots, SNAPSHOTS_TABLE);
  const record = (bytes + (await kept())) / items;
  const many = STREAM_BATCH;
  const atFirst = await kept();
  const unheard = await spend(world, many);
  const event = ((await kept()) - atFirst) / many;
  const sweptMany = await units(() => look('task', true));
  await subscribe('one');
  const alone = await spend(world, 1);
  const sweptOne = await units(() => look('task', true));
  const before = await kept();
  const heard = await spend(world, many);
  const delivery = ((await kept()) - before) / many - event;
  await subscribe('two');
  const twice = await spend(world, many);
  return {
    counted: [
      ...countedPolling(polling),
      ...countedChanges(unheard, many, 0, polling.delta),
      ...countedChanges(alone, 1, 1, polling.delta),
      ...countedChanges(heard, many, 1, polling.delta),
      ...countedChanges(twice, many, 2, polling.delta),
      { step: 'the next sweep: 1 changed', took: less(sweptOne, polling.sweep), reckoned: reckonedSweep(1) },
      { step: `the next sweep: ${many} changed`, took: less(sweptMany, polling.sweep), reckoned: reckonedSweep(many) },
    ],
    bytes: { record, event, delivery } as typeof MEASURED_BYTES,
  };
}

const RATIO_OF_NOTHING = 0;
const ratio = (took: number, reckoned: number) => (took <= 0 ? RATIO_OF_NOTHING : took / reckoned);

export const costUnits: Benchmark = async () => {
  const world = await openWorld();
  try {
    const { counted, bytes } = await measure(world);
    const told = ({ read, write }: Counted['took']) => `${read.toFixed(1)} read, ${write.toFixed(1)} write`;
    const units: Figure[] = counted.map(({ step, took, reckoned }) => ({
      name: `cost-units (${step})`,
      ours: told(took),
      floor: told(reckoned),
      ratio: Math.max(ratio(took.read, reckoned.read), ratio(took.write, reckoned.write)),
      aim: 1,
    }));
    const sizes: Figure[] = (['record', 'event', 'delivery'] as const).map((what) => ({
      name: `cost-units (bytes of a ${what})`,
      ours: bytes[what].toFixed(0),
      floor: String(MEASURED_BYTES[what]),
      ratio: bytes[what] / MEASURED_BYTES[what],
      aim: 1,
    }));
    return [...units, ...sizes];
  } finally {
    await world.close();
  }
};
