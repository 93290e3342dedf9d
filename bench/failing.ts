/**
 * `failing`: the time until an endpoint that hangs is called failing with 10,000 pending deliveries, on a virtual clock, against
 * half an hour. A count, so no noise changes it.
 */

import { readHealth } from '../core/delivery/receivers/subscription-state.ts';
import { RetryLater } from '../core/model/errors.ts';
import { between, DAY, MINUTE, plus, SECOND } from '../core/model/time.ts';
import { openPressure } from '../test/core/delivery/pressure-world.ts';
import type { Benchmark } from './bench.ts';

const PENDING = 10_000;
const EXPECTED = 30 * MINUTE;

export const failing: Benchmark = async () => {
  const world = await openPressure({
    latency: 15 * SECOND,
    answer: () => {
      throw new RetryLater('TIDINGS_HTTP_UNREACHABLE', 'no response within 15 s');
    },
  });
  try {
    const start = world.now();
    await world.post(PENDING);
    const isFailing = async () => (await readHealth(world.ports, 'ops')).state === 'failing';
    await world.workUntil(plus(start, DAY), isFailing);
    const took = between(start, world.now());
    return [
      {
        name: 'failing (10,000 pending)',
        ours: `subscription.failing after ${Math.round(took / MINUTE)} min and ${world.arrivals.length} attempts`,
        floor: 'half an hour',
        ratio: took / EXPECTED,
        aim: 1.5,
      },
    ];
  } finally {
    world.close();
  }
};
