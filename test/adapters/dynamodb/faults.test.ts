/**
 * Every call of a short scenario on both tables fails once, in each way: the final state is the same as without failures.
 * TIDINGS_EVERY_CALL=1 tests all calls, otherwise every seventh.
 */

import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromItem } from '../../../adapters/dynamodb/attribute-values.ts';
import { dynamoStores } from '../../../adapters/dynamodb/stores.ts';
import { type Delivery, openGroup } from '../../../core/model/delivery.ts';
import { RetryLater } from '../../../core/model/errors.ts';
import { initialScanState } from '../../../core/model/scan.ts';
import { DAY, MINUTE } from '../../../core/model/time.ts';
import type { DatabaseStores } from '../../../core/ports/database-stores.ts';
import { packEntries } from '../../../core/source/scan/manifest.ts';
import { delivery, event, NOON, snapshot, subscription } from '../../samples.ts';
import { type Fault, failOnce } from './faults.ts';
import { type LocalTables, startLocalTables } from './local-tables.ts';
import { tickingClock } from './ticking-clock.ts';

let tables: LocalTables;
beforeAll(async () => {
  tables = await startLocalTables();
});
afterAll(async () => tables.stop());

type Names = Awaited<ReturnType<LocalTables['create']>>;

const key = { source: 'main', resource: 'task', scope: 'all' } as const;
const head = { index: 0, offset: 0, limit: 500, rows: 2, firstId: '1', lastId: '2', digest: 'd', bytes: 9, took: 1 };
const packed = (fingerprint: bigint) =>
  packEntries(['1', '2'].map((id) => ({ id, fingerprint: id === '1' ? fingerprint : 5n })));
const attempt = { number: 1, at: NOON, ms: 3, outcome: 'accepted', status: 200 } as const;

function open(client: LocalTables['client'], names: Names): DatabaseStores {
  return dynamoStores({ client, tables: names, retention: 90 * DAY, clock: tickingClock() });
}

/** Each step can be repeated from its start, like the functions of core. */
function steps(stores: DatabaseStores): (() => Promise<unknown>)[] {
  const second = snapshot('1', { version: 2, stage: { closed: true }, nextMoment: NOON });
  const paused = delivery('5', 'crm', { dueAt: '2026-11-20T00:00:00.000Z' });
  const [open, a, b]: [Delivery, Delivery, Delivery] = [
    delivery('1', 'ops'),
    delivery('2', 'team', { status: 'waiting' }),
    delivery('3', 'team', { status: 'waiting' }),
  ];
  const first = event('1');
  const also = event('4', { subject: first.subject, data: first.data });
  return [
    async () => stores.subscriptions.applyDeclared([subscription('ops'), subscription('team')]),
    async () => {
      const lease = await stores.leases.acquire('poll/main', 'me', NOON, MINUTE);
      if (lease === undefined) throw new Error('the lease was free');
      await stores.manifests.markDirty(key, ['1', '2']);
      const first = await stores.snapshots.commit(['1', '2'].map((id) => ({ snapshot: snapshot(id), expected: 0 })));
      const changed = await stores.snapshots.commit([{ snapshot: second, expected: 1 }]);
      const never = await stores.snapshots.commit([{ snapshot: snapshot('1', { version: 8 }), expected: 7 }]);
      await stores.manifests.write(key, head, packed(3n), ['1']);
      await stores.manifests.write(key, { ...head, digest: 'e' }, packed(4n), ['1']);
      await stores.manifests.finish(key, 1);
      await stores.scanStates.save({ ...initialScanState('main', 'task'), version: 1, count: 2 });
      const saved = await stores.scanStates.get('main', 'task');
      if (saved?.version === 1) await stores.scanStates.save({ ...saved, version: 2, count: 3 });
      await stores.leases.release(lease);
      return { lease, first, changed, never };
    },
    async () => {
      const events = [
        { event: first, deliveries: [open] },
        { event: also, deliveries: [] },
      ];
      const others = [a, b].map((one, n) => ({ event: event(String(n + 2)), deliveries: [one] }));
      await stores.events.record([...events, ...others, { event: event('5'), deliveries: [paused] }]);
    },
    async () =>
      stores.deliveries.saveAttempt({ ...open, status: 'settled', settledAt: NOON, dueAt: null, attempts: [attempt] }),
    // Another attempt with the same number, by another process.
    async () => stores.deliveries.saveAttempt({ ...open, dueAt: NOON, attempts: [{ ...attempt, ms: 99 }] }),
    async () => stores.deliveries.gather(openGroup([a, b], NOON), [a, b]),
    async () => {
      const [moment] = await stores.agenda.due('2027-01-01T00:00:00.000Z', 1);
      if (moment?.at === open.dueAt) await stores.agenda.postpone(moment, '2026-12-01T00:00:00.000Z');
      return moment;
    },
    async () => stores.deliveries.update(paused, { ...paused, status: 'held', dueAt: null }),
    async () => stores.deliveries.update(paused, { ...paused, status: 'failed', dueAt: null }),
    async () => stores.subscriptions.remove('nobody'),
    async () => stores.threads.save('team', '/sources/main task/2', { thread: '17.01' }),
  ];
}

/** The content of both tables, in a fixed order. */
async function everything(names: Names): Promise<string[]> {
  const lines: string[] = [];
  for (const TableName of [names.snapshots, names.ledger]) {
    const { Items = [] } = await tables.client.send(new ScanCommand({ TableName, ConsistentRead: true }));
    lines.push(...Items.map((item) => JSON.stringify(Object.entries(fromItem(item)).sort())));
  }
  return lines.sort();
}

/**
 * The results of queries. A failed event is recorded later than the rest of its batch and has that place: the order is
 * guaranteed only for events of one record.
 */
async function queryAll(stores: DatabaseStores): Promise<unknown> {
  const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);
  const events = (await stores.events.list({ limit: 99 })).events.toSorted(byId);
  const lease = await stores.leases.acquire('poll/main', 'you', NOON, MINUTE);
  return {
    snapshots: await Array.fromAsync(stores.snapshots.list('main', 'task')),
    moments: await stores.snapshots.due({ until: '2027-01-01T00:00:00.000Z' }, 9),
    manifest: await stores.manifests.head(key),
    entries: Buffer.from((await stores.manifests.entries(key, 0)) ?? []).toString('hex'),
    events: events.map(({ id }) => id),
    bySubject: (await stores.events.list({ limit: 99, subject: 'task/1' })).events,
    deliveries: (await stores.deliveries.list({ limit: 99 })).toSorted(byId),
    ofEvents: await Promise.all(events.map(({ id }) => stores.deliveries.listByEvent(id))),
    due: await stores.agenda.due('2027-01-01T00:00:00.000Z', 9),
    subscriptions: await stores.subscriptions.list(),
    scan: await stores.scanStates.get('main', 'task'),
    thread: await stores.threads.get('team', '/sources/main task/2'),
    lease: lease?.holder,
  };
}

async function live(at: number, fault: Fault, maxAttempts: number) {
  const names = await tables.create();
  const client = tables.connect({ maxAttempts });
  const faulty = failOnce(client, at, fault);
  const answers: unknown[] = [];
  for (const step of steps(open(client, names))) {
    // The caller repeats what the SDK does not retry.
    for (let failed = 0; ; failed++) {
      try {
        answers.push(await step());
        break;
      } catch (error) {
        if (failed > 0 || !(error instanceof RetryLater)) throw error;
      }
    }
  }
  client.destroy();
  return { names, answers, calls: faulty.count() };
}

/** Runs a few scenarios at a time, because each mostly waits. */
async function forEachCall(calls: number, check: (at: number) => Promise<void>): Promise<void> {
  const step = process.env.TIDINGS_EVERY_CALL === '1' ? 1 : 7;
  const chosen = Array.from({ length: Math.ceil(calls / step) }, (_, n) => n * step);
  for (let from = 0; from < chosen.length; from += 8) await Promise.all(chosen.slice(from, from + 8).map(check));
}

describe('a call that fails once', () => {
  it.each(['after', 'throttled'] as const)(
    '%s its effect and is retried by the SDK leaves the same items and results',
    async (fault) => {
      const { names, calls, answers } = await live(-1, fault, 3);
      expect(answers[1]).toMatchObject({
        first: ['committed', 'committed'],
        changed: ['committed'],
        never: ['conflict'],
      });
      expect(answers.filter((answer) => typeof answer === 'boolean')).toEqual([true, false, true, false, false]);
      const expected = await everything(names);
      expect(calls).toBeGreaterThan(40);
      await forEachCall(calls, async (at) => {
        const { names, answers: heard } = await live(at, fault, 3);
        expect(heard, `call ${at} failed`).toEqual(answers);
        expect(await everything(names), `call ${at} failed`).toEqual(expected);
      });
    },
  );

  it.each(['before', 'after'] as const)(
    '%s its effect and is not retried leaves the same query results after a repetition',
    async (fault) => {
      const { names, calls } = await live(-1, fault, 1);
      const expected = await queryAll(open(tables.client, names));
      await forEachCall(calls, async (at) => {
        const { names } = await live(at, fault, 1);
        expect(await queryAll(open(tables.client, names)), `call ${at} failed`).toEqual(expected);
      });
    },
  );
});

describe('recording that is interrupted', () => {
  /** Which of these three exist, and their events. */
  const parts = ['1', '2', '3'].map((id) => ({
    event: event(id),
    deliveries: [delivery(id, 'ops'), delivery(id, 'crm', { events: ['evt_1', 'evt_2', 'evt_3'] })],
  }));

  it.each(['before', 'after'] as const)(
    'by a call that failed %s: no delivery is there without its events',
    async (fault) => {
      const names = await tables.create();
      const sane = open(tables.client, names);
      const client = tables.connect({ maxAttempts: 1 });
      const counted = failOnce(client, -1, fault);
      await open(client, names).events.record(parts);
      client.destroy();
      const whole = await Promise.all(parts.map(({ event }) => sane.deliveries.listByEvent(event.id)));
      let apart = 0;
      await forEachCall(counted.count(), async (at) => {
        const names = await tables.create();
        const [dying, sane] = [tables.connect({ maxAttempts: 1 }), open(tables.client, names)];
        failOnce(dying, at, fault);
        await expect(open(dying, names).events.record(parts), `call ${at}`).rejects.toThrow(RetryLater);
        dying.destroy();
        const all = parts.flatMap(({ deliveries }) => deliveries);
        for (const { id } of all) {
          const there = await sane.deliveries.get(id);
          if (there === undefined) apart += 1;
          else expect(await sane.events.getMany(there.events), `call ${at}`).toHaveLength(there.events.length);
        }
        await sane.events.record(parts);
        const again = await Promise.all(parts.map(({ event }) => sane.deliveries.listByEvent(event.id)));
        const byId = (found: readonly Delivery[]) => found.map(({ id }) => id).sort();
        expect(again.map(byId), `call ${at}`).toEqual(whole.map(byId));
      });
      expect(apart).toBeGreaterThan(0);
    },
  );
});
