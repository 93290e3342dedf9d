/** Lists of what is open leave time to others: each digest reads one, and a key may have a thousand at the same minute. */

import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { snapshot } from '../../samples.ts';

const RECORDS = 1000;
const LISTS = 30;
const MAX_ROWS_IN_A_TURN = 250;

let database: Database;
let store: ReturnType<typeof sqliteSnapshotStore>;

beforeEach(async () => {
  database = openDatabase(':memory:');
  store = sqliteSnapshotStore(database);
  const open = { stage: { closed: false, overdue: true } };
  await store.commit(
    Array.from({ length: RECORDS }, (_, index) => ({ snapshot: snapshot(String(index + 1), open), expected: 0 })),
  );
});
afterEach(() => database.close());

it('reads few rows in a turn of the event loop, however many digests read what is open', async () => {
  let [rows, most, isOver] = [0, 0, false];
  const watch = (async () => {
    while (!isOver) {
      const before = rows;
      await nextEventLoopTurn();
      most = Math.max(most, rows - before);
    }
  })();
  const read = async () => {
    const ids: string[] = [];
    for await (const { key } of store.listOpen('main', 'task')) {
      rows += 1;
      ids.push(key.id);
    }
    return ids;
  };
  const lists = await Promise.all(Array.from({ length: LISTS }, read));
  isOver = true;
  await watch;
  expect(lists[0]).toHaveLength(RECORDS);
  expect(new Set(lists.map((ids) => ids.join())).size, 'all lists are the same').toBe(1);
  expect(rows).toBe(LISTS * RECORDS);
  expect(most).toBeLessThanOrEqual(MAX_ROWS_IN_A_TURN);
});
