/** The embedded mode on a new SQLite file with many HTTP subscriptions and thousands of queued deliveries. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../adapters/sqlite/database.ts';
import { openDelivery } from '../core/model/delivery.ts';
import type { TidingsEvent } from '../core/model/event.ts';
import { jobFor } from '../core/ports/queue.ts';
import { parseConfig } from '../runtime/config/load.ts';
import { type Embedded, openEmbedded } from '../runtime/embedded/embedded.ts';
import { systemClock } from '../runtime/system-clock.ts';

export interface PostOffice {
  readonly embedded: Embedded;
  /** Records this many events of 1 KB, each for the next subscription in turn, and queues them. Returns their ids. */
  post(count: number): Promise<readonly string[]>;
  /** How many deliveries are settled. */
  settled(): number;
  close(): Promise<void>;
}

export interface PostOfficeOptions {
  /** Where each subscription delivers to. */
  readonly endpoints: readonly string[];
  /** The account to poll. @default - an address without a server */
  readonly source?: { readonly url: string; readonly token: string };
}

/** A secret made for benchmarks. */
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** As many rows in a transaction as the announcer has at most. */
const BATCH = 200;

export async function openPostOffice({ endpoints, source }: PostOfficeOptions): Promise<PostOffice> {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-bench-'));
  const database = openDatabase(join(folder, 'tidings.db'));
  const names = endpoints.map((_, index) => `endpoint-${index}`);
  const config = {
    source: {
      baseUrl: source?.url ?? 'http://127.0.0.1:9/api',
      token: source?.token ?? 'none',
      resources: { task: { every: '1h' } },
    },
    network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    subscriptions: endpoints.map((url, index) => ({
      name: names[index],
      events: ['task.created', 'task.closed'],
      where: { data: { record: { projectid: [String(index)] } } },
      to: { http: { url, secret: SECRET } },
    })),
  };
  const embedded = await openEmbedded({
    config: parseConfig('bench.json', JSON.stringify(config), {}),
    database,
    environment: {},
    clock: systemClock,
    holder: 'bench',
    random: () => 0.5,
  });
  let posted = 0;
  return {
    embedded,
    async post(count) {
      const ids: string[] = [];
      for (let left = count; left > 0; left -= BATCH) {
        const now = systemClock.now();
        const announcements = Array.from({ length: Math.min(left, BATCH) }, () => {
          const event = eventOf(posted, now);
          const delivery = openDelivery(event, names[posted % names.length] ?? '', now);
          posted += 1;
          ids.push(event.id);
          return { event, deliveries: [delivery] };
        });
        const jobs = announcements.flatMap(({ deliveries }) => deliveries.map((delivery) => jobFor(delivery)));
        await embedded.recordAndSend(announcements, jobs, now);
      }
      return ids;
    },
    settled: () => Number(database.prepare("SELECT count(*) AS n FROM deliveries WHERE status = 'settled'").get()?.n),
    async close() {
      await embedded.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** An event whose body is 1 KB. */
export function eventOf(number: number, now: string): TidingsEvent {
  const id = String(1_000_000 + number);
  return {
    specversion: '1.0',
    id: `evt_${id.padStart(32, '0')}`,
    type: 'task.closed',
    source: '/sources/main',
    subject: `task/${id}`,
    time: now,
    datacontenttype: 'application/json',
    data: {
      version: 2,
      record: { id, title: `Task ${id}`, status: 'Closed', description: 'word '.repeat(118) },
      previous: { status: 'Open' },
      changes: [{ field: 'status', from: 'Open', to: 'Closed' }],
      occurred: { after: null, before: now },
      cause: 'poll',
    },
  };
}
