/** `many-sources`: memory of a service that polls 100 sources, over that of one with a single source. */

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSimulator } from '../simulator/simulator.ts';
import type { Benchmark } from './bench.ts';

export const manySources: Benchmark = async () => {
  const simulator = await startSimulator({ tasks: 500, quota: 100_000_000 });
  const script = join(import.meta.dirname, 'many-sources-process.ts');
  const [token = ''] = simulator.tokens.Administrator;
  /** A process of its own each. */
  const memoryOf = async (sources: number) => {
    const { stdout } = await promisify(execFile)(process.execPath, [script, simulator.url, token, String(sources)]);
    return Number(stdout);
  };
  const [floor, ours] = [await memoryOf(1), await memoryOf(100)];
  await simulator.stop();
  const megabytes = (kilobytes: number) => `${Math.round(kilobytes / 1024)} MB`;
  return [
    {
      name: 'many-sources',
      ours: `100 sources of 500 tasks: ${megabytes(ours)}`,
      floor: `1 source: ${megabytes(floor)}`,
      ratio: ours / floor,
      aim: 5,
    },
  ];
};
