/**
 * The truth run `soak`: many events for receivers that refuse, hang and cut connections. It runs the real embedded mode
 * with a simulated clock, so that days of retries pass in minutes.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpChannels } from '../../adapters/channels/http/channel.ts';
import type { HttpSettings } from '../../adapters/channels/http/settings.ts';
import { openHttpTransport } from '../../adapters/http/http-transport.ts';
import { localSecrets } from '../../adapters/secrets/local-secrets.ts';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { tick } from '../../core/delivery/tick.ts';
import type { Delivery } from '../../core/model/delivery.ts';
import { type Instant, MINUTE, plus } from '../../core/model/time.ts';
import { parseConfig } from '../../runtime/config/load.ts';
import { type Embedded, openEmbedded } from '../../runtime/embedded/embedded.ts';
import { announceAll, deliverAll } from '../../runtime/embedded/pipeline.ts';
import { handClock } from '../core/source/list-api.ts';
import { NOON, SECRET, snapshot } from '../samples.ts';

export interface SoakOptions {
  readonly events: number;
  readonly endpoints: number;
  /** Base URL of the endpoints, each under its number: see soak-sink.ts. */
  readonly url: string;
  /** Number of waves in which events are committed, a minute apart. Retries happen in between. */
  readonly waves: number;
  /** Milliseconds after which a hanging receiver times out; 15 s in production. */
  readonly timeout: number;
  /** Returns the bytes in use after a garbage collection. @default - not measured */
  readonly heap?: () => number;
}

export interface SoakReport {
  readonly events: number;
  readonly attempts: number;
  /** Deliveries by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Ids of the events that are settled, by endpoint. */
  readonly settled: readonly (readonly string[])[];
  /** Deliveries that are neither settled nor pending, and did not fail all attempts. */
  readonly lost: readonly string[];
  /** Bytes in use after each wave of events. */
  readonly heap: readonly number[];
  readonly seconds: number;
}

/** Clock step after all events are recorded, until the agenda is empty. */
const JUMP = 30 * MINUTE;

/** Ten attempts take about 76 hours. */
const LONGEST = 100 * 60 * MINUTE;

export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const begun = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'tidings-soak-'));
  const clock = handClock(NOON);
  const wired = await openEmbedded({
    config: parseConfig('soak.json', JSON.stringify(configFor(options)), {}),
    database: openDatabase(join(folder, 'tidings.db')),
    environment: {},
    clock,
    holder: 'soak',
    random: Math.random,
  });
  const http = openHttpTransport({ allow: ['127.0.0.0/8'], timeout: options.timeout });
  const secrets = localSecrets({ environment: {}, directory: join(folder, 'secrets') });
  const channels = httpChannels({ http, secrets });
  const channelFor: Embedded['channelFor'] = (to) => {
    if (to.channel === 'http') return channels.channelFor(to.settings as HttpSettings);
    throw new Error('only http here');
  };
  const embedded: Embedded = { ...wired, channelFor };
  const heap: number[] = [];
  try {
    let attempts = 0;
    const cycle = async () => {
      while ((await tick(embedded)) > 0);
      await announceAll(embedded, {});
      await deliverAll(embedded, {
        delivered: () => {
          attempts += 1;
        },
      });
    };
    for (let wave = 0; wave < options.waves; wave++) {
      await commitWave(embedded, options, wave, clock.now());
      await cycle();
      clock.advance(MINUTE);
      if (options.heap !== undefined) heap.push(options.heap());
    }
    const end = plus(clock.now(), LONGEST);
    while ((await embedded.agenda.due('9999', 1)).length > 0 && clock.now() < end) {
      clock.advance(JUMP);
      await cycle();
    }
    const deliveries = await embedded.deliveries.list({ limit: 10_000_000 });
    return {
      events: (await embedded.events.list({ limit: 10_000_000 })).events.filter(({ type }) => type === 'task.created')
        .length,
      attempts,
      ...sum(deliveries, options.endpoints),
      heap,
      seconds: Math.round((performance.now() - begun) / 100) / 10,
    };
  } finally {
    await http.close();
    await wired.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function configFor({ endpoints, url }: SoakOptions): object {
  return {
    source: { baseUrl: 'http://127.0.0.1:9', token: 'none' },
    network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    subscriptions: Array.from({ length: endpoints }, (_, n) => ({
      name: `endpoint-${n}`,
      events: ['task.created'],
      where: { data: { record: { projectid: [String(n)] } } },
      to: { http: { url: `${url}/${n}`, secret: SECRET } },
    })),
  };
}

async function commitWave(
  { snapshots }: Embedded,
  { events, endpoints, waves }: SoakOptions,
  wave: number,
  now: Instant,
) {
  const [from, until] = [Math.floor((events * wave) / waves), Math.floor((events * (wave + 1)) / waves)];
  const writes = Array.from({ length: until - from }, (_, at) => {
    const id = String(from + at + 1);
    const record = { id, title: `Task ${id}`, status: 'Open', projectid: String((from + at) % endpoints) };
    return { snapshot: snapshot(id, { record, committedAt: now }), expected: 0 };
  });
  for (let at = 0; at < writes.length; at += 500) await snapshots.commit(writes.slice(at, at + 500));
}

function sum(deliveries: readonly Delivery[], endpoints: number) {
  const statuses: Record<string, number> = {};
  const settled: string[][] = Array.from({ length: endpoints }, () => []);
  const lost: string[] = [];
  for (const { id, status, subscription, events, attempts, dueAt } of deliveries) {
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === 'settled') settled[Number(subscription.slice('endpoint-'.length))]?.push(...events);
    const isVisible = status === 'settled' || (status === 'pending' && dueAt !== null);
    if (!isVisible && !(status === 'failed' && attempts.length === 10)) lost.push(`${subscription} ${id} is ${status}`);
  }
  return { statuses, settled, lost };
}
