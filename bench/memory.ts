/** `sweep-memory`: peak memory of reading 1,000,000 tasks twice, over that of 100,000. */

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Benchmark } from './bench.ts';

/** A process of its own each: the peak is that of the whole process. */
async function peakOf(tasks: number): Promise<number> {
  const script = join(import.meta.dirname, 'memory-process.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, String(tasks)]);
  return Number(stdout);
}

export const memory: Benchmark = async () => {
  const floor = await peakOf(100_000);
  const ours = await peakOf(1_000_000);
  const megabytes = (kilobytes: number) => `${Math.round(kilobytes / 1024)} MB`;
  return [
    {
      name: 'sweep-memory',
      ours: `1,000,000 tasks: ${megabytes(ours)}`,
      floor: `100,000 tasks: ${megabytes(floor)}`,
      ratio: ours / floor,
      aim: 1.2,
    },
  ];
};
