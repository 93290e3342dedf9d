/** What a page of deliveries reads, and the recovery of a receiver: nobody must pay for, or wait for, the deliveries of all others. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inGroups } from '../../../adapters/aws/parallel.ts';
import { deliveryKey, timelinePartition } from '../../../adapters/dynamodb/keys.ts';
import { dynamoStores } from '../../../adapters/dynamodb/stores.ts';
import { openTable } from '../../../adapters/dynamodb/table.ts';
import { expedite } from '../../../core/delivery/expedite.ts';
import { type Delivery, openDelivery } from '../../../core/model/delivery.ts';
import { DAY, HOUR, plus, SECOND } from '../../../core/model/time.ts';
import type { DatabaseStores } from '../../../core/ports/database-stores.ts';
import type { DeliveryPageQuery } from '../../../core/ports/delivery-store.ts';
import { event, NOON } from '../../samples.ts';
import { type LocalTables, startLocalTables } from './local-tables.ts';

/** More than one page reads, of both. */
const BATCHES = 250;
const PER_BATCH = 100;

let tables: LocalTables;
let stores: DatabaseStores;
let items = 0;

beforeAll(async () => {
  tables = await startLocalTables();
  const names = await tables.create();
  const client = tables.connect();
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      items += (result.output as { readonly Items?: readonly unknown[] }).Items?.length ?? 0;
      return result;
    },
    { step: 'initialize' },
  );
  let now = NOON;
  const clock = { now: () => now };
  stores = dynamoStores({ client, tables: names, retention: 90 * DAY, clock });
  const own = (id: string) => ({ event: event(id), deliveries: [openDelivery(event(id), 'own', NOON)] });
  await stores.events.record([own('1'), own('2')]);
  const table = openTable({ client: tables.client, table: names.ledger });
  const others = Array.from({ length: BATCHES }, (_, n) => {
    const name = `${plus(NOON, (n + 1) * SECOND)}-00000-abcd`;
    const ids = Array.from({ length: PER_BATCH }, (_, at) => `dlv_${n}_${at}`);
    return { name, deliveries: ids.map((id) => ({ id, subscription: 'other' })) };
  });
  const batches = others.map(({ name, deliveries }) => ({
    ...{ pk: timelinePartition(NOON.slice(0, 7)), sk: name, events: [], deliveries },
  }));
  const pending = others.slice(0, 101).flatMap(({ name, deliveries }) =>
    deliveries.map(({ id, subscription }) => ({
      ...deliveryKey(id),
      ...{ agenda: '1', dueAt: plus(NOON, DAY), place: `${subscription}#${name}#000`, subscription, status: 'pending' },
    })),
  );
  // Few at a time: the emulator would not answer the last ones of thousands in time on a busy machine.
  for (const group of inGroups([...batches, ...pending], 100)) await table.writeAll(group, []);
  now = plus(NOON, HOUR);
}, 120_000);
afterAll(async () => tables.stop());

/** The ids of all pages, how many there were, and the most items that one of them read. */
async function readPages(query: Omit<DeliveryPageQuery, 'limit'>) {
  const found: Delivery[] = [];
  let most = 0;
  for (let after: string | undefined, pages = 1; pages < 10; pages++) {
    items = 0;
    const { deliveries, cursor } = await stores.deliveries.page({ ...query, limit: 20, after });
    most = Math.max(most, items);
    found.push(...deliveries);
    if (cursor === undefined) return { events: found.flatMap(({ events }) => events), pages, most };
    after = cursor;
  }
  throw new Error('the pages do not end');
}

describe('a receiver that is back', () => {
  it('has what was put off sent sooner, without a look at the agenda of all', async () => {
    const [first, second] = await stores.deliveries.list({ subscription: 'own', limit: 2 });
    if (first === undefined || second === undefined) throw new Error('no deliveries');
    const attempts = [{ number: 1, at: NOON, ms: 1, outcome: 'retry' }] as const;
    const later = plus(NOON, 10 * HOUR);
    await stores.deliveries.saveAttempt({ ...first, attempts, dueAt: later });
    items = 0;
    await expedite({ deliveries: stores.deliveries, clock: { now: () => NOON } }, 'own');
    expect(items).toBe(1);
    expect((await stores.deliveries.get(first.id, true))?.dueAt).toBe(NOON);
    expect((await stores.deliveries.get(second.id, true))?.dueAt).toBe(second.dueAt);
  });
});

describe('the pages of a subscription', () => {
  it('end when much of others was read, and the next one continues', async () => {
    expect(await readPages({ subscription: 'own' })).toMatchObject({ events: ['evt_2', 'evt_1'], pages: 3 });
    expect((await readPages({ subscription: 'own' })).most).toBeLessThanOrEqual(BATCHES);
    expect(await readPages({ subscription: 'unknown' })).toMatchObject({ events: [], pages: 3 });
  });

  it('read a part of a long agenda, and find what is pending on the timeline', async () => {
    const read = await readPages({ subscription: 'own', status: 'pending' });
    expect(read).toMatchObject({ events: ['evt_2', 'evt_1'], pages: 3 });
    expect(read.most).toBeLessThan(15_000);
  });
});
