/** Many receivers that are back in the same moment: their deliveries are read and moved one page of all at a time. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { expedite } from '../../../core/delivery/expedite.ts';
import { forEachPage } from '../../../core/delivery/page-turns.ts';
import { READ_PAGE_SIZE } from '../../../core/delivery/read-pages.ts';
import { DAY, fixedClock, HOUR, plus } from '../../../core/model/time.ts';
import { delivery, event, NOON } from '../../samples.ts';

const RECEIVERS = 12;
const WAITING = 2 * READ_PAGE_SIZE + 50;
const failed = { number: 1, at: plus(NOON, -HOUR), ms: 1, outcome: 'retry' as const };

describe('deliveries that wait for many receivers', () => {
  let stores: ReturnType<typeof sqliteStores>;
  let close: () => void;
  /** Reads in progress, and the most there were. */
  let reads: { now: number; most: number };
  let deliveries: ReturnType<typeof sqliteStores>['deliveries'];
  const names = Array.from({ length: RECEIVERS }, (_, index) => `a-${index}`);

  beforeEach(async () => {
    const db = openDatabase(':memory:');
    close = () => db.close();
    stores = sqliteStores(db);
    reads = { now: 0, most: 0 };
    deliveries = {
      ...stores.deliveries,
      get: async (...asked) => {
        reads.now += 1;
        reads.most = Math.max(reads.most, reads.now);
        try {
          return await stores.deliveries.get(...asked);
        } finally {
          reads.now -= 1;
        }
      },
    };
    const waiting = { attempts: [failed], dueAt: plus(NOON, DAY) };
    await stores.events.record(
      Array.from({ length: WAITING }, (_, index) => ({
        event: event(`old-${index}`),
        deliveries: [...names, 'b'].map((name) => delivery(`old-${index}`, name, waiting)),
      })),
    );
  });
  afterEach(() => close());

  it('are moved one page at a time, whoever is back in the same moment', async () => {
    const clock = fixedClock(NOON);
    await Promise.all(names.map((name) => expedite({ deliveries, clock }, name, { owner: 'a' })));
    expect(reads.most).toBeLessThanOrEqual(READ_PAGE_SIZE);
    const left = await stores.deliveries.listIds({ subscription: 'a-11', status: 'pending', only: 'delayed' });
    const moved = await Promise.all(left.map((id) => stores.deliveries.get(id)));
    expect(moved).toHaveLength(WAITING);
    for (const one of moved) expect(one?.dueAt).not.toBe(plus(NOON, DAY));
  });

  it('have a page of each owner in turn, however many receivers one has', async () => {
    const order: string[] = [];
    const readAll = (name: string, owner: string) =>
      forEachPage({ deliveries, owner }, { subscription: name, status: 'pending' }, async () => order.push(owner) > 0);
    await Promise.all([...names.map((name) => readAll(name, 'a')), readAll('b', 'b')]);
    expect(order).toHaveLength((RECEIVERS + 1) * 3);
    expect(order.lastIndexOf('b')).toBeLessThan(8);
  });

  it('let others have their turn while the work of one is paced', async () => {
    const query = { status: 'pending' } as const;
    const other = Promise.withResolvers<void>();
    const paced = forEachPage(
      { deliveries, owner: 'a', pace: () => other.promise },
      { ...query, subscription: 'a-0' },
      async () => true,
    );
    await forEachPage({ deliveries, owner: 'b' }, { ...query, subscription: 'b' }, async () => true);
    other.resolve();
    expect(await paced).toBe(true);
  });

  it('leave the event loop a turn between two pages, whoever is next', async () => {
    let [pages, mostInOneTurn, inThisTurn] = [0, 0, 0];
    const betweenPages = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      inThisTurn = 0;
    };
    const readAll = (name: string) =>
      forEachPage({ deliveries, owner: 'a', betweenPages }, { subscription: name, status: 'pending' }, async () => {
        pages += 1;
        inThisTurn += 1;
        mostInOneTurn = Math.max(mostInOneTurn, inThisTurn);
        return true;
      });
    await Promise.all(names.map(readAll));
    expect([pages, mostInOneTurn]).toEqual([RECEIVERS * 3, 1]);
  });

  it('go on for others when one stops, or fails', async () => {
    const query = { status: 'pending' } as const;
    const failing = forEachPage({ deliveries, owner: 'a' }, { ...query, subscription: 'a-0' }, async () => {
      throw new Error('the disk is full');
    });
    const stopping = forEachPage({ deliveries, owner: 'a' }, { ...query, subscription: 'a-1' }, async () => false);
    const going = forEachPage({ deliveries, owner: 'b' }, { ...query, subscription: 'b' }, async () => true);
    await expect(failing).rejects.toThrow('the disk is full');
    expect([await stopping, await going]).toEqual([false, true]);
  });
});
