/** SourceDataStore on DynamoDB: queries the partitions of a source in both tables. The announcer ignores deleted items. */

import { SOURCE_RESOURCE } from '../../core/model/event.ts';
import type { SourceDataStore } from '../../core/ports/source-data-store.ts';
import { resources } from '../../core/resources/catalogue.ts';
import { type Key, manifestPartition, resourcePartition, scanKey } from './keys.ts';
import type { Table } from './table.ts';

/** A partition is named after its resource, so all that may exist are queried. */
const RESOURCES = [...resources.map(({ name }) => name), SOURCE_RESOURCE];

/** Items that are deleted at a time. */
const BATCH_SIZE = 500;

export interface SourceDataTables {
  readonly snapshots: Table;
  readonly ledger: Table;
}

export function dynamoSourceDataStore({ snapshots, ledger }: SourceDataTables): SourceDataStore {
  return {
    async describe(source) {
      const records: Record<string, number> = {};
      let highestVersion = 0;
      for (const resource of RESOURCES.toSorted()) {
        const partition = ['pk', resourcePartition(source, resource)] as const;
        for await (const { version } of snapshots.query({ partition, consistent: true })) {
          records[resource] = (records[resource] ?? 0) + 1;
          highestVersion = Math.max(highestVersion, Number(version));
        }
      }
      return { records, highestVersion };
    },

    async forget(source) {
      for (const resource of RESOURCES) {
        await deletePartition(snapshots, resourcePartition(source, resource));
        for (const scope of ['all', 'open'] as const)
          await deletePartition(ledger, manifestPartition({ source, resource, scope }));
      }
      await deletePartition(ledger, scanKey(source, '').pk);
    },
  };
}

async function deletePartition(table: Table, pk: string): Promise<void> {
  let keys: Key[] = [];
  for await (const { sk } of table.query({ partition: ['pk', pk], consistent: true })) {
    keys.push({ pk, sk: String(sk) });
    if (keys.length < BATCH_SIZE) continue;
    await table.writeAll([], keys);
    keys = [];
  }
  if (keys.length > 0) await table.writeAll([], keys);
}
