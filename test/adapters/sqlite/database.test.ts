import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { migrations } from '../../../adapters/sqlite/migrations.ts';
import { lockForServing } from '../../../adapters/sqlite/serve-lock.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { UsageError } from '../../../core/model/errors.ts';
import { HOUR, MINUTE, plus } from '../../../core/model/time.ts';
import type { Job } from '../../../core/ports/queue.ts';
import { delivery, event, NOON, snapshot } from '../../samples.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('openDatabase', () => {
  it('creates the file and its folders, in WAL mode, at the newest schema version', () => {
    const db = openDatabase(join(folder, 'a/b/tidings.db'));
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: migrations.length });
    expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    db.close();
  });

  it('migrates a file without any migration', () => {
    const file = join(folder, 'tidings.db');
    new DatabaseSync(file).close();
    const db = openDatabase(file);
    expect(db.prepare('SELECT count(*) AS n FROM snapshots').get()).toEqual({ n: 0 });
    db.close();
  });

  it('finds history and deliveries written by an earlier schema version', async () => {
    const file = join(folder, 'tidings.db');
    const older = new DatabaseSync(file);
    older.exec(`${migrations.slice(0, 2).join('')}; PRAGMA user_version = 2`);
    const after = snapshot('7');
    older.prepare('INSERT INTO feed (before, after) VALUES (NULL, ?)').run(JSON.stringify(after));
    const sent = delivery('7', 'ops');
    older
      .prepare('INSERT INTO deliveries (id, subscription, status, attempts, due_at, body) VALUES (?, ?, ?, 0, NULL, ?)')
      .run(sent.id, 'ops', 'pending', JSON.stringify(sent));
    older.close();
    const db = openDatabase(file);
    expect(await sqliteSnapshotStore(db).transitionsOf(after.key, 9)).toEqual([{ before: null, after }]);
    expect(await sqliteStores(db).deliveries.listByEvent('evt_7')).toEqual([sent]);
    db.prepare('DELETE FROM deliveries').run();
    expect(db.prepare('SELECT count(*) AS n FROM delivery_events').get()).toEqual({ n: 0 });
    db.close();
  });

  it('adds the index of jobs to a file of version 12 that lacks it', () => {
    const file = join(folder, 'tidings.db');
    const older = new DatabaseSync(file);
    older.exec(`${migrations.slice(0, 12).join('')}; DROP INDEX jobs_position; PRAGMA user_version = 12`);
    older.close();
    const db = openDatabase(file);
    const plan = db.prepare('EXPLAIN QUERY PLAN SELECT 1 FROM jobs WHERE position = 1').all();
    expect(JSON.stringify(plan)).toContain('jobs_position');
    db.close();
  });

  it('finds jobs and pending deliveries written by an earlier schema version', async () => {
    const file = join(folder, 'tidings.db');
    const older = new DatabaseSync(file);
    older.exec(`${migrations.slice(0, 5).join('')}; PRAGMA user_version = 5`);
    const open = delivery('7', 'ops');
    older
      .prepare('INSERT INTO deliveries (id, subscription, status, attempts, due_at, body) VALUES (?, ?, ?, 0, ?, ?)')
      .run(open.id, 'ops', open.status, open.dueAt, JSON.stringify(open));
    older.prepare("INSERT INTO queue VALUES (?, 1, 'ops', ?, 2)").run(open.id, NOON);
    for (const task of ['slk_1', 'slk_2'])
      older.prepare("INSERT INTO queue VALUES (?, 1, 'slack C1', ?, 0)").run(task, NOON);
    older.close();
    const db = openDatabase(file);
    const stores = sqliteStores(db);
    const { queue } = stores;
    const [received, ...tasks] = await queue.receive({ limit: 9, visibility: MINUTE }, NOON);
    expect(received).toMatchObject({
      job: { kind: 'attempt', delivery: open.id, attempt: 1, group: 'ops' },
      receives: 3,
    });
    const group = 'slack C1';
    expect(tasks.map(({ job }) => job)).toEqual([
      { kind: 'task', task: 'slk_1', attempt: 1, group },
      { kind: 'task', task: 'slk_2', attempt: 1, group },
    ]);
    for (const task of tasks) await queue.acknowledge(task);
    const attempts = [{ number: 1, at: NOON, ms: 3, outcome: 'accepted' as const }];
    const settled = { ...open, status: 'settled' as const, dueAt: null, attempts };
    if (received !== undefined) expect(await stores.finishJob(settled, received)).toBe(true);
    expect(await stores.deliveries.list({ limit: 9 })).toEqual([settled]);
    expect(await queue.receive({ limit: 9, visibility: MINUTE }, plus(NOON, HOUR))).toEqual([]);
    db.close();
  });

  it('knows of which subscription a thread of an earlier schema version is', async () => {
    const file = join(folder, 'tidings.db');
    const older = new DatabaseSync(file);
    older.exec(`${migrations.slice(0, 17).join('')}; PRAGMA user_version = 17`);
    const add = older.prepare('INSERT INTO subscriptions (name, declared, body) VALUES (?, ?, ?)');
    add.run('config', 1, JSON.stringify({ name: 'config', createdAt: NOON }));
    add.run('added', 0, JSON.stringify({ name: 'added', createdAt: NOON }));
    add.run('old', 0, JSON.stringify({ name: 'old' }));
    const names = ['config', 'added', 'old', 'removed'];
    for (const name of names) older.prepare("INSERT INTO threads VALUES (?, 'task/1', '17.01')").run(name);
    older.close();
    const db = openDatabase(file);
    const { threads } = sqliteStores(db);
    const incarnations = names.map(async (name) => (await threads.get(name, 'task/1'))?.incarnation);
    expect(await Promise.all(incarnations)).toEqual(['declared', NOON, undefined, 'declared']);
    db.close();
  });

  it('waits for the disk in a durable transaction only', () => {
    const db = openDatabase(join(folder, 'tidings.db'));
    const level = () => db.prepare('PRAGMA synchronous').get()?.synchronous;
    const [NORMAL, FULL] = [1, 2];
    expect(db.durableTransaction(level)).toBe(FULL);
    expect(() => db.durableTransaction(() => db.prepare('INSERT INTO nowhere VALUES (1)'))).toThrow('nowhere');
    expect(level()).toBe(NORMAL);
    expect(db.transaction(level)).toBe(NORMAL);
    db.close();
  });

  it('queues a job of a delivery and of other work once', async () => {
    const db = openDatabase(':memory:');
    const { queue, events } = sqliteStores(db);
    const one = delivery('7', 'ops');
    await events.record([{ event: event('7'), deliveries: [one] }]);
    const jobs: Job[] = [
      { kind: 'attempt', delivery: one.id, attempt: 1, group: 'ops' },
      { kind: 'task', task: 'slk_1', attempt: 1, group: 'slack C1' },
      { kind: 'task', task: 'slk_2', attempt: 1, group: 'slack C1' },
    ];
    await queue.send(jobs, NOON);
    await queue.send(jobs, NOON);
    const received = await queue.receive({ limit: 9, visibility: MINUTE }, NOON);
    expect(received.map(({ job }) => job)).toEqual(jobs);
    // After its subscription was renamed.
    await queue.send([{ kind: 'attempt', delivery: one.id, attempt: 1, group: 'renamed' }], NOON);
    expect(await queue.receive({ limit: 9, visibility: MINUTE }, NOON)).toEqual([]);
    db.close();
  });

  it('rejects a file of a newer version, and does not change it', () => {
    const file = join(folder, 'tidings.db');
    const newer = new DatabaseSync(file);
    newer.exec('PRAGMA user_version = 99');
    newer.close();
    expect(() => openDatabase(file)).toThrow(/schema version 99, this tidings knows up to \d+: run a newer tidings/);
    const after = new DatabaseSync(file);
    expect(after.prepare('PRAGMA user_version').get()).toEqual({ user_version: 99 });
    expect(after.prepare('SELECT count(*) AS n FROM sqlite_master').get()).toEqual({ n: 0 });
    after.close();
    expect(readdirSync(folder)).toEqual(['tidings.db']);
  });

  it.each([
    ['a file that is no database', () => writeFileSync(join(folder, 'tidings.db'), 'hello '.repeat(200))],
    ['a folder where the file should be', () => mkdirSync(join(folder, 'tidings.db'))],
  ])('rejects %s with a message that names it', (_, prepare) => {
    prepare();
    const open = () => openDatabase(join(folder, 'tidings.db'));
    expect(open).toThrow(UsageError);
    expect(open).toThrow(/data file '.*tidings\.db': expected a database file that can be read and written/);
  });

  it('rejects a directory that cannot be created', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => openDatabase(join(folder, 'file/data/tidings.db'))).toThrow(/expected a directory that can be made/);
  });

  it('reads rows as arrays in column order, or as objects', () => {
    const db = openDatabase(':memory:');
    const add = db.prepare('INSERT INTO feed_consumers (consumer, position) VALUES (?, ?)');
    for (const [name, position] of [['a', 1] as const, ['b', 2] as const]) add.run(name, position);
    const sql = 'SELECT position, consumer FROM feed_consumers WHERE position >= ? ORDER BY position';
    expect(db.rows(sql, 1)).toEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
    expect(db.rows(sql, 3)).toEqual([]);
    expect(db.row(sql, 2)).toEqual([2, 'b']);
    expect(db.row(sql, 3)).toBeUndefined();
    // The same text both ways: they do not affect each other.
    expect(db.prepare(sql).get(2)).toEqual({ position: 2, consumer: 'b' });
    expect(db.row('SELECT NULL, ?', 'x')).toEqual([null, 'x']);
    db.close();
  });

  it('rolls back a transaction that throws', () => {
    const db = openDatabase(':memory:');
    const insert = () =>
      db.transaction(() => {
        db.prepare("INSERT INTO feed_consumers (consumer, position) VALUES ('a', 1)").run();
        throw new Error('midway');
      });
    expect(insert).toThrow('midway');
    expect(db.prepare('SELECT count(*) AS n FROM feed_consumers').get()).toEqual({ n: 0 });
    db.close();
  });

  it('allows a second process to read and write', () => {
    const [a, b] = [openDatabase(join(folder, 'tidings.db')), openDatabase(join(folder, 'tidings.db'))];
    a.prepare("INSERT INTO feed_consumers (consumer, position) VALUES ('a', 1)").run();
    b.prepare("UPDATE feed_consumers SET position = 2 WHERE consumer = 'a'").run();
    expect(a.prepare('SELECT position FROM feed_consumers').get()).toEqual({ position: 2 });
    a.close();
    b.close();
  });
});

describe('lockForServing', () => {
  it('allows one process at a time, and names it', () => {
    const lock = lockForServing(folder, 4711);
    expect(() => lockForServing(folder, 4712)).toThrow(/is served by another tidings \(process 4711\)/);
    lock.release();
    lockForServing(folder, 4713).release();
  });
});
