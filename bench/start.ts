/**
 * `start`: how long a person waits for a new process. `npm start` until the demo prints its first event, and `tidings once`
 * with nothing to do on 10,000 tasks, from the start of the process to its end.
 */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { startAccount } from './account.ts';
import { type Benchmark, type Figure, millis, timeBoth } from './bench.ts';
import { startSink } from './sink.ts';
import { buildCommands, ROOT, writeConfig } from './tidings-command.ts';

const TASKS = 10_000;
const MAX_FIRST_EVENT_MS = 1_500;
const MAX_ONCE_MS = 400;

/** The fastest counts, because noise only adds time. */
const DEMO_ROUNDS = 3;
const ONCE_ROUNDS = 7;

const run = promisify(execFile);
const runEmptyNode = () => run(process.execPath, ['-e', '']);

/** The line of an accepted delivery in the story of the demo. */
const FIRST_EVENT = /^\d\d:\d\d:\d\d +✔ /;

/** Until the first event is printed. Ending the demo does not count. */
async function measureDemo(): Promise<number> {
  const start = performance.now();
  // A process group of its own: npm starts a shell, which starts Node.
  const child = spawn('npm', ['start'], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const exited = once(child, 'exit');
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (FIRST_EVENT.test(line)) return performance.now() - start;
    }
    throw new Error('npm start ended before its first event');
  } finally {
    child.stdout.resume();
    if (child.pid !== undefined && child.exitCode === null) {
      process.kill(-child.pid, 'SIGTERM');
      await exited;
    }
  }
}

async function demoFigure(): Promise<Figure> {
  const times: number[] = [];
  for (let round = 0; round < DEMO_ROUNDS; round++) times.push(await measureDemo());
  const fastest = Math.min(...times);
  return {
    name: 'start (npm start)',
    ours: `first event after ${millis(fastest)}`,
    floor: `bound: ${millis(MAX_FIRST_EVENT_MS)}`,
    ratio: fastest / MAX_FIRST_EVENT_MS,
    aim: 1,
  };
}

async function onceFigures(): Promise<readonly Figure[]> {
  const commands = await buildCommands();
  const [account, sink] = await Promise.all([startAccount(TASKS), startSink()]);
  const folder = await mkdtemp(join(tmpdir(), 'tidings-start-'));
  try {
    const config = await writeConfig(folder, { account, endpoint: `${sink.url}/hook` });
    const figures: Figure[] = [];
    for (const { form, argv } of commands) {
      const data = join(folder, form);
      const runOnce = async () => {
        const { stdout } = await run(process.execPath, [...argv, 'once', '--config', config, '--data', data]);
        return stdout;
      };
      // The baseline. From then on nothing is due.
      await runOnce();
      const printed = await runOnce();
      if (!printed.startsWith('0 events')) throw new Error(`expected a run with nothing to do, got: ${printed}`);
      const { ours, floor } = await timeBoth(runOnce, runEmptyNode, ONCE_ROUNDS);
      figures.push({
        name: `start (once, ${form})`,
        ours: `nothing to do on 10,000 tasks: ${millis(ours)}`,
        floor: `bound: ${millis(MAX_ONCE_MS)}; an empty Node process: ${millis(floor)}`,
        ratio: ours / MAX_ONCE_MS,
        aim: 1,
      });
    }
    return figures;
  } finally {
    await Promise.all([account.stop(), sink.stop()]);
    await rm(folder, { recursive: true, force: true });
  }
}

export const start: Benchmark = async () => [await demoFigure(), ...(await onceFigures())];
