import { expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { sqliteWorkload } from '../../../adapters/sqlite/workload.ts';
import { delivery, event } from '../../samples.ts';

it('counts again at once, and after a count that took long only after a rest', async () => {
  const db = openDatabase(':memory:');
  const { events } = sqliteStores(db);
  const times = [0, 5, 10, 110, 200, 5009, 5010, 5011];
  const pending = () => workload().deliveries.pending;
  const workload = sqliteWorkload(db, () => times.shift() ?? Number.NaN);
  const add = (id: string) =>
    events.record([{ event: event(id), deliveries: [delivery(id, 'slow', { status: 'pending' })] }]);
  await add('1');
  // Takes 5 ms, then 100 ms.
  expect(pending()).toBe(1);
  await add('2');
  expect(pending()).toBe(2);
  await add('3');
  expect([pending(), pending()]).toEqual([2, 2]);
  expect(pending()).toBe(3);
  expect(times).toEqual([]);
  db.close();
});
