/** `tidings once`: runs one full cycle and prints a report. */

import type { Command } from 'commander';
import { skipReason } from '../core/model/delivery.ts';
import { fixedClock, type Instant } from '../core/model/time.ts';
import { findConfigWarnings } from '../runtime/config/find-warnings.ts';
import { loadConfig } from '../runtime/config/load.ts';
import { assertSecretFiles } from '../runtime/embedded/assert-secret-files.ts';
import { openData, openDataCopy } from '../runtime/embedded/data-directory.ts';
import { openEmbedded } from '../runtime/embedded/embedded.ts';
import { type OnceReport, once } from '../runtime/embedded/once.ts';
import type { Watcher } from '../runtime/embedded/pipeline.ts';
import { assertImportFinished } from '../runtime/embedded/unfinished-import.ts';
import { formatDelivered, formatFailedScan, formatScan, showProgress } from '../runtime/terminal/narrate.ts';
import { pluralize, type Terminal } from '../runtime/terminal/terminal.ts';
import type { Context, ExitCode } from './context.ts';
import { configOption, dataOption, jsonOption, readInstant } from './options.ts';
import { noteSources, noteWarnings } from './print-warnings.ts';

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
    .summary('run one full cycle and report what happened')
    .description(
      'Polls the due resources, then ticks, announces and delivers until nothing is due; prints a report and exits.\n' +
        'Exit code 1 when a scan or a delivery failed.',
    )
    .addOption(configOption())
    .addOption(dataOption())
    .option('--at <instant>', 'run as if it were this time (default: now)', readInstant)
    .option('--sweep', 'read all records, due or not', false)
    .option('--dry-run', 'show what would happen; send and store nothing', false)
    .addOption(jsonOption())
    .action(async (flags: OnceFlags) => exit(await runOnce(flags, context)));
}

async function runOnce(flags: OnceFlags, context: Context): Promise<ExitCode> {
  const { terminal, environment, pid, random, stop } = context;
  const config = loadConfig(flags.config, environment);
  if (!flags.dryRun) await assertSecretFiles(config);
  assertImportFinished(flags.data);
  const embedded = await openEmbedded({
    config,
    database: flags.dryRun ? openDataCopy(flags.data) : openData(flags.data, { report: terminal.err }),
    secretsOf: flags.data,
    environment,
    clock: flags.at === undefined ? context.clock : { ...fixedClock(flags.at), isChosen: true },
    holder: `once/${pid}`,
    random,
    dryRun: flags.dryRun,
    accountCheck: 'before-poll',
    everything: flags.sweep,
  });
  try {
    noteWarnings(findConfigWarnings(embedded.config), terminal);
    noteSources(embedded.config, terminal);
    const watcher: Watcher = {
      progress: showProgress(terminal),
      zoneUnknown: (source) =>
        terminal.err(`·  ${source}: no time zone known, so no time-driven events; set timeZone in the config`),
    };
    const report = await once(embedded, { sweep: flags.sweep, watcher, signal: stop });
    if (flags.json) terminal.out(JSON.stringify(toJson(report, flags.dryRun)));
    else printReport(report, flags.dryRun, terminal);
    const failed =
      report.failedScans.length > 0 ||
      report.deliveries.some(({ delivery, attempt }) => delivery.status === 'failed' || attempt.outcome === 'gave-up');
    return failed ? 1 : 0;
  } finally {
    await embedded.close();
  }
}

function printReport(report: OnceReport, dryRun: boolean, terminal: Terminal): void {
  for (const scan of report.scans) terminal.out(`·  ${formatScan(scan)}`);
  for (const source of report.leftToAnother) terminal.err(`·  ${source}: skipped, another process is polling it`);
  for (const failed of report.failedScans) terminal.err(`${terminal.paint('red', '✗')}  ${formatFailedScan(failed)}`);
  for (const delivered of report.deliveries) terminal.out(formatDelivered(delivered, terminal).join('  '));
  const { delivered, skipped, pending, held, failed } = countByState(report);
  const { untried } = report;
  const summary = [
    pluralize(report.events.length, 'event'),
    `${delivered} delivered`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    `${pending + untried.pending} to be retried`,
    ...(untried.waiting > 0 ? [`${untried.waiting} waiting for their time`] : []),
    ...(held + untried.held > 0 ? [`${held + untried.held} held until their subscription is resumed`] : []),
    `${failed} failed`,
  ].join(', ');
  terminal.out(dryRun ? `${summary} (dry run: nothing sent, nothing stored)` : summary);
}

/** A delivery with several attempts counts once, with its last status. */
function countByState({ deliveries }: OnceReport) {
  const last = new Map(deliveries.map(({ delivery }) => [delivery.id, delivery]));
  const count = { waiting: 0, pending: 0, held: 0, gathered: 0, delivered: 0, skipped: 0, failed: 0 };
  for (const delivery of last.values()) {
    const { status } = delivery;
    if (status === 'settled') count[skipReason(delivery) === undefined ? 'delivered' : 'skipped'] += 1;
    else count[status] += 1;
  }
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
    untried: report.untried,
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
