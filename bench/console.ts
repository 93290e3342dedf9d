/** `console`: the server's time and the size of the console's pages, with 100,000 events stored, against the aims of the issue. */

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { consoleApp } from '../console/app.tsx';
import { makeLogInLink } from '../console/log-in-link.ts';
import { eventTypes } from '../core/events/catalogue.ts';
import { exampleEvent } from '../core/events/examples.ts';
import { openDelivery } from '../core/model/delivery.ts';
import type { TidingsEvent } from '../core/model/event.ts';
import { DAY, plus } from '../core/model/time.ts';
import type { EventStore } from '../core/ports/event-store.ts';
import { manageApp } from '../manage/app.ts';
import { parseTree } from '../runtime/config/load.ts';
import { openData } from '../runtime/embedded/data-directory.ts';
import { openEmbedded } from '../runtime/embedded/embedded.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { type Benchmark, millis, percentile } from './bench.ts';

const EVENTS = 100_000;
const BATCH = 1000;
const REQUESTS = 200;
/** The limit of a session is not what is measured. */
const UNLIMITED = { burst: 1_000_000, interval: 1 };
const AIM_MS = 50;
const AIM_BYTES = 100_000;
const BASE = 'http://127.0.0.1:4020';

export const consoleBenchmark: Benchmark = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-bench-console-'));
  const environment = { TOKEN: 'a-token', SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}` };
  const config = parseTree(
    'bench',
    {
      source: { baseUrl: 'http://127.0.0.1:9', token: '${TOKEN}', timeZone: 'Europe/Berlin' },
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
      subscriptions: ['ops', 'erp', 'billing'].map((name) => ({
        name,
        events: name === 'billing' ? ['invoice.*'] : ['*'],
        to: { http: { url: 'http://127.0.0.1:9/hook', secret: '${SECRET}' } },
      })),
    },
    environment,
  );
  const embedded = await openEmbedded({
    config,
    database: openData(folder),
    environment,
    clock: systemClock,
    holder: 'bench',
    random: Math.random,
  });
  try {
    const last = await recordEvents(embedded, systemClock.now());
    const ports = { ...embedded, mode: 'embedded', randomBytes } as const;
    const app = manageApp({
      ...embedded,
      sources: config.sources,
      console: consoleApp({ api: ports, rate: UNLIMITED }),
    });
    const link = await makeLogInLink(ports, { kind: 'command', id: 'bench', scopes: ['admin'] }, BASE);
    const token = new URL(link).searchParams.get('token') ?? '';
    const logIn = await app.request(`${BASE}/console/log-in`, { method: 'POST', body: new URLSearchParams({ token }) });
    const cookie = logIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const measure = async (path: string) => {
      const times: number[] = [];
      let bytes = 0;
      for (let n = 0; n < REQUESTS; n++) {
        const start = performance.now();
        const response = await app.request(`${BASE}${path}`, { headers: { cookie } });
        bytes = (await response.arrayBuffer()).byteLength;
        times.push(performance.now() - start);
        if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
      }
      return { p95: percentile(times, 0.95), bytes };
    };
    const paths = {
      now: '/console',
      events: '/console/events',
      'events of a type': '/console/events?type=task.*&since=7d',
      'events by text': '/console/events?q=newsletter+relaunch',
      event: `/console/events/${last}`,
    };
    const figures = [];
    for (const [name, path] of Object.entries(paths)) {
      const { p95, bytes } = await measure(path);
      const size = `${(bytes / 1000).toFixed(0)} KB`;
      figures.push(
        { name: `console: ${name}`, ours: `p95 ${millis(p95)}`, floor: `${AIM_MS} ms`, ratio: p95 / AIM_MS, aim: 1 },
        { name: `console: ${name}, size`, ours: size, floor: '100 KB', ratio: bytes / AIM_BYTES, aim: 1 },
      );
    }
    return figures;
  } finally {
    await embedded.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Events of all types over 30 days, with their deliveries. Returns the id of the newest. */
async function recordEvents({ events }: { readonly events: EventStore }, now: string): Promise<string> {
  const examples = eventTypes.flatMap((type) => exampleEvent(type) ?? []);
  let id = '';
  for (let start = 0; start < EVENTS; start += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, offset) => {
      const index = start + offset;
      const example = examples[index % examples.length];
      if (example === undefined) throw new Error('expected examples of events');
      id = `evt_${index.toString(16).padStart(32, '0')}`;
      const time = plus(now, -30 * DAY + Math.floor((index / EVENTS) * 30 * DAY));
      const event: TidingsEvent = { ...example, id, time };
      const deliveries = ['ops', 'erp'].map((name) => ({
        ...openDelivery(event, name, time),
        status: 'settled' as const,
        dueAt: null,
        settledAt: time,
        attempts: [{ number: 1, at: time, ms: 40, outcome: 'accepted' as const, status: 204 }],
      }));
      return { event, deliveries };
    });
    await events.record(batch);
  }
  return id;
}
