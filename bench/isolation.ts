/**
 * `isolation`: what healthy endpoints notice when 10 of 100 hang until the timeout, or one floods us with 1xx responses: p95
 * from the queue to the bytes at the receiver, under a steady load and with a backlog. The timeout is 1 s here instead of 15,
 * to keep the run short.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { httpChannels } from '../adapters/channels/http/channel.ts';
import type { HttpSettings } from '../adapters/channels/http/settings.ts';
import { openHttpTransport } from '../adapters/http/http-transport.ts';
import { deliverAll } from '../runtime/embedded/pipeline.ts';
import { type Benchmark, type Figure, millis, percentile } from './bench.ts';
import { openPostOffice, type PostOffice } from './post-office.ts';
import { type Sink, startFlood, startSink, steadyNow } from './sink.ts';

const ENDPOINTS = 100;
const MAX_FAULTY = 10;
const TIMEOUT = 1_000;
const ROUNDS = 3;

/** A healthy endpoint that does not respond in time gets no second attempt here: without an arrival for this long, give up. */
const MAX_SILENCE_MS = 30_000;

type Load = (post: (count: number) => Promise<void>) => Promise<void>;

/** 200 events a second for 5 seconds. */
const steady: Load = async (post) => {
  const start = performance.now();
  for (let step = 0; step < 500; step++) {
    await sleep(Math.max(0, start + step * 10 - performance.now()));
    await post(2);
  }
};

/** 5,000 at once. */
const backlog: Load = (post) => post(5_000);

/** p95 of the endpoints that are healthy in either case. The first endpoints have the faulty addresses. */
async function healthyLatency(sink: Sink, faulty: readonly string[], load: Load): Promise<number> {
  const endpoints = Array.from({ length: ENDPOINTS }, (_, index) => `${faulty[index] ?? sink.url}/endpoint/${index}`);
  const office = await openPostOffice({ endpoints });
  try {
    return percentile(await latencies(sink, office, load), 0.95);
  } finally {
    await office.close();
    await sink.arrivals();
  }
}

async function latencies(sink: Sink, { embedded, post }: PostOffice, load: Load): Promise<readonly number[]> {
  const { queue, secrets, signals: bells } = embedded;
  const http = openHttpTransport({ allow: ['127.0.0.0/8'], timeout: TIMEOUT });
  const channels = httpChannels({ http, secrets });
  const channelFor = (target: Parameters<typeof embedded.channelFor>[0]) =>
    target.channel === 'http' ? channels.channelFor(target.settings as HttpSettings) : embedded.channelFor(target);
  const postedAt = new Map<string, number>();
  let posted = 0;
  const stop = new AbortController();
  const delivering = deliverAll(
    { ...embedded, queue, channelFor },
    {},
    {
      signal: stop.signal,
      more: () => bells.queued.wait(1_000, stop.signal),
    },
  );
  try {
    await load(async (count) => {
      const at = steadyNow();
      for (const id of await post(count)) {
        if (posted++ % ENDPOINTS >= MAX_FAULTY) postedAt.set(id, at);
      }
    });
    const arrivals = await awaitArrivals(sink, [...postedAt.keys()]);
    return [...postedAt].map(([id, at]) => (arrivals.get(id) ?? Number.NaN) - at);
  } finally {
    stop.abort();
    await delivering;
    await http.close();
  }
}

/** The time of each arrival by id. */
async function awaitArrivals(sink: Sink, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const arrivals = new Map<string, number>();
  const findMissing = () => ids.filter((id) => !arrivals.has(id));
  for (let lastAt = steadyNow(); findMissing().length > 0; ) {
    await sleep(100);
    for (const [id, at] of await sink.arrivals()) {
      arrivals.set(id, at);
      lastAt = Math.max(lastAt, at);
    }
    if (steadyNow() - lastAt < MAX_SILENCE_MS) continue;
    const missing = `${findMissing().length} of ${ids.length}`;
    throw new Error(`${missing} deliveries to healthy endpoints did not arrive: is the machine busy?`);
  }
  return arrivals;
}

interface Fault {
  readonly name: string;
  /** Addresses of the endpoints with the fault. */
  readonly faulty: readonly string[];
}

async function figure(sink: Sink, { name: fault, faulty }: Fault, name: string, load: Load): Promise<Figure> {
  const best = { ours: Number.POSITIVE_INFINITY, floor: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round++) {
    best.ours = Math.min(best.ours, await healthyLatency(sink, faulty, load));
    best.floor = Math.min(best.floor, await healthyLatency(sink, [], load));
  }
  return {
    name: `isolation (${name})`,
    ours: `p95 of healthy endpoints, ${fault}: ${millis(best.ours)}`,
    floor: `none: ${millis(best.floor)}`,
    ratio: best.ours / best.floor,
    aim: 1.5,
  };
}

export const isolation: Benchmark = async () => {
  const [sink, flood] = await Promise.all([startSink(), startFlood()]);
  const hanging = { name: '10 % hanging', faulty: Array<string>(MAX_FAULTY).fill(sink.hangingUrl) };
  const flooding = { name: 'one flooding 1xx', faulty: [flood.url] };
  try {
    return [
      await figure(sink, hanging, '200 a second', steady),
      await figure(sink, hanging, 'backlog of 5,000', backlog),
      await figure(sink, flooding, '200 a second, 1xx flood', steady),
      await figure(sink, flooding, 'backlog of 5,000, 1xx flood', backlog),
    ];
  } finally {
    await Promise.all([sink.stop(), flood.stop()]);
  }
};
