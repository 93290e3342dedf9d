/** A snapshot as an item of the table, and back. What is null, or follows from the key, is not written. */

import type { Snapshot } from '../../core/model/snapshot.ts';
import { type NewItem, recordKeyOf, shardOf, snapshotKey } from './keys.ts';

export function snapshotItem(snapshot: Snapshot): NewItem {
  const { key, deletedAt, nextMoment, ...rest } = snapshot;
  return {
    ...snapshotKey(key),
    ...rest,
    ...(deletedAt === null ? {} : { deletedAt }),
    ...(nextMoment === null ? {} : { nextMoment, agenda: shardOf(key.id) }),
  };
}

/** We wrote it, in this form. */
export function snapshotFromItem(item: Readonly<Record<string, unknown>>): Snapshot {
  const { pk, sk, agenda: _, ...rest } = item;
  const kept = rest as unknown as Snapshot;
  return {
    ...kept,
    key: recordKeyOf({ pk: String(pk), sk: String(sk) }),
    deletedAt: kept.deletedAt ?? null,
    nextMoment: kept.nextMoment ?? null,
  };
}
