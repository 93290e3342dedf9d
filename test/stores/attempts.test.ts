/** A delivery that is retried for months: the stored attempts stay small, and their number is kept. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { toItem } from '../../adapters/dynamodb/attribute-values.ts';
import { deliveryItem } from '../../adapters/dynamodb/delivery-item.ts';
import { dynamoStores } from '../../adapters/dynamodb/stores.ts';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { sizeOf } from '../../bench/item-size.ts';
import { expedite } from '../../core/delivery/expedite.ts';
import { readHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { type Attempt, attemptsMade, type Delivery, withAttempt } from '../../core/model/delivery.ts';
import { RetryLater } from '../../core/model/errors.ts';
import { DAY, HOUR, MINUTE, plus } from '../../core/model/time.ts';
import type { OutboundMessage } from '../../core/ports/channel.ts';
import type { DatabaseStores } from '../../core/ports/database-stores.ts';
import { type LocalTables, startLocalTables } from '../adapters/dynamodb/local-tables.ts';
import { handClock } from '../core/source/list-api.ts';
import { deliverJob } from '../deliver-job.ts';
import { delivery, event, NOON, subscription } from '../samples.ts';

const attempt = (number: number, change: Partial<Attempt> = {}): Attempt => ({
  number,
  at: plus(NOON, number * HOUR),
  ms: 15_000,
  outcome: 'retry',
  status: 503,
  code: 'TIDINGS_HTTP_STATUS',
  message: 'ops.example.com answered 503',
  body: 'x'.repeat(4096),
  ...change,
});

/** This many attempts in sequence. */
function after(count: number, change: (number: number) => Partial<Attempt> = () => ({})): readonly Attempt[] {
  let attempts: readonly Attempt[] = [];
  for (let number = 1; number <= count; number++) attempts = withAttempt(attempts, attempt(number, change(number)));
  return attempts;
}

describe('the stored attempts', () => {
  it('are all of the ten regular ones, and the first and last ones of many', () => {
    expect(after(10).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const numbers = after(500).map(({ number }) => number);
    expect(numbers.slice(0, 10)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(numbers.slice(10)).toEqual(Array.from({ length: 20 }, (_, n) => 481 + n));
  });

  it('include the last responses up to 16 KB: a key may retry as often as it wants', () => {
    const withBody = (attempts: readonly Attempt[]) =>
      attempts.flatMap(({ number, body }) => (body === undefined ? [] : [number]));
    expect(withBody(after(40))).toEqual([37, 38, 39, 40]);
    expect(withBody(after(10, () => ({ body: 'ä'.repeat(2048) })))).toEqual([7, 8, 9, 10]);
    expect(withBody(after(10, () => ({ body: 'x'.repeat(1000) })))).toHaveLength(10);
    // A long one in between does not bring back an older one.
    expect(withBody(after(10, (number) => ({ body: 'x'.repeat(number === 7 ? 4096 : 3500) })))).toEqual([7, 8, 9, 10]);
    const long = { ...delivery('1', 'ops'), attempts: after(500) };
    expect(Buffer.byteLength(JSON.stringify(long))).toBeLessThan(25_000);
  });

  it('keep their total number, their order, and all recipients that were reached', () => {
    const readers = fc.array(fc.tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 9 })), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), readers, (count, reachedAt) => {
        const reached = new Map(reachedAt.map(([number, reader]) => [number, [`${reader}@example.com`]]));
        const kept = after(count, (number) => ({ reached: reached.get(number) ?? [] }));
        expect(attemptsMade({ attempts: kept })).toBe(count);
        const numbers = kept.map(({ number }) => number);
        expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
        expect(kept.length).toBeLessThanOrEqual(30 + reached.size);
        const informed = [...reached].filter(([number]) => number <= count).flatMap(([, who]) => who);
        expect(new Set(kept.flatMap((one) => one.reached ?? []))).toEqual(new Set(informed));
      }),
    );
  });

  it('are far below the item limit of DynamoDB after ten years of probes', () => {
    const long = { ...delivery('1', 'ops'), attempts: after(22_000, () => ({ message: 'm'.repeat(600) })) };
    expect(attemptsMade(long)).toBe(22_000);
    expect(sizeOf(toItem(deliveryItem(long, 'place', 90 * DAY)))).toBeLessThan(50_000);
  });
});

const openers: readonly [string, (tables: LocalTables) => Promise<DatabaseStores>][] = [
  ['SQLite', async () => sqliteStores(openDatabase(':memory:'))],
  [
    'DynamoDB',
    async ({ client, create }) => {
      return dynamoStores({ client, tables: await create(), retention: 90 * DAY, clock: { now: () => NOON } });
    },
  ],
];

describe.each(openers)('a delivery with many attempts on %s', (_, open) => {
  let tables: LocalTables;
  beforeAll(async () => {
    tables = await startLocalTables();
  });
  afterAll(async () => tables.stop());

  const tried = (from: Delivery, number: number): Delivery => ({
    ...from,
    attempts: withAttempt(from.attempts, attempt(number, { body: 'b' })),
    dueAt: plus(NOON, number * HOUR),
  });

  it('continues to count: the agenda has the next number, and no attempt is saved twice or on an older state', async () => {
    const stores = await open(tables);
    let current = delivery('1', 'ops');
    await stores.events.record([{ event: event('1'), deliveries: [current] }]);
    for (let number = 1; number <= 45; number++) {
      const next = tried(current, number);
      expect(await stores.deliveries.saveAttempt(next)).toBe(true);
      expect(await stores.deliveries.saveAttempt(next)).toBe(false);
      expect(await stores.deliveries.update(current, { ...current, status: 'failed' })).toBe(false);
      expect(await stores.agenda.due('9999', 1)).toMatchObject([{ delivery: current.id, attempt: number + 1 }]);
      current = next;
    }
    expect(await stores.deliveries.get(current.id)).toEqual(current);
    expect(await stores.deliveries.update(current, { ...current, dueAt: NOON })).toBe(true);
  });
});

describe('a receiver that is down for a year', () => {
  function world() {
    const db = openDatabase(':memory:');
    const clock = handClock(NOON);
    const sent: OutboundMessage[] = [];
    const self = { isBack: false };
    const send = async (parcel: OutboundMessage) => {
      sent.push(parcel);
      if (self.isBack) return { status: 204 };
      throw new RetryLater('TIDINGS_HTTP_STATUS', 'answered 503', {
        evidence: { status: 503, body: 'x'.repeat(4096) },
      });
    };
    const stores = sqliteStores(db);
    const snapshots = sqliteSnapshotStore(db);
    const ports = {
      ...stores,
      snapshots,
      clock,
      random: () => 0.5,
      zoneOf: async () => 'UTC',
      channels: channelRegistry,
      channelFor: () => ({ send }),
    };
    return { ...ports, sent, self };
  }

  it('is probed six times a day, each time as the next attempt, and settles with the first success', async () => {
    const w = world();
    await w.subscriptions.applyDeclared([subscription('ops')]);
    const one = delivery('1', 'ops', { dueAt: NOON });
    await w.events.record([{ event: event('1'), deliveries: [one] }]);
    // Created by failing for as long.
    for (let hour = 0; hour < 365 * 24; hour++) {
      if (hour === 364 * 24) w.self.isBack = true;
      const [moment] = await w.agenda.due(w.clock.now(), 1);
      if (moment !== undefined)
        await deliverJob(w, { kind: 'attempt', delivery: one.id, attempt: moment.attempt, group: 'ops' });
      // The schedule ends after three days; failures of other deliveries keep the subscription failing.
      const now = await w.deliveries.get(one.id);
      if (now?.status === 'failed')
        await w.deliveries.update(now, { ...now, status: 'pending', settledAt: null, dueAt: w.clock.now() });
      w.clock.advance(HOUR);
    }
    const settled = await w.deliveries.get(one.id);
    expect(settled?.status).toBe('settled');
    expect(attemptsMade(settled ?? one)).toBe(w.sent.length);
    expect(w.sent.length).toBeGreaterThan(1500);
    expect(settled?.attempts).toHaveLength(30);
    expect(settled?.attempts.at(-1)).toMatchObject({ number: w.sent.length, outcome: 'accepted' });
    expect(await readHealth(w, 'ops')).toMatchObject({ state: 'ok' });
  });

  it('skips a recipient who was reached by an attempt that is no longer stored', async () => {
    const w = world();
    await w.subscriptions.applyDeclared([
      subscription('team', { to: { channel: 'email', settings: { to: ['ann@example.com', 'ben@example.com'] } } }),
    ]);
    const attempts = after(200, (number) => (number === 17 ? { reached: ['ann@example.com'] } : {}));
    const one = delivery('1', 'team', { attempts, dueAt: NOON });
    await w.events.record([{ event: event('1'), deliveries: [one] }]);
    w.self.isBack = true;
    await deliverJob(w, { kind: 'attempt', delivery: one.id, attempt: 201, group: 'team' });
    expect(w.sent).toMatchObject([{ reached: ['ann@example.com'] }]);
  });

  it('ignores a job numbered by the position among the stored attempts', async () => {
    const w = world();
    await w.subscriptions.applyDeclared([subscription('ops')]);
    const one = delivery('1', 'ops', { attempts: after(200), dueAt: NOON });
    await w.events.record([{ event: event('1'), deliveries: [one] }]);
    expect(
      await deliverJob(w, { kind: 'attempt', delivery: one.id, attempt: one.attempts.length + 1, group: 'ops' }),
    ).toBeUndefined();
    expect(w.sent).toEqual([]);
  });

  it('that recovers is retried early by the number of the attempt, not by the number of stored ones', async () => {
    const w = world();
    await w.subscriptions.applyDeclared([subscription('ops')]);
    // Attempted by command within a minute: early for the ten of the schedule, but not for the 200th.
    const attempts = [...after(199), attempt(200, { at: plus(attempt(199).at, MINUTE) })];
    const one = delivery('1', 'ops', { attempts: attempts.slice(-5), dueAt: plus(NOON, DAY) });
    await w.events.record([{ event: event('1'), deliveries: [one] }]);
    await expedite(w, 'ops');
    expect(await w.deliveries.get(one.id)).toMatchObject({ dueAt: NOON });
  });
});
