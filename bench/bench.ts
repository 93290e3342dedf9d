/** The type of a benchmark, and functions that time work against its floor in the same run. */

export interface Figure {
  readonly name: string;
  /** What was measured, in words. */
  readonly ours: string;
  readonly floor: string;
  /** Ours divided by the floor. Ratios vary less between machines than times. */
  readonly ratio: number;
  readonly aim: number;
}

export type Benchmark = () => Promise<readonly Figure[]>;

/** Best of several rounds, because noise only adds time. The two alternate, so that both meet the same noise. */
export async function timeBoth(
  ours: () => unknown,
  floor: () => unknown,
  rounds = 7,
): Promise<{ ours: number; floor: number }> {
  const best = { ours: Number.POSITIVE_INFINITY, floor: Number.POSITIVE_INFINITY };
  for (let round = 0; round < rounds; round++) {
    best.ours = Math.min(best.ours, await time(ours));
    best.floor = Math.min(best.floor, await time(floor));
  }
  return best;
}

async function time(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export interface Cost {
  readonly wall: number;
  readonly cpu: number;
}

export async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { wall, cpu: (user + system) / 1000 };
}

/** The minimum of each, because noise only adds time. */
export function best(costs: readonly Cost[]): Cost {
  return { wall: Math.min(...costs.map(({ wall }) => wall)), cpu: Math.min(...costs.map(({ cpu }) => cpu)) };
}

export function millis(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 0)} ms`;
}

/** The value below which this share of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
