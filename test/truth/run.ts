/**
 * `npm run truth [-- NAME …] [--seed N] [--days N]`: the truth runs in their long form. Prints one table, the differences
 * if there are any, and ends with 1 when there are. The short form is a test beside it.
 */

import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { table } from '../../cli/terminal.ts';
import type { YearOptions, YearReport } from './year.ts';

/** A leap year, both changes of the clocks in both zones. One polls on the stroke of midnight, the other beside it. */
const years: readonly Pick<YearOptions, 'timeZone' | 'start'>[] = [
  { timeZone: 'Europe/Berlin', start: '2024-01-08T05:00:00.000Z' },
  { timeZone: 'America/New_York', start: '2024-01-08T05:07:00.000Z' },
];

/** Lines of differences that are shown of each kind. */
const SHOWN = 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '7' }, days: { type: 'string', default: '365' } },
});
const unknown = positionals.filter((name) => name !== 'year');
if (unknown.length > 0) {
  process.stderr.write(`no truth run ${unknown.join(', ')}; there is year\n`);
  process.exit(2);
}

const reports = await Promise.all(
  years.map(async (year): Promise<YearReport> => {
    const workerData: YearOptions = {
      ...year,
      seed: Number(values.seed),
      days: Number(values.days),
      tasks: 300,
      pollEvery: 30,
      lifePace: 45,
      troubles: true,
    };
    const worker = new Worker(new URL('./year-worker.ts', import.meta.url), { workerData });
    const [report] = await once(worker, 'message');
    return report;
  }),
);

const differences = reports.map((report) => ({
  missing: report.missing,
  surplus: report.surplus,
  'out of order': report.disordered,
  'told twice': report.duplicates,
  overlooked: report.overlooked,
  'of the source': report.source,
  'unexplained silence': report.silences,
  'other than its schema': report.misshapen,
}));

const rows: [string, (report: YearReport) => number][] = [
  ['days', ({ options }) => options.days],
  ['changes in the journal', ({ journal }) => journal],
  ['troubles', ({ troubles }) => troubles],
  ['scans', ({ looks }) => looks],
  ['requests', ({ requests }) => requests],
  ['events expected', ({ expected }) => expected],
  ['events told', ({ told }) => told],
  ['types among them', ({ types }) => Object.keys(types).length],
];
const body = [
  ...rows.map(([name, of]) => [name, ...reports.map((report) => of(report).toLocaleString('en'))]),
  ...Object.keys(differences[0] ?? {}).map((kind) => [
    kind,
    ...differences.map((difference) => String(Object.entries(difference).find(([name]) => name === kind)?.[1].length)),
  ]),
  ['seconds', ...reports.map(({ seconds }) => String(seconds))],
];
process.stdout.write(`${table([['year', ...years.map(({ timeZone }) => timeZone)], ...body]).join('\n')}\n`);

for (const [index, difference] of differences.entries()) {
  for (const [kind, lines] of Object.entries(difference)) {
    if (lines.length === 0) continue;
    process.stdout.write(`\n${years[index]?.timeZone}, ${kind}:\n  ${lines.slice(0, SHOWN).join('\n  ')}\n`);
    process.exitCode = 1;
  }
}
