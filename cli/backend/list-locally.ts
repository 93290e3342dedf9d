/** Lists the sources of a data directory or a stack, with their accounts and what is stored of them. */

import { readAccount } from '../../core/source/account/account.ts';
import type { Config } from '../../runtime/config/config.ts';
import type { Stores } from '../../runtime/inspect/stores.ts';
import { accountRecords, type ListedSource, toListedUnused } from './backend.ts';

/** @param config with the sources in effect */
export async function listLocally(
  { sources, unusedSources = [] }: Pick<Config, 'sources' | 'unusedSources'>,
  { snapshots, sourceData }: Pick<Stores, 'snapshots' | 'sourceData'>,
): Promise<readonly ListedSource[]> {
  const used = await Promise.all(
    sources.map(async ({ name, baseUrl, stored }): Promise<ListedSource> => {
      const [{ account = null }, data] = await Promise.all([readAccount(snapshots, name), sourceData.describe(name)]);
      const origin = stored === undefined ? 'config' : 'stored';
      return { source: name, origin, baseUrl, account, records: accountRecords(data), unused: null };
    }),
  );
  return [...used, ...unusedSources.map(toListedUnused)];
}
