/** A server that processes requests but does not respond: every call times out, and a write takes effect once. */

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dynamoSnapshotStore } from '../../../adapters/dynamodb/snapshot-store.ts';
import { dynamoStores } from '../../../adapters/dynamodb/stores.ts';
import { DYNAMODB_CLIENT, openTable } from '../../../adapters/dynamodb/table.ts';
import { DAY, SECOND } from '../../../core/model/time.ts';
import { delivery, event, NOON, snapshot } from '../../samples.ts';
import { type LocalTables, startLocalTables } from './local-tables.ts';
import { startSilentProxy } from './silent-proxy.ts';
import { tickingClock } from './ticking-clock.ts';

let tables: LocalTables;
const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  tables = await startLocalTables();
});
afterAll(async () => {
  for (const stop of stops) await stop();
  await tables.stop();
});

/** Tables of its own behind a proxy of its own, because the tests run at once: each mostly waits. */
async function setUp() {
  const names = await tables.create();
  const proxy = await startSilentProxy(tables.endpoint);
  const client = tables.connect({ ...DYNAMODB_CLIENT, endpoint: proxy.endpoint });
  stops.push(async () => {
    client.destroy();
    await proxy.stop();
  });
  const openLedger = () => dynamoStores({ client, tables: names, retention: 90 * DAY, clock: tickingClock() });
  return { names, proxy, client, openLedger };
}

/** Seconds. A lost response takes 3 s; the rest is room for a busy machine. Without a timeout the call would never end. */
const SOON = 60;

/** The duration in seconds. */
async function seconds<T>(act: () => Promise<T>): Promise<{ readonly took: number; readonly answer: T }> {
  const start = performance.now();
  const answer = await act();
  return { answer, took: (performance.now() - start) / SECOND };
}

describe.concurrent('a lost response', () => {
  it('is retried in time, and a write that took effect is recognized', async () => {
    const { names, proxy, client, openLedger } = await setUp();
    const [store, stores] = [dynamoSnapshotStore({ client, table: names.snapshots }), openLedger()];
    const opening = delivery('1', 'ops');
    await stores.events.record([{ event: event('1'), deliveries: [opening] }]);
    const attempts = [{ number: 1, at: NOON, ms: 3, outcome: 'accepted' as const }];
    proxy.operations.length = 0;
    proxy.silence('UpdateItem', 'never');
    const saved = await seconds(() =>
      stores.deliveries.saveAttempt({ ...opening, status: 'settled', dueAt: null, attempts }),
    );
    expect(saved.answer).toBe(true);
    expect(saved.took).toBeGreaterThan(2.9);
    expect(saved.took).toBeLessThan(SOON);
    expect(proxy.operations).toEqual(['UpdateItem', 'UpdateItem', 'GetItem']);
    proxy.silence('PutItem', 'never');
    expect(await store.commit([{ snapshot: snapshot('1'), expected: 0 }])).toEqual(['committed']);
  });

  it.each([
    ['stopped midway', 'midway'],
    ['begins without end', 'drip'],
  ] as const)('is retried when it %s', async (_, how) => {
    const { proxy, openLedger } = await setUp();
    const stores = openLedger();
    await stores.events.record([{ event: event('1'), deliveries: [] }]);
    proxy.silence('GetItem', how);
    const { answer, took } = await seconds(() => stores.events.get('evt_1'));
    expect(answer).toEqual(event('1'));
    expect(took).toBeLessThan(SOON);
  });

  it('ends in a timeout with a clear message, whatever the SDK does', async () => {
    const { names, proxy, client } = await setUp();
    const table = openTable({ client, table: names.ledger, timeout: 4 * SECOND });
    proxy.silence('GetItem', 'never', 99);
    const { answer, took } = await seconds(() =>
      table.get({ pk: 'a', sk: 'b' }, true).catch((error: unknown) => error),
    );
    expect(answer).toMatchObject({
      code: 'TIDINGS_STORE_FAILED',
      message: `table '${names.ledger}': GetItem failed: no response within 4 s`,
    });
    expect(took).toBeLessThan(SOON);
  });
});

describe('a table that throttles', () => {
  it('is retried more often than by the SDK default', async () => {
    const { requestHandler: _, ...settings } = DYNAMODB_CLIENT;
    expect(await tables.connect(settings).config.maxAttempts()).toBeGreaterThan(
      await new DynamoDBClient({ region: 'local-1' }).config.maxAttempts(),
    );
  });
});
