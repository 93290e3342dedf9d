/** Marks a data directory while an import writes to it: what an interrupted one left must not be polled. */

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../core/model/errors.ts';

const MARK = 'import-unfinished';

/** @param file the archive, for the message */
export function markImport(directory: string, file: string): void {
  writeFileSync(join(directory, MARK), `${file}\n`, { mode: 0o600 });
}

export function unmarkImport(directory: string): void {
  rmSync(join(directory, MARK), { force: true });
}

/** Without the records that are missing, a poll would take them for existing ones, and changes since the export would be lost. */
export function assertImportFinished(directory: string): void {
  if (!existsSync(join(directory, MARK))) return;
  throw new UsageError(
    'TIDINGS_IMPORT_UNFINISHED',
    `an import into directory '${directory}' was interrupted: repeat tidings import with the same file, or use another directory`,
  );
}
