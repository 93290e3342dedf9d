/**
 * `scale`: how an unchanged sweep grows from 10,000 to 1,000,000 tasks, and a backlog of deliveries from 1,000 to
 * 100,000. An exponent of 1 is proportional.
 */

import { openPoller, startAccount } from './account.ts';
import { type Benchmark, best, type Cost, costOf, type Figure, millis } from './bench.ts';
import { deliverQueued, endpointsOf } from './deliver.ts';
import { openPostOffice } from './post-office.ts';
import { startSink } from './sink.ts';

const SIZES = [10_000, 100_000, 1_000_000];

/** CPU time of this process only, without the simulated account. */
async function sweepTime(tasks: number): Promise<number> {
  const account = await startAccount(tasks);
  const poller = openPoller(account);
  await poller.sweep();
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    const start = process.cpuUsage();
    await poller.sweep();
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1000);
  }
  await poller.close();
  await account.stop();
  return best;
}

/** Jobs in the queue at once. */
const BACKLOGS = [1_000, 10_000, 100_000];

async function deliverTimes(): Promise<readonly number[]> {
  const sink = await startSink();
  const times: number[] = [];
  try {
    // The first run is a warm-up and is discarded.
    for (const size of [...BACKLOGS.slice(0, 2), ...BACKLOGS]) {
      const rounds: Cost[] = [];
      for (let round = 0; round < (size < 100_000 ? 3 : 2); round++) {
        const office = await openPostOffice({ endpoints: endpointsOf(sink) });
        await office.post(size);
        rounds.push(await costOf(() => deliverQueued(office, size)));
        await office.close();
        await sink.arrivals();
      }
      times.push(best(rounds).cpu);
    }
  } finally {
    await sink.stop();
  }
  return times.slice(-BACKLOGS.length);
}

function figure(what: string, sizes: readonly number[], unit: string, times: readonly number[]): Figure {
  return {
    name: `scale (${what})`,
    ours: `${sizes.map((size) => size.toLocaleString('en')).join(', ')} ${unit} in ${times.map(millis).join(', ')}`,
    floor: 'CPU time; exponent of growth',
    ratio: Math.log10((times.at(-1) ?? 1) / (times[0] ?? 1)) / Math.log10((sizes.at(-1) ?? 1) / (sizes[0] ?? 1)),
    aim: 1.05,
  };
}

export const scale: Benchmark = async () => {
  const times: number[] = [];
  for (const size of SIZES) times.push(await sweepTime(size));
  return [figure('sweep', SIZES, 'tasks', times), figure('deliver', BACKLOGS, 'deliveries', await deliverTimes())];
};
