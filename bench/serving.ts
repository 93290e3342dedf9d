/**
 * `serving`: memory (PSS) of a `tidings serve` process with an account of 10,000 tasks, at its peak and after the work of an
 * hour: the baseline, then the scans and changes of an hour in less time.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { type BenchAccount, startAccount } from './account.ts';
import type { Benchmark, Figure } from './bench.ts';
import { type ProcessUsage, readUsage } from './process-usage.ts';
import { type Sink, startSink } from './sink.ts';
import { buildCommands, type TidingsCommand, writeConfig } from './tidings-command.ts';

const TASKS = 10_000;
/** For the peak too. A clone compiles sources and holds their text. */
const MAX_MEGABYTES: Readonly<Record<TidingsCommand['form'], number>> = { package: 120, clone: 140 };
const SAMPLE_EVERY_MS = 100;
const BYTES_PER_MEGABYTE = 2 ** 20;

/** Between two scans of the default cadence V8 returns the memory that a scan needed. It starts after a minute without work. */
const PAUSE_MS = 90_000;

/** An hour of scans at the default cadence of five minutes, with a change a minute. With 300 seconds it takes the hour. */
const SCANS = 12;
const EVERY_SECONDS = Number(process.env.SERVING_EVERY_SECONDS ?? 3);
const CHANGES_PER_SCAN = 5;

interface MeasuredServe {
  /** The sample with the most memory. */
  readonly peak: ProcessUsage | undefined;
  readonly rested: ProcessUsage | undefined;
}

async function measureServe({ argv }: TidingsCommand, account: BenchAccount, sink: Sink): Promise<MeasuredServe> {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-serving-'));
  const endpoint = `${sink.url}/hook`;
  const config = await writeConfig(folder, { account, endpoint, every: `${EVERY_SECONDS}s` });
  const options = ['--config', config, '--data', join(folder, 'data'), '--port', '0', '--log', 'json'];
  const child = spawn(process.execPath, [...argv, 'serve', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let peak: ProcessUsage | undefined;
  const sampling = setInterval(() => {
    const usage = readUsage([child.pid ?? 0]);
    if (memoryOf(usage) > memoryOf(peak)) peak = usage;
  }, SAMPLE_EVERY_MS);
  try {
    let scans = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      const { message, resource } = JSON.parse(line) as { message: string; resource?: string };
      if (message !== 'scanned' || resource !== 'task') continue;
      // The first is the baseline.
      if (scans++ === SCANS) break;
      await request(`${account.controlUrl}/life`, {
        method: 'POST',
        body: JSON.stringify({ steps: CHANGES_PER_SCAN }),
      }).then(({ body }) => body.dump());
    }
    if (scans <= SCANS) throw new Error(`serve ended after ${scans} scans`);
    // The last changes are delivered. The new cadence lets the process rest, as it does most of an hour.
    await writeConfig(folder, { account, endpoint, every: '1h' });
    child.kill('SIGHUP');
    child.stdout.resume();
    await sleep(PAUSE_MS);
    return { peak, rested: readUsage([child.pid ?? 0]) };
  } finally {
    clearInterval(sampling);
    child.kill();
    child.stdout.resume();
    await exited;
    await sink.arrivals();
    await rm(folder, { recursive: true, force: true });
  }
}

/** PSS in bytes, which divides the program file of Node among the processes that run it; RSS where it cannot be read. */
function memoryOf(usage: ProcessUsage | undefined): number {
  return usage?.pss ?? usage?.rss ?? 0;
}

function megabytesOf(usage: ProcessUsage | undefined): string {
  const megabytes = (bytes: number) => Math.round(bytes / BYTES_PER_MEGABYTE);
  return `${megabytes(memoryOf(usage))} MB (RSS ${megabytes(usage?.rss ?? 0)} MB)`;
}

/** Memory of a Node process that does nothing. */
async function measureEmptyNode(): Promise<ProcessUsage | undefined> {
  const child = spawn(process.execPath, ['-e', 'console.log("ready"); setInterval(() => {}, 1e6)'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(createInterface({ input: child.stdout }), 'line');
  const usage = readUsage([child.pid ?? 0]);
  child.kill();
  return usage;
}

export const serving: Benchmark = async () => {
  const empty = await measureEmptyNode();
  // Without /proc there is nothing to measure.
  if (empty === undefined) return [];
  const commands = await buildCommands();
  const [account, sink] = await Promise.all([startAccount(TASKS), startSink()]);
  try {
    // At the same time: this changes no memory.
    const measured = await Promise.all(
      commands.map(async ({ form, argv }): Promise<readonly Figure[]> => {
        const { peak, rested } = await measureServe({ form, argv }, account, sink);
        const bound = MAX_MEGABYTES[form];
        const floor = `bound: ${bound} MB; an empty Node process: ${megabytesOf(empty)}`;
        const figure = (when: string, usage: ProcessUsage | undefined): Figure => ({
          name: `serving (memory ${when}, ${form})`,
          ours: `10,000 tasks and ${SCANS} scans: ${megabytesOf(usage)}`,
          floor,
          ratio: memoryOf(usage) / BYTES_PER_MEGABYTE / bound,
          aim: 1,
        });
        return [figure('at its peak', peak), figure('after a rest', rested)];
      }),
    );
    return measured.flat();
  } finally {
    await Promise.all([account.stop(), sink.stop()]);
  }
};
