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
