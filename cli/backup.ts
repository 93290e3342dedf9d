/** `tidings backup`: copies the data into one file, while it may be served. */

import type { Command } from 'commander';
import { backUpData } from '../runtime/embedded/backup.ts';
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
