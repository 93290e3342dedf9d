/** A backlog of one key with many subscriptions: what others have due is found soon, also by a busy process. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../adapters/sqlite/database.ts';
import { type SqliteStores, sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { openDelivery } from '../../../core/model/delivery.ts';
import { taskEvent } from '../../manage/api-world.ts';
import { subscription } from '../../samples.ts';

const NOW = '2026-11-18T12:00:00.000Z';
const EARLIER = '2026-11-18T11:00:00.000Z';
const SUBSCRIPTIONS = 600;
const DELIVERIES = 50;

let db: Database;
let stores: SqliteStores;

beforeEach(async () => {
  db = openDatabase(':memory:');
  stores = sqliteStores(db);
  const names = Array.from({ length: SUBSCRIPTIONS }, (_, n) => `a${n}`);
  for (const name of names) await stores.subscriptions.add(subscription(name, { declared: false, owner: 'key_1' }));
  await stores.subscriptions.add(subscription('victim'));
  for (let n = 0; n < DELIVERIES; n++) {
    const event = taskEvent(`evt_${n}`);
    const deliveries = names.map((name) => ({ ...openDelivery(event, name, EARLIER), dueAt: EARLIER }));
    await stores.events.record([{ event, deliveries }]);
  }
  const event = taskEvent('evt_victim');
  await stores.events.record([{ event, deliveries: [{ ...openDelivery(event, 'victim', NOW), dueAt: NOW }] }]);
});

afterEach(() => db.close());

it('is read with what others have due, and again soon although other work goes on', async () => {
  let isOver = false;
  const otherWork = (async () => {
    while (!isOver) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
      await nextTurn();
    }
  })();
  const begun = performance.now();
  let [found, waited] = [begun, 0];
  while (performance.now() - begun < 6_000) {
    const moments = await stores.readBacklog(NOW, 10_000);
    if (moments.some(({ subscription }) => subscription === 'victim')) found = performance.now();
    waited = Math.max(waited, performance.now() - found);
    await nextTurn();
  }
  isOver = true;
  await otherWork;
  expect(waited).toBeLessThan(2_000);
});
