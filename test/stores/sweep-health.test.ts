/** The health of subscriptions that are gone, on both stores: it ends after the retention, and never that of one made again. */

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { dynamoSnapshotStore } from '../../adapters/dynamodb/snapshot-store.ts';
import { dynamoStores } from '../../adapters/dynamodb/stores.ts';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { healthKey } from '../../core/delivery/receivers/health.ts';
import { changeHealth, readFreshHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { sweepHealth } from '../../core/delivery/receivers/sweep-health.ts';
import { DAY, MINUTE, plus } from '../../core/model/time.ts';
import type { DatabaseStores } from '../../core/ports/database-stores.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import { addSubscription, removeSubscription } from '../../core/subscriptions/verbs.ts';
import { type LocalTables, startLocalTables } from '../adapters/dynamodb/local-tables.ts';
import { handClock } from '../core/source/list-api.ts';
import { NOON, subscription } from '../samples.ts';

const RETENTION = 30 * DAY;
const AUTHOR = { kind: 'command', id: 'ann' } as const;

type Open = () => Promise<{ readonly stores: DatabaseStores; readonly snapshots: SnapshotStore }>;

function suite(mode: string, open: Open) {
  describe(`the health of a removed subscription, ${mode}`, () => {
    async function start() {
      const { stores, snapshots } = await open();
      const clock = handClock(NOON);
      const config = { sources: [], retention: RETENTION } as never;
      const ports = { ...stores, snapshots, clock, config, randomBytes, channels: channelRegistry };
      const add = (isPaused = false) =>
        addSubscription(ports, AUTHOR, subscription('news', { declared: false }), { isPaused });
      const remove = () => removeSubscription(ports, AUTHOR, 'news');
      const mute = () => changeHealth(ports, 'news', 'person', (before) => ({ ...before, muted: ['ann@example.com'] }));
      const sweep = () => sweepHealth(ports, RETENTION);
      const row = async () => (await snapshots.getMany('_tidings', 'subscription', ['news'])).get('news');
      return { ports, clock, add, remove, mute, sweep, row };
    }

    it('stays for the retention, with readers who unsubscribed, and is deleted then', async () => {
      const { ports, clock, add, remove, mute, sweep, row } = await start();
      await add();
      await mute();
      await sweep();
      expect(await row()).toMatchObject({ version: 1 });
      await remove();
      await sweep();
      clock.advance(RETENTION - MINUTE);
      await sweep();
      expect(await readFreshHealth(ports, 'news')).toMatchObject({ muted: ['ann@example.com'] });
      const end = plus(NOON, RETENTION);
      expect(await row()).toMatchObject({ expiresAt: end });
      clock.advance(2 * MINUTE);
      await sweep();
      // DynamoDB does it by itself.
      if (mode === 'in AWS') return;
      expect(await row()).toBeUndefined();
      expect(await readFreshHealth(ports, 'news')).toMatchObject({ muted: [], state: 'ok' });
    });

    it('is marked by the removal, whatever the sweep has to do, and ends soon if nothing of it lasts', async () => {
      const { clock, add, remove, mute, sweep, row } = await start();
      await add(true);
      await remove();
      expect(await row()).toMatchObject({ expiresAt: plus(NOON, 2 * DAY) });
      clock.advance(2 * DAY + MINUTE);
      await sweep();
      if (mode === 'embedded') expect(await row()).toBeUndefined();
      await add(true);
      await mute();
      await remove();
      expect(await row()).toMatchObject({ expiresAt: plus(NOON, 2 * DAY + MINUTE + RETENTION) });
    });

    it('stays if another with the name is added, paused, at the moment of the removal', async () => {
      const { ports, clock, add, sweep, row } = await start();
      await add(true);
      const { subscriptions } = ports;
      const remove: typeof subscriptions.remove = async (...given) => {
        const isRemoved = await subscriptions.remove(...given);
        await add(true);
        return isRemoved;
      };
      await removeSubscription({ ...ports, subscriptions: { ...subscriptions, remove } }, AUTHOR, 'news');
      clock.advance(DAY);
      await sweep();
      expect(await row()).not.toHaveProperty('expiresAt');
      clock.advance(DAY + MINUTE);
      await sweep();
      expect(await readFreshHealth(ports, 'news')).toMatchObject({ state: 'paused' });
    });

    it('lets other work run between two rows', async () => {
      const { ports, add, remove } = await start();
      await add(true);
      await changeHealth(ports, 'other', 'person', (before) => ({ ...before, muted: ['ann@example.com'] }));
      await remove();
      let turns = 0;
      const pace = async () => void turns++;
      await sweepHealth({ ...ports, pace }, RETENTION);
      // Of the two that are read, one is written: it was of no subscription that a verb removed.
      expect(turns).toBe(3);
    });

    it('goes on if one is made again with the name, and is kept for the retention once more', async () => {
      const { ports, clock, add, remove, mute, sweep, row } = await start();
      await add();
      await mute();
      await remove();
      await sweep();
      clock.advance(RETENTION + MINUTE);
      await add();
      await sweep();
      expect(await readFreshHealth(ports, 'news')).toMatchObject({ muted: ['ann@example.com'], state: 'ok' });
      expect((await row())?.record).not.toHaveProperty('keptUntil');
      expect(await row()).not.toHaveProperty('expiresAt');
      await remove();
      for (let run = 0; run < 3; run++) await sweep();
      expect(await row()).toBeDefined();
    });

    it.each(['list', 'removeExpired'] as const)(
      'is not deleted if the name is taken before `%s` of the sweep',
      async (step) => {
        const { ports, clock, add, remove, mute, sweep } = await start();
        await add();
        await mute();
        await remove();
        await sweep();
        clock.advance(RETENTION + MINUTE);
        const { snapshots, subscriptions } = ports;
        await sweepHealth(
          {
            ...ports,
            subscriptions: {
              list: async (isFresh) => {
                if (step === 'list') await add();
                return subscriptions.list(isFresh);
              },
            },
            snapshots: {
              ...snapshots,
              removeExpired: async (...given) => {
                if (step === 'removeExpired') await add();
                return snapshots.removeExpired(...given);
              },
            },
          },
          RETENTION,
        );
        expect(await readFreshHealth(ports, 'news')).toMatchObject({ muted: ['ann@example.com'] });
        await sweep();
        expect(await snapshots.get(healthKey('news'))).toBeDefined();
      },
    );
  });
}

suite('embedded', async () => {
  const db = openDatabase(':memory:');
  return { stores: sqliteStores(db), snapshots: sqliteSnapshotStore(db) };
});

describe('on DynamoDB', () => {
  let local: LocalTables;
  beforeAll(async () => {
    local = await startLocalTables();
  });
  afterAll(async () => local.stop());
  suite('in AWS', async () => {
    const tables = await local.create();
    const { client } = local;
    const stores = dynamoStores({ client, tables, retention: RETENTION, clock: handClock(NOON) });
    return { stores, snapshots: dynamoSnapshotStore({ client, table: tables.snapshots }) };
  });
});
