/**
 * `npm run truth [-- NAME …] [--seed N] [--days N]`: runs the long forms of the truth runs one after the other. Prints a table
 * and the differences of each, and exits with 1 if there are any. The short forms are tests in this folder.
 */

import { parseArgs } from 'node:util';
import { table } from '../../runtime/terminal/terminal.ts';
import type { LongForm, LongFormOptions } from './long-form.ts';
import { longMutations } from './long-mutations.ts';
import { longRedmine } from './long-redmine.ts';
import { longCrash, longFaults, longGrowth, longMessages, longNoise, longSoak } from './long-runs.ts';
import { longYear } from './long-year.ts';

const runs: Readonly<Record<string, (options: LongFormOptions) => Promise<LongForm>>> = {
  year: longYear,
  messages: longMessages,
  crash: longCrash,
  faults: longFaults,
  soak: longSoak,
  noise: longNoise,
  growth: longGrowth,
  mutations: longMutations,
  redmine: longRedmine,
};

/** Number of differences shown per kind. */
const MAX_LINES_PER_KIND = 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '7' }, days: { type: 'string', default: '365' } },
});
const unknown = positionals.filter((name) => !Object.hasOwn(runs, name));
if (unknown.length > 0) {
  process.stderr.write(`unknown truth run: ${unknown.join(', ')}; expected ${Object.keys(runs).join(', ')}\n`);
  process.exit(2);
}

for (const [name, run] of Object.entries(runs)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const { rows, differences } = await run({ seed: Number(values.seed), days: Number(values.days) });
  process.stdout.write(`${table(rows).join('\n')}\n\n`);
  for (const [kind, lines] of Object.entries(differences)) {
    if (lines.length === 0) continue;
    process.stdout.write(`${kind}:\n  ${lines.slice(0, MAX_LINES_PER_KIND).join('\n  ')}\n\n`);
    process.exitCode = 1;
  }
}
