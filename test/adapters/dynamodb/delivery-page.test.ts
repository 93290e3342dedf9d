/** What a page of deliveries reads, and what verbs on one subscription read: nobody must pay for, or wait for, the deliveries of all others. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inGroups } from '../../../adapters/aws/parallel.ts';
import { deliveryKey, timelinePartition } from '../../../adapters/dynamodb/keys.ts';
import { dynamoStores } from '../../../adapters/dynamodb/stores.ts';
import { openTable, type Table } from '../../../adapters/dynamodb/table.ts';
import { postponeIfPaused } from '../../../core/delivery/enter-lane.ts';
import { expedite } from '../../../core/delivery/expedite.ts';
import { HEALTHY } from '../../../core/delivery/receivers/health.ts';
import { countUnsent, moveBacklog } from '../../../core/delivery/receivers/rename.ts';
import { retryAll } from '../../../core/delivery/retry.ts';
import { unbookSlots } from '../../../core/delivery/unbook-slots.ts';
import { type Delivery, openDelivery } from '../../../core/model/delivery.ts';
import { DAY, HOUR, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import type { DatabaseStores } from '../../../core/ports/database-stores.ts';
import type { DeliveryPageQuery } from '../../../core/ports/delivery-store.ts';
import { event, NOON, subscription } from '../../samples.ts';
import { type LocalTables, startLocalTables } from './local-tables.ts';

/** More than one page reads, of both. */
const BATCHES = 250;
const PER_BATCH = 100;

/** More than the verbs on one subscription read of them. */
const OTHERS_DUE_SOON = 1500;
const MAX_DUE_SOON = 1000;

let tables: LocalTables;
let table: Table;
let stores: DatabaseStores;
let items = 0;

/** The clock of the stores in the tests. */
const NOW = plus(NOON, HOUR);
const clock = { now: () => NOW };

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
  stores = dynamoStores({ client, tables: names, retention: 90 * DAY, clock: { now: () => now } });
  const own = (id: string) => ({ event: event(id), deliveries: [openDelivery(event(id), 'own', NOON)] });
  await stores.events.record([own('1'), own('2')]);
  table = openTable({ client: tables.client, table: names.ledger });
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
  const justOpened = Array.from({ length: OTHERS_DUE_SOON }, (_, n) => ({
    ...deliveryKey(`dlv_soon_${n}`),
    ...{ agenda: '2', dueAt: plus(NOW, MINUTE), subscription: 'other', status: 'pending' },
    place: `other#${NOW}-00000-abcd#000`,
  }));
  // Few at a time: the emulator would not answer the last ones of thousands in time on a busy machine.
  for (const group of inGroups([...batches, ...pending, ...justOpened], 100)) await table.writeAll(group, []);
  now = NOW;
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

describe('verbs on one subscription with three pending deliveries, of which one was only opened', () => {
  /** Records them: one is retried later, one is in a later slot. */
  async function open(name: string) {
    const at = (id: string) => openDelivery(event(`${name}${id}`), name, NOW);
    const [retried, booked, opening] = [at('1'), at('2'), at('3')] as const;
    await stores.events.record(
      [retried, booked, opening].map((one, n) => ({ event: event(`${name}${n + 1}`), deliveries: [one] })),
    );
    const attempts = [{ number: 1, at: NOW, ms: 1, outcome: 'retry' }] as const;
    await stores.deliveries.saveAttempt({ ...retried, attempts, dueAt: plus(NOW, HOUR) });
    const slot = { at: plus(NOW, DAY), interval: SECOND };
    await stores.deliveries.update(booked, { ...booked, slot, dueAt: slot.at });
    items = 0;
    return { retried, booked, opening };
  }
  const dueTimes = async (...all: readonly Delivery[]) =>
    Promise.all(all.map(async ({ id }) => (await stores.deliveries.get(id, true))?.dueAt));

  it('a removal counts them, and reads a limited number of what is due soon', async () => {
    await open('removed');
    expect(await countUnsent(stores.deliveries, 'removed')).toBe(3);
    expect(items).toBeGreaterThanOrEqual(MAX_DUE_SOON);
    expect(items).toBeLessThan(MAX_DUE_SOON + 50);
  });

  it('a retry moves what was put off, and reads nothing of others', async () => {
    const { retried, booked, opening } = await open('retried');
    expect(await retryAll({ ...stores, clock }, { subscription: 'retried', status: 'pending' })).toMatchObject({
      count: 2,
    });
    expect(items).toBe(2);
    expect(await dueTimes(retried, booked, opening)).toEqual([NOW, NOW, opening.dueAt]);
  });

  it('a retry of what failed since a time does not read what failed before', async () => {
    const { opening } = await open('given-up');
    await stores.deliveries.update(opening, { ...opening, status: 'failed', settledAt: NOW, dueAt: null });
    const failedSince = async (since: string) => {
      items = 0;
      const asked = { subscription: 'given-up', status: 'failed', since, dryRun: true } as const;
      return { ...(await retryAll({ ...stores, clock }, asked)), items };
    };
    expect(await failedSince(NOW)).toEqual({ count: 1, next: null, items: 1 });
    expect(await failedSince(plus(NOW, SECOND))).toEqual({ count: 0, next: null, items: 0 });
  });

  it('slots that are free again are booked again, and nothing of others is read', async () => {
    const { retried, booked } = await open('unbooked');
    expect(await unbookSlots({ ...stores, clock }, 'unbooked', { mayGoOn: () => true })).toBe(true);
    expect(items).toBe(2);
    expect(await dueTimes(retried, booked)).toEqual([plus(NOW, HOUR), NOW]);
  });

  it('a rename moves them, and reads a limited number of what is due soon', async () => {
    await open('old-name');
    expect(await moveBacklog({ ...stores, clock }, 'old-name', subscription('new-name'))).toBe(3);
    // Twice: until nothing is left.
    expect(items).toBeLessThan(2 * (MAX_DUE_SOON + 50));
    expect(await countUnsent(stores.deliveries, 'new-name')).toBe(3);
    expect(await countUnsent(stores.deliveries, 'old-name')).toBe(0);
  });

  it('a delivery that waits because its receiver is paused comes sooner when it is back', async () => {
    const { opening } = await open('paused');
    const pausedUntil = plus(NOW, HOUR);
    const circuit = { failures: 9, failedAt: NOW, pausedUntil, probe: 'dlv_another' };
    const ports = { ...stores, clock, random: () => 0 };
    await postponeIfPaused(ports, opening, { ...HEALTHY, circuit });
    expect((await dueTimes(opening))[0]?.localeCompare(pausedUntil)).not.toBe(-1);
    items = 0;
    await expedite({ ...stores, clock }, 'paused');
    expect(items).toBe(2);
    expect(await dueTimes(opening)).toEqual([NOW]);
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

  it('of a status of all subscriptions read a part of a long list, and find the rest on the timeline', async () => {
    const failed = Array.from({ length: 2500 }, (_, n) => ({
      ...deliveryKey(`dlv_failed_${n}`),
      ...{ list: 'delivery#failed', place: `other#${NOON}-00000-abcd#${n}`, subscription: 'other', status: 'failed' },
    }));
    for (const group of inGroups(failed, 100)) await table.writeAll(group, []);
    const own = await stores.deliveries.list({ subscription: 'own', limit: 1 });
    for (const one of own) await stores.deliveries.update(one, { ...one, status: 'failed', dueAt: null });
    items = 0;
    const first = await stores.deliveries.page({ status: 'failed', limit: 20 });
    expect(first.cursor).toBeDefined();
    expect(first.deliveries.map(({ id }) => id)).not.toContain(own[0]?.id);
    // The list up to its limit, and a part of the timeline.
    expect(items).toBeLessThan(4000);
    // A page further back.
    const after = `${plus(NOON, SECOND)}-00000-abcd#000`;
    const { deliveries } = await stores.deliveries.page({ status: 'failed', limit: 20, after });
    expect(deliveries.map(({ id }) => id)).toEqual(own.map(({ id }) => id));
  });
});
