/**
 * SnapshotStore on DynamoDB: one item per record, written on the condition of its version. The change feed is the table's
 * stream (see stream.ts), so DynamoDB adds a commit to the feed atomically.
 */

import { compareIds } from '../../core/model/record.ts';
import { isOpenItem, type Snapshot } from '../../core/model/snapshot.ts';
import type { CommitOutcome, SnapshotStore, SnapshotWrite } from '../../core/ports/snapshot-store.ts';
import { sourceLeaseName } from '../../core/source/source-lease.ts';
import { inGroups, inParallel } from '../aws/parallel.ts';
import { dueItems } from './agenda.ts';
import { formatSince } from './format.ts';
import { leaseKey, recordKeyOf, resourcePartition, type StoredItem, snapshotKey } from './keys.ts';
import type { TableOptions } from './send.ts';
import { snapshotFromItem, snapshotItem } from './snapshot-item.ts';
import { openTable } from './table.ts';

/**
 * Snapshots are read consistently. A stale one that equals the current row would hide a change that was undone (A, B, A),
 * and after a conflict the same stale state must not be read again.
 */
const CONSISTENT = true;

export interface SnapshotStoreOptions extends TableOptions {
  /** The table with the leases of sources. @default - none: all items are in the present format */
  readonly ledger?: string;
}

export function dynamoSnapshotStore({ ledger, ...options }: SnapshotStoreOptions): SnapshotStore {
  const table = openTable(options);
  const leases = ledger === undefined ? undefined : openTable({ ...options, table: ledger });

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

    async *listOpen(source, resource) {
      const partition = resourcePartition(source, resource);
      const since = formatSince(await leases?.get(leaseKey(sourceLeaseName(source)), CONSISTENT));
      const mark = since === undefined ? undefined : await get(indexMark(source, resource));
      const ids: string[] = [];
      if (mark !== undefined && mark.record.since === since) {
        for await (const { pk, sk } of table.query({ index: 'standing', partition: ['standing', partition] }))
          ids.push(recordKeyOf({ pk: String(pk), sk: String(sk) }).id);
      } else {
        // Items of earlier versions are not in the index: adds them, at the price of reading the whole resource.
        for await (const item of table.query({ partition: ['pk', partition], consistent: CONSISTENT })) {
          const snapshot = snapshotFromItem(item);
          if (!isOpenItem(snapshot)) continue;
          ids.push(snapshot.key.id);
          // Without a new version, so the stream has no transition. After a conflict the other write has indexed it.
          if (item.standing === undefined) await table.put(snapshotItem(snapshot), { version: snapshot.version });
        }
        // An earlier version that still polls may write more of them.
        if (since !== undefined) await table.put(snapshotItem(emptySnapshot(indexMark(source, resource), { since })));
      }
      for (const group of inGroups(ids, MAX_READ)) {
        const keys = group.map((id) => snapshotKey({ source, resource, id }));
        const snapshots = (await table.getMany(keys, CONSISTENT)).map(snapshotFromItem).filter(isOpenItem);
        yield* snapshots.sort((a, b) => compareIds(a.key.id, b.key.id));
      }
    },

    async commit(writes) {
      return inParallel(writes, write);
    },

    /** DynamoDB deletes them by their time to live. */
    async removeExpired() {},

    async due({ source, resource, resources, after, until }, limit) {
      const prefix = source === undefined ? '' : resourcePartition(source, resource ?? '');
      const isAsked = (pk: string) => (resource === undefined ? pk.startsWith(prefix) : pk === prefix);
      const isOfThese = (item: StoredItem) => resources?.has(keyOf(item).resource) !== false;
      const filter = (item: StoredItem) => isAsked(String(item.pk)) && isOfThese(item);
      const index = { moment: 'nextMoment', after, filter } as const;
      const items = await dueItems(table, index, until, limit);
      return items.map((item) => ({ kind: 'stage' as const, at: String(item.nextMoment), key: keyOf(item) }));
    },
  };
}

const keyOf = ({ pk, sk }: StoredItem) => recordKeyOf({ pk: String(pk), sk: String(sk) });

/** Snapshots read at a time. */
const MAX_READ = 100;

/**
 * An own record which says that all items of a resource are in the index `standing`, as long as all pollers since the fence
 * in it have written them so: see format.ts.
 */
const indexMark = (source: string, resource: string) => ({ source, resource: INDEX_MARK_RESOURCE, id: resource });

export const INDEX_MARK_RESOURCE = 'standing-index';

/** Its cause keeps it out of the stream, as that of a baseline. */
function emptySnapshot(key: Snapshot['key'], record: Snapshot['record']): Snapshot {
  return {
    key,
    version: 1,
    record,
    stage: {},
    deletedAt: null,
    committedAt: NEVER,
    cause: 'baseline',
    occurred: { after: null, before: NEVER },
    nextMoment: null,
  };
}

/** The mark has no time of its own: when it was written does not matter. */
const NEVER = '1970-01-01T00:00:00.000Z';

/** Whether both come from the same write. Another writer's snapshot of this version has another time or cause. */
function isSame(a: Snapshot, b: Snapshot): boolean {
  return a.version === b.version && a.committedAt === b.committedAt && a.cause === b.cause;
}
