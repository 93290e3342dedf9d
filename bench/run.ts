/**
 * `npm run bench [-- NAME …] [--reverse]`: runs the benchmarks, prints one table and writes bench/results.json. `--reverse`
 * starts with the last one: a figure that depends on what ran before it differs.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../core/model/errors.ts';
import { table } from '../runtime/terminal/terminal.ts';
import { apiUnits } from './api-units.ts';
import { backlog } from './backlog.ts';
import { baseline } from './baseline.ts';
import type { Benchmark, Figure } from './bench.ts';
import { cold } from './cold.ts';
import { consoleBenchmark } from './console.ts';
import { deliverBenchmark } from './deliver.ts';
import { derive } from './derive.ts';
import { failing } from './failing.ts';
import { hostileCallers } from './hostile-callers.ts';
import { isolation } from './isolation.ts';
import { lambdaCpu } from './lambda-cpu.ts';
import { latency } from './latency.ts';
import { manage } from './manage.ts';
import { manySources } from './many-sources.ts';
import { match } from './match.ts';
import { memory } from './memory.ts';
import { pageBenchmark } from './page.ts';
import { redmine } from './redmine.ts';
import { requests } from './requests.ts';
import { RivalError } from './rivals/settings.ts';
import { checkRivals, rivals } from './rivals.ts';
import { scale } from './scale.ts';
import { scaleOut } from './scale-out.ts';
import { serving } from './serving.ts';
import { start } from './start.ts';
import { sweep } from './sweep.ts';
import { changeUnits, units } from './units.ts';

const benchmarks: Readonly<Record<string, Benchmark>> = {
  sweep,
  'sweep-memory': memory,
  'many-sources': manySources,
  baseline,
  requests,
  redmine,
  units,
  'change-units': changeUnits,
  backlog,
  scale,
  'scale-out': scaleOut,
  derive,
  match,
  deliver: deliverBenchmark,
  isolation,
  failing,
  'hostile-callers': hostileCallers,
  latency,
  manage,
  'api-units': apiUnits,
  page: pageBenchmark,
  cold,
  'lambda-cpu': lambdaCpu,
  console: consoleBenchmark,
  start,
  serving,
  rivals,
};

const argv = process.argv.slice(2);
const asked = argv.filter((name) => name !== '--reverse');
const unknown = asked.filter((name) => !Object.hasOwn(benchmarks, name));
if (unknown.length > 0) {
  process.stderr.write(`unknown benchmark: ${unknown.join(', ')}; expected ${Object.keys(benchmarks).join(', ')}\n`);
  process.exit(2);
}

/** One takes half an hour on its own, the other installs a server. */
const BY_NAME_ONLY = ['scale-out', 'redmine'];
const chosen = Object.entries(benchmarks).filter(([name]) =>
  asked.length === 0 ? !BY_NAME_ONLY.includes(name) : asked.includes(name),
);
if (chosen.some(([name]) => name === 'rivals')) await checkRivals(process.env).catch(exitOnSettings);
const results = new Map<string, readonly Figure[]>();
for (const [name, benchmark] of argv.includes('--reverse') ? chosen.toReversed() : chosen) {
  const startedAt = performance.now();
  process.stderr.write(`${name} …`);
  try {
    results.set(name, await benchmark());
    process.stderr.write(` ${((performance.now() - startedAt) / 1000).toFixed(0)} s\n`);
  } catch (error) {
    // The others still count.
    process.stderr.write(` failed: ${errorMessage(error)}\n`);
    process.exitCode = 1;
  }
}
const figures = chosen.flatMap(([name]) => results.get(name) ?? []);
const rows = figures.map(({ name, ours, floor, ratio, aim }) => [
  name,
  ours,
  floor,
  `${ratio.toFixed(2)} ×`,
  `≤ ${aim} ×`,
  ratio <= aim ? 'met' : 'missed',
]);
const lines = table([['figure', 'ours', 'floor', 'ratio', 'aim', ''], ...rows]);
process.stdout.write(`${lines.join('\n')}\n`);
if (asked.length === 0 && results.size === chosen.length) {
  writeFileSync(join(import.meta.dirname, 'results.json'), `${JSON.stringify(figures, null, 2)}\n`);
}

function exitOnSettings(error: unknown): never {
  if (!(error instanceof RivalError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(2);
}
