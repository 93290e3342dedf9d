/** Property tests: after any sequence of writes DynamoDB and SQLite return the same results. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dynamoManifestStore } from '../../../adapters/dynamodb/manifest-store.ts';
import { dynamoSnapshotStore } from '../../../adapters/dynamodb/snapshot-store.ts';
import { dynamoStores } from '../../../adapters/dynamodb/stores.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteManifestStore } from '../../../adapters/sqlite/manifest-store.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { DELIVERY_STATUSES, type Delivery, deliveryId, openGroup } from '../../../core/model/delivery.ts';
import { initialScanState } from '../../../core/model/scan.ts';
import { DAY, MINUTE, plus } from '../../../core/model/time.ts';
import type { DatabaseStores } from '../../../core/ports/database-stores.ts';
import type { Announcement } from '../../../core/ports/event-store.ts';
import type { ManifestStore } from '../../../core/ports/manifest-store.ts';
import type { SnapshotStore } from '../../../core/ports/snapshot-store.ts';
import { packEntries } from '../../../core/source/scan/manifest.ts';
import { delivery, event, NOON, snapshot } from '../../samples.ts';
import { type LocalTables, startLocalTables } from './local-tables.ts';
import { tickingClock } from './ticking-clock.ts';

let tables: LocalTables;
beforeAll(async () => {
  tables = await startLocalTables();
});
afterAll(async () => tables.stop());

const FOREVER = '2030-01-01T00:00:00.000Z';
const NAMES = ['ops', 'team', 'ops-2'] as const;
const later = (minutes: number) => plus(NOON, minutes * MINUTE);

/** One operation on the stores. Its result must be the same too. */
type Act = (stores: DatabaseStores) => Promise<unknown>;

const number = fc.integer({ min: 1, max: 6 }).map(String);
const name = fc.constantFrom(...NAMES);
const minute = fc.integer({ min: 0, max: 50 });

/** Records of one subject are consecutive. Some events share record and changes, like those of one transition. */
const announcements = fc.array(fc.tuple(number, fc.subarray([...NAMES]), fc.boolean(), fc.boolean()), {
  maxLength: 4,
});

function announced(drawn: readonly (readonly [string, readonly string[], boolean, boolean])[]): Announcement[] {
  return drawn.flatMap(([id, names, waits, twins]) => {
    const one = event(id, { subject: `task/${Number(id) % 3}` });
    const change: Partial<Delivery> = waits ? { status: 'waiting', dueAt: later(Number(id)) } : {};
    const deliveries = names.map((name) => delivery(id, name, change));
    if (!twins) return [{ event: one, deliveries }];
    const twin = { ...one, id: `evt_twin${id}`, type: 'task.updated' };
    return [
      { event: one, deliveries },
      { event: twin, deliveries: [delivery(`twin${id}`, 'ops')] },
    ];
  });
}

/** Reads a delivery and changes it. */
const toOne = (
  id: string,
  subscription: string,
  act: (stores: DatabaseStores, found: Delivery) => Promise<unknown>,
): Act => {
  return async (stores) => {
    const found = await stores.deliveries.get(deliveryId(`evt_${id}`, subscription));
    return found === undefined ? undefined : act(stores, found);
  };
};

const attempted = (found: Delivery, at: string): Delivery => ({
  ...found,
  attempts: [...found.attempts, { number: found.attempts.length + 1, at, ms: 1, outcome: 'retry' }],
});

/** Entries of the same instant have no defined order. */
const byMoment = (a: { at: string; delivery: string }, b: { at: string; delivery: string }) =>
  a.at + a.delivery < b.at + b.delivery ? -1 : 1;

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: announcements.map(
      (drawn): Act =>
        (stores) =>
          stores.events.record(announced(drawn)),
    ),
  },
  fc.tuple(number, name, minute, fc.boolean()).map(([id, subscription, minutes, over]) =>
    toOne(id, subscription, (stores, found) => {
      const status = over ? { status: 'settled' as const, settledAt: NOON, dueAt: null } : { dueAt: later(minutes) };
      return stores.deliveries.saveAttempt({ ...attempted(found, later(minutes)), ...status });
    }),
  ),
  fc.tuple(number, name, fc.constantFrom('held', 'failed', 'waiting', 'pending'), minute).map(([id, to, status, at]) =>
    toOne(id, to, (stores, found) => {
      const dueAt = status === 'held' || status === 'failed' ? null : later(at);
      return stores.deliveries.update(found, { ...found, status, dueAt });
    }),
  ),
  name.map(
    (subscription): Act =>
      async (stores) => {
        const [first, ...rest] = await stores.deliveries.list({
          status: 'waiting',
          subscription,
          end: 'oldest',
          limit: 3,
        });
        return first === undefined
          ? undefined
          : stores.deliveries.gather(openGroup([first, ...rest], NOON), [first, ...rest]);
      },
  ),
  minute.map(
    (to): Act =>
      async (stores) => {
        const [moment] = (await stores.agenda.due(FOREVER, 999)).toSorted(byMoment);
        return moment === undefined ? undefined : stores.agenda.postpone(moment, later(to));
      },
  ),
  fc.tuple(name, fc.constantFrom('a', 'b'), minute).map(([lease, holder, at]): Act => {
    return (stores) => stores.leases.acquire(lease, holder, later(at), 9 * MINUTE);
  }),
  fc.tuple(name, fc.integer({ min: 1, max: 3 }), minute).map(([resource, version, count]): Act => {
    return (stores) => stores.scanStates.save({ ...initialScanState('main', resource), version, count });
  }),
);

async function answers(stores: DatabaseStores): Promise<unknown> {
  const { events } = await stores.events.list({ limit: 999 });
  const lists = [undefined, ...DELIVERY_STATUSES].flatMap((status) =>
    [undefined, ...NAMES].flatMap((subscription) =>
      (['newest', 'oldest'] as const).map((end) => ({
        ...(status === undefined ? {} : { status }),
        ...(subscription === undefined ? {} : { subscription }),
        end,
        limit: 3,
      })),
    ),
  );
  const found = await Promise.all(lists.map((query) => stores.deliveries.list(query)));
  return {
    events,
    subjects: await Promise.all(
      ['task/0', 'task/1', 'task/2'].map((subject) => stores.events.list({ subject, limit: 99 })),
    ).then((pages) => pages.map((page) => page.events)),
    lists: lists.map((query, n) => [JSON.stringify(query), found[n]?.map(({ id }) => id)]),
    deliveries: await stores.deliveries.list({ limit: 999 }),
    ofEvents: await Promise.all(events.map(({ id }) => stores.deliveries.listByEvent(id))),
    due: (await stores.agenda.due(FOREVER, 999)).toSorted(byMoment),
    scans: await Promise.all(NAMES.map((resource) => stores.scanStates.get('main', resource))),
  };
}

describe('DynamoDB and SQLite', () => {
  it('return the same events and deliveries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 14 }), async (acts) => {
        const database = openDatabase(':memory:');
        const options = {
          client: tables.client,
          tables: await tables.create(),
          retention: 90 * DAY,
          clock: tickingClock(),
        };
        const [ours, model] = [dynamoStores(options), sqliteStores(database)];
        for (const one of acts) expect(await one(ours)).toEqual(await one(model));
        expect(await answers(ours)).toEqual(await answers(model));
        database.close();
      }),
      { numRuns: 8 },
    );
  });

  it('return the same snapshots', async () => {
    const write = fc.record({
      id: fc.integer({ min: 1, max: 12 }).map(String),
      version: fc.integer({ min: 1, max: 3 }),
      moment: fc.option(minute.map(later), { nil: null }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(write, { maxLength: 5 }), { maxLength: 8 }), async (batches) => {
        const database = openDatabase(':memory:');
        const { snapshots: table } = await tables.create();
        const stores: SnapshotStore[] = [
          dynamoSnapshotStore({ client: tables.client, table }),
          sqliteSnapshotStore(database),
        ];
        const results = await Promise.all(
          stores.map(async (store) => {
            const outcomes: unknown[] = [];
            for (const batch of batches) {
              // The order of two writes to one record in one batch is undefined.
              const once = [...new Map(batch.map((one) => [one.id, one])).values()];
              const writes = once.map(({ id, version, moment }) => ({
                snapshot: snapshot(id, { version, nextMoment: moment }),
                expected: version - 1,
              }));
              outcomes.push(await store.commit(writes));
            }
            const due = (await store.due({ until: FOREVER }, 99)).map(({ at, key }) => `${at} ${key.id}`).sort();
            return { outcomes, due, all: await Array.fromAsync(store.list('main', 'task')) };
          }),
        );
        expect(results[0]).toEqual(results[1]);
        database.close();
      }),
      { numRuns: 12 },
    );
  });

  it('return the same manifests', async () => {
    const key = { source: 'main', resource: 'task', scope: 'all' } as const;
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 5000 }).map(String), { maxLength: 6 });
    type Do = (store: ManifestStore) => Promise<void>;
    const deed: fc.Arbitrary<Do> = fc.oneof(
      ids.map(
        (some): Do =>
          (store) =>
            store.markDirty(key, some),
      ),
      ids.map(
        (some): Do =>
          (store) =>
            store.clearDirty(key, some),
      ),
      fc
        .tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 150 }), fc.bigInt({ min: 0n, max: 9n }), ids)
        .map(
          ([index, rows, seed, settled]): Do =>
            (store) => {
              const all = Array.from({ length: rows }, (_, n) => ({
                id: String(n + 1),
                fingerprint: n < 70 ? 1n : seed,
              }));
              const head = {
                index,
                offset: 0,
                limit: 9,
                rows,
                firstId: '1',
                lastId: '9',
                digest: `${seed}`,
                bytes: 1,
                took: 1,
              };
              return store.write(key, head, packEntries(all), settled);
            },
        ),
      fc.integer({ min: 0, max: 4 }).map(
        (pages): Do =>
          (store) =>
            store.finish(key, pages),
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { maxLength: 14 }), async (deeds) => {
        const database = openDatabase(':memory:');
        const { ledger: table } = await tables.create();
        const stores = [dynamoManifestStore({ client: tables.client, table }), sqliteManifestStore(database)];
        const results = await Promise.all(
          stores.map(async (store) => {
            for (const one of deeds) await one(store);
            const head = await store.head(key);
            const entries = await Promise.all([0, 1, 2, 3].map((index) => store.entries(key, index)));
            return {
              chunks: head?.chunks,
              dirty: head?.dirty.toSorted(),
              entries: entries.map((one) => (one === undefined ? 'none' : Buffer.from(one).toString('hex'))),
            };
          }),
        );
        expect(results[0]).toEqual(results[1]);
        database.close();
      }),
      { numRuns: 12 },
    );
  });
});
