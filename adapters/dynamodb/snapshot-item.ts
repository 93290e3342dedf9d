/** Converts a snapshot to an item and back. Null values and what can be derived from the key are not stored. */

import { isOpenItem, type Snapshot } from '../../core/model/snapshot.ts';
import { type NewItem, recordKeyOf, resourcePartition, shardOf, snapshotKey } from './keys.ts';

export function snapshotItem(snapshot: Snapshot): NewItem {
  const { key, deletedAt, nextMoment, ...rest } = snapshot;
  return {
    ...snapshotKey(key),
    ...rest,
    deletedAt: deletedAt ?? undefined,
    nextMoment: nextMoment ?? undefined,
    agenda: nextMoment === null ? undefined : shardOf(key.id),
    standing: isOpenItem(snapshot) ? resourcePartition(key.source, key.resource) : undefined,
  };
}

/** Unchecked: only `snapshotItem` writes these items. */
export function snapshotFromItem(item: Readonly<Record<string, unknown>>): Snapshot {
  const { pk, sk, agenda: _, standing: __, ...rest } = item;
  const stored = rest as unknown as Snapshot;
  return {
    ...stored,
    key: recordKeyOf({ pk: String(pk), sk: String(sk) }),
    deletedAt: stored.deletedAt ?? null,
    nextMoment: stored.nextMoment ?? null,
  };
}
