/** Converts a snapshot to an item and back. Null values and what can be derived from the key are not stored. */

import { isOpenItem, type Snapshot } from '../../core/model/snapshot.ts';
import { fromMillis, type Instant } from '../../core/model/time.ts';
import { type NewItem, recordKeyOf, resourcePartition, shardOf, snapshotKey } from './keys.ts';
import { COPIED_MARK } from './tables.ts';
import { toSeconds } from './timeline.ts';

export function snapshotItem(snapshot: Snapshot): NewItem {
  const { key, deletedAt, nextMoment, expiresAt, ...rest } = snapshot;
  return {
    ...snapshotKey(key),
    ...rest,
    deletedAt: deletedAt ?? undefined,
    nextMoment: nextMoment ?? undefined,
    expiresAt: expiresAt === undefined ? undefined : toSeconds(expiresAt),
    agenda: nextMoment === null ? undefined : shardOf(key.id),
    standing: isOpenItem(snapshot) ? resourcePartition(key.source, key.resource) : undefined,
  };
}

/**
 * A snapshot that another database announced: the stream has no transition of it. The next commit writes a whole item,
 * without the mark.
 */
export function copiedSnapshotItem(snapshot: Snapshot, copiedAt: Instant): NewItem {
  return { ...snapshotItem(snapshot), [COPIED_MARK]: copiedAt };
}

/** Unchecked: only `snapshotItem` writes these items. */
export function snapshotFromItem(item: Readonly<Record<string, unknown>>): Snapshot {
  const { pk, sk, agenda: _, standing: __, [COPIED_MARK]: ___, expiresAt, ...rest } = item;
  const stored = rest as unknown as Snapshot;
  return {
    ...stored,
    key: recordKeyOf({ pk: String(pk), sk: String(sk) }),
    deletedAt: stored.deletedAt ?? null,
    nextMoment: stored.nextMoment ?? null,
    ...(expiresAt === undefined ? {} : { expiresAt: fromMillis(Number(expiresAt) * 1000) }),
  };
}
