/**
 * SnapshotStore on DynamoDB: one item per record, written on the condition of its version. The change feed is the table's
 * stream (see stream.ts), so DynamoDB adds a commit to the feed atomically.
 */

import type { Snapshot } from '../../core/model/snapshot.ts';
import type { CommitOutcome, SnapshotStore, SnapshotWrite } from '../../core/ports/snapshot-store.ts';
import { inParallel } from '../aws/parallel.ts';
import { dueItems } from './agenda.ts';
import { recordKeyOf, resourcePartition, snapshotKey } from './keys.ts';
import { snapshotFromItem, snapshotItem } from './snapshot-item.ts';
import { openTable, type StoredItem, type TableOptions } from './table.ts';

/**
 * Snapshots are read consistently. A stale one that equals the current row would hide a change that was undone (A, B, A),
 * and after a conflict the same stale state must not be read again.
 */
const CONSISTENT = true;

export function dynamoSnapshotStore(options: TableOptions): SnapshotStore {
  const table = openTable(options);

  const get = async (key: Snapshot['key']): Promise<Snapshot | undefined> => {
    const item = await table.get(snapshotKey(key), CONSISTENT);
    return item === undefined ? undefined : snapshotFromItem(item);
  };

  const write = async ({ snapshot, expected }: SnapshotWrite): Promise<CommitOutcome> => {
    const condition = expected === 0 ? { pk: undefined } : { version: expected };
    const outcome = await table.put(snapshotItem(snapshot), condition);
    if (outcome !== 'unsure') return outcome === 'written' ? 'committed' : 'conflict';
    const stored = await get(snapshot.key);
    return stored !== undefined && isSame(stored, snapshot) ? 'committed' : 'conflict';
  };

  return {
    get,

    async getMany(source, resource, ids) {
      const keys = ids.map((id) => snapshotKey({ source, resource, id }));
      const items = await table.getMany(keys, CONSISTENT);
      return new Map(items.map(snapshotFromItem).map((snapshot) => [snapshot.key.id, snapshot]));
    },

    async *list(source, resource) {
      const partition = ['pk', resourcePartition(source, resource)] as const;
      for await (const item of table.query({ partition, consistent: CONSISTENT })) yield snapshotFromItem(item);
    },

    async commit(writes) {
      return inParallel(writes, write);
    },

    async due({ source, resource, after, until }, limit) {
      const prefix = source === undefined ? '' : resourcePartition(source, resource ?? '');
      const isAsked = (pk: string) => (resource === undefined ? pk.startsWith(prefix) : pk === prefix);
      const index = { moment: 'nextMoment', after, filter: ({ pk }: StoredItem) => isAsked(String(pk)) } as const;
      const items = await dueItems(table, index, until, limit);
      return items.map(({ nextMoment, pk, sk }) => ({
        kind: 'stage' as const,
        at: String(nextMoment),
        key: recordKeyOf({ pk: String(pk), sk: String(sk) }),
      }));
    },
  };
}

/** Whether both come from the same write. Another writer's snapshot of this version has another time or cause. */
function isSame(a: Snapshot, b: Snapshot): boolean {
  return a.version === b.version && a.committedAt === b.committedAt && a.cause === b.cause;
}
