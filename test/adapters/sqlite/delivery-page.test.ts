import { expect, it } from 'vitest';
import { openDatabase, type Row } from '../../../adapters/sqlite/database.ts';
import { selectDeliveryPage } from '../../../adapters/sqlite/delivery-page.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { delivery, event } from '../../samples.ts';

it('reads the deliveries of the page only, however many subscriptions have some', async () => {
  const db = openDatabase(':memory:');
  const stores = sqliteStores(db);
  const ids = Array.from({ length: 60 }, (_, index) => String(index + 1));
  const failed = ids.map((id) => delivery(id, `hook-${Number(id) % 20}`, { status: 'failed', dueAt: null }));
  await stores.events.record(failed.map((one, index) => ({ event: event(ids[index] ?? ''), deliveries: [one] })));
  let bodies = 0;
  const count = (rows: readonly Row[]) => {
    bodies += rows.flat().filter((value) => String(value).startsWith('{')).length;
  };
  const counting = {
    ...db,
    rows: (...query: Parameters<typeof db.rows>) => {
      const rows = db.rows(...query);
      count(rows);
      return rows;
    },
    row: (...query: Parameters<typeof db.row>) => {
      const row = db.row(...query);
      if (row !== undefined) count([row]);
      return row;
    },
  };
  const { deliveries, cursor } = selectDeliveryPage(counting, { status: 'failed', limit: 5 });
  expect(deliveries.map(({ id }) => id)).toEqual(
    failed
      .toReversed()
      .slice(0, 5)
      .map(({ id }) => id),
  );
  expect(bodies).toBe(5);
  const next = selectDeliveryPage(counting, { status: 'failed', limit: 5, after: cursor ?? '' });
  expect(next.deliveries.map(({ id }) => id)).toEqual(
    failed
      .toReversed()
      .slice(5, 10)
      .map(({ id }) => id),
  );
  db.close();
});

it('lists the ids of very many deliveries in parts, with turns of the event loop in between', async () => {
  const db = openDatabase(':memory:');
  const { deliveries, events } = sqliteStores(db);
  const ids = Array.from({ length: 80_000 }, (_, index) => String(index + 1));
  const waiting = ids.map((id) => delivery(id, 'slow', { status: 'pending' }));
  await events.record([{ event: event('1'), deliveries: [...waiting, delivery('x', 'other', { status: 'pending' })] }]);
  let turns = 0;
  const turning = setInterval(() => {
    turns += 1;
  });
  const query = { status: 'pending', subscription: 'slow' } as const;
  expect(await deliveries.listIds(query)).toEqual(waiting.map(({ id }) => id));
  clearInterval(turning);
  expect(turns).toBeGreaterThan(1);
  expect(await deliveries.listIds({ ...query, limit: 1500 })).toEqual(waiting.slice(0, 1500).map(({ id }) => id));
  expect(await deliveries.listIds({ ...query, limit: 0 })).toEqual([]);
  db.close();
});

it.each([{ subscription: 'own' }, {}])(
  'looks at a limited number of finished deliveries for a page, and the next one continues: %s',
  async (filter) => {
    const db = openDatabase(':memory:');
    const { deliveries, events } = sqliteStores(db);
    const settled = Array.from({ length: 5000 }, (_, n) => delivery(`${n}`, 'own', { status: 'settled', dueAt: null }));
    const first = delivery('first', 'own', { status: 'gathered', dueAt: null });
    await events.record([{ event: event('1'), deliveries: [first, ...settled] }]);
    const read = async (status: 'settled' | 'gathered', limit: number) => {
      const pages: number[] = [];
      const seen: string[] = [];
      for (let after: string | undefined, isEnd = false; !isEnd; ) {
        const page = await deliveries.page({ ...filter, status, limit, after });
        pages.push(page.deliveries.length);
        seen.push(...page.deliveries.map(({ id }) => id));
        after = page.cursor;
        isEnd = after === undefined;
      }
      return { pages, seen };
    };
    expect(await read('gathered', 10)).toEqual({ pages: [0, 0, 1], seen: [first.id] });
    const all = await read('settled', 1500);
    expect(all.seen).toEqual(settled.map(({ id }) => id).reverse());
    db.close();
  },
);

it('finds those of a status also among very many names, such as of removed subscriptions', async () => {
  const db = openDatabase(':memory:');
  const { deliveries, events } = sqliteStores(db);
  const held = Array.from({ length: 2500 }, (_, n) => delivery('1', `gone-${n}`, { status: 'held', dueAt: null }));
  const failed = delivery('1', 'own', { status: 'failed', dueAt: null });
  const pending = delivery('1', 'other', { status: 'pending' });
  await events.record([{ event: event('1'), deliveries: [failed, pending, ...held] }]);
  const first = await deliveries.page({ status: 'held', limit: 3 });
  expect(first.deliveries.map(({ id }) => id)).toEqual(
    held
      .slice(-3)
      .map(({ id }) => id)
      .reverse(),
  );
  // Failed ones have an index of their own: a first page without them would say that nothing was given up.
  const given = await deliveries.page({ status: 'failed', limit: 3 });
  expect(given).toMatchObject({ deliveries: [{ id: failed.id }], cursor: undefined });
  const none = await deliveries.page({ status: 'pending', limit: 3 });
  expect(none.deliveries).toEqual([]);
  const found = await deliveries.page({ status: 'pending', limit: 3, after: none.cursor });
  expect(found).toMatchObject({ deliveries: [{ id: pending.id }], cursor: undefined });
  db.close();
});
