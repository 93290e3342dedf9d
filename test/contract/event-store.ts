/** The contract of EventStore. The tests of each adapter run this suite. */

import { describe, expect, it } from 'vitest';
import type { EventQuery } from '../../core/ports/event-store.ts';
import { delivery, event, NOON } from '../samples.ts';
import { attempted, later, type OpenStores, openForEach } from './opened-stores.ts';

export interface StoreTraits {
  /** Whether `prune` deletes old events, or they expire by TTL and `prune` does nothing. */
  readonly expires: 'when pruned' | 'by itself';
}

export function eventStoreContract(name: string, { expires }: StoreTraits, open: OpenStores): void {
  describe(`EventStore: ${name}`, () => {
    const opened = openForEach(open);

    it('lists events in the order they were recorded, with a cursor', async () => {
      const { stores } = opened;
      const all = ['1', '2', '3'].map((id) => event(id));
      await stores.events.record(all.map((event) => ({ event, deliveries: [] })));
      expect(await stores.events.get('evt_2')).toEqual(all[1]);
      expect(await stores.events.get('evt_9')).toBeUndefined();
      const first = await stores.events.list({ limit: 2 });
      expect(first.events).toEqual(all.slice(0, 2));
      const second = await stores.events.list({
        limit: 2,
        ...(first.cursor === undefined ? {} : { after: first.cursor }),
      });
      expect(second.events).toEqual(all.slice(2));
      const end = await stores.events.list({
        limit: 2,
        ...(second.cursor === undefined ? {} : { after: second.cursor }),
      });
      expect(end).toEqual({ events: [], cursor: second.cursor, more: false });
    });

    it('returns later events after a cursor, each once', async () => {
      const { stores } = opened;
      const ids = ['1', '2', '3', '4', '5', '6', '7'];
      const seen: string[] = [];
      let after: string | undefined;
      for (const id of [...ids, ...ids]) {
        if (!seen.includes(`evt_${id}`)) await stores.events.record([{ event: event(id), deliveries: [] }]);
        const page = await stores.events.list({ limit: 2, ...(after === undefined ? {} : { after }) });
        seen.push(...page.events.map((one) => one.id));
        after = page.cursor;
      }
      expect(seen).toEqual(ids.map((id) => `evt_${id}`));
    });

    it('lists no tests among the events of a record, but with all others', async () => {
      const { stores } = opened;
      const real = event('1', { subject: 'task/1' });
      const test = event('2', { subject: 'task/1', test: true });
      await stores.events.record([{ event: real, deliveries: [] }]);
      await stores.events.record([{ event: test, deliveries: [delivery('2', 'crm')] }]);
      for (const first of ['oldest', 'newest'] as const) {
        expect((await stores.events.list({ limit: 9, first, subject: 'task/1' })).events).toEqual([real]);
        expect((await stores.events.list({ limit: 9, first })).events).toContainEqual(test);
      }
      expect(await stores.events.get(test.id)).toEqual(test);
    });

    it('filters by subject and by time, inclusive', async () => {
      const { stores } = opened;
      const early = event('1', { time: later(-5) });
      const late = event('2', { subject: 'task/1' });
      await stores.events.record([early, late].map((event) => ({ event, deliveries: [] })));
      expect((await stores.events.list({ limit: 9, since: NOON })).events).toEqual([late]);
      expect((await stores.events.list({ limit: 9, subject: 'task/1' })).events).toEqual([early, late]);
      expect((await stores.events.list({ limit: 9, subject: 'task/2' })).events).toEqual([]);
    });

    describe('a page of some types', () => {
      /** Ten events, one after the other: types a and b take turns. */
      const recordTen = async () => {
        const all = Array.from({ length: 10 }, (_, n) =>
          event(String(n), {
            type: n % 2 === 0 ? 'task.closed' : 'invoice.paid',
            time: later(n),
            subject: `task/${n % 3}`,
          }),
        );
        for (const one of all) await opened.stores.events.record([{ event: one, deliveries: [] }]);
        return all;
      };
      const readAll = async (query: Omit<EventQuery, 'limit' | 'after'>, limit: number) => {
        const ids: string[] = [];
        for (let after: string | undefined, pages = 0; pages < 20; pages++) {
          const page = await opened.stores.events.list({ ...query, limit, after });
          expect(page.events.length).toBeLessThanOrEqual(limit);
          ids.push(...page.events.map(({ id }) => id.slice('evt_'.length)));
          if (!page.more) return ids;
          after = page.cursor;
        }
        throw new Error('the pages do not end');
      };

      it('has only events that match a type, by name or pattern', async () => {
        await recordTen();
        expect(await readAll({ types: ['task.closed'] }, 2)).toEqual(['0', '2', '4', '6', '8']);
        expect(await readAll({ types: ['inv*'] }, 9)).toEqual(['1', '3', '5', '7', '9']);
        expect(await readAll({ types: ['*.paid', 'task.*'] }, 3)).toEqual([...'0123456789']);
        expect(await readAll({ types: ['project.*'] }, 3)).toEqual([]);
        expect(await readAll({ types: ['task.*'], subject: 'task/0' }, 1)).toEqual(['0', '6']);
      });

      it('ends at an instant, inclusive', async () => {
        await recordTen();
        expect(await readAll({ until: later(2) }, 2)).toEqual(['0', '1', '2']);
        expect(await readAll({ since: later(3), until: later(6), types: ['task.*'] }, 1)).toEqual(['4', '6']);
      });

      it('ends before its events take too many bytes, and has at least one', async () => {
        const all = await recordTen();
        const bytes = Buffer.byteLength(JSON.stringify(all.slice(0, 3)));
        for (const first of ['oldest', 'newest'] as const) {
          const query = { first, maxBytes: bytes };
          expect((await opened.stores.events.list({ ...query, limit: 9 })).events).toHaveLength(3);
          const ids = first === 'oldest' ? [...'0123456789'] : [...'9876543210'];
          expect(await readAll(query, 9)).toEqual(ids);
          expect(await readAll({ first, maxBytes: 1 }, 9)).toEqual(ids);
          expect(await readAll({ first, maxBytes: 1, subject: 'task/0' }, 9)).toEqual(
            ids.filter((id) => +id % 3 === 0),
          );
          expect(await readAll({ first, maxBytes: 1, types: ['task.*'], matches: () => true }, 9)).toEqual(
            ids.filter((id) => +id % 2 === 0),
          );
        }
      });

      it('starts with the newest if asked', async () => {
        const all = await recordTen();
        expect(await readAll({ first: 'newest' }, 3)).toEqual([...'9876543210']);
        expect(await readAll({ first: 'newest', types: ['task.*'], since: later(3) }, 2)).toEqual(['8', '6', '4']);
        expect(await readAll({ first: 'newest', subject: 'task/0' }, 2)).toEqual(['9', '6', '3', '0']);
        const page = await opened.stores.events.list({ first: 'newest', limit: 2 });
        await opened.stores.events.record([{ event: event('late', { time: later(20) }), deliveries: [] }]);
        const next = await opened.stores.events.list({ first: 'newest', limit: 2, after: page.cursor });
        expect(next.events).toEqual([all[7], all[6]]);
      });
    });

    it('filters by a condition, page by page, in both orders', async () => {
      const { stores } = opened;
      const ids = Array.from({ length: 30 }, (_, n) => String(n + 1));
      await stores.events.record(ids.map((id) => ({ event: event(id), deliveries: [] })));
      const matches = ({ subject }: { readonly subject: string }) => Number(subject.split('/')[1]) % 10 === 0;
      for (const first of ['oldest', 'newest'] as const) {
        const found: string[] = [];
        for (let after: string | undefined, more = true; more; ) {
          const page = await stores.events.list({
            limit: 2,
            matches,
            first,
            ...(after === undefined ? {} : { after }),
          });
          found.push(...page.events.map(({ subject }) => subject));
          ({ cursor: after, more } = page);
        }
        const all = ['task/10', 'task/20', 'task/30'];
        expect(found).toEqual(first === 'oldest' ? all : all.toReversed());
      }
    });

    it('ends a page after many events that do not match, with more to come', async () => {
      const { stores } = opened;
      const ids = Array.from({ length: 1100 }, (_, n) => String(n + 1));
      await stores.events.record(ids.map((id) => ({ event: event(id), deliveries: [] })));
      const matches = ({ id }: { readonly id: string }) => id === 'evt_1';
      let [pages, after, found] = [0, undefined as string | undefined, 0];
      for (let more = true; more; pages += 1) {
        const page = await stores.events.list({ limit: 5, first: 'newest', matches, ...(after ? { after } : {}) });
        found += page.events.length;
        ({ cursor: after, more } = page);
      }
      expect(found).toBe(1);
      expect(pages).toBeGreaterThan(1);
    });

    it('counts the events of each hour', async () => {
      const { stores } = opened;
      await stores.events.record(['1', '2', '3'].map((id) => ({ event: event(id), deliveries: [] })));
      await stores.events.record([{ event: event('1'), deliveries: [] }]);
      expect(await stores.events.countByHour(later(-120), 3)).toEqual({ counts: new Map([[NOON, 3]]) });
      expect(await stores.events.countByHour(later(1), 3)).toEqual({ counts: new Map() });
    });

    it('counts no more events than the limit, and leaves out the hour it did not finish', async () => {
      const { stores } = opened;
      await stores.events.record(['1', '2', '3'].map((id) => ({ event: event(id), deliveries: [] })));
      const stopped = { counts: new Map(), uncounted: NOON };
      expect(await stores.events.countByHour(later(-120), 2)).toEqual(stopped);
      expect(await stores.events.countByHour(later(-120), 0)).toEqual(stopped);
    });

    it('does not change existing events and deliveries', async () => {
      const { stores } = opened;
      const opening = delivery('1', 'ops');
      const announcement = { event: event('1'), deliveries: [opening] };
      await stores.events.record([announcement]);
      await stores.deliveries.saveAttempt(attempted(opening, { status: 'settled', dueAt: null }));
      await stores.events.record([announcement]);
      expect((await stores.events.list({ limit: 9 })).events).toHaveLength(1);
      expect((await stores.deliveries.list({ limit: 9 })).map(({ status }) => status)).toEqual(['settled']);
    });

    it('accepts an empty batch', async () => {
      const { stores } = opened;
      await stores.events.record([]);
      expect((await stores.events.list({ limit: 9 })).events).toEqual([]);
    });

    it('finds events by id in the requested order, without missing ones', async () => {
      const { stores } = opened;
      await stores.events.record(['1', '2'].map((id) => ({ event: event(id), deliveries: [] })));
      expect(await stores.events.getMany(['evt_2', 'evt_9', 'evt_1'])).toEqual([event('2'), event('1')]);
      expect(await stores.events.getMany([])).toEqual([]);
    });

    if (expires === 'by itself') {
      describe('pruning', () => {
        it('deletes nothing, because items expire by TTL', async () => {
          const { stores } = opened;
          const old = event('1', { time: later(-60) });
          await stores.events.record([{ event: old, deliveries: [] }]);
          expect(await stores.events.prune(later(-1))).toBe(0);
          expect(await stores.events.get(old.id)).toEqual(old);
        });
      });
    } else {
      describe('pruning', () => {
        it('deletes old events with finished deliveries, and keeps those with open ones', async () => {
          const { stores } = opened;
          const [done, waiting, young] = [delivery('1', 'ops'), delivery('2', 'ops'), delivery('3', 'ops')];
          const at = (id: string, time: string) => event(id, { time });
          await stores.events.record([
            { event: at('1', later(-60)), deliveries: [done] },
            { event: at('2', later(-60)), deliveries: [waiting] },
            { event: at('3', NOON), deliveries: [young] },
            { event: at('4', later(-60)), deliveries: [] },
          ]);
          await stores.deliveries.saveAttempt(attempted(done, { status: 'settled', dueAt: null }));
          await stores.deliveries.saveAttempt(attempted(young, { status: 'failed', dueAt: null }));
          expect(await stores.events.getMany(['evt_1', 'evt_2'])).toHaveLength(2);
          expect(await stores.events.prune(later(-1))).toBe(2);
          expect((await stores.events.getMany(['evt_1', 'evt_2'])).map(({ id }) => id)).toEqual(['evt_2']);
          expect((await stores.events.list({ limit: 9 })).events.map(({ id }) => id)).toEqual(['evt_2', 'evt_3']);
          expect((await stores.deliveries.list({ limit: 9 })).map(({ id }) => id)).toEqual([waiting.id, young.id]);
          expect(await stores.events.prune(later(-1))).toBe(0);
        });

        it('keeps waiting deliveries of any age, and deletes held ones', async () => {
          const { stores } = opened;
          const [waiting, held] = [
            delivery('1', 'team', { status: 'waiting', dueAt: later(600) }),
            delivery('2', 'team', { status: 'held', dueAt: null }),
          ];
          await stores.events.record([
            { event: event('1', { time: later(-60) }), deliveries: [waiting] },
            { event: event('2', { time: later(-60) }), deliveries: [held] },
          ]);
          expect(await stores.events.prune(later(-1))).toBe(1);
          expect(await stores.deliveries.list({ limit: 9 })).toEqual([waiting]);
        });
      });
    }
  });
}
