/** The list of subscriptions is read when it has changed: it may have megabytes, and is asked for with every batch and delivery. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqlitePortableData } from '../../../adapters/sqlite/portable-data.ts';
import { sqliteSubscriptionStore } from '../../../adapters/sqlite/subscription-store.ts';
import { subscription } from '../../samples.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

let folder: string;
let opened: Database[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-list-'));
  opened = [];
});

afterEach(() => {
  for (const db of opened) db.close();
  rmSync(folder, { recursive: true, force: true });
});

function open() {
  const db = openDatabase(join(folder, 'data.db'));
  opened.push(db);
  let reads = 0;
  const counted: Database = {
    ...db,
    rows: (sql, ...values) => {
      if (sql.includes('FROM subscriptions')) reads += 1;
      return db.rows(sql, ...values);
    },
  };
  const store = sqliteSubscriptionStore(counted);
  const names = async () => (await store.list()).map(({ name }) => name);
  return { db: counted, store, names, reads: () => reads };
}

it('is read once as long as nobody changes it, whatever else is written', async () => {
  const { db, store, names, reads } = open();
  await store.save(subscription('a'));
  for (let time = 0; time < 5; time++) {
    expect(await names()).toEqual(['a']);
    db.transaction(() =>
      db.prepare("INSERT INTO threads (subscription, subject, thread) VALUES (?, 'x', '{}')").run(time),
    );
  }
  expect(reads()).toBe(1);
});

it('is read once as long as nobody changes it, whatever another connection writes', async () => {
  const [one, other] = [open(), open()];
  await other.store.save(subscription('a'));
  for (let time = 0; time < 5; time++) {
    expect(await one.names()).toEqual(['a']);
    other.db.prepare("INSERT INTO threads (subscription, subject, thread) VALUES (?, 'x', '{}')").run(time);
  }
  expect(one.reads()).toBe(1);
});

it('has every change of its own connection', async () => {
  const { db, store, names } = open();
  await store.save(subscription('a', { declared: false }));
  expect(await names()).toEqual(['a']);
  await store.add(subscription('b', { declared: false }));
  expect(await names()).toEqual(['a', 'b']);
  await store.update('a', (one) => ({ ...one, events: ['task.closed'] }));
  expect((await store.list())[0]?.events).toEqual(['task.closed']);
  await store.remove('a');
  expect(await names()).toEqual(['b']);
  await store.applyDeclared([subscription('c')]);
  expect(await names()).toEqual(['b', 'c']);
  await sqlitePortableData(db).write([{ kind: 'subscription', id: 'd', order: '', value: subscription('d') }]);
  expect(await names()).toEqual(['b', 'c', 'd']);
  await expect(
    store.update('b', () => {
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  expect(await names()).toEqual(['b', 'c', 'd']);
});

it('has every change of another connection', async () => {
  const [one, other] = [open(), open()];
  expect(await one.names()).toEqual([]);
  await other.store.save(subscription('a'));
  expect(await one.names()).toEqual(['a']);
  await other.store.update('a', (stored) => ({ ...stored, events: ['task.closed'] }));
  expect((await one.store.list())[0]?.events).toEqual(['task.closed']);
  await other.store.remove('a');
  expect(await one.names()).toEqual([]);
});

it('does not keep the earlier versions of a subscription', async () => {
  const { store } = open();
  const versions: WeakRef<object>[] = [];
  for (let version = 0; version < 20; version++) {
    await store.save(subscription('a', { events: [`task.${version}`] }));
    for (const read of [await store.get('a'), ...(await store.list())])
      if (read !== undefined) versions.push(new WeakRef(read));
    await nextTurn();
  }
  await store.remove('a');
  await store.list();
  await nextTurn();
  collectGarbage();
  await nextTurn();
  // The engine may hold the last one.
  expect(versions.filter((version) => version.deref() !== undefined).length).toBeLessThanOrEqual(2);
});
