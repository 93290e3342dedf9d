/**
 * `deliver`: signed and logged deliveries of 1 KB events to 100 endpoints, from the queue of a SQLite file until the
 * last is settled, against bare POSTs of the same bodies to the same receiver. In wall time and in our own CPU time.
 */

import { Agent, request } from 'undici';
import { CONCURRENCY } from '../runtime/embedded/embedded.ts';
import { deliverAll } from '../runtime/embedded/pipeline.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { type Benchmark, best, type Cost, costOf, millis } from './bench.ts';
import { eventOf, openPostOffice, type PostOffice } from './post-office.ts';
import { type Sink, startSink } from './sink.ts';

const ENDPOINTS = 100;
const DELIVERIES = 5_000;
const ROUNDS = 8;

export const endpointsOf = ({ url }: Sink) =>
  Array.from({ length: ENDPOINTS }, (_, index) => `${url}/endpoint/${index}`);

/** Delivers what is queued, and makes sure that all of it is settled. */
export async function deliverQueued({ embedded, settled }: PostOffice, expected: number): Promise<void> {
  await deliverAll(embedded, {});
  if (settled() === expected) return;
  const [open] = await embedded.deliveries.list({ status: 'pending', limit: 1 });
  throw new Error(`${settled()} of ${expected} settled; ${open?.attempts.at(-1)?.message ?? 'no attempt was made'}`);
}

/** As many at a time as we make attempts, and nothing else. */
async function barePosts(endpoints: readonly string[], bodies: readonly string[]): Promise<void> {
  const dispatcher = new Agent();
  let next = 0;
  const postOn = async () => {
    for (let index = next++; index < bodies.length; index = next++) {
      const answer = await request(endpoints[index % endpoints.length] ?? '', {
        method: 'POST',
        dispatcher,
        headers: { 'content-type': 'application/json', 'webhook-id': String(index) },
        body: bodies[index] ?? '',
      });
      if (answer.statusCode !== 204) throw new Error(`answered ${answer.statusCode}`);
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, postOn));
  await dispatcher.close();
}

export const deliverBenchmark: Benchmark = async () => {
  const sink = await startSink();
  const endpoints = endpointsOf(sink);
  const office = await openPostOffice({ endpoints });
  const bodies = Array.from({ length: DELIVERIES }, (_, n) => JSON.stringify(eventOf(n, systemClock.now())));
  const ours: Cost[] = [];
  const floor: Cost[] = [];
  try {
    for (let round = 1; round <= ROUNDS; round++) {
      await office.post(DELIVERIES);
      ours.push(await costOf(() => deliverQueued(office, round * DELIVERIES)));
      floor.push(await costOf(() => barePosts(endpoints, bodies)));
      await sink.arrivals();
    }
  } finally {
    await office.close();
    await sink.stop();
  }
  return (['wall', 'cpu'] as const).map((kind) => {
    const took = { ours: best(ours)[kind], floor: best(floor)[kind] };
    const perSecond = Math.round((DELIVERIES / took.ours) * 1000).toLocaleString('en');
    return {
      name: `deliver (${kind})`,
      ours: `${DELIVERIES.toLocaleString('en')} settled in ${millis(took.ours)}, ${perSecond} a second`,
      floor: `bare POSTs: ${millis(took.floor)}`,
      ratio: took.ours / took.floor,
      aim: 1.7,
    };
  });
};
