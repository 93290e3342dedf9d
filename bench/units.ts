/**
 * `units`: what DynamoDB charges for a sweep that finds 100,000 tasks unchanged. `change-units`: what it charges for one
 * changed record, from the poll that finds it to the settled HTTP delivery. Counted, not estimated: see metered.ts.
 */

import { channelRegistry } from '../adapters/channels/registry.ts';
import { dynamoRateLimiter } from '../adapters/dynamodb/rate-limiter.ts';
import { dynamoStores } from '../adapters/dynamodb/stores.ts';
import { transitionFromRecord } from '../adapters/dynamodb/stream.ts';
import { LEDGER_DEFINITION, SNAPSHOTS_DEFINITION } from '../adapters/dynamodb/tables.ts';
import { workApi } from '../adapters/sources/work/client.ts';
import { workResourceOf } from '../adapters/sources/work/resources.ts';
import { openDatabase } from '../adapters/sqlite/database.ts';
import { sqliteQueue } from '../adapters/sqlite/queue.ts';
import { sqliteSnapshotStore } from '../adapters/sqlite/snapshot-store.ts';
import { announce } from '../core/events/announce.ts';
import { type Clock, DAY, HOUR, MINUTE } from '../core/model/time.ts';
import type { SnapshotStore } from '../core/ports/snapshot-store.ts';
import { defaultRules } from '../core/snapshot/stage.ts';
import { poll } from '../core/source/poll.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { startLocalTables } from '../test/adapters/dynamodb/local-tables.ts';
import { recordStream } from '../test/adapters/dynamodb/recorded-stream.ts';
import { deliverJob } from '../test/deliver-job.ts';
import { startAccount } from './account.ts';
import type { Benchmark, Figure } from './bench.ts';
import { meter, type Units } from './metered.ts';

const ORDER = {
  source: 'main',
  baseUrl: 'https://work.example.com/api',
  resources: [{ resource: workResourceOf('task'), cadence: { every: 5 * MINUTE, sweep: 6 * HOUR } }],
  rules: defaultRules,
  reserve: 0,
  timeZone: 'UTC',
};

/** Opens all stores on new tables, with a meter on the client. */
export async function openMetered(clock: Clock) {
  const server = await startLocalTables();
  const tables = await server.create();
  const client = server.connect();
  const stream = recordStream(client);
  const metered = meter(client, server.client, {
    [tables.snapshots]: SNAPSHOTS_DEFINITION,
    [tables.ledger]: LEDGER_DEFINITION,
  });
  return {
    stream,
    metered,
    tables,
    client: server.client,
    ...dynamoStores({ client, tables, retention: 90 * DAY, clock }),
    rateLimiter: dynamoRateLimiter({ client, table: tables.ledger }),
    close: async () => {
      client.destroy();
      await server.stop();
    },
  };
}

export const units: Benchmark = async () => {
  const account = await startAccount(100_000);
  const { metered, close, ...stores } = await openMetered(systemClock);
  const { snapshots } = stores;
  const api = workApi({ baseUrl: account.url, token: account.token, perMinute: Number.POSITIVE_INFINITY });
  const database = openDatabase(':memory:');
  const sweep = async (store: SnapshotStore) => {
    const ports = { ...stores, api, snapshots: store, clock: systemClock, holder: 'bench' };
    const report = await poll(ports, { ...ORDER, everything: true });
    const [scan] = report.scans;
    if (scan === undefined) throw new Error(report.failed[0]?.message);
    return scan;
  };
  try {
    // SQLite stores the first 100,000 snapshots: dynalite takes minutes, and an unchanged sweep reads none of them.
    await sweep(sqliteSnapshotStore(database));
    // The second sweep settles the page size and saves the state of the source.
    await sweep(snapshots);
    metered.take();
    const { seen, changed } = await sweep(snapshots);
    const { read, write, upkeep } = metered.take();
    if (seen !== 100_000 || changed > 0) throw new Error(`expected 100,000 unchanged, got ${seen}, ${changed} changed`);
    const records = write - upkeep;
    return [
      {
        name: 'units (read)',
        ours: `${read} for 100,000 unchanged records`,
        floor: '300; reading each snapshot: 50,000',
        ratio: read / 300,
        aim: 1,
      },
      {
        name: 'units (write, records)',
        ours: `${records} for 100,000 unchanged records`,
        floor: '0',
        ratio: records,
        aim: 0,
      },
      {
        name: 'units (write, lease and scan state)',
        ours: `${upkeep} for a sweep of any size`,
        floor: '3',
        ratio: upkeep / 3,
        aim: 1,
      },
    ];
  } finally {
    await api.close();
    database.close();
    await close();
    await account.stop();
  }
};

/** Batch sizes of the stream and the queue, as deployed. */
const STREAM_BATCH = 100;
const QUEUE_BATCH = 10;

/** Tasks in the account, and how many of them change between two scans. */
const TASKS = 1000;
const CHANGED = 200;

interface Spent {
  readonly poll: Units;
  readonly announce: Units;
  readonly deliver: Units;
}

async function spentOn(change: (simulator: Simulator, id: string) => void, event: string): Promise<Spent> {
  const simulator = await startSimulator({ tasks: TASKS, now: '2025-11-17T08:00:00Z', speed: 0, quota: 1_000_000 });
  const clock = { now: () => new Date(simulator.account.clock.now()).toISOString() };
  const { metered, stream, close, ...stores } = await openMetered(clock);
  const token = simulator.tokens.Administrator[0] ?? '';
  const api = workApi({ baseUrl: simulator.url, token, perMinute: Number.POSITIVE_INFINITY });
  const database = openDatabase(':memory:');
  const queue = sqliteQueue(database);
  const zoneOf = async () => 'UTC';
  const pollOnce = async () => {
    const report = await poll({ ...stores, api, clock, holder: 'bench' }, ORDER);
    if (report.failed[0] !== undefined) throw new Error(report.failed[0].message);
  };
  try {
    const settings = { url: 'https://ops.example.com/hook', secret: '${OPS_SECRET}' };
    await stores.subscriptions.save({
      name: 'ops-hook',
      events: [event],
      to: { channel: 'http', settings },
      declared: false,
    });
    await pollOnce();
    stream.take();
    const tasks = simulator.account.list('task', { excludeclosed: 't', limit: String(CHANGED) });
    for (const { id } of tasks) change(simulator, String(id));
    simulator.account.clock.advance(6 * MINUTE);
    metered.take();
    await pollOnce();
    const polled = metered.take();
    const transitions = stream.take().flatMap((record) => transitionFromRecord(record) ?? []);
    for (let at = 0; at < transitions.length; at += STREAM_BATCH) {
      const ports = { ...stores, channels: channelRegistry, queue, clock, customEvents: [], zoneOf };
      await announce(ports, transitions.slice(at, at + STREAM_BATCH));
    }
    const announced = metered.take();
    const channelFor = () => ({ send: async () => ({ status: 200, body: '{"ok":true}' }) });
    const ports = { ...stores, channels: channelRegistry, channelFor, clock, random: () => 0.5, zoneOf };
    let settled = 0;
    for (;;) {
      const jobs = await queue.receive({ limit: QUEUE_BATCH, visibility: MINUTE }, clock.now());
      if (jobs.length === 0) break;
      const made = await Promise.all(jobs.map(({ job }) => deliverJob(ports, job)));
      settled += made.filter((one) => one?.delivery.status === 'settled').length;
      for (const job of jobs) await queue.acknowledge(job);
    }
    if (settled !== tasks.length) throw new Error(`expected ${tasks.length} settled deliveries, got ${settled}`);
    return scaled({ poll: polled, announce: announced, deliver: metered.take() }, tasks.length);
  } finally {
    await api.close();
    await close();
    await simulator.stop();
    database.close();
  }
}

function scaled(spent: Spent, by: number): Spent {
  const one = ({ read, write, index, upkeep }: Units) => ({
    read: read / by,
    write: write / by,
    index: index / by,
    upkeep: upkeep / by,
  });
  return { poll: one(spent.poll), announce: one(spent.announce), deliver: one(spent.deliver) };
}

function figure(name: string, spent: Spent, allowed: number): Figure {
  const total = ({ read, write }: Units) => read + write;
  const sum = Object.values(spent).reduce((all, units) => all + total(units), 0);
  const steps = Object.entries(spent).map(([step, units]) => `${step} ${total(units).toFixed(2)}`);
  const ours = `${sum.toFixed(2)} a record (${steps.join(', ')})`;
  return { name, ours, floor: `${allowed} units`, ratio: sum / allowed, aim: 1 };
}

export const changeUnits: Benchmark = async () => {
  const edited = await spentOn(
    ({ account }, id) => account.update('task', id, { title: `Renamed ${id}` }),
    'task.updated',
  );
  // Closing a task makes three events; this subscription matches one.
  const closed = await spentOn(({ account }, id) => account.update('task', id, { statusid: 7 }), 'task.closed');
  return [figure('change-units', edited, 12), figure('change-units (closed)', closed, 16)];
};
