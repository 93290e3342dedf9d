/** The long form of `year`: two zones concurrently, each in its own thread. */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { count, type LongForm, type LongFormOptions } from './long-form.ts';
import type { YearOptions, YearReport } from './year.ts';

/**
 * A leap year with both clock changes in both zones. One run polls exactly at midnight, the other seven minutes later.
 * Logging time updates the modification date in the first run only.
 */
const years: readonly Pick<YearOptions, 'timeZone' | 'start' | 'hoursModify'>[] = [
  { timeZone: 'Europe/Berlin', start: '2024-01-08T05:00:00.000Z', hoursModify: true },
  { timeZone: 'America/New_York', start: '2024-01-08T05:07:00.000Z', hoursModify: false },
];

const kinds: Readonly<Record<string, (report: YearReport) => readonly string[]>> = {
  missing: ({ missing }) => missing,
  surplus: ({ surplus }) => surplus,
  'out of order': ({ outOfOrder }) => outOfOrder,
  duplicates: ({ duplicates }) => duplicates,
  overlooked: ({ overlooked }) => overlooked,
  'source events': ({ sourceProblems }) => sourceProblems,
  'scan gaps': ({ scanGaps }) => scanGaps,
  'late events': ({ lateEvents }) => lateEvents,
  'false windows': ({ falseWindows }) => falseWindows,
  'wrong clients': ({ wrongClients }) => wrongClients,
  'schema violations': ({ schemaViolations }) => schemaViolations,
};

const figures: Readonly<Record<string, (report: YearReport) => number>> = {
  days: ({ options }) => options.days,
  'changes in the journal': ({ journal }) => journal,
  faults: ({ faults }) => faults,
  scans: ({ scans }) => scans,
  requests: ({ requests }) => requests,
  'events expected': ({ expected }) => expected,
  'events emitted': ({ emitted }) => emitted,
  'event types': ({ types }) => Object.keys(types).length,
};

export async function longYear({ seed, days }: LongFormOptions): Promise<LongForm> {
  const reports = await Promise.all(
    years.map(async (year): Promise<YearReport> => {
      const workerData: YearOptions = {
        ...year,
        ...{ seed, days, tasks: 300, pollEvery: 30, lifePace: 45, faults: true },
      };
      const worker = new Worker(new URL('./year-worker.ts', import.meta.url), { workerData });
      const [report] = await once(worker, 'message');
      return report;
    }),
  );
  const row = (name: string, of: (report: YearReport) => string) => [name, ...reports.map(of)];
  return {
    rows: [
      ['year', ...years.map(({ timeZone }) => timeZone)],
      ...Object.entries(figures).map(([name, of]) => row(name, (report) => count(of(report)))),
      ...Object.entries(kinds).map(([kind, of]) => row(kind, (report) => count(of(report).length))),
      row('seconds', ({ seconds }) => String(seconds)),
    ],
    differences: Object.fromEntries(
      reports.flatMap((report) =>
        Object.entries(kinds).map(([kind, of]) => [`${report.options.timeZone}, ${kind}`, of(report)]),
      ),
    ),
  };
}
