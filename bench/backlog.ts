/**
 * `backlog`: jobs and DynamoDB units per delivery to a receiver with a rate, with 10,000 pending against 100. Time is
 * simulated; units are counted as in units.ts.
 */

import { fixedClock, SECOND } from '../core/model/time.ts';
import { deliverBacklog } from '../test/runtime/aws/rated-backlog.ts';
import { NOON } from '../test/samples.ts';
import type { Benchmark } from './bench.ts';
import { openMetered } from './units.ts';

const RATE = { count: 10, per: SECOND };

async function measure(count: number) {
  const { metered, close, ...stores } = await openMetered(fixedClock(NOON));
  try {
    // Recording the deliveries is announce's part.
    const onQueued = () => metered.take();
    const { jobs, sentAt } = await deliverBacklog(stores, { count, rate: () => RATE, onQueued });
    const { read, write } = metered.take();
    if (sentAt.length !== count) throw new Error(`expected ${count} messages, got ${sentAt.length}`);
    return { jobs: jobs / count, units: (read + write) / count };
  } finally {
    await close();
  }
}

export const backlog: Benchmark = async () => {
  const few = await measure(100);
  const many = await measure(10_000);
  return (['jobs', 'units'] as const).map((name) => ({
    name: `backlog (${name})`,
    ours: `${many[name].toFixed(2)} a delivery with 10,000 pending`,
    floor: `${few[name].toFixed(2)} with 100 pending`,
    ratio: many[name] / few[name],
    aim: 1.2,
  }));
};
