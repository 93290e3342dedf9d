/** A backlog at a receiver with a rate: each delivery books one slot and is sent in it, however long the backlog is. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { dynamoRateLimiter } from '../../../adapters/dynamodb/rate-limiter.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { pause, resume } from '../../../core/delivery/hold.ts';
import { fixedClock, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import { type LocalTables, startLocalTables } from '../../adapters/dynamodb/local-tables.ts';
import { NOON } from '../../samples.ts';
import { type BacklogPorts, deliverBacklog } from './rated-backlog.ts';

let tables: LocalTables;
beforeAll(async () => {
  tables = await startLocalTables();
});
afterAll(async () => tables.stop());

const perSecond = (count: number) => () => ({ count, per: SECOND });

/** SQLite for the deliveries, DynamoDB for the slots, whose bookings are counted. */
async function setUp() {
  const database = openDatabase(':memory:');
  const limiter = dynamoRateLimiter({ client: tables.client, table: (await tables.create()).ledger });
  const self = {
    bookings: 0,
    ports: {
      ...sqliteStores(database),
      snapshots: sqliteSnapshotStore(database),
      rateLimiter: {
        ...limiter,
        book: (...booked: Parameters<typeof limiter.book>) => {
          self.bookings += 1;
          return limiter.book(...booked);
        },
      },
    } satisfies BacklogPorts,
  };
  return self;
}

/** The most messages within any `seconds` seconds. */
function mostWithin(seconds: number, sentAt: readonly number[]): number {
  return Math.max(...sentAt.map((from) => sentAt.filter((at) => at >= from && at < from + seconds * SECOND).length));
}

describe('a backlog at 2/s', () => {
  it('takes two jobs and one booking for each delivery, and keeps the rate', async () => {
    const world = await setUp();
    const { jobs, sentAt } = await deliverBacklog(world.ports, { count: 160, rate: perSecond(2) });
    expect(sentAt).toHaveLength(160);
    expect(jobs).toBeLessThanOrEqual(320);
    expect(world.bookings).toBeLessThanOrEqual(160);
    expect(sentAt.at(-1)).toBeLessThan(2.5 * MINUTE);
    expect(mostWithin(10, sentAt)).toBeLessThanOrEqual(22);
  });

  it('is not sent at once after an outage', async () => {
    const { ports } = await setUp();
    const isAway = (seconds: number) => seconds > 30 && seconds < 600;
    const { jobs, sentAt } = await deliverBacklog(ports, { count: 160, rate: perSecond(2), isAway });
    expect(sentAt).toHaveLength(160);
    expect(mostWithin(10, sentAt)).toBeLessThanOrEqual(22);
    // Tick queued each of them again every two minutes while deliver was away.
    expect(jobs).toBeLessThan(160 * 9);
  });

  it('is sent faster when the rate is raised', async () => {
    const { ports } = await setUp();
    const rate = (now: string) => ({ count: now < plus(NOON, MINUTE) ? 1 : 600, per: MINUTE });
    const { sentAt } = await deliverBacklog(ports, { count: 160, rate });
    expect(sentAt).toHaveLength(160);
    expect(sentAt.at(-1)).toBeLessThan(6 * MINUTE);
  });

  it('is sent more slowly when the rate is lowered', async () => {
    const { ports } = await setUp();
    const rate = (now: string) => ({ count: now < plus(NOON, MINUTE) ? 300 : 30, per: MINUTE });
    const { sentAt } = await deliverBacklog(ports, { count: 300, rate });
    expect(sentAt).toHaveLength(300);
    expect(
      mostWithin(
        60,
        sentAt.filter((at) => at > 3 * MINUTE),
      ),
    ).toBeLessThanOrEqual(32);
  });

  it('goes on after a pause', async () => {
    const { ports } = await setUp();
    const onStep = async (seconds: number) => {
      const now = { ...ports, channels: channelRegistry, clock: fixedClock(plus(NOON, seconds * SECOND)) };
      if (seconds === 40) await pause(now, 'ops');
      if (seconds === 200) await resume(now, 'ops');
    };
    const { sentAt } = await deliverBacklog(ports, { count: 160, rate: perSecond(2), onStep });
    expect(sentAt).toHaveLength(160);
    expect(mostWithin(10, sentAt)).toBeLessThanOrEqual(22);
  });
});
