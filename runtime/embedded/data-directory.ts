/** Finds, opens and copies the data of the embedded mode: one directory with one SQLite file. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../adapters/sqlite/database.ts';
import { UsageError } from '../../core/model/errors.ts';

const FILE = 'tidings.db';

/** Opens it, making it where there is none. */
export function openData(directory: string): Database {
  return openDatabase(join(directory, FILE));
}

/** Opens it for a command that only looks: there is nothing to look at where there is none. */
export function openExistingData(directory: string): Database {
  if (existsSync(join(directory, FILE))) return openData(directory);
  throw new UsageError(
    'TIDINGS_DATA_MISSING',
    `data directory '${directory}' holds no data yet: run 'tidings once' or 'tidings serve', or name another with --data, or a stack in AWS with --aws`,
  );
}

/** A copy to try things on, gone when closed. The data itself is only read, also beside a running serve. */
export function openDataCopy(directory: string): Database {
  if (!existsSync(join(directory, FILE))) return openDatabase(':memory:');
  const folder = mkdtempSync(join(tmpdir(), 'tidings-dry-run-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  try {
    const original = openData(directory);
    try {
      // One statement, one consistent state, whatever others write meanwhile.
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
