/** KeyUsageStore on DynamoDB: one small item per key, written on the condition of what was read. */

import { isSameValue } from '../../core/model/json.ts';
import type { KeyUsage, KeyUsageStore } from '../../core/ports/key-usage-store.ts';
import { keyUsageKey } from './keys.ts';
import type { Table } from './table.ts';

export function dynamoKeyUsageStore(table: Table): KeyUsageStore {
  const get = async (key: string): Promise<KeyUsage | undefined> => {
    const item = await table.get(keyUsageKey(key), true);
    if (item === undefined) return undefined;
    const { subscriptions, bytes, comparisons, changedAt, countedAt } = item;
    return {
      subscriptions: Number(subscriptions),
      bytes: Number(bytes),
      ...(comparisons === undefined ? {} : { comparisons: Number(comparisons) }),
      changedAt: String(changedAt),
      ...(countedAt === undefined ? {} : { countedAt: String(countedAt) }),
    };
  };
  return {
    get,

    async replace(key, expected, next) {
      const outcome = await table.put(
        { ...keyUsageKey(key), ...next },
        expected === undefined ? { pk: undefined } : { ...expected },
      );
      // The response was lost: read the stored one back.
      return outcome === 'written' || (outcome === 'unsure' && isSameValue(await get(key), next));
    },
  };
}
