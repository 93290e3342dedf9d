/** Pruning leaves time to others: a key with hundreds of subscriptions leaves as many deliveries of each event. */

import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../adapters/sqlite/database.ts';
import { pruneEvents } from '../../../adapters/sqlite/prune-events.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { openDigest } from '../../../core/model/delivery.ts';
import { DAY, plus } from '../../../core/model/time.ts';
import { delivery, event, NOON } from '../../samples.ts';

const EVENTS = 150;
const SUBSCRIPTIONS = 80;
const OLD = plus(NOON, -DAY);

let database: Database;
let stores: ReturnType<typeof sqliteStores>;

beforeEach(() => {
  database = openDatabase(':memory:');
  stores = sqliteStores(database);
});
afterEach(() => database.close());

const over = { status: 'settled', dueAt: null, createdAt: OLD } as const;

it('deletes many deliveries in many turns of the event loop', async () => {
  for (let id = 1; id <= EVENTS; id++) {
    const names = Array.from({ length: SUBSCRIPTIONS }, (_, index) => `s${index}`);
    const deliveries = names.map((name) => delivery(String(id), name, over));
    await stores.events.record([{ event: event(String(id), { time: OLD }), deliveries }]);
  }
  let [turns, isOver] = [0, false];
  const watch = (async () => {
    for (; !isOver; turns++) await nextEventLoopTurn();
  })();
  expect(await stores.events.prune(NOON)).toBe(EVENTS);
  isOver = true;
  await watch;
  expect(turns).toBeGreaterThan(5);
  expect(await stores.deliveries.list({ limit: 9 })).toEqual([]);
  expect(database.rows('SELECT count(*) FROM delivery_events')).toEqual([[0]]);
});

it('deletes what one event was sent again in many turns, too', async () => {
  const again = Array.from({ length: 5000 }, (_, index) => ({ ...delivery('1', 'own', over), id: `dlv_${index}` }));
  await stores.events.record([{ event: event('1', { time: OLD }), deliveries: again }]);
  let writes = 0;
  const counting = {
    ...database,
    prepare: (sql: string) => {
      const statement = database.prepare(sql);
      if (!sql.startsWith('DELETE FROM deliveries')) return statement;
      return Object.assign(Object.create(statement), {
        run: (...values: Parameters<typeof statement.run>) => {
          writes += 1;
          const result = statement.run(...values);
          expect(result.changes).toBeLessThanOrEqual(200);
          return result;
        },
      });
    },
  };
  expect(await pruneEvents(counting, NOON)).toBe(1);
  expect(writes).toBeGreaterThanOrEqual(25);
  expect(await stores.deliveries.list({ limit: 9 })).toEqual([]);
});

it('deletes a message when the last of its events is old, and a digest without events', async () => {
  const both = delivery('1', 'team', { ...over, events: ['evt_1', 'evt_2'] });
  await stores.events.record([
    { event: event('1', { time: OLD }), deliveries: [both] },
    { event: event('2', { time: NOON }), deliveries: [] },
  ]);
  const day = { source: 'main', day: '2026-11-13' };
  const digests = [OLD, NOON].map((at) => ({
    ...openDigest(day, `team ${at}`, at, at, 'team'),
    ...over,
    createdAt: at,
  }));
  for (const [index, digest] of digests.entries())
    await stores.deliveries.gather({ ...digest, id: `dlv_${index}` }, []);
  expect(await stores.events.prune(NOON)).toBe(1);
  const left = async () => (await stores.deliveries.list({ limit: 9 })).map(({ id }) => id);
  expect(await left()).toEqual([both.id, 'dlv_1']);
  expect(await stores.events.prune(plus(NOON, 1))).toBe(1);
  expect(await left()).toEqual([]);
});

it('deletes many entries of the audit trail and of the feed in many turns, and reads no entry that is not old', async () => {
  const ids = Array.from({ length: 80_000 }, (_, index) => String(index));
  const feedEntry = database.prepare('INSERT INTO feed (after) VALUES (?)');
  const auditEntry = database.prepare('INSERT INTO audit (at, body) VALUES (?, ?)');
  database.transaction(() => {
    for (const id of ids) {
      feedEntry.run(JSON.stringify({ id, committedAt: OLD }));
      auditEntry.run(OLD, JSON.stringify({ id }));
    }
    for (const id of ids.slice(0, 1000)) feedEntry.run(JSON.stringify({ id, committedAt: NOON }));
    // To read it would fail.
    const { lastInsertRowid } = feedEntry.run('no JSON');
    auditEntry.run(NOON, '{}');
    database.prepare('INSERT INTO feed_consumers (consumer, position) VALUES (?, ?)').run('announce', lastInsertRowid);
  });
  for (const prune of [stores.snapshots.prune, stores.audit.prune]) {
    let [turns, isOver] = [0, false];
    const watch = (async () => {
      for (; !isOver; turns++) await nextEventLoopTurn();
    })();
    await prune(NOON);
    isOver = true;
    await watch;
    expect(turns).toBeGreaterThan(3);
  }
  expect(database.rows('SELECT count(*) FROM feed')).toEqual([[1001]]);
  expect(database.rows('SELECT count(*) FROM audit')).toEqual([[1]]);
});

it('keeps what is on the agenda, and 30 days later deletes it too, in turns however much of it there is', async () => {
  const waiting = (id: string, time: string) => ({
    event: event(id, { time }),
    deliveries: [
      delivery(id, 'slow', { createdAt: time, dueAt: NOON }),
      delivery(id, 'other', { ...over, createdAt: time }),
    ],
  });
  const overdue = plus(NOON, -31 * DAY);
  for (let id = 0; id < 250; id++) await stores.events.record([waiting(`kept-${id}`, OLD)]);
  await stores.events.record([waiting('overdue', overdue)]);
  let reads = 0;
  const counting = {
    ...database,
    rows: (sql: string, ...values: Parameters<Database['rows']> extends [string, ...infer Rest] ? Rest : never) => {
      const rows = database.rows(sql, ...values);
      expect(rows.length).toBeLessThanOrEqual(100);
      reads += 1;
      return rows;
    },
  };
  expect(await pruneEvents(counting, NOON)).toBe(1);
  expect(reads).toBeGreaterThan(3);
  expect(await stores.deliveries.list({ subscription: 'slow', limit: 999 })).toHaveLength(250);
  expect(await stores.events.get('evt_overdue')).toBeUndefined();
  expect((await stores.deliveries.list({ limit: 999 })).filter(({ createdAt }) => createdAt === overdue)).toEqual([]);
});
