/** `cold`: what each function weighs, and how long its code takes to load, beside an empty module in the same runs. */

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleFunction } from '../lib/bundle.ts';
import { FUNCTIONS } from '../runtime/aws/metrics.ts';
import { type Benchmark, type Figure, millis } from './bench.ts';

const MOST_BYTES = 500_000;
const MOST_MILLIS = 120;

/** The best of so many fresh processes: noise only ever adds. */
const ROUNDS = 15;

const run = promisify(execFile);

export const cold: Benchmark = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-cold-'));
  try {
    const empty = join(folder, 'empty.mjs');
    await writeFile(empty, 'export const handler = async () => {};\n');
    const figures: Figure[] = [];
    for (const name of FUNCTIONS) {
      const { entry, startBytes, bytes } = bundleFunction({ name, folder: join(folder, name), config: '{}' });
      const best = { ours: Number.POSITIVE_INFINITY, floor: Number.POSITIVE_INFINITY };
      for (let round = 0; round < ROUNDS; round++) {
        best.ours = Math.min(best.ours, await importTime(entry));
        best.floor = Math.min(best.floor, await importTime(empty));
      }
      const more = best.ours - best.floor;
      figures.push(
        size(`cold ${name} (size)`, bytes),
        // Where they differ: the rest is loaded only by those calls that need it.
        ...(bytes > startBytes ? [size(`cold ${name} (size at the start)`, startBytes)] : []),
        {
          name: `cold ${name} (import)`,
          ours: `${millis(more)} more than an empty module's ${millis(best.floor)}`,
          floor: `${MOST_MILLIS} ms`,
          ratio: more / MOST_MILLIS,
          aim: 1,
        },
      );
    }
    return figures;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

function size(name: string, bytes: number): Figure {
  const ours = `${Math.round(bytes / 1000)} KB`;
  return { name, ours, floor: `${MOST_BYTES / 1000} KB`, ratio: bytes / MOST_BYTES, aim: 1 };
}

/** In a process of its own, by its own clock: starting Node is the platform's affair. */
async function importTime(file: string): Promise<number> {
  const code =
    'const start = performance.now(); await import(process.argv[1]); process.stdout.write(String(performance.now() - start)); process.exit(0);';
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code, file]);
  return Number(stdout);
}
