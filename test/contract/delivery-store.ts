/** The contract of DeliveryStore. The tests of each adapter run this suite. */

import { describe, expect, it } from 'vitest';
import { type Delivery, openGroup } from '../../core/model/delivery.ts';
import type { DeliveryPageQuery } from '../../core/ports/delivery-store.ts';
import { delivery, event, NOON } from '../samples.ts';
import { attempted, later, type OpenStores, openForEach } from './opened-stores.ts';

export function deliveryStoreContract(name: string, open: OpenStores): void {
  describe(`DeliveryStore: ${name}`, () => {
    const opened = openForEach(open);

    it('filters by status and subscription, and returns the newest, oldest first', async () => {
      const { stores } = opened;
      const [a, b, c] = [delivery('1', 'ops'), delivery('1', 'finance'), delivery('2', 'ops')];
      await stores.events.record([
        { event: event('1'), deliveries: [a, b] },
        { event: event('2'), deliveries: [c] },
      ]);
      await stores.deliveries.saveAttempt(attempted(a, { status: 'failed', dueAt: null }));
      const ids = async (query: object) => (await stores.deliveries.list({ limit: 9, ...query })).map(({ id }) => id);
      expect(await ids({})).toEqual([a.id, b.id, c.id]);
      expect(await ids({ limit: 2 })).toEqual([b.id, c.id]);
      expect(await ids({ status: 'pending' })).toEqual([b.id, c.id]);
      expect(await ids({ subscription: 'ops' })).toEqual([a.id, c.id]);
      expect(await ids({ subscription: 'ops', status: 'failed' })).toEqual([a.id]);
    });

    it('lists the ids of all open deliveries of a subscription, oldest first', async () => {
      const { stores } = opened;
      const many = Array.from({ length: 25 }, (_, index) => delivery(String(index), index === 7 ? 'finance' : 'ops'));
      await stores.events.record(
        many.map((_, index) => ({ event: event(String(index)), deliveries: many.slice(index, index + 1) })),
      );
      const [first, second] = many;
      if (first === undefined || second === undefined) throw new Error('no deliveries');
      await stores.deliveries.saveAttempt(attempted(first, { status: 'failed', dueAt: null }));
      await stores.deliveries.saveAttempt(attempted(second, { status: 'settled', dueAt: null }));
      const ids = (status: 'pending' | 'failed' | 'held') => stores.deliveries.listIds({ status, subscription: 'ops' });
      const pending = many.slice(2).filter(({ subscription }) => subscription === 'ops');
      expect(await ids('pending')).toEqual(pending.map(({ id }) => id));
      expect(await ids('failed')).toEqual([first.id]);
      expect(await ids('held')).toEqual([]);
      const some = await stores.deliveries.listIds({ status: 'pending', subscription: 'ops', limit: 3 });
      expect(some).toEqual(pending.slice(0, 3).map(({ id }) => id));
    });

    it('lists the pending deliveries of a subscription that were put off, under its new name too', async () => {
      const { stores } = opened;
      const [a, b, c, d] = [delivery('1', 'ops'), delivery('2', 'ops'), delivery('3', 'ops'), delivery('4', 'finance')];
      const all = [a, b, c, d];
      await stores.events.record(all.map((one, n) => ({ event: event(String(n + 1)), deliveries: [one] })));
      const retried = attempted(a, { dueAt: later(5000) });
      await stores.deliveries.saveAttempt(retried);
      await stores.deliveries.update(b, { ...b, dueAt: later(5000) });
      await stores.deliveries.saveAttempt(attempted(d, { dueAt: later(5000) }));
      const delayed = (subscription: string) =>
        stores.deliveries.listIds({ status: 'pending', subscription, only: 'delayed' });
      expect(await delayed('ops')).toEqual(expect.arrayContaining([a.id, b.id]));
      expect(await delayed('ops')).not.toContain(d.id);
      expect(await stores.deliveries.rename(retried, 'team')).toBe(true);
      expect(await delayed('team')).toEqual([a.id]);
      expect(await delayed('ops')).not.toContain(a.id);
      await stores.deliveries.saveAttempt(
        attempted({ ...retried, subscription: 'team' }, { status: 'settled', dueAt: null }),
      );
      expect(await delayed('team')).toEqual([]);
    });

    it('lists what is postponed: retries, those in a later slot, and those opened for later, under a new name too', async () => {
      const { stores } = opened;
      const [retried, booked, opening] = [delivery('1', 'ops'), delivery('2', 'ops'), delivery('3', 'ops')];
      const [late, other] = [delivery('4', 'ops', { dueAt: later(60) }), delivery('5', 'finance')];
      const all = [retried, booked, opening, late, other];
      await stores.events.record(all.map((one, n) => ({ event: event(String(n + 1)), deliveries: [one] })));
      const again = attempted(retried, { dueAt: later(5000) });
      await stores.deliveries.saveAttempt(again);
      const slot = { at: later(70), interval: 1000 };
      const inSlot = { ...booked, slot, dueAt: slot.at };
      await stores.deliveries.update(booked, inSlot);
      const inOtherSlot = { ...other, slot, dueAt: slot.at };
      await stores.deliveries.update(other, inOtherSlot);
      const postponed = (subscription: string, limit?: number) =>
        stores.deliveries.listIds({ status: 'pending', subscription, only: 'postponed', limit });
      // A store may return those that are due soon as well.
      const listed = async (subscription: string) => (await postponed(subscription)).filter((id) => id !== opening.id);
      expect(await listed('ops')).toEqual([retried.id, booked.id, late.id]);
      expect(await postponed('ops', 2)).toHaveLength(2);
      expect(await listed('finance')).toEqual([other.id]);
      for (const one of [again, inSlot, late]) expect(await stores.deliveries.rename(one, 'team')).toBe(true);
      expect(await listed('ops')).toEqual([]);
      expect(await listed('team')).toEqual([retried.id, booked.id, late.id]);
      const { slot: _, ...due } = { ...inSlot, subscription: 'team' };
      await stores.deliveries.saveAttempt(attempted(due, { status: 'settled', dueAt: null }));
      expect(await listed('team')).toEqual([retried.id, late.id]);
    });

    it('keeps the incarnation of the subscription, until the delivery is moved to another one', async () => {
      const { stores } = opened;
      const [a, b] = [delivery('1', 'ops', { incarnation: NOON }), delivery('2', 'ops', { incarnation: NOON })];
      await stores.events.record([a, b].map((one, n) => ({ event: event(String(n + 1)), deliveries: [one] })));
      const incarnations = async () =>
        Promise.all([a, b].map(async ({ id }) => (await stores.deliveries.get(id, true))?.incarnation));
      const retried = attempted(a, { dueAt: later(5000) });
      await stores.deliveries.saveAttempt(retried);
      const held: Delivery = { ...b, status: 'held', dueAt: null };
      await stores.deliveries.update(b, held);
      expect(await incarnations()).toEqual([NOON, NOON]);
      expect(await stores.deliveries.rename(retried, 'team', 'declared')).toBe(true);
      expect(await stores.deliveries.rename(held, 'team')).toBe(true);
      expect(await incarnations()).toEqual(['declared', undefined]);
    });

    it('finds all deliveries of an event with their attempts, including removed subscriptions', async () => {
      const { stores } = opened;
      const [a, b, c] = [delivery('1', 'ops'), delivery('1', 'finance'), delivery('2', 'ops')];
      await stores.events.record([
        { event: event('1'), deliveries: [a, b] },
        { event: event('2'), deliveries: [c] },
        { event: event('3'), deliveries: [] },
      ]);
      await stores.events.record([{ event: event('1'), deliveries: [a] }]);
      const tried = attempted(a, { dueAt: later(5) });
      await stores.deliveries.saveAttempt(tried);
      expect(await stores.deliveries.listByEvent('evt_1')).toEqual([tried, b]);
      expect(await stores.deliveries.listByEvent('evt_2')).toEqual([c]);
      expect(await stores.deliveries.listByEvent('evt_1', [b.subscription, 'none'])).toEqual([b]);
      expect(await stores.deliveries.listByEvent('evt_1', [])).toEqual([]);
      expect(await stores.deliveries.listByEvent('evt_1', undefined, 1)).toHaveLength(1);
      expect(await stores.deliveries.listByEvent('evt_1', [b.subscription], 1)).toEqual([b]);
      expect(await stores.deliveries.listByEvent('evt_3')).toEqual([]);
      expect(await stores.deliveries.listByEvent('evt_4')).toEqual([]);
    });

    it('finds the deliveries of all subscriptions to an event, however often one of them was sent it again', async () => {
      const { stores } = opened;
      const first = delivery('1', 'ops');
      await stores.events.record([{ event: event('1'), deliveries: [first] }]);
      const again = Array.from({ length: 9 }, (_, n) => ({ ...delivery('1', 'own'), id: `dlv_${n}` }));
      for (const one of again) await stores.events.record([{ event: event('1'), deliveries: [one] }]);
      const found = await stores.deliveries.listByEvent('evt_1', undefined, 4);
      expect(found.map(({ subscription }) => subscription)).toEqual(['ops', 'own', 'own', 'own']);
    });

    it('finds a delivery by each of the events it carries', async () => {
      const { stores } = opened;
      const both = delivery('1', 'ops', { events: ['evt_1', 'evt_2'] });
      await stores.events.record([{ event: event('1'), deliveries: [both] }]);
      expect(await stores.deliveries.listByEvent('evt_1')).toEqual([both]);
      expect(await stores.deliveries.listByEvent('evt_2')).toEqual([both]);
    });

    it('records each attempt number once', async () => {
      const { stores } = opened;
      const opening = delivery('1', 'ops');
      await stores.events.record([{ event: event('1'), deliveries: [opening] }]);
      const first = attempted(opening, { dueAt: later(5) });
      expect(await stores.deliveries.saveAttempt(first)).toBe(true);
      expect(await stores.deliveries.saveAttempt(attempted(opening, { status: 'settled' }))).toBe(false);
      expect(await stores.deliveries.get(opening.id)).toEqual(first);
      expect(await stores.deliveries.saveAttempt(attempted(first, { status: 'settled', dueAt: null }))).toBe(true);
      expect((await stores.deliveries.get(opening.id))?.status).toBe('settled');
    });

    it('records no attempt for a finished delivery', async () => {
      const { stores } = opened;
      const opening = delivery('1', 'ops');
      await stores.events.record([{ event: event('1'), deliveries: [opening] }]);
      const over = attempted(opening, { status: 'settled', dueAt: null });
      await stores.deliveries.saveAttempt(over);
      expect(await stores.deliveries.saveAttempt(attempted(over, { status: 'failed' }))).toBe(false);
    });

    it('returns undefined for an unknown delivery', async () => {
      const { stores } = opened;
      expect(await stores.deliveries.get('dlv_0')).toBeUndefined();
      expect(await stores.deliveries.saveAttempt(attempted(delivery('1', 'ops'), {}))).toBe(false);
    });

    it('updates a delivery only if status, attempts and due time have not changed', async () => {
      const { stores } = opened;
      const seen = delivery('1', 'ops');
      await stores.events.record([{ event: event('1'), deliveries: [seen] }]);
      const held: Delivery = { ...seen, status: 'held', dueAt: null };
      expect(await stores.deliveries.update(seen, held)).toBe(true);
      expect(await stores.deliveries.update(seen, { ...seen, status: 'failed' })).toBe(false);
      expect(await stores.deliveries.update({ ...held, dueAt: NOON }, seen)).toBe(false);
      expect(await stores.deliveries.get(seen.id)).toEqual(held);
      expect(await stores.agenda.due(later(99), 9)).toEqual([]);
      expect(await stores.deliveries.update(held, { ...seen, dueAt: NOON })).toBe(true);
      expect(await stores.agenda.due(NOON, 9)).toMatchObject([{ delivery: seen.id, attempt: 1 }]);
    });

    it('keeps the earliest time of a delivery, and removes it', async () => {
      const { stores } = opened;
      const seen = delivery('1', 'team', { status: 'waiting', dueAt: later(5), notBefore: later(5) });
      await stores.events.record([{ event: event('1'), deliveries: [seen] }]);
      expect(await stores.deliveries.get(seen.id)).toEqual(seen);
      const { notBefore: _, ...free } = seen;
      expect(await stores.deliveries.update(seen, free)).toBe(true);
      expect(await stores.deliveries.get(seen.id)).toEqual(free);
    });

    it('moves a delivery to another subscription, only if it has not changed', async () => {
      const { stores } = opened;
      const [a, b] = [delivery('1', 'ops'), delivery('2', 'ops')];
      await stores.events.record([
        { event: event('1'), deliveries: [a] },
        { event: event('2'), deliveries: [b] },
      ]);
      const held: Delivery = { ...a, status: 'held', dueAt: null };
      expect(await stores.deliveries.update(a, held)).toBe(true);
      expect(await stores.deliveries.rename(a, 'team')).toBe(false);
      expect(await stores.deliveries.rename(held, 'team')).toBe(true);
      expect(await stores.deliveries.rename(held, 'team')).toBe(false);
      // A process that read it before would write the old name into lists.
      expect(await stores.deliveries.update(held, { ...held, status: 'pending', dueAt: NOON })).toBe(false);
      expect(await stores.deliveries.get(a.id)).toEqual({ ...held, subscription: 'team' });
      const ids = async (subscription: string, status: 'held' | 'pending') =>
        (await stores.deliveries.list({ subscription, status, limit: 9 })).map(({ id }) => id);
      expect(await ids('team', 'held')).toEqual([a.id]);
      expect(await ids('ops', 'held')).toEqual([]);
      expect(await ids('ops', 'pending')).toEqual([b.id]);
      expect(await stores.deliveries.listByEvent('evt_1')).toEqual([{ ...held, subscription: 'team' }]);
    });

    it('returns pages, newest first, which deliveries recorded in between do not shift', async () => {
      const { stores } = opened;
      const statuses = ['pending', 'failed', 'held', 'waiting', 'settled'] as const;
      const all = Array.from({ length: 10 }, (_, n) => {
        const status = statuses[n % statuses.length] ?? 'pending';
        const isOpen = status === 'pending' || status === 'waiting';
        return delivery(String(n), n < 8 ? 'ops' : 'team', { status, dueAt: isOpen ? NOON : null });
      });
      for (const [n, one] of all.entries())
        await stores.events.record([{ event: event(String(n)), deliveries: [one] }]);
      const readAll = async (query: Omit<DeliveryPageQuery, 'limit' | 'after'>, limit: number) => {
        const found: number[] = [];
        for (let after: string | undefined, pages = 0; pages < 20; pages++) {
          const page = await stores.deliveries.page({ ...query, limit, after });
          expect(page.deliveries.length).toBeLessThanOrEqual(limit);
          found.push(...page.deliveries.map(({ id }) => all.findIndex((one) => one.id === id)));
          if (page.cursor === undefined) return found;
          after = page.cursor;
        }
        throw new Error('the pages do not end');
      };
      expect(await readAll({}, 3)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
      expect(await readAll({ subscription: 'ops' }, 3)).toEqual([7, 6, 5, 4, 3, 2, 1, 0]);
      expect(await readAll({ subscription: 'ops', status: 'pending' }, 1)).toEqual([5, 0]);
      expect(await readAll({ subscription: 'ops', status: 'failed' }, 1)).toEqual([6, 1]);
      expect(await readAll({ status: 'held' }, 1)).toEqual([7, 2]);
      expect(await readAll({ status: 'settled' }, 1)).toEqual([9, 4]);
      expect(await readAll({ subscription: 'nobody' }, 3)).toEqual([]);
      const maxBytes = Buffer.byteLength(JSON.stringify(all.slice(0, 3)));
      expect((await stores.deliveries.page({ limit: 9, maxBytes })).deliveries).toHaveLength(3);
      expect(await readAll({ maxBytes }, 9)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
      expect(await readAll({ maxBytes: 1 }, 9)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
      expect(await readAll({ subscription: 'ops', status: 'failed', maxBytes: 1 }, 9)).toEqual([6, 1]);
      const first = await stores.deliveries.page({ subscription: 'ops', limit: 2 });
      await stores.events.record([{ event: event('late'), deliveries: [delivery('late', 'ops')] }]);
      const second = await stores.deliveries.page({ subscription: 'ops', limit: 2, after: first.cursor });
      expect(second.deliveries).toEqual([all[5], all[4]]);
    });

    it('lists from either end, always oldest first', async () => {
      const { stores } = opened;
      const all = ['1', '2', '3'].map((id) => delivery(id, 'ops'));
      await stores.events.record(all.map((opening, n) => ({ event: event(String(n + 1)), deliveries: [opening] })));
      const ids = async (end: 'newest' | 'oldest') =>
        (await stores.deliveries.list({ end, status: 'pending', subscription: 'ops', limit: 2 })).map(({ id }) => id);
      expect(await ids('newest')).toEqual([all[1]?.id, all[2]?.id]);
      expect(await ids('oldest')).toEqual([all[0]?.id, all[1]?.id]);
    });

    describe('gathering', () => {
      const waiting = (id: string, dueAt = later(1)) => delivery(id, 'team', { status: 'waiting', dueAt });

      it('replaces the members on the agenda by one group', async () => {
        const { stores } = opened;
        const members: [Delivery, Delivery] = [waiting('1'), waiting('2')];
        await stores.events.record(members.map((one, n) => ({ event: event(String(n + 1)), deliveries: [one] })));
        const group = await stores.deliveries.gather(openGroup(members, later(1)), members);
        expect(group).toMatchObject({ subscription: 'team', status: 'pending', events: ['evt_1', 'evt_2'] });
        expect(await stores.deliveries.get(members[1].id)).toMatchObject({
          status: 'gathered',
          into: group.id,
          dueAt: null,
        });
        expect((await stores.agenda.due(later(99), 9)).map((moment) => moment.delivery)).toEqual([group.id]);
        expect((await stores.deliveries.listByEvent('evt_2')).map(({ status }) => status)).toEqual([
          'gathered',
          'pending',
        ]);
      });

      it('marks only members that the stored group carries when it is repeated with more', async () => {
        const { stores } = opened;
        const [a, b, c] = [waiting('1'), waiting('2'), waiting('3')];
        await stores.events.record([a, b, c].map((one, n) => ({ event: event(String(n + 1)), deliveries: [one] })));
        const first = await stores.deliveries.gather(openGroup([a, b], later(1)), [a]);
        // The process was killed before all members were marked, and another delivery was opened.
        expect(await stores.deliveries.gather(openGroup([a, b, c], later(2)), [a, b, c])).toEqual(first);
        const statuses = await Promise.all([a, b, c].map(async ({ id }) => (await stores.deliveries.get(id))?.status));
        expect(statuses).toEqual(['gathered', 'gathered', 'waiting']);
      });

      it('finds all deliveries that carry an event, including a group of groups', async () => {
        const { stores } = opened;
        const [a, b, c] = [waiting('1'), waiting('2'), waiting('3')];
        await stores.events.record([a, b, c].map((one, n) => ({ event: event(String(n + 1)), deliveries: [one] })));
        const group = await stores.deliveries.gather(openGroup([a, b], later(1)), [a, b]);
        const released: Delivery = { ...group, status: 'waiting' };
        await stores.deliveries.update(group, released);
        const last = await stores.deliveries.gather(openGroup([c, released], later(2)), [c, released]);
        const carrying = await stores.deliveries.listByEvent('evt_1');
        expect(carrying.map(({ id, status }) => [id, status])).toEqual([
          [a.id, 'gathered'],
          [group.id, 'gathered'],
          [last.id, 'pending'],
        ]);
      });

      it('never gathers a group into itself', async () => {
        const { stores } = opened;
        const [a, b] = [waiting('1'), waiting('2')];
        await stores.events.record([a, b].map((one, n) => ({ event: event(String(n + 1)), deliveries: [one] })));
        const group = await stores.deliveries.gather(openGroup([a, b], later(1)), []);
        // Held before its first attempt, and released.
        const released: Delivery = { ...group, status: 'waiting' };
        expect(await stores.deliveries.update(group, released)).toBe(true);
        expect(await stores.deliveries.gather(openGroup([a, b, released], later(2)), [a, b, released])).toEqual(
          released,
        );
        const statuses = await Promise.all(
          [a, b, group].map(async ({ id }) => (await stores.deliveries.get(id))?.status),
        );
        expect(statuses).toEqual(['gathered', 'gathered', 'waiting']);
      });

      it('gathers a member that was postponed in the meantime', async () => {
        const { stores } = opened;
        const [a, b] = [waiting('1'), waiting('2')];
        await stores.events.record([a, b].map((one, n) => ({ event: event(String(n + 1)), deliveries: [one] })));
        const moment = (await stores.agenda.due(later(1), 9)).find((due) => due.delivery === b.id);
        if (moment === undefined) throw new Error('nothing was due');
        await stores.agenda.postpone(moment, later(3));
        await stores.deliveries.gather(openGroup([a, b], later(1)), [a, b]);
        expect((await stores.deliveries.get(b.id))?.status).toBe('gathered');
      });

      it('gathers a member that was held in the meantime, but not one that is sent alone', async () => {
        const { stores } = opened;
        const [a, b, c] = [waiting('1'), waiting('2'), waiting('3')];
        await stores.events.record([a, b, c].map((one, n) => ({ event: event(String(n + 1)), deliveries: [one] })));
        await stores.deliveries.update(b, { ...b, status: 'held', dueAt: null });
        await stores.deliveries.update(c, { ...c, status: 'pending' });
        const group = await stores.deliveries.gather(openGroup([a, b, c], later(1)), [a, b, c]);
        expect(await stores.deliveries.get(b.id)).toMatchObject({ status: 'gathered', into: group.id });
        expect((await stores.deliveries.get(c.id))?.status).toBe('pending');
      });
    });
  });
}
