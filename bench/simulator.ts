/**
 * Measures the simulator: how fast it is built, how much memory it takes, and how fast it answers, at 10,000 and 1,000,000 tasks.
 * Prints one table; `measureSimulator` returns the figures.
 */
import { Agent, request } from 'undici';
import { type Role, type Simulator, startSimulator } from '../simulator/simulator.ts';

export interface SimulatorFigures {
  tasks: number;
  buildMs: number;
  /** Resident memory of the whole process, MB. */
  memoryMb: number;
  /** Median of 25 pages of 500 by id, from the first to the last, none of them read before. */
  coldPageMs: number;
  /** The floor: JSON.stringify of 500 ready records and their bytes, with no server at all. */
  stringifyMs: number;
  /** The same page once more while nothing has changed. */
  samePageMs: number;
  /** A page read before, after another task has changed: as polls of a living account find it. */
  livingPageMs: number;
  /** A page of 500 of what changed in the last day. */
  modifiedMs: number;
  /** Whole list of overdue tasks counted, one record returned. */
  overdueMs: number;
  membersPerSecond: number;
  /** Records a second in a sweep by pages of 500. */
  recordsPerSecond: number;
}

export async function measureSimulator(tasks: number): Promise<SimulatorFigures> {
  const start = performance.now();
  const simulator = await startSimulator({
    tasks,
    seed: 7,
    now: '2026-11-14T09:00:00Z',
    speed: 0,
    quota: Number.POSITIVE_INFINITY,
  });
  const buildMs = performance.now() - start;
  const memoryMb = process.memoryUsage().rss / 1e6;
  const agent = new Agent({ connections: 8 });
  const get = getter(simulator, agent, 'Administrator');
  const warmUp = getter(simulator, agent, 'Manager');
  const page = (offset: number) => `/task/?sortfield=id&sortdir=ASC&limit=500&offset=${offset}`;
  const ready = simulator.account.list('task', { limit: '500' });
  try {
    // Another role warms up, because cached pages are not shared between roles.
    for (let warm = 0; warm < 60; warm++) await warmUp(page(warm * 7));
    return {
      tasks,
      buildMs,
      memoryMb,
      coldPageMs: await median((n) => get(page(Math.floor((n * (tasks - 500)) / 24)))),
      stringifyMs: await median(async () => {
        Buffer.from(JSON.stringify(ready));
      }),
      samePageMs: await median(() => get(page(0))),
      livingPageMs: await median((n) => {
        simulator.account.update('task', 1 + n, { priorityid: 1 + (n % 5) });
        return get(page(0));
      }),
      modifiedMs: await median((n) => get(`/task/?datemodifiedbegin=2026-11-13%2009:00:${10 + n}&limit=500`)),
      overdueMs: await median((n) => get(`/task/?overdue=t&limit=1&localid=${n},1,2,3,4,5`)),
      membersPerSecond: await perSecond(3000, (n) => get(`/task/${1 + (n % tasks)}/`)),
      recordsPerSecond: 500 * (await perSecond(Math.min(400, tasks / 500), (n) => get(page(n * 500 + 3)))),
    };
  } finally {
    await agent.close();
    await simulator.stop();
  }
}

function getter(simulator: Simulator, agent: Agent, role: Role): (path: string) => Promise<void> {
  const authorization = `Basic ${Buffer.from(`${simulator.tokens[role][0]}:x`).toString('base64')}`;
  return async (path) => {
    const answer = await request(`${simulator.url}${path}`, {
      dispatcher: agent,
      headers: { authorization, accept: 'application/json' },
    });
    const bytes = await answer.body.arrayBuffer();
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${Buffer.from(bytes).toString()}`);
  };
}

async function median(run: (n: number) => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 25; n++) {
    const start = performance.now();
    await run(n);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[12] ?? Number.NaN;
}

/** Eight at a time, as a busy set of readers would. */
async function perSecond(total: number, run: (n: number) => Promise<void>): Promise<number> {
  const start = performance.now();
  let next = 0;
  const reader = async () => {
    while (next < total) await run(next++);
  };
  await Promise.all(Array.from({ length: 8 }, reader));
  return (total / (performance.now() - start)) * 1000;
}

const ROWS: readonly (readonly [keyof SimulatorFigures, string, number])[] = [
  ['buildMs', 'build, ms', 0],
  ['memoryMb', 'memory after build, MB', 0],
  ['coldPageMs', 'page of 500 by id, not read before, ms', 1],
  ['stringifyMs', '  its floor: JSON.stringify alone, ms', 1],
  ['samePageMs', '  the same again, nothing changed, ms', 1],
  ['livingPageMs', '  the same again, a task changed, ms', 1],
  ['modifiedMs', 'page of 500 by datemodifiedbegin, ms', 1],
  ['overdueMs', 'overdue tasks counted, ms', 1],
  ['membersPerSecond', 'single tasks a second', 0],
  ['recordsPerSecond', 'records a second in pages of 500', 0],
];

export function table(figures: readonly SimulatorFigures[]): string {
  const head = ['', ...figures.map(({ tasks }) => `${tasks.toLocaleString('en-GB')} tasks`)];
  const body = ROWS.map(([key, label, digits]) => [
    label,
    ...figures.map((row) => row[key].toLocaleString('en-GB', { maximumFractionDigits: digits })),
  ]);
  return [head, ...body]
    .map(([label = '', ...cells]) => `${label.padEnd(42)}${cells.map((cell) => cell.padStart(18)).join('')}`)
    .join('\n');
}

if (import.meta.main) {
  const sizes = process.argv.slice(2).map(Number);
  const figures: SimulatorFigures[] = [];
  for (const tasks of sizes.length > 0 ? sizes : [10_000, 1_000_000]) figures.push(await measureSimulator(tasks));
  process.stdout.write(`${table(figures)}\n`);
}
