/** `cold`: the size of each function's package, and the CPU time of its start-up above that of an empty module. */

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleFunction } from '../lib/bundle.ts';
import { FUNCTION_NAMES } from '../runtime/aws/metrics.ts';
import { type Benchmark, type Figure, millis } from './bench.ts';

const MAX_BYTES = 1_500_000;
const MAX_START_CPU_MS = 150;

/** Fresh processes per function. The fastest counts, because noise only adds time. */
const ROUNDS = 15;

const run = promisify(execFile);

/** The API is off in AWS unless the config says otherwise: then `manage` contains what sends to receivers. */
const WITH_API = JSON.stringify({ config: { manage: { url: 'https://tidings.example.com', secret: 's', api: {} } } });

const PACKAGES = [
  ...FUNCTION_NAMES.map((name) => ({ label: name, name, config: '{}' })),
  { label: 'manage with the API', name: 'manage', config: WITH_API },
] as const;

export const cold: Benchmark = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-cold-'));
  try {
    const empty = join(folder, 'empty.mjs');
    await writeFile(empty, 'export const handler = async () => {};\n');
    const figures: Figure[] = [];
    for (const { label, name, config } of PACKAGES) {
      const { entry, startBytes, bytes } = bundleFunction({ name, folder: join(folder, label), config });
      const best = { ours: Number.POSITIVE_INFINITY, floor: Number.POSITIVE_INFINITY };
      for (let round = 0; round < ROUNDS; round++) {
        best.ours = Math.min(best.ours, await measureImportCpu(entry));
        best.floor = Math.min(best.floor, await measureImportCpu(empty));
      }
      const more = best.ours - best.floor;
      figures.push(
        size(`cold ${label} (size)`, bytes),
        // The rest of the package is loaded at first use.
        ...(bytes > startBytes ? [size(`cold ${label} (size at start-up)`, startBytes)] : []),
        {
          name: `cold ${label} (start-up CPU)`,
          ours: `${millis(more)} above an empty module's ${millis(best.floor)}`,
          floor: `${MAX_START_CPU_MS} ms`,
          ratio: more / MAX_START_CPU_MS,
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
  return { name, ours, floor: `${MAX_BYTES / 1000} KB`, ratio: bytes / MAX_BYTES, aim: 1 };
}

/** Milliseconds of CPU to import a module, in a process of its own. Starting Node itself does not count. */
async function measureImportCpu(file: string): Promise<number> {
  const code = `
    const before = process.cpuUsage();
    await import(process.argv[1]);
    const { user, system } = process.cpuUsage(before);
    process.stdout.write(String((user + system) / 1000));
    process.exit(0);
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code, file]);
  return Number(stdout);
}
