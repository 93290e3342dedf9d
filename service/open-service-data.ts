/** Opens what a service works on, and closes its data if that fails. */

import type { Database } from '../adapters/sqlite/database.ts';
import { lockForServing, type ServeLock } from '../adapters/sqlite/serve-lock.ts';
import { assertImportFinished } from '../runtime/embedded/unfinished-import.ts';

export async function openOrClose<T>(database: Database, open: (database: Database) => Promise<T>): Promise<T> {
  try {
    return await open(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

export function lockOrClose(database: Database, data: string, pid: number): ServeLock {
  try {
    assertImportFinished(data);
    return lockForServing(data, pid);
  } catch (error) {
    database.close();
    throw error;
  }
}
