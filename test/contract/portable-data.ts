/**
 * The contract of PortableData: what was moved reads the same through every port of the other database. The tests run this
 * suite for each pair of adapters.
 */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { initialScanState } from '../../core/model/scan.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import { DAY, MINUTE, plus } from '../../core/model/time.ts';
import type { DatabaseStores } from '../../core/ports/database-stores.ts';
import { PORTABLE_KINDS, type PortableData, type PortableEntry } from '../../core/ports/portable-data.ts';
import { delivery, event, NOON, snapshot, subscription } from '../samples.ts';
import { attempted, later } from './opened-stores.ts';
import { storedSource } from './source-store.ts';

interface OpenedData {
  readonly stores: DatabaseStores;
  readonly portable: PortableData;
  readonly close: () => Promise<void>;
}

export type OpenPortableData = () => Promise<OpenedData>;

export function portableDataContract(name: string, openFirst: OpenPortableData, openSecond: OpenPortableData): void {
  describe(`PortableData: ${name}`, () => {
    let first: OpenedData;
    let second: OpenedData;
    beforeEach(async () => {
      first = await openFirst();
      second = await openSecond();
    });
    afterEach(async () => {
      await first.close();
      await second.close();
    });

    it('moves everything that the ports read', async () => {
      await fillPortable(first.stores);
      await writeAll(second.portable, await readAll(first.portable));
      expect(await viewPortable(second.stores)).toEqual(await viewPortable(first.stores));
      // The view is not empty by mistake.
      const { events, due, open } = await viewPortable(second.stores);
      expect([events.length, due.length, open.length]).toEqual([6, 3, 1]);
    });

    it('moves back the same', async () => {
      await fillPortable(first.stores);
      const original = await viewPortable(first.stores);
      await writeAll(second.portable, await readAll(first.portable));
      const third = await openFirst();
      await writeAll(third.portable, await readAll(second.portable));
      expect(await viewPortable(third.stores)).toEqual(original);
      await third.close();
    });

    it('changes nothing when entries are written again, as after an interruption', async () => {
      await fillPortable(first.stores);
      const entries = await readAll(first.portable);
      await writeAll(second.portable, entries);
      const once = await viewPortable(second.stores);
      await writeAll(second.portable, entries);
      expect(await viewPortable(second.stores)).toEqual(once);
    });

    it('continues after a cursor', async () => {
      await fillPortable(first.stores);
      const pages = await Array.fromAsync(first.portable.read());
      expect(pages.length).toBeGreaterThan(1);
      for (const [n, { cursor }] of pages.entries()) {
        const rest = await Array.fromAsync(first.portable.read(cursor));
        expect(rest).toEqual(pages.slice(n + 1));
      }
    });

    it('says whether there are records', async () => {
      await first.stores.subscriptions.save(subscription('ops'));
      const health: Snapshot = snapshot('ops', { key: { source: '_tidings', resource: 'subscription', id: 'ops' } });
      await first.stores.snapshots.commit([{ snapshot: { ...health, cause: 'baseline' }, expected: 0 }]);
      expect((await first.portable.describe()).hasRecords).toBe(false);
      await first.stores.snapshots.commit([{ snapshot: snapshot('1'), expected: 0 }]);
      expect((await first.portable.describe()).hasRecords).toBe(true);
    });

    it('lets the versions of records and scan states go on', async () => {
      await fillPortable(first.stores);
      await writeAll(second.portable, await readAll(first.portable));
      const { snapshots, scanStates, subscriptions, deliveries } = second.stores;
      expect(await snapshots.commit([{ snapshot: snapshot('1', { version: 8 }), expected: 7 }])).toEqual(['committed']);
      const state = await scanStates.get('main', 'task');
      expect(await scanStates.save({ ...initialScanState('main', 'task'), ...state, version: 3 })).toBe(true);
      expect(await subscriptions.update('ops', (one) => ({ ...one, events: ['task.closed'] }))).toBe(true);
      const [pending] = await deliveries.list({ status: 'pending', limit: 10 });
      expect(pending).toBeDefined();
      if (pending === undefined) return;
      expect(await deliveries.saveAttempt(attempted(pending, { status: 'settled', dueAt: null }))).toBe(true);
    });
  });
}

/** In the order in which a move writes them. */
async function readAll(portable: PortableData): Promise<readonly PortableEntry[]> {
  const entries = (await Array.fromAsync(portable.read())).flatMap((page) => page.entries);
  return PORTABLE_KINDS.flatMap((kind) =>
    entries.filter((one) => one.kind === kind).sort((a, b) => (`${a.order} ${a.id}` < `${b.order} ${b.id}` ? -1 : 1)),
  );
}

async function writeAll(portable: PortableData, entries: readonly PortableEntry[]): Promise<void> {
  for (const kind of PORTABLE_KINDS) {
    const ofKind = entries.filter((one) => one.kind === kind);
    for (let n = 0; n < ofKind.length; n += 4) await portable.write(ofKind.slice(n, n + 4));
  }
}

/** Data of every kind. */
export async function fillPortable(stores: DatabaseStores): Promise<void> {
  await stores.storedSources.add(storedSource('north', { version: 3, settings: { name: 'north' } }));
  await stores.subscriptions.save(subscription('ops'));
  await stores.subscriptions.save(
    subscription('team', { declared: false, to: { channel: 'slack', settings: { webhook: '${HOOK}' } } }),
  );
  const records: readonly Snapshot[] = [
    snapshot('1', { version: 7, record: { id: '1', title: 'Ünïcode', none: null, list: [1, 'a'] } }),
    snapshot('22', { cause: 'baseline', stage: { overdue: true }, nextMoment: later(60) }),
    snapshot('3', { deletedAt: NOON }),
    snapshot('4', { key: { source: 'other', resource: 'invoice', id: '4' }, nextMoment: later(5) }),
    snapshot('ops', { key: { source: '_tidings', resource: 'subscription', id: 'ops' }, cause: 'delivery' }),
  ];
  await stores.snapshots.commit(records.map((one) => ({ snapshot: one, expected: 0 })));
  for (const n of [1, 2, 3, 4]) {
    const one = event(`${n}`, { time: later(n) });
    await stores.events.record([{ event: one, deliveries: [delivery(`${n}`, 'ops', { createdAt: later(n) })] }]);
  }
  const shared = event('5', { time: later(5) });
  await stores.events.record([
    { event: shared, deliveries: [delivery('5', 'team', { status: 'waiting', dueAt: later(30) })] },
    {
      event: { ...shared, id: 'evt_6', type: 'task.updated' },
      deliveries: [delivery('6', 'team', { status: 'waiting', dueAt: later(30) })],
    },
  ]);
  const [one, two] = await stores.deliveries.list({ subscription: 'ops', end: 'oldest', limit: 2 });
  if (one === undefined || two === undefined) throw new Error('deliveries are missing');
  await stores.deliveries.saveAttempt(attempted(one, { status: 'settled', settledAt: NOON, dueAt: null }));
  await stores.deliveries.saveAttempt(attempted(two, { status: 'failed', dueAt: null }));
  const waiting = await stores.deliveries.list({ subscription: 'team', end: 'oldest', limit: 2 });
  const group = delivery('group', 'team', { id: 'dlv_group', events: ['evt_5', 'evt_6'], dueAt: later(1) });
  await stores.deliveries.gather(group, waiting);
  await stores.threads.save('team', '/sources/main task/1', { thread: '1700000000.1', incarnation: NOON });
  await stores.scanStates.save({ ...initialScanState('main', 'task'), version: 1, lastSweepAt: NOON });
  await stores.scanStates.save({ ...initialScanState('main', 'task'), version: 2, lastSweepAt: later(1) });
  await stores.scanStates.requestScan('main', NOON);
  await stores.apiKeys.save({
    id: 'key_1',
    name: 'crm',
    hash: 'h',
    scopes: ['read'],
    createdAt: NOON,
    createdBy: 'ann',
  });
  await stores.apiKeys.markUsed('key_1', later(2));
  await stores.keyUsage.replace('key_1', undefined, { subscriptions: 1, bytes: 10, changedAt: NOON });
  for (const n of [1, 2])
    await stores.audit.append({
      id: `aud_${n}`,
      at: later(n),
      by: { kind: 'command', id: 'ann' },
      action: 'subscription.add',
      target: `s${n}`,
    });
  await stores.documents.save('draft', 'a#b', { text: 'x' }, plus(NOON, DAY));
  await stores.documents.save('link', 'U1', { token: 'sealed' }, null);
}

/** What the ports read of them. */
export async function viewPortable(stores: DatabaseStores) {
  const { events } = await stores.events.list({ limit: 100 });
  const byEvent = await Promise.all(events.map(({ id }) => stores.deliveries.listByEvent(id)));
  const lists = await Promise.all(
    (['main', 'other', '_tidings'] as const).flatMap((source) =>
      ['task', 'invoice', 'subscription'].map((resource) => Array.fromAsync(stores.snapshots.list(source, resource))),
    ),
  );
  const due = await stores.agenda.due(later(60), 100);
  return {
    events,
    since: (await stores.events.list({ since: later(3), limit: 100 })).events.map(({ id }) => id),
    ofSubject: (await stores.events.list({ subject: 'task/5', limit: 100 })).events.map(({ id }) => id),
    deliveries: (await stores.deliveries.page({ limit: 100 })).deliveries,
    byEvent: byEvent.map((list) => list.map(({ id }) => id).sort()),
    failed: await stores.deliveries.list({ status: 'failed', limit: 10 }),
    due: due.map(({ at, delivery: id }) => [at, id]).sort(),
    subscriptions: await stores.subscriptions.list(true),
    records: lists.flat(),
    moments: await stores.snapshots.due({ until: plus(NOON, DAY) }, 10),
    open: await Array.fromAsync(stores.snapshots.listOpen('main', 'task')),
    scan: await stores.scanStates.get('main', 'task'),
    thread: await stores.threads.get('team', '/sources/main task/1'),
    sources: await stores.storedSources.list(),
    keys: await stores.apiKeys.list(),
    usage: await stores.keyUsage.get('key_1'),
    audit: (await stores.audit.page({ limit: 10 })).entries,
    documents: [await stores.documents.get('draft', 'a#b'), await stores.documents.get('link', 'U1')],
  };
}

/** Long enough that nothing expires. */
export const PORTABLE_RETENTION = 90 * DAY;
export const PORTABLE_CLOCK = { now: () => plus(NOON, 10 * MINUTE) };
