/**
 * Opens the stores for inspection and management commands: the data directory, or the tables of a stack in AWS. The
 * pipelines open their own stores.
 */

import { sqlitePortableData } from '../../adapters/sqlite/portable-data.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { openData, openExistingData } from '../embedded/data-directory.ts';
import { openDataSecrets } from '../embedded/open-data-secrets.ts';
import type { Stores, StoresOptions } from './stores.ts';

export interface DataLocation {
  /** The data directory. Ignored when `aws` is set. */
  readonly data: string;
  /** Name of a stack in AWS. @default - the data directory */
  readonly aws?: string;
}

/** Throws UsageError when the directory or the stack does not exist. */
export async function openStores(location: DataLocation, options: StoresOptions): Promise<Stores> {
  if (location.aws === undefined) return openDirectory(location.data, options);
  // The SDK takes longer to load than everything else, so only AWS commands load it.
  const { openAwsStores } = await import('../aws/stores.ts');
  return openAwsStores(location.aws, options);
}

/** Opens the stores, runs `work`, and closes the stores even if it failed. */
export async function withStores<T>(
  location: DataLocation,
  options: StoresOptions,
  work: (stores: Stores) => Promise<T>,
): Promise<T> {
  const stores = await openStores(location, options);
  try {
    return await work(stores);
  } finally {
    stores.close();
  }
}

function openDirectory(directory: string, { environment, make = false, terminal }: StoresOptions): Stores {
  const options = { report: terminal?.err };
  const database = make ? openData(directory, options) : openExistingData(directory, options);
  const stores = sqliteStores(database);
  return {
    ...stores,
    history: stores.snapshots,
    portable: sqlitePortableData(database),
    secrets: openDataSecrets(database, environment),
    close: () => database.close(),
  };
}
