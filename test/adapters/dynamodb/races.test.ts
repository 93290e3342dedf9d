/** Concurrent writers: one of them wins, and nothing is lost or duplicated. */

import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dynamoConsolePassStore } from '../../../adapters/dynamodb/console-pass-store.ts';
import { dynamoSnapshotStore } from '../../../adapters/dynamodb/snapshot-store.ts';
import { dynamoStores } from '../../../adapters/dynamodb/stores.ts';
import { openTable } from '../../../adapters/dynamodb/table.ts';
import { openGroup } from '../../../core/model/delivery.ts';
import { DAY, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import { delivery, event, NOON, snapshot, subscription } from '../../samples.ts';
import { type LocalTables, startLocalTables } from './local-tables.ts';
import { tickingClock } from './ticking-clock.ts';

let tables: LocalTables;
let names: Awaited<ReturnType<LocalTables['create']>>;
beforeAll(async () => {
  tables = await startLocalTables();
});
afterAll(async () => tables.stop());
beforeEach(async () => {
  names = await tables.create();
});

const MANY = Array.from({ length: 8 }, (_, n) => n);
const openLedger = () =>
  dynamoStores({ client: tables.client, tables: names, retention: 90 * DAY, clock: tickingClock() });

describe('concurrent writers', () => {
  it('commit the same version: one succeeds', async () => {
    const store = dynamoSnapshotStore({ client: tables.client, table: names.snapshots });
    await store.commit([{ snapshot: snapshot('1'), expected: 0 }]);
    const outcomes = await Promise.all(
      MANY.map((n) => store.commit([{ snapshot: snapshot('1', { version: 2, stage: { n } }), expected: 1 }])),
    );
    expect(outcomes.flat().filter((outcome) => outcome === 'committed')).toHaveLength(1);
    const winner = outcomes.flat().indexOf('committed');
    expect((await store.get({ source: 'main', resource: 'task', id: '1' }))?.stage).toEqual({ n: winner });
  });

  it('acquire a lease: one gets it, and the fence increases', async () => {
    const leases = await Promise.all(MANY.map((n) => openLedger().leases.acquire('poll', `p${n}`, NOON, MINUTE)));
    expect(leases.filter((lease) => lease !== undefined)).toEqual([expect.objectContaining({ fence: 1 })]);
  });

  it('use a link while all links and sessions are ended: the session ends too', async () => {
    const table = openTable({ client: tables.client, table: names.ledger });
    const link = { hash: 'f'.repeat(64), kind: 'link', person: 'ann', scope: 'admin', createdAt: NOON } as const;
    const pass = { ...link, expiresAt: plus(NOON, MINUTE) };
    const session = { ...pass, hash: '0'.repeat(64), kind: 'session' } as const;
    const other = dynamoConsolePassStore(table);
    const store = dynamoConsolePassStore({
      ...table,
      remove: async (key, condition) => {
        // Another process logs in with the link, right before it is removed.
        if (key.sk === pass.hash) await other.save(session);
        return table.remove(key, condition);
      },
    });
    await store.save(pass);
    expect(await store.removeAll()).toBe(2);
    expect(await other.get(session.hash)).toBeUndefined();
  });

  it('remove a subscription: one has removed it', async () => {
    await openLedger().subscriptions.save(subscription('a'));
    const removals = await Promise.all(MANY.map(() => openLedger().subscriptions.remove('a', () => {})));
    expect(removals.filter((isRemoved) => isRemoved)).toHaveLength(1);
  });

  it('leave no leases behind whose names come and go', async () => {
    const { leases } = openLedger();
    await leases.acquire('request/key_1/0', 'me', NOON, MINUTE, { isTemporary: true });
    await leases.acquire('poll/main', 'me', NOON, MINUTE);
    const { Items = [] } = await tables.client.send(new ScanCommand({ TableName: names.ledger }));
    const expiries = new Map(Items.map(({ pk, expiresAt }) => [pk?.S, expiresAt?.N]));
    const dayLater = String(Date.parse(plus(NOON, MINUTE + DAY)) / 1000);
    expect([...expiries].sort()).toEqual([
      ['lease#poll/main', undefined],
      ['lease#request/key_1/0', dayLater],
    ]);
  });

  it('keep a changed document until the end that the change names', async () => {
    const { documents } = openLedger();
    for (const id of ['a', 'b']) await documents.add('draft', id, { n: 1 }, plus(NOON, MINUTE));
    await documents.update('draft', 'a', () => ({ n: 2 }));
    await documents.update('draft', 'b', () => ({ n: 2 }), plus(NOON, DAY));
    const { Items = [] } = await tables.client.send(new ScanCommand({ TableName: names.ledger }));
    const secondsAfter = (duration: number) => String(Date.parse(plus(NOON, duration)) / 1000);
    expect(Items.map(({ pk, expiresAt }) => [pk?.S, expiresAt?.N]).sort()).toEqual([
      ['document#draft#a', secondsAfter(MINUTE)],
      ['document#draft#b', secondsAfter(DAY)],
    ]);
  });

  it('take tokens of one bucket: each gets one, as long as there are some', async () => {
    const requests = Array.from({ length: 110 }, (_, n) => n);
    const size = { burst: 100, interval: 3600 * SECOND };
    const waits = await Promise.all(requests.map(() => openLedger().requestLimiter.take('key', size, NOON)));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(size.burst);
  });

  it('do not refill a bucket with a time that is a moment earlier', async () => {
    const { requestLimiter } = openLedger();
    const size = { burst: 3, interval: SECOND };
    const take = (millis: number) => requestLimiter.take('key', size, plus(NOON, millis));
    expect([await take(9), await take(9), await take(9), await take(9)]).toEqual([0, 0, 0, SECOND]);
    expect([await take(0), await take(8), await take(0)]).toEqual([SECOND, SECOND, SECOND]);
    expect(await requestLimiter.used('key', size, NOON)).toBe(3);
    // A clock that was ahead for longer was wrong.
    expect(await take(-3600 * SECOND)).toBe(0);
  });

  it('record the same batch: each item exists once', async () => {
    const batch = MANY.map((n) => ({ event: event(String(n)), deliveries: [delivery(String(n), 'ops')] }));
    await Promise.all(MANY.map(() => openLedger().events.record(batch)));
    const stores = openLedger();
    const { events } = await stores.events.list({ limit: 99 });
    expect(events.map(({ id }) => id).sort()).toEqual(batch.map(({ event: { id } }) => id).sort());
    expect(await stores.deliveries.list({ limit: 99 })).toHaveLength(MANY.length);
    expect(await stores.deliveries.listByEvent('evt_3')).toHaveLength(1);
  });

  it('save the same attempt: one succeeds', async () => {
    const opening = delivery('1', 'ops');
    await openLedger().events.record([{ event: event('1'), deliveries: [opening] }]);
    const saved = await Promise.all(
      MANY.map((n) => {
        const attempts = [{ number: 1, at: NOON, ms: n, outcome: 'accepted' as const }];
        return openLedger().deliveries.saveAttempt({ ...opening, status: 'settled', dueAt: null, attempts });
      }),
    );
    expect(saved.filter(Boolean)).toHaveLength(1);
    expect((await openLedger().deliveries.get(opening.id))?.attempts[0]?.ms).toBe(saved.indexOf(true));
  });

  it('gather the same deliveries: all get the same group', async () => {
    const members = MANY.map((n) => delivery(String(n), 'team', { status: 'waiting' }));
    const [first, ...rest] = members;
    if (first === undefined) throw new Error('expected a waiting delivery');
    await openLedger().events.record(members.map((one, n) => ({ event: event(String(n)), deliveries: [one] })));
    const groups = await Promise.all(
      [members, members.slice(0, 3)].map((some) =>
        openLedger().deliveries.gather(openGroup([first, ...rest.slice(0, some.length - 1)], NOON), some),
      ),
    );
    expect(groups[0]).toEqual(groups[1]);
    const waiting = await openLedger().deliveries.list({ status: 'waiting', limit: 99 });
    // Deliveries that are not in the winning group keep waiting.
    expect(waiting.length + (groups[0]?.events.length ?? 0)).toBe(MANY.length);
  });
});
