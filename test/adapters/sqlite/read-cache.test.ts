import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../adapters/sqlite/database.ts';
import { readCache } from '../../../adapters/sqlite/read-cache.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { snapshot, subscription } from '../../samples.ts';

describe('readCache', () => {
  it('reads once per turn, missing values included, and again in the next turn or after a write', async () => {
    const memo = readCache<string | undefined>();
    let reads = 0;
    const recall = () =>
      memo.get('a', () => {
        reads += 1;
        return undefined;
      });
    expect([recall(), recall(), reads]).toEqual([undefined, undefined, 1]);
    memo.clear();
    recall();
    expect(reads).toBe(2);
    await nextTurn();
    recall();
    expect(reads).toBe(3);
  });
});

describe('reads from a file with other writers', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-memo-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('see their own writes at once, and those of another process in the next turn', async () => {
    const [ours, theirs] = [openDatabase(join(folder, 'tidings.db')), openDatabase(join(folder, 'tidings.db'))];
    const { key } = snapshot('1');
    const store = sqliteSnapshotStore(ours);
    const stores = sqliteStores(ours);
    const seen = async () => [(await store.get(key))?.version, (await stores.subscriptions.get('ops'))?.concurrency];

    expect(await seen()).toEqual([undefined, undefined]);
    await store.commit([{ snapshot: snapshot('1'), expected: 0 }]);
    await stores.subscriptions.save(subscription('ops', { concurrency: 1 }));
    expect(await seen()).toEqual([1, 1]);

    await sqliteSnapshotStore(theirs).commit([{ snapshot: snapshot('1', { version: 2 }), expected: 1 }]);
    await sqliteStores(theirs).subscriptions.save(subscription('ops', { concurrency: 2 }));
    await nextTurn();
    expect(await seen()).toEqual([2, 2]);

    await stores.subscriptions.remove('ops');
    expect(await seen()).toEqual([2, undefined]);
    ours.close();
    theirs.close();
  });

  it('do not read a subscription again that was listed in the same turn', async () => {
    const db = openDatabase(join(folder, 'tidings.db'));
    let reads = 0;
    const row: Database['row'] = (sql, ...values) => {
      if (sql.includes('FROM subscriptions')) reads += 1;
      return db.row(sql, ...values);
    };
    const { subscriptions } = sqliteStores({ ...db, row });
    await subscriptions.save(subscription('ops'));
    await nextTurn();
    const listed = await subscriptions.list();
    expect([await subscriptions.get('ops'), reads]).toEqual([listed[0], 0]);
    await nextTurn();
    expect([await subscriptions.get('ops'), reads]).toEqual([listed[0], 1]);
    db.close();
  });
});
