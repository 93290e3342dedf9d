/** `tidings backup` copies the data into one file, while it may be served; `tidings restore` makes a data directory from it. */

import type { Command } from 'commander';
import { backUpData, restoreData } from '../runtime/embedded/backup.ts';
import { formatNumber, pluralize } from '../runtime/terminal/terminal.ts';
import type { Context, ExitCode } from './context.ts';
import { dataOption, jsonOption } from './options.ts';

interface BackupFlags {
  readonly data: string;
  readonly force: boolean;
  readonly json: boolean;
}

export function backupCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, clock } = context;
  program
    .command('backup')
    .summary('copy the data into one file, also while serve runs')
    .description(
      'Writes one file with all data as of this moment, and with the secrets that Tidings keeps in the data directory. Only its\n' +
        'owner can read it. The config and .env are not part of it. tidings restore reads it.',
    )
    .argument('<file>', 'the file to write')
    .addOption(dataOption())
    .option('--force', 'replace an existing file', false)
    .addOption(jsonOption())
    .action((file: string, { data, force, json }: BackupFlags) => {
      const report = backUpData(file, { data, now: clock.now(), force });
      if (json) terminal.out(JSON.stringify({ file, ...report }));
      else {
        const kept = report.secrets === 0 ? '' : `, ${pluralize(report.secrets, 'secret')}`;
        const kilobytes = formatNumber(Math.ceil(report.bytes / 1024));
        terminal.out(
          `wrote ${file}: ${pluralize(report.events, 'event')}${kept}, ${kilobytes} KB; only you can read it`,
        );
      }
      exit(0);
    });
}

interface RestoreFlags {
  readonly data: string;
  readonly force: boolean;
}

export function restoreCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, clock, pid } = context;
  program
    .command('restore')
    .summary('create a data directory from a backup')
    .description(
      'Creates the data directory from a file of tidings backup. serve must be stopped. What happened since the backup is found\n' +
        'again by the next scans and sent again: one change of a record with the same id, several changes as one with a new id.\n' +
        'Versions go on above all that were sent before.',
    )
    .argument('<file>', 'a file that tidings backup wrote')
    .addOption(dataOption())
    .option('--force', 'replace existing data', false)
    .action((file: string, { data, force }: RestoreFlags) => {
      const { at, events, secrets } = restoreData(file, { data, pid, now: clock.now(), force });
      const kept = secrets === 0 ? '' : ` and ${pluralize(secrets, 'secret')}`;
      terminal.out(`restored ${data} as of ${at}: ${pluralize(events, 'event')}${kept}`);
      exit(0);
    });
}
