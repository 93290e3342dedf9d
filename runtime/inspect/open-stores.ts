/**
 * One door to what Tidings knows, wherever it is kept: the data directory, or the tables of a stack in AWS. Commands
 * that look and manage come in here; what runs the pipeline opens its own.
 */

import { dirname, join } from 'node:path';
import { localSecrets } from '../../adapters/secrets/local-secrets.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { openData, openExistingData } from '../embedded/data-directory.ts';
import type { Stores, StoresOptions } from './stores.ts';

export interface DataLocation {
  /** The data directory. Of no meaning with a stack. */
  readonly data: string;
  /** Name of a stack in AWS. @default - the data directory */
  readonly aws?: string;
}

/** Throws UsageError where there is nothing to open. */
export async function openStores(place: DataLocation, options: StoresOptions): Promise<Stores> {
  if (place.aws === undefined) return openDirectory(place.data, options);
  // The SDK takes longer to load than all the rest: only those who ask for AWS wait for it.
  const { openAwsStores } = await import('../aws/stores.ts');
  return openAwsStores(place.aws, options);
}

/** Opens, works, and closes whatever came of it. */
export async function withStores<T>(
  place: DataLocation,
  options: StoresOptions,
  work: (stores: Stores) => Promise<T>,
): Promise<T> {
  const stores = await openStores(place, options);
  try {
    return await work(stores);
  } finally {
    stores.close();
  }
}

function openDirectory(directory: string, { environment, make = false }: StoresOptions): Stores {
  const database = make ? openData(directory) : openExistingData(directory);
  const stores = sqliteStores(database);
  return {
    ...stores,
    history: stores.snapshots,
    secrets: localSecrets({ environment, directory: join(dirname(database.file), 'secrets') }),
    close: () => database.close(),
  };
}
