/** `tidings once`: one whole cycle, then a report. */

import type { Command } from 'commander';
import type { DeliveryStatus } from '../core/model/delivery.ts';
import { fixedClock, type Instant } from '../core/model/time.ts';
import { loadConfig } from '../runtime/config/load.ts';
import { openData, openDataCopy } from '../runtime/embedded/data-directory.ts';
import { openEmbedded } from '../runtime/embedded/embedded.ts';
import { type OnceReport, once } from '../runtime/embedded/once.ts';
import type { Context, ExitCode } from './context.ts';
import { sayDelivered, sayFailedScan, sayScan, tellProgress } from './narrate.ts';
import { configOption, dataOption, jsonOption, readInstant } from './options.ts';
import { counted, type Terminal } from './terminal.ts';

interface OnceFlags {
  readonly config: string;
  readonly data: string;
  readonly at?: Instant;
  readonly sweep: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

export function onceCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  program
    .command('once')
    .summary('run one whole cycle and say what happened')
    .description(
      'Polls what is due, then ticks, announces and delivers until nothing more is due; prints what happened and exits.\n' +
        'Exit code 1 when a source could not be read or a delivery was given up.',
    )
    .addOption(configOption())
    .addOption(dataOption())
    .option('--at <instant>', 'act as if it were this instant: sets every clock (default: now)', readInstant)
    .option('--sweep', 'read everything, whether or not it is due', false)
    .option('--dry-run', 'send nothing and keep nothing: say what would happen', false)
    .addOption(jsonOption())
    .action(async (flags: OnceFlags) => exit(await runOnce(flags, context)));
}

async function runOnce(flags: OnceFlags, context: Context): Promise<ExitCode> {
  const { terminal, environment, pid, random, stop } = context;
  const config = loadConfig(flags.config, environment);
  const embedded = await openEmbedded({
    config,
    database: flags.dryRun ? openDataCopy(flags.data) : openData(flags.data),
    environment,
    clock: flags.at === undefined ? context.clock : fixedClock(flags.at),
    holder: `once/${pid}`,
    random,
    dryRun: flags.dryRun,
  });
  try {
    const watcher = { progress: tellProgress(terminal) };
    const report = await once(embedded, { sweep: flags.sweep, watcher, signal: stop });
    if (flags.json) terminal.out(JSON.stringify(toJson(report, flags.dryRun)));
    else printReport(report, flags.dryRun, terminal);
    const failed =
      report.failedScans.length > 0 || report.deliveries.some(({ delivery }) => delivery.status === 'failed');
    return failed ? 1 : 0;
  } finally {
    await embedded.close();
  }
}

function printReport(report: OnceReport, dryRun: boolean, terminal: Terminal): void {
  for (const scan of report.scans) terminal.out(`·  ${sayScan(scan)}`);
  for (const source of report.leftToAnother)
    terminal.err(`·  ${source} was not read: another process is reading it right now`);
  for (const failed of report.failedScans) terminal.err(`${terminal.paint('red', '✗')}  ${sayFailedScan(failed)}`);
  for (const delivered of report.deliveries) terminal.out(sayDelivered(delivered, terminal).join('  '));
  const { settled, pending, failed } = countByStatus(report);
  const told = `${counted(report.events.length, 'event')}, ${settled} delivered, ${pending} to be tried again, ${failed} given up`;
  terminal.out(dryRun ? `${told} (dry run: nothing was sent, nothing was kept)` : told);
}

/** A delivery tried more than once in a cycle counts by its last state. */
function countByStatus({ deliveries }: OnceReport): Readonly<Record<DeliveryStatus, number>> {
  const last = new Map(deliveries.map(({ delivery }) => [delivery.id, delivery.status]));
  const count = { waiting: 0, pending: 0, held: 0, gathered: 0, settled: 0, failed: 0 };
  for (const status of last.values()) count[status] += 1;
  return count;
}

/** Stable: programs read it. */
function toJson(report: OnceReport, dryRun: boolean): object {
  return {
    at: report.at,
    dryRun,
    scans: report.scans,
    failedScans: report.failedScans,
    leftToAnother: report.leftToAnother,
    events: report.events,
    deliveries: report.deliveries.map(({ delivery, attempt }) => ({
      id: delivery.id,
      subscription: delivery.subscription,
      events: delivery.events,
      status: delivery.status,
      dueAt: delivery.dueAt,
      attempt,
    })),
  };
}
