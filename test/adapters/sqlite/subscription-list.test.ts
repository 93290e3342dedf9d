/** The list of subscriptions is read when it has changed: it may have megabytes, and is asked for with every batch and delivery. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
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
  let singleReads = 0;
  const counted: Database = {
    ...db,
    rows: (sql, ...values) => {
      if (sql.includes('FROM subscriptions')) reads += 1;
      return db.rows(sql, ...values);
    },
    row: (sql, ...values) => {
      if (sql.includes('FROM subscriptions')) singleReads += 1;
      return db.row(sql, ...values);
    },
  };
  const store = sqliteSubscriptionStore(counted);
  const names = async () => (await store.list()).map(({ name }) => name);
  return { db: counted, store, names, reads: () => reads, singleReads: () => singleReads };
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

it('is the same array as long as nobody changes it, and costs the same however long it is', async () => {
  const { db, store } = open();
  const all = Array.from({ length: 10_000 }, (_, number) => subscription(`s-${String(number).padStart(5, '0')}`));
  await sqlitePortableData(db).write(all.map((value) => ({ kind: 'subscription', id: value.name, order: '', value })));
  const listed = await store.list();
  expect(listed).toEqual(all);
  await nextTurn();
  const kept = vi.spyOn(Map.prototype, 'set');
  try {
    expect(await store.list()).toBe(listed);
    expect(kept.mock.calls.length).toBeLessThan(100);
  } finally {
    kept.mockRestore();
  }
});

it('reads only what another connection has changed since', async () => {
  const [one, other] = [open(), open()];
  for (const name of ['a', 'b', 'c']) await other.store.save(subscription(name, { declared: false }));
  const before = await one.store.list();
  await other.store.update('b', (stored) => ({ ...stored, events: ['task.closed'] }));
  await other.store.update('b', (stored) => ({ ...stored, events: ['task.created'] }));
  const after = await one.store.list();
  expect(after.map(({ name, events }) => [name, ...events])).toEqual([
    ['a', 'task.*'],
    ['b', 'task.created'],
    ['c', 'task.*'],
  ]);
  expect([after[0], after[2]].map((unchanged, index) => unchanged === before[2 * index])).toEqual([true, true]);
  expect([one.reads(), one.singleReads()]).toEqual([1, 1]);
});

it('is read as a whole after more changes than are kept', async () => {
  const [one, other] = [open(), open()];
  await other.store.save(subscription('a', { declared: false }));
  await other.store.save(subscription('b', { declared: false }));
  expect(await one.names()).toEqual(['a', 'b']);
  other.db.transaction(() => {
    const change = other.db.prepare('UPDATE subscriptions SET declared = declared WHERE name = ?');
    other.db.prepare("DELETE FROM subscriptions WHERE name = 'b'").run();
    for (let time = 0; time < 1000; time++) change.run('a');
  });
  expect(await one.names()).toEqual(['a']);
  expect([one.reads(), one.singleReads()]).toEqual([2, 0]);
  const kept = one.db.row('SELECT count(*) FROM subscription_changes')?.[0];
  expect(kept).toBe(1000);
});

it('is what is stored, whoever changes it', async () => {
  const name = fc.constantFrom('a', 'B', 'b-1', 'b_1', 'b1', 'Z', '0', 'c');
  const change = fc.record({ name, by: fc.boolean(), what: fc.constantFrom('save', 'remove', 'apply', 'list') });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 25 }), async (changes) => {
      const [one, other] = [open(), open()];
      one.db.prepare('DELETE FROM subscriptions').run();
      for (const [index, { name, by, what }] of changes.entries()) {
        const { store } = by ? one : other;
        if (what === 'save') await store.save(subscription(name, { declared: false, events: [`task.${index}`] }));
        if (what === 'remove') await store.remove(name);
        if (what === 'apply') await store.applyDeclared([subscription(name, { events: [`task.${index}`] })]);
        if (what === 'list') await store.list();
      }
      const listed = await Promise.all([one.store.list(), other.store.list(), open().store.list()]);
      expect(listed[0]).toEqual(listed[2]);
      expect(listed[1]).toEqual(listed[2]);
    }),
    { numRuns: 30 },
  );
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
