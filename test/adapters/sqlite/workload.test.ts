/** What a monitor counts, with very many deliveries that wait for the receivers of one key. */

import { expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { sqliteWorkload } from '../../../adapters/sqlite/workload.ts';
import { type Delivery, openDelivery } from '../../../core/model/delivery.ts';
import { plus } from '../../../core/model/time.ts';
import { event, NOON } from '../../samples.ts';

const SUBSCRIPTIONS = 50;
const EACH = 500;

it('counts all of them in parts, and others get their turn in between', async () => {
  const db = openDatabase(':memory:');
  const { events } = sqliteStores(db);
  const one = event('1');
  for (let number = 0; number < SUBSCRIPTIONS; number++) {
    const status = number === 0 ? 'failed' : 'pending';
    const deliveries = Array.from(
      { length: EACH },
      (_, index): Delivery => ({
        ...openDelivery(one, `s${number}`, NOON),
        id: `dlv_${number}_${index}`,
        status,
        // Many at the same instant, and others at different ones.
        dueAt: status === 'failed' ? null : plus(NOON, number < 45 ? 0 : index),
      }),
    );
    await events.record([{ event: one, deliveries }]);
  }
  let turns = 0;
  const workload = sqliteWorkload(db, async () => {
    turns += 1;
  });
  const pending = (SUBSCRIPTIONS - 1) * EACH;
  expect(await workload()).toMatchObject({
    deliveries: { waiting: 0, pending, held: 0, failed: EACH },
    scheduled: pending,
  });
  // Several parts of those that are open, and of those with a time.
  expect(turns).toBeGreaterThan(5);
  db.close();
});
