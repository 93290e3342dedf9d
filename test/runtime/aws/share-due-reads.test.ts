/** Due moments that all sources of a poll share: the same answers as those of the store, with one read. */

import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import type { Snapshot } from '../../../core/model/snapshot.ts';
import { plus } from '../../../core/model/time.ts';
import type { MomentRange } from '../../../core/ports/snapshot-store.ts';
import { shareDueReads } from '../../../runtime/aws/share-due-reads.ts';
import { snapshotStoreContract } from '../../contract/snapshot-store.ts';
import { NOON, snapshot } from '../../samples.ts';

snapshotStoreContract('with shared reads of due moments', { history: 'kept' }, async () => {
  const db = openDatabase(':memory:');
  const store = sqliteSnapshotStore(db);
  return {
    store: shareDueReads(store).snapshots,
    history: store,
    changes: async () => {
      const entries = await store.read('test', 1000);
      await store.acknowledge('test', entries.at(-1)?.position ?? 0);
      return entries.map(({ transition }) => transition);
    },
    close: async () => db.close(),
  };
});

/** Minutes after noon. */
const at = (minutes: number) => plus(NOON, minutes * 60_000);

function openShared() {
  const db = openDatabase(':memory:');
  const store = sqliteSnapshotStore(db);
  const reads: MomentRange[] = [];
  const { snapshots: shared } = shareDueReads({
    ...store,
    due: (range, limit) => {
      reads.push(range);
      return store.due(range, limit);
    },
  });
  const of = (source: string, id: string, nextMoment: string | null, version = 1): Snapshot =>
    snapshot(id, { key: { source, resource: 'task', id }, nextMoment, version });
  return { store, shared, reads, of };
}

const ids = (moments: readonly { readonly key: { readonly source: string; readonly id: string } }[]) =>
  moments.map(({ key: { source, id } }) => `${source}/${id}`);

describe('shared reads of due moments', () => {
  it('read all sources once, although each asks at another instant', async () => {
    const { store, shared, reads, of } = openShared();
    const sources = Array.from({ length: 50 }, (_, n) => `s${n}`);
    await store.commit(sources.map((source) => ({ snapshot: of(source, '1', at(0)), expected: 0 })));
    const answers = await Promise.all(
      sources.map((source, n) => shared.due({ source, after: at(-60 - n), until: plus(at(1), n) }, 10)),
    );
    expect(answers.map(ids)).toEqual(sources.map((source) => [`${source}/1`]));
    expect(reads).toHaveLength(1);
    await shared.due({ source: 's7', resource: 'task', after: at(-60), until: at(2) }, 10);
    expect(reads).toHaveLength(1);
  });

  it('read only what is missing of a longer range', async () => {
    const { store, shared, reads, of } = openShared();
    await store.commit([
      { snapshot: of('a', '1', at(-300)), expected: 0 },
      { snapshot: of('a', '2', at(-30)), expected: 0 },
      { snapshot: of('b', '3', at(20)), expected: 0 },
    ]);
    expect(ids(await shared.due({ source: 'a', after: at(-60), until: at(0) }, 9))).toEqual(['a/2']);
    expect(ids(await shared.due({ source: 'a', until: at(0) }, 9))).toEqual(['a/1', 'a/2']);
    expect(ids(await shared.due({ until: at(20) }, 9))).toEqual(['a/1', 'a/2', 'b/3']);
    expect(await shared.due({ until: at(20), resources: new Set(['invoice']) }, 9)).toEqual([]);
    expect(reads).toEqual([{ after: at(-60), until: at(5) }, { until: at(-60) }, { after: at(5), until: at(25) }]);
  });

  it('show the commits of the poll itself, and not those of others', async () => {
    const { store, shared, of } = openShared();
    await shared.commit([{ snapshot: of('a', '1', at(0)), expected: 0 }]);
    expect(ids(await shared.due({ source: 'a', until: at(1) }, 9))).toEqual(['a/1']);
    await shared.commit([
      { snapshot: of('a', '1', at(30), 2), expected: 1 },
      { snapshot: of('a', '2', at(1)), expected: 0 },
      { snapshot: of('a', '3', at(1), 7), expected: 6 },
    ]);
    await store.commit([{ snapshot: of('a', '4', at(1)), expected: 0 }]);
    expect(ids(await shared.due({ source: 'a', until: at(1) }, 9))).toEqual(['a/2']);
    expect(ids(await shareDueReads(store).snapshots.due({ source: 'a', until: at(1) }, 9))).toEqual(['a/2', 'a/4']);
  });

  it('are given to another invocation, which reads only what comes after them', async () => {
    const { store, reads, of } = openShared();
    await store.commit([
      { snapshot: of('a', '1', at(0)), expected: 0 },
      { snapshot: of('b', '2', at(0)), expected: 0 },
      { snapshot: of('a', '3', at(8)), expected: 0 },
    ]);
    const first = shareDueReads(store);
    expect(first.found('a')).toBeUndefined();
    await first.snapshots.due({ source: 'b', after: at(-60), until: at(1) }, 9);
    const found = first.found('a');
    expect(found).toEqual({
      after: at(-60),
      until: at(6),
      moments: [{ kind: 'stage', at: at(0), key: { source: 'a', resource: 'task', id: '1' } }],
    });
    const counted: typeof store = {
      ...store,
      due: (range, limit) => {
        reads.push(range);
        return store.due(range, limit);
      },
    };
    const { snapshots } = shareDueReads(counted, found);
    expect(ids(await snapshots.due({ source: 'a', after: at(-60), until: at(5) }, 9))).toEqual(['a/1']);
    expect(reads).toEqual([]);
    expect(ids(await snapshots.due({ source: 'a', after: at(-60), until: at(8) }, 9))).toEqual(['a/1', 'a/3']);
    expect(reads).toEqual([{ after: at(6), until: at(13) }]);
  });

  it('are tried again after a failure', async () => {
    const { store, of } = openShared();
    await store.commit([{ snapshot: of('a', '1', at(0)), expected: 0 }]);
    let isDown = true;
    const { snapshots: shared } = shareDueReads({
      ...store,
      due: (range, limit) => (isDown ? Promise.reject(new Error('down')) : store.due(range, limit)),
    });
    const both = [shared.due({ source: 'a', until: at(0) }, 9), shared.due({ source: 'b', until: at(0) }, 9)];
    await expect(Promise.all(both)).rejects.toThrow('down');
    isDown = false;
    expect(ids(await shared.due({ source: 'a', until: at(0) }, 9))).toEqual(['a/1']);
  });
});
