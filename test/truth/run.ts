/**
 * `npm run truth [-- NAME …] [--seed N] [--days N]`: the truth runs in their long form, one after the other. Prints a
 * table of each, the differences if there are any, and ends with 1 when there are. The short forms are tests beside it.
 */

import { parseArgs } from 'node:util';
import { table } from '../../cli/terminal.ts';
import type { LongForm, LongFormOptions } from './long-form.ts';
import { longCrash, longFaults, longNoise, longSoak } from './long-runs.ts';
import { longYear } from './long-year.ts';

const runs: Readonly<Record<string, (options: LongFormOptions) => Promise<LongForm>>> = {
  year: longYear,
  crash: longCrash,
  faults: longFaults,
  soak: longSoak,
  noise: longNoise,
};

/** Lines of differences that are shown of each kind. */
const MAX_LINES_PER_KIND = 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '7' }, days: { type: 'string', default: '365' } },
});
const unknown = positionals.filter((name) => !Object.hasOwn(runs, name));
if (unknown.length > 0) {
  process.stderr.write(`no truth run ${unknown.join(', ')}; there are ${Object.keys(runs).join(', ')}\n`);
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
