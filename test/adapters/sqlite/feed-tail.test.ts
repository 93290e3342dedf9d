import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { later } from '../../contract/opened-stores.ts';
import { NOON, snapshot } from '../../samples.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-tail-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Counts the reads of the feed from the file. */
function countFeedReads(db: Database) {
  let reads = 0;
  const prepare: Database['prepare'] = (sql) => {
    if (/^\s*SELECT position, before, after FROM feed/.test(sql)) reads += 1;
    return db.prepare(sql);
  };
  return { database: { ...db, prepare }, reads: () => reads };
}

const created = (id: string, title = 'a') => ({ snapshot: snapshot(id, { record: { id, title } }), expected: 0 });
const changed = (id: string, title: string, version = 2) => ({
  snapshot: snapshot(id, { version, record: { id, title } }),
  expected: version - 1,
});

function openConsumer(db: Database) {
  const { database, reads } = countFeedReads(db);
  const store = sqliteSnapshotStore(database);
  const titles = async (limit = 200) => {
    const entries = await store.read('test', limit);
    const last = entries.at(-1);
    if (last !== undefined) await store.acknowledge('test', last.position);
    return entries.map(({ transition: { before, after } }) => [before?.record.title, after.record.title]);
  };
  return { store, titles, reads };
}

describe('the tail of the feed', () => {
  it('hands commits to a consumer that has caught up, without a read', async () => {
    const db = openDatabase(join(folder, 'data.db'));
    const { store, titles, reads } = openConsumer(db);
    await store.commit([created('1')]);
    expect([await titles(), reads()]).toEqual([[[undefined, 'a']], 1]);
    await store.commit([changed('1', 'b'), created('2', 'x')]);
    await store.commit([changed('1', 'c', 3)]);
    expect([await titles(2), reads()]).toEqual([
      [
        ['a', 'b'],
        [undefined, 'x'],
      ],
      1,
    ]);
    expect([await titles(), reads()]).toEqual([[['b', 'c']], 1]);
    expect([await titles(), reads()]).toEqual([[], 2]);
    db.close();
  });

  it('returns what follows a position, from the file and from memory', async () => {
    const db = openDatabase(join(folder, 'data.db'));
    const { store, titles } = openConsumer(db);
    await store.commit([created('1')]);
    await titles();
    await store.commit([created('2'), created('3'), created('4')]);
    const [first] = await store.read('test', 1);
    const position = first?.position ?? 0;
    for (const one of [store, sqliteSnapshotStore(db)]) {
      const read = async (after?: number) =>
        (await one.read('test', 2, after)).map(({ transition }) => transition.after.key.id);
      expect(await read(position)).toEqual(['3', '4']);
      expect(await read(position + 2)).toEqual([]);
      // The mark of the consumer counts, whatever it asks for.
      expect(await read(0)).toEqual(['2', '3']);
    }
    db.close();
  });

  it('is held back by the slowest consumer, until that one has come to its end', async () => {
    const db = openDatabase(join(folder, 'data.db'));
    const { store } = openConsumer(db);
    await store.commit([created('1'), created('2'), created('3')]);
    const [first, , third] = await store.read('test', 3);
    await store.acknowledge('test', third?.position ?? 0);
    await store.acknowledge('slow', first?.position ?? 0);
    const ids = async () => (await store.read('nobody', 9)).map(({ transition }) => transition.after.key.id);
    expect(await store.marks()).toEqual([
      { consumer: 'slow', position: first?.position },
      { consumer: 'test', position: third?.position },
    ]);
    await store.prune(later(1));
    expect(await ids()).toEqual(['2', '3']);
    await store.acknowledge('slow', null);
    expect(await store.marks()).toEqual([{ consumer: 'test', position: third?.position }]);
    await store.prune(later(1));
    expect(await ids()).toEqual([]);
    db.close();
  });

  it('has what the file has, also fields that JSON drops', async () => {
    const db = openDatabase(join(folder, 'data.db'));
    const { store, titles } = openConsumer(db);
    await store.commit([created('1')]);
    await titles();
    const odd = { id: '2', title: 'x', dropped: undefined } as unknown as { id: string };
    await store.commit([{ snapshot: snapshot('2', { record: odd }), expected: 0 }]);
    const [fromTail] = await store.read('test', 9);
    const [fromFile] = await sqliteSnapshotStore(db).read('test', 9);
    expect(Object.keys(fromTail?.transition.after.record ?? {})).toEqual(['id', 'title']);
    expect(fromTail).toEqual(fromFile);
    db.close();
  });

  it('does not count a commit or an acknowledgement that was rolled back', async () => {
    const db = openDatabase(join(folder, 'data.db'));
    const stores = sqliteStores(db);
    const take = { limit: 0, visibility: 0, room: () => 0 };
    const acknowledge = (position: number) =>
      stores.recordAndTake([], [], NOON, { take, processed: [{ consumer: 'test', position }] });
    await stores.snapshots.commit([created('1')]);
    await acknowledge(1);
    db.prepare(
      "CREATE TRIGGER full BEFORE INSERT ON feed WHEN NEW.id = '3' BEGIN SELECT raise(ABORT, 'no'); END",
    ).run();
    await expect(stores.snapshots.commit([created('2'), created('3')])).rejects.toThrow('no');
    await stores.snapshots.commit([created('4')]);
    db.prepare("CREATE TRIGGER stuck BEFORE UPDATE ON feed_consumers BEGIN SELECT raise(ABORT, 'no'); END").run();
    await expect(acknowledge(2)).rejects.toThrow('no');
    db.prepare('DROP TRIGGER stuck').run();
    const ids = (await stores.snapshots.read('test', 9)).map(({ transition }) => transition.after.key.id);
    expect(ids).toEqual(['4']);
    db.close();
  });

  it('loses and repeats nothing, whoever commits and however far behind the consumer is', async () => {
    const step = fc.oneof(
      fc.record({ by: fc.constantFrom('us', 'another'), count: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ by: fc.constantFrom('us', 'another'), count: fc.constant(250) }),
      fc.record({ by: fc.constant('consumer'), count: fc.integer({ min: 1, max: 300 }) }),
    );
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const file = join(folder, `${run++}.db`);
        const [db, otherDb] = [openDatabase(file), openDatabase(file)];
        const { store, titles } = openConsumer(db);
        const other = sqliteSnapshotStore(otherDb);
        const committed: string[] = [];
        const consumed: unknown[] = [];
        for (const { by, count } of [...steps, { by: 'consumer', count: 1_000_000 }]) {
          if (by === 'consumer') {
            consumed.push(...(await titles(count)).map(([, title]) => title));
            continue;
          }
          const ids = Array.from({ length: count }, (_, n) => String(committed.length + n + 1));
          await (by === 'us' ? store : other).commit(ids.map((id) => created(id, id)));
          committed.push(...ids);
        }
        for (let more = await titles(); more.length > 0; more = await titles())
          consumed.push(...more.map(([, title]) => title));
        db.close();
        otherDb.close();
        expect(consumed).toEqual(committed);
      }),
      { numRuns: 40 },
    );
  });
});
