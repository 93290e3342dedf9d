/** `scale`: how an unchanged sweep grows from 10,000 to 1,000,000 tasks. An exponent of 1 is proportional. */

import { openPoller, startAccount } from './account.ts';
import { type Benchmark, millis } from './bench.ts';

const SIZES = [10_000, 100_000, 1_000_000];

/** CPU time of this process: the account's own process is not ours to measure. */
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

export const scale: Benchmark = async () => {
  const times: number[] = [];
  for (const size of SIZES) times.push(await sweepTime(size));
  const [first = 1, second = 1, last = 1] = times;
  return [
    {
      name: 'scale (sweep)',
      ours: `10,000, 100,000 and 1,000,000 tasks in ${[first, second, last].map(millis).join(', ')}`,
      floor: 'CPU time; exponent of growth',
      ratio: Math.log10(last / first) / 2,
      aim: 1.05,
    },
  ];
};
