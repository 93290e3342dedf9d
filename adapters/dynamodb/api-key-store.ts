/** ApiKeyStore on DynamoDB: one small item per key. */

import type { ApiKey } from '../../core/model/api-key.ts';
import type { ApiKeyStore } from '../../core/ports/api-key-store.ts';
import { apiKeyKey, type StoredItem } from './keys.ts';
import type { Table } from './table.ts';

export function dynamoApiKeyStore(table: Table): ApiKeyStore {
  return {
    async get(id) {
      // Consistent: a removed key is refused at once.
      const item = await table.get(apiKeyKey(id), true);
      return item === undefined ? undefined : keyFromItem(item);
    },

    async list() {
      const keys: ApiKey[] = [];
      for await (const item of table.query({ partition: ['pk', 'api-keys'], consistent: true })) {
        keys.push(keyFromItem(item));
      }
      return keys.sort((a, b) => (`${a.createdAt} ${a.id}` < `${b.createdAt} ${b.id}` ? -1 : 1));
    },

    async save(key) {
      await table.put({ ...apiKeyKey(key.id), key, lastUsedAt: key.lastUsedAt });
    },

    async markUsed(id, at) {
      await table.update(apiKeyKey(id), { set: { lastUsedAt: at } }, { sk: id });
    },

    async remove(id) {
      if ((await table.get(apiKeyKey(id), true)) === undefined) return false;
      await table.remove(apiKeyKey(id));
      return true;
    },
  };
}

/** Unchecked: only `save` and `markUsed` write these items. */
export function keyFromItem({ key, lastUsedAt }: StoredItem): ApiKey {
  return { ...(key as ApiKey), ...(typeof lastUsedAt === 'string' ? { lastUsedAt } : {}) };
}
