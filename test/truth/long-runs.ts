/** The long forms of `messages`, `crash`, `faults`, `soak`, `noise` and `growth`. run.ts prints their reports. */

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runCrash } from './crash.ts';
import { runFaults } from './faults.ts';
import { runGrowth } from './growth.ts';
import { count, differenceRows, type LongForm, type LongFormOptions } from './long-form.ts';
import { runMessages } from './messages.ts';
import { runNoise } from './noise.ts';
import type { SoakOptions, SoakReport } from './soak.ts';
import { findUnaccepted, heapGrowth } from './soak-checks.ts';
import { openSoakSink } from './soak-sink.ts';
import { TEXT_READERS } from './text-readers.ts';

/** Accounts of `messages`, each with its own seed. */
const MESSAGE_ACCOUNTS = 4;
const MESSAGE_DAYS = 10;

export async function longMessages({ seed }: LongFormOptions): Promise<LongForm> {
  const begun = performance.now();
  const untrue: string[] = [];
  const total = { mails: 0, slack: 0, names: 0, amounts: 0, titles: 0, mentions: 0, acts: 0, announced: 0 };
  for (let account = 0; account < MESSAGE_ACCOUNTS; account++) {
    const report = await runMessages({ seed: seed + account, days: MESSAGE_DAYS });
    untrue.push(...report.untrue.map((line) => `seed ${seed + account}: ${line}`));
    total.mails += report.mails;
    total.slack += report.slack;
    total.mentions += report.judged.mentions;
    total.acts += report.judged.acts;
    total.announced += report.announced;
    total.names += report.judged.names;
    total.amounts += report.judged.amounts;
    total.titles += report.judged.titles;
  }
  const differences = { untrue };
  return {
    rows: [
      ['messages', ''],
      ['accounts', count(MESSAGE_ACCOUNTS)],
      ['days of each', count(MESSAGE_DAYS)],
      ['mails', count(total.mails)],
      ['Slack messages', count(total.slack)],
      ['with names', count(total.names)],
      ['with unpaid amounts', count(total.amounts)],
      ['with a number in the title', count(total.titles)],
      ['with mentions', count(total.mentions)],
      ['that say what was done', count(total.acts)],
      ['overdue tasks with all their readers', count(total.announced)],
      ...differenceRows(differences),
      ['seconds', String(Math.round((performance.now() - begun) / 100) / 10)],
    ],
    differences,
  };
}

export async function longCrash({ seed }: LongFormOptions): Promise<LongForm> {
  const report = await runCrash({ seed, kills: 200, actionEveryMs: 150, maxLifeMs: 3_500 });
  const { lost, unexpected, unsettled } = report;
  const differences = { lost, unexpected, 'not settled': unsettled };
  return {
    rows: [
      ['crash', ''],
      ['kills', count(report.kills)],
      ['kills while running', count(report.killsWhileRunning)],
      ['changes in the journal', count(report.changes)],
      ['events recorded', count(report.events)],
      ['deliveries', count(report.deliveries)],
      ['requests at the receivers', count(report.arrivals)],
      ['accepted again, same id and body', count(report.repeated)],
      ...differenceRows(differences),
      ['seconds', String(report.seconds)],
    ],
    differences,
  };
}

export async function longFaults(): Promise<LongForm> {
  const begun = performance.now();
  const report = await runFaults({ interleavings: 1_000 });
  const differences = { 'differences from the run without faults': report.differences };
  return {
    rows: [
      ['faults', ''],
      ['port calls', count(report.calls)],
      ['kinds of calls', count(report.sites.length)],
      ['runs', count(report.runs)],
      ['events in each', count(report.events)],
      ['deliveries in each', count(report.deliveries)],
      ...differenceRows(differences),
      ['seconds', String(Math.round((performance.now() - begun) / 100) / 10)],
    ],
    differences,
  };
}

/** Allowed growth of the heap after the warm-up. */
const MAX_HEAP_GROWTH = 1.1;

export async function longSoak({ seed }: LongFormOptions): Promise<LongForm> {
  const sink = await openSoakSink(seed);
  const report = await soakInProcess({ events: 100_000, endpoints: 50, url: sink.url, waves: 40, timeout: 1_000 });
  await sink.close();
  const growth = heapGrowth(report.heap);
  const megabytes = (bytes: number | undefined) => `${Math.round((bytes ?? 0) / 1e5) / 10} MB`;
  const differences = {
    lost: [...report.lost, ...findUnaccepted(report, sink)],
    'heap growth': growth > MAX_HEAP_GROWTH ? [`${growth} times, after warm-up`] : [],
  };
  return {
    rows: [
      ['soak', ''],
      ['events', count(report.events)],
      ['attempts', count(report.attempts)],
      ...Object.entries(sink.responses).map(([response, times]) => [`responses: ${response}`, count(times)]),
      ...Object.entries(report.statuses).map(([status, deliveries]) => [`deliveries ${status}`, count(deliveries)]),
      ['heap after a quarter', megabytes(report.heap[Math.floor(report.heap.length / 4)])],
      ['heap at the end', megabytes(report.heap.at(-1))],
      ['last quarter over second', growth.toFixed(3)],
      ...differenceRows(differences),
      ['seconds', String(report.seconds)],
    ],
    differences,
  };
}

async function soakInProcess(options: SoakOptions): Promise<SoakReport> {
  const script = join(import.meta.dirname, 'soak-process.ts');
  const child = spawn(process.execPath, ['--expose-gc', script, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout));
}

export async function longNoise(): Promise<LongForm> {
  const report = await runNoise({ tasks: 10_000, days: 30, every: 3 });
  const differences = { 'unexpected events': report.unexpected };
  return {
    rows: [
      ['noise', ''],
      ['records', count(report.records)],
      ['renamings', count(report.changes)],
      ['scans', count(report.scans)],
      ['requests', count(report.requests)],
      ...differenceRows(differences),
      ['seconds', String(report.seconds)],
    ],
    differences,
  };
}

export async function longGrowth({ seed }: LongFormOptions): Promise<LongForm> {
  const begun = performance.now();
  const slow: string[] = [];
  let slowest = { name: '', longest: 0 };
  for (const [index, reader] of TEXT_READERS.entries()) {
    const report = await runGrowth(reader, { maxLength: 1024 * 1024, pairs: 40, seed: seed + index });
    slow.push(...report.slow);
    if (report.longest > slowest.longest) slowest = { name: reader.name, longest: report.longest };
  }
  const differences = { 'texts that take too long': slow };
  return {
    rows: [
      ['growth', ''],
      ['functions that read text from outside', count(TEXT_READERS.length)],
      ['slowest call', `${slowest.name}, ${slowest.longest.toFixed(0)} ms`],
      ...differenceRows(differences),
      ['seconds', String(Math.round((performance.now() - begun) / 1000))],
    ],
    differences,
  };
}
