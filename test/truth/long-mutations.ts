/** The truth run `mutations`: `year` with each of the defects in mutations.ts. It fails if `year` passes with one of them. */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { count, differenceRows, type LongForm, type LongFormOptions } from './long-form.ts';
import { MUTATIONS, type Mutation } from './mutations.ts';
import type { YearOptions, YearReport } from './year.ts';

/** Some days are enough, because people perform only the rare actions that show the defect. */
const RUN = {
  ...{ start: '2024-03-08T05:00:00.000Z', days: 10, timeZone: 'Europe/Berlin', tasks: 60 },
  ...{ pollEvery: 60, hoursModify: true },
};

export async function longMutations({ seed }: LongFormOptions): Promise<LongForm> {
  const begun = performance.now();
  const rows: string[][] = [];
  const unnoticed: string[] = [];
  for (const mutation of MUTATIONS) {
    const report = await runMutated(mutation, {
      ...RUN,
      seed,
      lifePace: mutation.lifePace ?? 45,
      faults: mutation.faults ?? false,
      actions: mutation.actions,
    });
    const found = mutation.finds.map((kind) => [kind, listOf(report, kind).length] as const);
    rows.push([mutation.name, found.map(([kind, number]) => `${kind} ${count(number)}`).join(', ')]);
    if (found.every(([, number]) => number === 0)) unnoticed.push(mutation.name);
  }
  const differences = { 'defects that were not found': unnoticed };
  return {
    rows: [
      ['mutations', ''],
      ...rows,
      ...differenceRows(differences),
      ['seconds', String(Math.round((performance.now() - begun) / 1000))],
    ],
    differences,
  };
}

async function runMutated(mutation: Mutation, options: YearOptions): Promise<YearReport> {
  const worker = new Worker(new URL('./mutation-worker.ts', import.meta.url), { workerData: { mutation, options } });
  const [report] = await once(worker, 'message');
  return report;
}

function listOf(report: YearReport, kind: keyof YearReport): readonly unknown[] {
  const list = report[kind];
  return Array.isArray(list) ? list : [];
}
