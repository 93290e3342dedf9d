/**
 * `manage`: the management API with 100,000 events and 1,000 subscriptions stored, against the same with 100 of each: p95 of
 * requests on SQLite, and DynamoDB units per request, counted as in units.ts.
 */

import { randomBytes } from 'node:crypto';
import { openDatabase } from '../adapters/sqlite/database.ts';
import { DAY, type Instant, plus } from '../core/model/time.ts';
import type { EventStore } from '../core/ports/event-store.ts';
import type { SubscriptionStore } from '../core/ports/subscription-store.ts';
import { apiApp } from '../manage/api/http/api-app.ts';
import type { ApiPorts } from '../manage/api/http/api-ports.ts';
import { createKey } from '../manage/api/keys.ts';
import { parseTree } from '../runtime/config/load.ts';
import { openEmbedded } from '../runtime/embedded/embedded.ts';
import { event, NOON, subscription } from '../test/samples.ts';
import { type Benchmark, type Figure, millis, percentile } from './bench.ts';
import { openMetered } from './units.ts';

interface Size {
  readonly events: number;
  readonly subscriptions: number;
}

const MANY: Size = { events: 100_000, subscriptions: 1_000 };
const FEW: Size = { events: 100, subscriptions: 100 };

/** dynalite takes minutes for more. The units of a request are counted, so fewer events show the same. */
const MANY_ON_DYNAMODB: Size = { events: 5_000, subscriptions: 1_000 };

/** Events are recorded within seconds of their time, a few at once. */
const BATCH = 20;

const REQUESTS = 200;
const SPREAD = 60 * DAY;
const TYPES = ['task.closed', 'task.created', 'invoice.paid'];

export const environment = { MASTER: 'the master secret of the bench', TOKEN: 'none' };
export const config = parseTree(
  'bench',
  {
    source: { baseUrl: 'https://work.example.com/api', token: '${TOKEN}' },
    manage: { url: 'https://tidings.example.com', secret: '${MASTER}' },
  },
  environment,
);

export function movableClock() {
  let now: Instant = NOON;
  return {
    now: () => now,
    set: (instant: Instant) => {
      now = instant;
    },
  };
}

async function fill(
  { events, subscriptions }: { readonly events: EventStore; readonly subscriptions: SubscriptionStore },
  size: Size,
  clock: ReturnType<typeof movableClock>,
): Promise<void> {
  const step = SPREAD / size.events;
  const all = Array.from({ length: size.events }, (_, n) => {
    const time = plus(NOON, -Math.round(SPREAD - n * step));
    return { event: event(String(n), { time, type: TYPES[n % TYPES.length] ?? '' }), deliveries: [] };
  });
  for (let start = 0; start < all.length; start += BATCH) {
    clock.set(all[start]?.event.time ?? NOON);
    await events.record(all.slice(start, start + BATCH));
  }
  clock.set(NOON);
  for (let n = 0; n < size.subscriptions; n++)
    await subscriptions.save(subscription(`stored-${n}`, { declared: false }));
}

export type AskApi = (method: string, path: string, body?: unknown) => Promise<void>;

export const OPERATOR = { kind: 'command', id: 'bench', scopes: ['admin'] } as const;

async function openManagementApi(api: ApiPorts): Promise<AskApi> {
  const { token } = await createKey(api, OPERATOR, { name: 'bench', scopes: ['operate'] });
  return askWith(api, token);
}

export function askWith(api: ApiPorts, token: string): AskApi {
  const app = apiApp({ api, rate: { burst: 1_000_000, interval: 1 } });
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    const response = await app.request(path, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  };
}

const REQUEST_NAMES = {
  'GET /events?limit=50': (ask: AskApi) => ask('GET', '/events?limit=50'),
  'GET /events, newest': (ask: AskApi) => ask('GET', '/events?limit=50&order=newest'),
  'GET /events, since and until': (ask: AskApi) => ask('GET', '/events?limit=50&since=50d&until=1d'),
  'POST /subscriptions': (ask: AskApi) =>
    ask('POST', '/subscriptions', { url: 'https://ops.example.com/hook', events: ['task.*'], verify: 'none' }),
} as const;
type RequestName = keyof typeof REQUEST_NAMES;
const names = Object.keys(REQUEST_NAMES) as RequestName[];

async function openFilled(size: Size) {
  const clock = movableClock();
  const database = openDatabase(':memory:');
  const embedded = await openEmbedded({ config, database, environment, clock, holder: 'bench', random: () => 0.5 });
  await fill(embedded, size, clock);
  const ask = await openManagementApi({ ...embedded, mode: 'embedded', randomBytes });
  return { ask, close: () => embedded.close() };
}

/** The two alternate, so that both meet the same noise. */
async function measureTimes(): Promise<readonly Figure[]> {
  const [many, few] = [await openFilled(MANY), await openFilled(FEW)];
  try {
    const figures: Figure[] = [];
    for (const name of names) {
      const times = { many: [] as number[], few: [] as number[] };
      for (let n = 0; n < REQUESTS; n++) {
        for (const [key, { ask }] of [
          ['many', many],
          ['few', few],
        ] as const) {
          const start = performance.now();
          await REQUEST_NAMES[name](ask);
          times[key].push(performance.now() - start);
        }
      }
      const p95 = { many: percentile(times.many, 0.95), few: percentile(times.few, 0.95) };
      figures.push({
        name: `manage (p95 of ${name})`,
        ours: `${millis(p95.many)} with 100,000 events, 1,000 subscriptions`,
        floor: `${millis(p95.few)} with 100`,
        ratio: p95.many / p95.few,
        aim: 1.5,
      });
    }
    return figures;
  } finally {
    await Promise.all([many.close(), few.close()]);
  }
}

async function measureUnits(size: Size): Promise<Readonly<Record<RequestName, number>>> {
  const clock = movableClock();
  const { metered, close, client: _, tables: __, stream: ___, rateLimiter: ____, ...stores } = await openMetered(clock);
  const database = openDatabase(':memory:');
  const embedded = await openEmbedded({ config, database, environment, clock, holder: 'bench', random: () => 0.5 });
  try {
    await fill(stores, size, clock);
    const ask = await openManagementApi({ ...embedded, ...stores, mode: 'aws', randomBytes } as ApiPorts);
    // The first request marks the key as used, and the first subscription counts what the key has.
    await ask('GET', '/sources');
    await REQUEST_NAMES['POST /subscriptions'](ask);
    const units: [RequestName, number][] = [];
    for (const name of names) {
      metered.take();
      await REQUEST_NAMES[name](ask);
      const { read, write } = metered.take();
      units.push([name, read + write]);
    }
    return Object.fromEntries(units) as Record<RequestName, number>;
  } finally {
    await embedded.close();
    await close();
  }
}

export const manage: Benchmark = async () => {
  const figures = await measureTimes();
  const [many, few] = [await measureUnits(MANY_ON_DYNAMODB), await measureUnits(FEW)];
  const counted = names.map((name) => ({
    name: `manage (DynamoDB units of ${name})`,
    ours: `${many[name]} with 5,000 events, 1,000 subscriptions`,
    floor: `${few[name]} with 100`,
    ratio: many[name] / few[name],
    aim: 1.5,
  }));
  return [...figures, ...counted];
};
