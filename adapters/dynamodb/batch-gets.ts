/**
 * Reads the items that are requested in one event-loop turn together, so that the same item is read, and paid for, once.
 */

import type { Key, StoredItem } from './keys.ts';

type Pending = {
  readonly key: Key;
  readonly resolve: (item: StoredItem | undefined) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Collects the keys requested in one event-loop turn and reads them together. The request is sent after the last key was
 * added, so no result is older than its call.
 */
export function batchGets(
  getMany: (keys: readonly Key[], consistent: boolean) => Promise<readonly StoredItem[]>,
  consistent: boolean,
): (key: Key) => Promise<StoredItem | undefined> {
  let pending: Pending[] = [];
  const flush = async (): Promise<void> => {
    const batch = pending;
    pending = [];
    try {
      const items = await getMany(
        batch.map(({ key }) => key),
        consistent,
      );
      const byName = new Map(items.map((item) => [nameOfKey({ pk: String(item.pk), sk: String(item.sk) }), item]));
      for (const { key, resolve } of batch) resolve(byName.get(nameOfKey(key)));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  return (key) =>
    new Promise((resolve, reject) => {
      if (pending.length === 0) setImmediate(() => void flush());
      pending.push({ key, resolve, reject });
    });
}

export const nameOfKey = ({ pk, sk }: Key) => JSON.stringify([pk, sk]);
