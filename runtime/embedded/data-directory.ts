/** Finds, opens and copies the data of the embedded mode: one directory with one SQLite file. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, type DatabaseOptions, openDatabase } from '../../adapters/sqlite/database.ts';
import { UsageError } from '../../core/model/errors.ts';

const FILE = 'tidings.db';

export function dataFileOf(directory: string): string {
  return join(directory, FILE);
}

/** Where the secrets are that Tidings keeps itself. */
export function secretsDirectoryOf(directory: string): string {
  return join(directory, 'secrets');
}

/** Opens the data, and creates it if it does not exist. */
export function openData(directory: string, options?: DatabaseOptions): Database {
  return openDatabase(dataFileOf(directory), options);
}

/** Opens the data for a read-only command, which must not create it. */
export function openExistingData(directory: string, options?: DatabaseOptions): Database {
  if (existsSync(dataFileOf(directory))) return openData(directory, options);
  throw new UsageError(
    'TIDINGS_DATA_MISSING',
    `no data in directory '${directory}' yet: run 'tidings once' or 'tidings serve', or use --data or --aws to select other data`,
  );
}

/** Opens a temporary copy for a dry run; closing deletes it. The original is only read, even while `serve` runs. */
export function openDataCopy(directory: string): Database {
  if (!existsSync(dataFileOf(directory))) return openDatabase(':memory:');
  const folder = mkdtempSync(join(tmpdir(), 'tidings-dry-run-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  try {
    const original = openData(directory);
    try {
      // One statement copies a consistent state, even while other processes write.
      original.prepare('VACUUM INTO ?').run(join(folder, FILE));
    } finally {
      original.close();
    }
    const copy = openData(folder);
    return {
      ...copy,
      close: () => {
        copy.close();
        removeFolder();
      },
    };
  } catch (error) {
    removeFolder();
    throw error;
  }
}
