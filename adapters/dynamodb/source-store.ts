/** SourceStore on DynamoDB: one item per source in one partition, and beside them one with the number of changes. */

import { isSameValue } from '../../core/model/json.ts';
import type { SourceStore, StoredSource } from '../../core/ports/source-store.ts';
import type { Condition } from './expressions.ts';
import { type StoredItem, sourceChangesKey, sourceKey } from './keys.ts';
import type { Table } from './table.ts';
import { SOURCES_PARTITION } from './tables.ts';

export function dynamoSourceStore(table: Table): SourceStore {
  const get = async (name: string) => {
    const item = await table.get(sourceKey(name), true);
    return item === undefined ? undefined : sourceFromItem(item);
  };
  const put = async (source: StoredSource, condition: Condition): Promise<boolean> => {
    const outcome = await table.put(sourceItem(source), condition);
    // The response was lost: read the stored one back.
    const isWritten = outcome === 'written' || (outcome === 'unsure' && isSameValue(await get(source.name), source));
    if (isWritten) await countSourceChange(table);
    return isWritten;
  };
  return {
    get,

    async list() {
      const sources: StoredSource[] = [];
      for await (const item of table.query({ partition: ['pk', SOURCES_PARTITION], consistent: true })) {
        if (item.sk !== sourceChangesKey.sk) sources.push(sourceFromItem(item));
      }
      return sources;
    },

    add: (source) => put(source, { pk: undefined }),

    update: (source) => put(source, { version: source.version - 1 }),

    async remove(name, version) {
      const outcome = await table.remove(sourceKey(name), { version });
      const isRemoved = outcome === 'written' || (outcome === 'unsure' && (await get(name)) === undefined);
      if (isRemoved) await countSourceChange(table);
      return isRemoved;
    },

    async revision() {
      return Number((await table.get(sourceChangesKey, true))?.changes ?? 0);
    },
  };
}

/** After the write: a reader of the new number also finds what was written. */
async function countSourceChange(table: Table): Promise<void> {
  await table.update(sourceChangesKey, { increment: { changes: 1 } });
}

/** Adds or replaces it. */
export async function putSource(table: Table, source: StoredSource): Promise<void> {
  await table.put(sourceItem(source));
  await countSourceChange(table);
}

const sourceItem = (source: StoredSource) => ({
  ...sourceKey(source.name),
  version: source.version,
  body: JSON.stringify(source),
});

/** Unchecked: only `sourceItem` makes these items. */
export function sourceFromItem({ body }: StoredItem): StoredSource {
  return JSON.parse(String(body)) as StoredSource;
}
