/** The contract of SnapshotStore. The tests of each adapter run this suite. */

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compareIds } from '../../core/model/record.ts';
import type { Snapshot, Transition } from '../../core/model/snapshot.ts';
import type { History, MomentRange, SnapshotStore } from '../../core/ports/snapshot-store.ts';
import { NOON, snapshot } from '../samples.ts';

export interface OpenSnapshotStore {
  readonly store: SnapshotStore;
  /** @default - the store has no history, see SnapshotStoreTraits */
  readonly history?: History;
  /** New transitions of the feed since the last call, oldest first. */
  readonly changes: () => Promise<readonly Transition[]>;
  readonly close: () => Promise<void>;
}

/** Differences between stores. */
export interface SnapshotStoreTraits {
  /** Whether the store has a history. DynamoDB, whose feed is pushed, has none. */
  readonly history: 'kept' | 'not kept';
}

export function snapshotStoreContract(
  name: string,
  { history }: SnapshotStoreTraits,
  open: () => Promise<OpenSnapshotStore>,
): void {
  describe(`SnapshotStore: ${name}`, () => {
    let opened: OpenSnapshotStore;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(async () => opened.close());

    const key = (id: string) => ({ source: 'main', resource: 'task', id });

    it('returns a committed snapshot, and undefined for an unknown key', async () => {
      const { store } = opened;
      const first = snapshot('1', { record: { id: '1', people: ['4', '7'], nested: { a: null, b: 1.5 }, done: true } });
      expect(await store.commit([{ snapshot: first, expected: 0 }])).toEqual(['committed']);
      expect(await store.get(key('1'))).toEqual(first);
      expect(await store.get(key('2'))).toBeUndefined();
      expect(await store.get({ ...key('1'), source: 'other' })).toBeUndefined();
      expect(await store.get({ ...key('1'), resource: 'invoice' })).toBeUndefined();
    });

    it('rejects a write with an outdated version without side effects', async () => {
      const { store, changes } = opened;
      await store.commit([{ snapshot: snapshot('1'), expected: 0 }]);
      await changes();
      const stale = snapshot('1', { version: 2, record: { id: '1', title: 'late' } });
      expect(await store.commit([{ snapshot: snapshot('1'), expected: 0 }])).toEqual(['conflict']);
      expect(await store.commit([{ snapshot: stale, expected: 7 }])).toEqual(['conflict']);
      expect(await store.get(key('1'))).toEqual(snapshot('1'));
      expect(await changes()).toEqual([]);
    });

    it('keeps until when a snapshot stays, and one that does not expire any more', async () => {
      const { store, changes } = opened;
      const [past, future] = ['2026-11-14T11:00:00.000Z', '2026-11-14T13:00:00.000Z'];
      await store.commit([
        { snapshot: snapshot('1', { expiresAt: future }), expected: 0 },
        { snapshot: snapshot('2', { expiresAt: past }), expected: 0 },
        { snapshot: snapshot('3'), expected: 0 },
      ]);
      await store.commit([{ snapshot: snapshot('2', { version: 2 }), expected: 1 }]);
      await changes();
      await store.removeExpired('main', 'task', NOON);
      expect(await store.get(key('1'))).toEqual(snapshot('1', { expiresAt: future }));
      expect(await store.get(key('2'))).toEqual(snapshot('2', { version: 2 }));
      expect(await store.get(key('3'))).toEqual(snapshot('3'));
      expect(await changes()).toEqual([]);
    });

    it('checks each write of a batch separately', async () => {
      const { store } = opened;
      await store.commit([{ snapshot: snapshot('2'), expected: 0 }]);
      const outcomes = await store.commit([
        { snapshot: snapshot('1'), expected: 0 },
        { snapshot: snapshot('2'), expected: 0 },
        { snapshot: snapshot('3'), expected: 0 },
      ]);
      expect(outcomes).toEqual(['committed', 'conflict', 'committed']);
      expect([...(await store.getMany('main', 'task', ['1', '2', '3', '4', '1'])).keys()].sort()).toEqual([
        '1',
        '2',
        '3',
      ]);
    });

    it('checks each record of a large baseline separately', async () => {
      const { store, changes } = opened;
      const there = snapshot('30', { version: 4, record: { id: '30', title: 'there before' } });
      await store.commit([{ snapshot: there, expected: 0 }]);
      await changes();
      const ids = Array.from({ length: 130 }, (_, index) => String(index + 1));
      const writes = ids.map((id) => ({
        snapshot: snapshot(id, { cause: id === '90' ? 'poll' : 'baseline', record: { id, title: `title ${id}` } }),
        expected: 0,
      }));
      const outcomes = await store.commit(writes);
      expect(ids.filter((_, index) => outcomes[index] === 'conflict')).toEqual(['30']);
      const kept = await store.getMany('main', 'task', ids);
      expect(ids.map((id) => kept.get(id)?.record.title)).toEqual(
        ids.map((id) => (id === '30' ? 'there before' : `title ${id}`)),
      );
      const news = (await changes()).filter(({ after }) => after.cause !== 'baseline');
      expect(news.map(({ after }) => after.key.id)).toEqual(['90']);
      expect(await store.commit(writes)).toEqual(ids.map(() => 'conflict'));
    });

    it('keeps the records of two resources apart in one baseline', async () => {
      const { store } = opened;
      const writes = Array.from({ length: 60 }, (_, index) => {
        const resource = index % 2 === 0 ? 'task' : 'invoice';
        const own = { ...key(String(index + 1)), resource };
        return { snapshot: snapshot(own.id, { key: own, cause: 'baseline' }), expected: 0 };
      });
      expect(await store.commit(writes)).toEqual(writes.map(() => 'committed'));
      for (const { snapshot: one } of writes) expect(await store.get(one.key)).toEqual(one);
    });

    it('takes an empty batch and an empty question', async () => {
      const { store } = opened;
      expect(await store.commit([])).toEqual([]);
      expect(await store.getMany('main', 'task', [])).toEqual(new Map());
    });

    it('feeds before and after of each commit, in the order of commits', async () => {
      const { store, changes } = opened;
      const first = snapshot('1');
      const second = snapshot('1', { version: 2, stage: { closed: true } });
      await store.commit([{ snapshot: first, expected: 0 }]);
      await store.commit([{ snapshot: second, expected: 1 }]);
      expect(await changes()).toEqual([
        { before: null, after: first },
        { before: first, after: second },
      ]);
    });

    it('lets nobody derive anything from a baseline', async () => {
      const { store, changes } = opened;
      await store.commit([{ snapshot: snapshot('1', { cause: 'baseline' }), expected: 0 }]);
      const news = (await changes()).filter(({ after }) => after.cause !== 'baseline');
      expect(news).toEqual([]);
    });

    if (history === 'kept') {
      describe('the history of a record', () => {
        const transitionsOf = async (id: string, limit: number) => {
          if (opened.history === undefined) throw new Error('a store that keeps a history has to hand it over');
          return opened.history.transitionsOf(key(id), limit);
        };
        const versions = async (id: string, limit = 10) =>
          (await transitionsOf(id, limit)).map(({ after }) => after.version);
        const write = async (version: number, change: object = {}) =>
          opened.store.commit([{ snapshot: snapshot('1', { version, ...change }), expected: version - 1 }]);

        it('is its transitions, oldest first, with before and after', async () => {
          await write(1);
          await opened.store.commit([{ snapshot: snapshot('2'), expected: 0 }]);
          await write(2, { stage: { closed: true } });
          expect(await transitionsOf('1', 10)).toEqual([
            { before: null, after: snapshot('1') },
            { before: snapshot('1'), after: snapshot('1', { version: 2, stage: { closed: true } }) },
          ]);
        });

        it('holds the newest when there are more than asked for', async () => {
          for (const version of [1, 2, 3, 4]) await write(version);
          expect(await versions('1', 2)).toEqual([3, 4]);
        });

        it('stays when the feed has been read, and knows nothing of refused writes', async () => {
          await write(1);
          await write(1);
          await write(3);
          await opened.changes();
          expect(await versions('1')).toEqual([1]);
        });

        it('is empty for a record nobody saw, and is not mixed up with those of other sources and resources', async () => {
          await write(1, { key: { ...key('1'), source: 'other' } });
          await write(1, { key: { ...key('1'), resource: 'invoice' } });
          await write(1, { key: key('11') });
          expect(await versions('1')).toEqual([]);
          expect(await versions('11')).toEqual([1]);
        });

        it('returns what came after a baseline, from the baseline on', async () => {
          await write(1, { cause: 'baseline' });
          await write(2);
          const news = (await transitionsOf('1', 10)).filter(({ after }) => after.cause !== 'baseline');
          expect(news.map(({ before, after }) => [before?.cause, after.version])).toEqual([['baseline', 2]]);
        });
      });
    }

    it('lists a resource in the order of its ids as numbers, and nothing of its neighbours', async () => {
      const { store } = opened;
      await fc.assert(
        fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 1, max: 99_999 }), { maxLength: 30 }), async (numbers) => {
          const source = `s${Math.random()}`;
          const ids = numbers.map(String);
          const at = (id: string, place: object) => snapshot(id, { key: { source, resource: 'task', id, ...place } });
          await store.commit(ids.map((id) => ({ snapshot: at(id, {}), expected: 0 })));
          await store.commit([{ snapshot: at('5', { resource: 'tasks' }), expected: 0 }]);
          const listed: string[] = [];
          for await (const found of store.list(source, 'task')) listed.push(found.key.id);
          expect(listed).toEqual(ids.toSorted(compareIds));
        }),
        { numRuns: 20 },
      );
    });

    it('lists more than one step of an adapter holds', async () => {
      const { store } = opened;
      const ids = Array.from({ length: 1203 }, (_, index) => String(index + 1));
      await store.commit(ids.map((id) => ({ snapshot: snapshot(id, { cause: 'baseline' }), expected: 0 })));
      const listed: string[] = [];
      for await (const found of store.list('main', 'task')) listed.push(found.key.id);
      expect(listed).toEqual(ids);
    });

    it('lists what is overdue, due soon, past its end or ending soon, for as long as it is', async () => {
      const { store } = opened;
      const facts = { closed: false, overdue: false, dueSoon: false, stale: true };
      const staged = (id: string, stage: Snapshot['stage'], version = 1, change: Partial<Snapshot> = {}) => ({
        snapshot: snapshot(id, { stage: { ...facts, ...stage }, version, ...change }),
        expected: version - 1,
      });
      const listed = async (resource = 'task') => {
        const found: Snapshot[] = [];
        for await (const one of store.listOpen('main', resource)) found.push(one);
        return found.map(({ key, version }) => `${key.id} v${version}`);
      };
      await store.commit([
        staged('12', { overdue: true }, 1, { cause: 'baseline' }),
        staged('3', { dueSoon: true }),
        staged('4', {}),
        staged('5', { overdue: true }, 1, { key: { source: 'main', resource: 'tasks', id: '5' } }),
        staged('6', { overdue: true }, 1, { key: { source: 'other', resource: 'task', id: '6' } }),
        staged('7', { pastEnd: true }, 1, { key: { source: 'main', resource: 'project', id: '7' } }),
      ]);
      expect(await listed()).toEqual(['3 v1', '12 v1']);
      expect(await listed('project')).toEqual(['7 v1']);
      await store.commit([
        staged('3', { overdue: true }, 2),
        staged('4', { dueSoon: true }, 2),
        staged('12', { closed: true }, 2),
      ]);
      expect(await listed()).toEqual(['3 v2', '4 v2']);
      await store.commit([staged('4', { dueSoon: true }, 3, { deletedAt: NOON })]);
      expect(await listed()).toEqual(['3 v2']);
    });

    it('lists a large baseline of which many are overdue', async () => {
      const { store } = opened;
      const ids = Array.from({ length: 250 }, (_, index) => String(index + 1));
      const overdue = ids.filter((id) => Number(id) % 2 === 0);
      await store.commit(
        ids.map((id) => ({
          snapshot: snapshot(id, { cause: 'baseline', stage: { overdue: overdue.includes(id) } }),
          expected: 0,
        })),
      );
      const listed: string[] = [];
      for await (const { key } of store.listOpen('main', 'task')) listed.push(key.id);
      expect(listed).toEqual(overdue);
    });

    it('keeps an agenda: due moments, earliest first, gone when the next commit clears them', async () => {
      const { store } = opened;
      const at = (id: string, nextMoment: string | null, version = 1) => snapshot(id, { nextMoment, version });
      await store.commit([
        { snapshot: at('1', '2026-11-16T00:00:00.000Z'), expected: 0 },
        { snapshot: at('2', '2026-11-15T00:00:00.000Z'), expected: 0 },
        { snapshot: at('3', '2026-12-01T00:00:00.000Z'), expected: 0 },
        { snapshot: at('4', null), expected: 0 },
      ]);
      const due = async (until: string, limit = 10) => (await store.due({ until }, limit)).map(({ key: { id } }) => id);
      expect(await due('2026-11-16T00:00:00.000Z')).toEqual(['2', '1']);
      expect(await due('2026-11-16T00:00:00.000Z', 1)).toEqual(['2']);
      expect(await due(NOON)).toEqual([]);
      const dueIn = async (range: Omit<MomentRange, 'until'>) =>
        (await store.due({ until: '2026-11-16T00:00:00.000Z', ...range }, 10)).map(({ key: { id } }) => id);
      expect(await dueIn({ after: '2026-11-15T00:00:00.000Z' })).toEqual(['1']);
      expect(await dueIn({ source: 'main' })).toEqual(['2', '1']);
      expect(await dueIn({ source: 'mai' })).toEqual([]);
      expect(await dueIn({ source: 'main', resource: 'task' })).toEqual(['2', '1']);
      expect(await dueIn({ source: 'main', resource: 'tas' })).toEqual([]);
      expect(await dueIn({ resources: new Set(['invoice', 'task']) })).toEqual(['2', '1']);
      expect(await dueIn({ resources: new Set(['invoice']) })).toEqual([]);
      expect(await dueIn({ resources: new Set() })).toEqual([]);
      await store.commit([{ snapshot: at('2', null, 2), expected: 1 }]);
      expect(await due('2026-11-16T00:00:00.000Z')).toEqual(['1']);
    });
  });
}
