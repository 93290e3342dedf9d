/** `tidings backup` copies the data into one file, while it may be served; `tidings restore` makes a data directory from it. */

import type { Command } from 'commander';
import { UsageError } from '../core/model/errors.ts';
import type { Instant } from '../core/model/time.ts';
import { backUpData, restoreData } from '../runtime/embedded/backup.ts';
import { type DataLocation, withStores } from '../runtime/inspect/open-stores.ts';
import type { RestoredTables } from '../runtime/inspect/stores.ts';
import { formatNumber, pluralize } from '../runtime/terminal/terminal.ts';
import type { Context, ExitCode } from './context.ts';
import { recordCommand } from './operator.ts';
import { awsOption, dataOption, jsonOption, readInstant } from './options.ts';

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

interface RestoreFlags extends DataLocation {
  readonly force: boolean;
  readonly snapshots?: string;
  readonly ledger?: string;
  readonly asOf?: Instant;
}

export function restoreCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, clock, pid } = context;
  program
    .command('restore')
    .summary('create a data directory from a backup, or copy restored tables back into a stack')
    .description(
      'Creates the data directory from a file of tidings backup; serve must be stopped. With --aws, copies tables that AWS restored\n' +
        'to a point in time into those of the stack, which must be deployed with paused: true; it may be repeated. What happened since\n' +
        'the backup is found again by the next scans and sent again: one change of a record with the same id, several changes as one\n' +
        'with a new id. Versions go on above all that were sent before.',
    )
    .argument('[file]', 'a file that tidings backup wrote')
    .addOption(dataOption())
    .addOption(awsOption())
    .option('--snapshots <table>', 'with --aws: the restored table of snapshots')
    .option('--ledger <table>', 'with --aws: the restored ledger')
    .option('--as-of <time>', 'with --aws: when the tables were copied (default: as AWS says)', readInstant)
    .option('--force', 'replace existing data', false)
    .action(async (file: string | undefined, { aws, data, force, snapshots, ledger, asOf }: RestoreFlags) => {
      if (aws !== undefined) {
        const from = requireTables(file, snapshots, ledger);
        const report = await withStores({ aws, data }, context, async (stores) => {
          const progress = (items: number) => terminal.progress(`restored ${formatNumber(items)}`);
          const result = await stores.restoreTables?.(from, { asOf, progress });
          const details = { asOf: result?.asOf, snapshots: from.snapshots, ledger: from.ledger };
          await recordCommand(stores, context, { action: 'data.restored', target: 'data', details });
          return result;
        });
        terminal.progress('');
        const { records = 0, items = 0 } = report ?? {};
        terminal.out(
          `restored stack ${aws} as of ${report?.asOf}: ${pluralize(records, 'record')}, ${pluralize(items, 'other item')}`,
        );
        terminal.out('deploy the stack without paused, and delete the restored tables when everything works');
        exit(0);
        return;
      }
      if (file === undefined || snapshots !== undefined || ledger !== undefined || asOf !== undefined)
        throw new UsageError(
          'TIDINGS_BACKUP_UNUSABLE',
          "expected a file that 'tidings backup' wrote; --snapshots, --ledger and --as-of belong to --aws",
        );
      const { at, events, secrets } = restoreData(file, { data, pid, now: clock.now(), force });
      const kept = secrets === 0 ? '' : ` and ${pluralize(secrets, 'secret')}`;
      terminal.out(`restored ${data} as of ${at}: ${pluralize(events, 'event')}${kept}`);
      exit(0);
    });
}

function requireTables(file: string | undefined, snapshots?: string, ledger?: string): RestoredTables {
  if (file === undefined && snapshots !== undefined && ledger !== undefined) return { snapshots, ledger };
  throw new UsageError(
    'TIDINGS_BACKUP_UNUSABLE',
    '--aws: expected --snapshots TABLE and --ledger TABLE, which AWS restored to a point in time, and no file',
  );
}
