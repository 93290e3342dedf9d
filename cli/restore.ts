/** `tidings restore`: creates a data directory from a backup. */

import type { Command } from 'commander';
import { restoreData } from '../runtime/embedded/backup.ts';
import { pluralize } from '../runtime/terminal/terminal.ts';
import type { Context, ExitCode } from './context.ts';
import { dataOption } from './options.ts';

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
