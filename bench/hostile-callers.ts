/**
 * `hostile-callers`: what receivers and monitors notice while ten keys send the costliest requests they are allowed: p99 from the
 * commit of a snapshot to the receiver's response, and of `/health`, against the same service without them. Short phases with and without
 * them take turns, and the median of their p99s counts: what else the machine does lasts for seconds, and would decide a single one.
 */

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { sqliteStores } from '../adapters/sqlite/stores.ts';
import { eventTypes } from '../core/events/catalogue.ts';
import { exampleEvent } from '../core/events/examples.ts';
import { countComparisons } from '../core/filters/pattern-cost.ts';
import type { Subscription } from '../core/model/subscription.ts';
import { quotasOf } from '../manage/api/http/quotas.ts';
import { createKey } from '../manage/api/keys.ts';
import { parseTree } from '../runtime/config/load.ts';
import { openData } from '../runtime/embedded/data-directory.ts';
import type { Embedded } from '../runtime/embedded/embedded.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { runService } from '../service/run-service.ts';
import { type Benchmark, type Figure, millis, percentile } from './bench.ts';
import { newTask } from './latency.ts';
import { startSink } from './sink.ts';
import { startProcess } from './start-process.ts';

const KEYS = 10;
const STORED_EVENTS = 5_000;
const ROUNDS = 7;
const PHASE_MS = 5_000;
const EVENT_EVERY_MS = 20;
const HEALTH_EVERY_MS = 20;
/** Until what the callers have asked for before is answered, and the filters are compiled. */
const SETTLE_MS = 2_000;
const MAX_RATIO = 2;

const OWNER = { kind: 'command', id: 'bench', scopes: ['admin'] } as const;

/** Events to search in, and keys. */
async function fill(data: string) {
  const database = openData(data);
  try {
    const stores = sqliteStores(database);
    const example = eventTypes.map((one) => exampleEvent(one)).find((one) => one?.type === 'task.closed');
    if (example === undefined) throw new Error('task.closed has no example');
    const now = systemClock.now();
    // All parts of the callers' wildcards occur, but not together, which costs the most.
    const parts = Array.from({ length: 200 }, (_, number) => `d ${number}`);
    const record = { ...example.data.record, title: 'word '.repeat(200) + parts.join(' ') };
    await stores.events.record(
      Array.from({ length: STORED_EVENTS }, (_, index) => ({
        event: { ...example, id: `evt_${index}`, time: now, data: { ...example.data, record } },
        deliveries: [],
      })),
    );
    const ports = { ...stores, clock: systemClock, randomBytes };
    const keys = Array.from({ length: KEYS }, (_, index) =>
      createKey(ports, OWNER, { name: `hostile ${index}`, scopes: ['read', 'subscribe'] }),
    );
    return await Promise.all(keys);
  } finally {
    database.close();
  }
}

/** As many as a key may have. They match no event. */
function costlyFilters(owner: string, comparisons: number): readonly Subscription[] {
  const to = { channel: 'http', settings: { url: 'https://example.com/' } };
  const filters: Subscription[] = [];
  for (let left = comparisons, number = 0; ; number++) {
    const title = Array.from({ length: 180 }, (_, index) => ({ prefix: `${number} ${index}` }));
    const where = { data: { record: { title } } };
    left -= countComparisons(where);
    if (left < 0) return filters;
    filters.push({ name: `${owner}-${number}`, events: ['task.*'], where, to, declared: false, owner });
  }
}

interface Phase {
  readonly deliveries: readonly number[];
  readonly health: readonly number[];
}

interface Service {
  readonly url: string;
  readonly embedded: Embedded;
  /** When the receiver had responded, by subject. */
  readonly deliveredAt: Map<string, number>;
}

let number = 0;

async function measurePhase({ url, embedded, deliveredAt }: Service): Promise<Phase> {
  const committedAt = new Map<string, number>();
  const health: number[] = [];
  const end = performance.now() + PHASE_MS;
  const commitAll = async () => {
    for (let next = performance.now(); next < end; next += EVENT_EVERY_MS) {
      await sleep(Math.max(0, next - performance.now()));
      const snapshot = newTask(number++, 1);
      committedAt.set(`task/${snapshot.key.id}`, performance.now());
      await embedded.snapshots.commit([{ snapshot, expected: 0 }]);
    }
  };
  const watchHealth = async () => {
    while (performance.now() < end) {
      const from = performance.now();
      await (await request(`${url}/health`)).body.dump();
      health.push(performance.now() - from);
      await sleep(HEALTH_EVERY_MS);
    }
  };
  await Promise.all([commitAll(), watchHealth()]);
  while ([...committedAt.keys()].some((subject) => !deliveredAt.has(subject))) await sleep(50);
  const deliveries = [...committedAt].map(([subject, at]) => (deliveredAt.get(subject) ?? 0) - at);
  return { deliveries, health };
}

export const hostileCallers: Benchmark = async () => {
  const [folder, sink] = await Promise.all([mkdtemp(join(tmpdir(), 'tidings-hostile-')), startSink()]);
  const data = join(folder, 'data');
  const tree = {
    source: { baseUrl: 'http://127.0.0.1:9/api', token: 'none', timeZone: 'UTC' },
    network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    subscriptions: [
      {
        name: 'healthy',
        events: ['task.created'],
        concurrency: 50,
        to: { http: { url: `${sink.url}/healthy`, secret: `whsec_${randomBytes(24).toString('base64')}` } },
      },
    ],
  };
  const config = parseTree('bench', tree, {});
  const keys = await fill(data);
  const stop = new AbortController();
  const { promise: started, resolve: markStarted, reject } = Promise.withResolvers<Service>();
  const deliveredAt = new Map<string, number>();
  let opened: Embedded | undefined;
  const running = runService(
    () => ({ config, environment: {} }),
    {
      ...{ data, port: 0 },
      onOpened: (embedded) => {
        opened = embedded;
      },
      onConsole: (link) => {
        if (opened !== undefined) markStarted({ url: new URL(link).origin, embedded: opened, deliveredAt });
      },
      watch: (watcher) => ({
        ...watcher,
        delivered: ({ events, attempt }) => {
          if (attempt.outcome !== 'accepted') return;
          for (const { subject } of events) deliveredAt.set(subject, performance.now());
        },
      }),
    },
    {
      terminal: { out: () => {}, err: () => {}, paint: (_, text) => text, progress: () => {} },
      ...{ clock: systemClock, pid: process.pid, random: Math.random, stop: stop.signal, version: 'bench' },
      operator: OWNER,
    },
  );
  running.catch(reject);
  try {
    const service = await started;
    const { subscriptions } = service.embedded;
    const { comparisons } = quotasOf(config, {});
    const filters = keys.flatMap(({ id }) => costlyFilters(id, comparisons));
    const callers = await startProcess('hostile-process.ts', [service.url, ...keys.map(({ token }) => token)]);
    // They would be on another machine, and take no CPU of this one.
    setPriority(callers.pid, constants.priority.PRIORITY_LOW);
    const during: Phase[] = [];
    const without: Phase[] = [];
    try {
      // Until the thread of the API has loaded its code.
      await sleep(5_000);
      for (let round = 0; round < ROUNDS; round++) {
        process.kill(callers.pid, 'SIGSTOP');
        for (const { name } of filters) await subscriptions.remove(name);
        await sleep(SETTLE_MS);
        without.push(await measurePhase(service));
        for (const one of filters) await subscriptions.save(one);
        process.kill(callers.pid, 'SIGCONT');
        await sleep(SETTLE_MS);
        during.push(await measurePhase(service));
      }
    } finally {
      process.kill(callers.pid, 'SIGCONT');
      await callers.stop();
    }
    return (['deliveries', 'health'] as const).map((what) => figure(what, during, without));
  } finally {
    stop.abort();
    await running;
    await sink.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

const medianOf = (phases: readonly (readonly number[])[], part: number) =>
  percentile(
    phases.map((values) => percentile(values, part)),
    0.5,
  );

function figure(what: keyof Phase, during: readonly Phase[], without: readonly Phase[]): Figure {
  const valuesOf = (phases: readonly Phase[]) => phases.map((phase) => phase[what]);
  const describe = (phases: readonly Phase[]) =>
    `p99 ${millis(medianOf(valuesOf(phases), 0.99))} (median ${millis(medianOf(valuesOf(phases), 0.5))})`;
  return {
    name: `hostile-callers: ${what === 'health' ? '/health' : what}`,
    ours: `${KEYS} keys at their worst: ${describe(during)}`,
    floor: `none: ${describe(without)}`,
    ratio: medianOf(valuesOf(during), 0.99) / medianOf(valuesOf(without), 0.99),
    aim: MAX_RATIO,
  };
}
