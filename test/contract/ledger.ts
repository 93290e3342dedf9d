/** What every Ledger promises. An adapter's test opens one and runs this. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Delivery, openGroup } from '../../core/model/delivery.ts';
import { initialScanState } from '../../core/model/scan.ts';
import { MINUTE, plus } from '../../core/model/time.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import { delivery, event, NOON, subscription } from '../samples.ts';

export interface OpenLedger {
  readonly ledger: Ledger;
  readonly close: () => Promise<void>;
}

/** What a ledger may do in one way or another. */
export interface LedgerTraits {
  /** Whether what is too old goes when it is asked to, or by itself when its time has come: then pruning does nothing. */
  readonly expires: 'when pruned' | 'by itself';
}

export function ledgerContract(name: string, { expires }: LedgerTraits, open: () => Promise<OpenLedger>): void {
  describe(`Ledger: ${name}`, () => {
    let opened: OpenLedger;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(async () => opened.close());

    const later = (minutes: number) => plus(NOON, minutes * MINUTE);
    const attempted = (from: Delivery, change: Partial<Delivery>): Delivery => ({
      ...from,
      attempts: [...from.attempts, { number: from.attempts.length + 1, at: NOON, ms: 3, outcome: 'retry' }],
      ...change,
    });

    describe('events', () => {
      it('gives back what was recorded, in order, with a cursor to go on from', async () => {
        const { ledger } = opened;
        const all = ['1', '2', '3'].map((id) => event(id));
        await ledger.record(all.map((event) => ({ event, deliveries: [] })));
        expect(await ledger.event('evt_2')).toEqual(all[1]);
        expect(await ledger.event('evt_9')).toBeUndefined();
        const first = await ledger.events({ limit: 2 });
        expect(first.events).toEqual(all.slice(0, 2));
        const second = await ledger.events({
          limit: 2,
          ...(first.cursor === undefined ? {} : { after: first.cursor }),
        });
        expect(second.events).toEqual(all.slice(2));
        const end = await ledger.events({ limit: 2, ...(second.cursor === undefined ? {} : { after: second.cursor }) });
        expect(end).toEqual({ events: [], cursor: second.cursor });
      });

      it('gives whoever goes on from a cursor what was recorded since, each event once', async () => {
        const { ledger } = opened;
        const ids = ['1', '2', '3', '4', '5', '6', '7'];
        const seen: string[] = [];
        let after: string | undefined;
        for (const id of [...ids, ...ids]) {
          if (!seen.includes(`evt_${id}`)) await ledger.record([{ event: event(id), deliveries: [] }]);
          const page = await ledger.events({ limit: 2, ...(after === undefined ? {} : { after }) });
          seen.push(...page.events.map((one) => one.id));
          after = page.cursor;
        }
        expect(seen).toEqual(ids.map((id) => `evt_${id}`));
      });

      it('filters by subject and by instant, the instant included', async () => {
        const { ledger } = opened;
        const early = event('1', { time: later(-5) });
        const late = event('2', { subject: 'task/1' });
        await ledger.record([early, late].map((event) => ({ event, deliveries: [] })));
        expect((await ledger.events({ limit: 9, since: NOON })).events).toEqual([late]);
        expect((await ledger.events({ limit: 9, subject: 'task/1' })).events).toEqual([early, late]);
        expect((await ledger.events({ limit: 9, subject: 'task/2' })).events).toEqual([]);
      });

      it('leaves alone what is recorded already: neither doubled nor set back', async () => {
        const { ledger } = opened;
        const opening = delivery('1', 'ops');
        const announcement = { event: event('1'), deliveries: [opening] };
        await ledger.record([announcement]);
        await ledger.saveAttempt(attempted(opening, { status: 'settled', dueAt: null }));
        await ledger.record([announcement]);
        expect((await ledger.events({ limit: 9 })).events).toHaveLength(1);
        expect((await ledger.deliveries({ limit: 9 })).map(({ status }) => status)).toEqual(['settled']);
      });

      it('takes an empty batch', async () => {
        const { ledger } = opened;
        await ledger.record([]);
        expect((await ledger.events({ limit: 9 })).events).toEqual([]);
      });
    });

    describe('deliveries', () => {
      it('filters by status and subscription; the newest, answered oldest first', async () => {
        const { ledger } = opened;
        const [a, b, c] = [delivery('1', 'ops'), delivery('1', 'finance'), delivery('2', 'ops')];
        await ledger.record([
          { event: event('1'), deliveries: [a, b] },
          { event: event('2'), deliveries: [c] },
        ]);
        await ledger.saveAttempt(attempted(a, { status: 'failed', dueAt: null }));
        const ids = async (query: object) => (await ledger.deliveries({ limit: 9, ...query })).map(({ id }) => id);
        expect(await ids({})).toEqual([a.id, b.id, c.id]);
        expect(await ids({ limit: 2 })).toEqual([b.id, c.id]);
        expect(await ids({ status: 'pending' })).toEqual([b.id, c.id]);
        expect(await ids({ subscription: 'ops' })).toEqual([a.id, c.id]);
        expect(await ids({ subscription: 'ops', status: 'failed' })).toEqual([a.id]);
      });

      it('finds all deliveries of an event, with their attempts, also where the subscription is gone', async () => {
        const { ledger } = opened;
        const [a, b, c] = [delivery('1', 'ops'), delivery('1', 'finance'), delivery('2', 'ops')];
        await ledger.record([
          { event: event('1'), deliveries: [a, b] },
          { event: event('2'), deliveries: [c] },
          { event: event('3'), deliveries: [] },
        ]);
        await ledger.record([{ event: event('1'), deliveries: [a] }]);
        const tried = attempted(a, { dueAt: later(5) });
        await ledger.saveAttempt(tried);
        expect(await ledger.deliveriesOf('evt_1')).toEqual([tried, b]);
        expect(await ledger.deliveriesOf('evt_2')).toEqual([c]);
        expect(await ledger.deliveriesOf('evt_3')).toEqual([]);
        expect(await ledger.deliveriesOf('evt_4')).toEqual([]);
      });

      it('finds a delivery by each of the events it carries', async () => {
        const { ledger } = opened;
        const both = delivery('1', 'ops', { events: ['evt_1', 'evt_2'] });
        await ledger.record([{ event: event('1'), deliveries: [both] }]);
        expect(await ledger.deliveriesOf('evt_1')).toEqual([both]);
        expect(await ledger.deliveriesOf('evt_2')).toEqual([both]);
      });

      it('records an attempt of a number once', async () => {
        const { ledger } = opened;
        const opening = delivery('1', 'ops');
        await ledger.record([{ event: event('1'), deliveries: [opening] }]);
        const first = attempted(opening, { dueAt: later(5) });
        expect(await ledger.saveAttempt(first)).toBe(true);
        expect(await ledger.saveAttempt(attempted(opening, { status: 'settled' }))).toBe(false);
        expect(await ledger.delivery(opening.id)).toEqual(first);
        expect(await ledger.saveAttempt(attempted(first, { status: 'settled', dueAt: null }))).toBe(true);
        expect((await ledger.delivery(opening.id))?.status).toBe('settled');
      });

      it('records no attempt on a delivery that is over', async () => {
        const { ledger } = opened;
        const opening = delivery('1', 'ops');
        await ledger.record([{ event: event('1'), deliveries: [opening] }]);
        const over = attempted(opening, { status: 'settled', dueAt: null });
        await ledger.saveAttempt(over);
        expect(await ledger.saveAttempt(attempted(over, { status: 'failed' }))).toBe(false);
      });

      it('does not know a delivery that was never recorded', async () => {
        const { ledger } = opened;
        expect(await ledger.delivery('dlv_0')).toBeUndefined();
        expect(await ledger.saveAttempt(attempted(delivery('1', 'ops'), {}))).toBe(false);
      });
    });

    describe('deliveries that do not only get attempts', () => {
      it('changes one only from where it was seen: status, attempts and place on the agenda', async () => {
        const { ledger } = opened;
        const seen = delivery('1', 'ops');
        await ledger.record([{ event: event('1'), deliveries: [seen] }]);
        const held: Delivery = { ...seen, status: 'held', dueAt: null };
        expect(await ledger.changeDelivery(seen, held)).toBe(true);
        expect(await ledger.changeDelivery(seen, { ...seen, status: 'failed' })).toBe(false);
        expect(await ledger.changeDelivery({ ...held, dueAt: NOON }, seen)).toBe(false);
        expect(await ledger.delivery(seen.id)).toEqual(held);
        expect(await ledger.due(later(99), 9)).toEqual([]);
        expect(await ledger.changeDelivery(held, { ...seen, dueAt: NOON })).toBe(true);
        expect(await ledger.due(NOON, 9)).toMatchObject([{ delivery: seen.id, attempt: 1 }]);
      });

      it('lists from either end, always oldest first', async () => {
        const { ledger } = opened;
        const all = ['1', '2', '3'].map((id) => delivery(id, 'ops'));
        await ledger.record(all.map((opening, n) => ({ event: event(String(n + 1)), deliveries: [opening] })));
        const ids = async (end: 'newest' | 'oldest') =>
          (await ledger.deliveries({ end, status: 'pending', subscription: 'ops', limit: 2 })).map(({ id }) => id);
        expect(await ids('newest')).toEqual([all[1]?.id, all[2]?.id]);
        expect(await ids('oldest')).toEqual([all[0]?.id, all[1]?.id]);
      });

      it('finds events by their ids, in the order asked for, without those that are gone', async () => {
        const { ledger } = opened;
        await ledger.record(['1', '2'].map((id) => ({ event: event(id), deliveries: [] })));
        expect(await ledger.eventsById(['evt_2', 'evt_9', 'evt_1'])).toEqual([event('2'), event('1')]);
        expect(await ledger.eventsById([])).toEqual([]);
      });
    });

    describe('gathering', () => {
      const waiting = (id: string, dueAt = later(1)) => delivery(id, 'team', { status: 'waiting', dueAt });

      it('puts what waits into one delivery that is on the agenda instead of them', async () => {
        const { ledger } = opened;
        const members: [Delivery, Delivery] = [waiting('1'), waiting('2')];
        await ledger.record(members.map((one, n) => ({ event: event(String(n + 1)), deliveries: [one] })));
        const group = await ledger.gather(openGroup(members, later(1)), members);
        expect(group).toMatchObject({ subscription: 'team', status: 'pending', events: ['evt_1', 'evt_2'] });
        expect(await ledger.delivery(members[1].id)).toMatchObject({ status: 'gathered', into: group.id, dueAt: null });
        expect((await ledger.due(later(99), 9)).map((moment) => moment.delivery)).toEqual([group.id]);
        expect((await ledger.deliveriesOf('evt_2')).map(({ status }) => status)).toEqual(['gathered', 'pending']);
      });

      it('asked again with more members, leaves out what the group does not carry', async () => {
        const { ledger } = opened;
        const [a, b, c] = [waiting('1'), waiting('2'), waiting('3')];
        await ledger.record([a, b, c].map((one, n) => ({ event: event(String(n + 1)), deliveries: [one] })));
        const first = await ledger.gather(openGroup([a, b], later(1)), [a]);
        // Killed after the group was there and before every member was marked; meanwhile another came.
        expect(await ledger.gather(openGroup([a, b, c], later(2)), [a, b, c])).toEqual(first);
        const statuses = await Promise.all([a, b, c].map(async ({ id }) => (await ledger.delivery(id))?.status));
        expect(statuses).toEqual(['gathered', 'gathered', 'waiting']);
      });

      it('tells of an event all that carry it, a group of groups too', async () => {
        const { ledger } = opened;
        const [a, b, c] = [waiting('1'), waiting('2'), waiting('3')];
        await ledger.record([a, b, c].map((one, n) => ({ event: event(String(n + 1)), deliveries: [one] })));
        const group = await ledger.gather(openGroup([a, b], later(1)), [a, b]);
        const released: Delivery = { ...group, status: 'waiting' };
        await ledger.changeDelivery(group, released);
        const last = await ledger.gather(openGroup([c, released], later(2)), [c, released]);
        const carrying = await ledger.deliveriesOf('evt_1');
        expect(carrying.map(({ id, status }) => [id, status])).toEqual([
          [a.id, 'gathered'],
          [group.id, 'gathered'],
          [last.id, 'pending'],
        ]);
      });

      it('never gathers a group into itself, though it waits among those it carries', async () => {
        const { ledger } = opened;
        const [a, b] = [waiting('1'), waiting('2')];
        await ledger.record([a, b].map((one, n) => ({ event: event(String(n + 1)), deliveries: [one] })));
        const group = await ledger.gather(openGroup([a, b], later(1)), []);
        // Held before it was tried, and let go.
        const released: Delivery = { ...group, status: 'waiting' };
        expect(await ledger.changeDelivery(group, released)).toBe(true);
        expect(await ledger.gather(openGroup([a, b, released], later(2)), [a, b, released])).toEqual(released);
        const statuses = await Promise.all([a, b, group].map(async ({ id }) => (await ledger.delivery(id))?.status));
        expect(statuses).toEqual(['gathered', 'gathered', 'waiting']);
      });

      it('takes a member along whose place on the agenda moved meanwhile', async () => {
        const { ledger } = opened;
        const [a, b] = [waiting('1'), waiting('2')];
        await ledger.record([a, b].map((one, n) => ({ event: event(String(n + 1)), deliveries: [one] })));
        const moment = (await ledger.due(later(1), 9)).find((due) => due.delivery === b.id);
        if (moment === undefined) throw new Error('nothing was due');
        await ledger.postpone(moment, later(3));
        await ledger.gather(openGroup([a, b], later(1)), [a, b]);
        expect((await ledger.delivery(b.id))?.status).toBe('gathered');
      });

      it('takes a member along that is held since, and leaves one alone that goes out by itself', async () => {
        const { ledger } = opened;
        const [a, b, c] = [waiting('1'), waiting('2'), waiting('3')];
        await ledger.record([a, b, c].map((one, n) => ({ event: event(String(n + 1)), deliveries: [one] })));
        await ledger.changeDelivery(b, { ...b, status: 'held', dueAt: null });
        await ledger.changeDelivery(c, { ...c, status: 'pending' });
        const group = await ledger.gather(openGroup([a, b, c], later(1)), [a, b, c]);
        expect(await ledger.delivery(b.id)).toMatchObject({ status: 'gathered', into: group.id });
        expect((await ledger.delivery(c.id))?.status).toBe('pending');
      });
    });

    describe('threads', () => {
      it('are kept per subscription and subject, the last one counting', async () => {
        const { ledger } = opened;
        expect(await ledger.thread('team', 'task/1')).toBeUndefined();
        await ledger.saveThread('team', 'task/1', '17.01');
        await ledger.saveThread('team', 'task/1', '17.02');
        await ledger.saveThread('team', 'task/2', '17.03');
        expect(await ledger.thread('team', 'task/1')).toBe('17.02');
        expect(await ledger.thread('ops', 'task/1')).toBeUndefined();
      });
    });

    if (expires === 'by itself') {
      describe('pruning', () => {
        it('takes nothing away: each thing knows by itself when it may go', async () => {
          const { ledger } = opened;
          const old = event('1', { time: later(-60) });
          await ledger.record([{ event: old, deliveries: [] }]);
          expect(await ledger.prune(later(-1))).toBe(0);
          expect(await ledger.event(old.id)).toEqual(old);
        });
      });
    } else {
      describe('pruning', () => {
        it('forgets old events with what is over of their deliveries, and keeps what is still on its way', async () => {
          const { ledger } = opened;
          const [done, waiting, young] = [delivery('1', 'ops'), delivery('2', 'ops'), delivery('3', 'ops')];
          const at = (id: string, time: string) => event(id, { time });
          await ledger.record([
            { event: at('1', later(-60)), deliveries: [done] },
            { event: at('2', later(-60)), deliveries: [waiting] },
            { event: at('3', NOON), deliveries: [young] },
            { event: at('4', later(-60)), deliveries: [] },
          ]);
          await ledger.saveAttempt(attempted(done, { status: 'settled', dueAt: null }));
          await ledger.saveAttempt(attempted(young, { status: 'failed', dueAt: null }));
          expect(await ledger.prune(later(-1))).toBe(2);
          expect((await ledger.events({ limit: 9 })).events.map(({ id }) => id)).toEqual(['evt_2', 'evt_3']);
          expect((await ledger.deliveries({ limit: 9 })).map(({ id }) => id)).toEqual([waiting.id, young.id]);
          expect(await ledger.prune(later(-1))).toBe(0);
        });

        it('keeps what waits whatever its age, and lets go of what is held', async () => {
          const { ledger } = opened;
          const [waiting, held] = [
            delivery('1', 'team', { status: 'waiting', dueAt: later(600) }),
            delivery('2', 'team', { status: 'held', dueAt: null }),
          ];
          await ledger.record([
            { event: event('1', { time: later(-60) }), deliveries: [waiting] },
            { event: event('2', { time: later(-60) }), deliveries: [held] },
          ]);
          expect(await ledger.prune(later(-1))).toBe(1);
          expect(await ledger.deliveries({ limit: 9 })).toEqual([waiting]);
        });
      });
    }

    describe('agenda', () => {
      it('orders what is due by instant, and names the attempt to make', async () => {
        const { ledger } = opened;
        const [a, b, c] = [
          delivery('1', 'ops', { dueAt: later(3) }),
          delivery('2', 'ops', { dueAt: later(1) }),
          delivery('3', 'ops', { dueAt: later(9) }),
        ];
        await ledger.record([a, b, c].map((opening, n) => ({ event: event(String(n + 1)), deliveries: [opening] })));
        await ledger.saveAttempt(attempted(a, { dueAt: later(2) }));
        expect(await ledger.due(later(5), 10)).toEqual([
          { kind: 'attempt', at: later(1), delivery: b.id, subscription: 'ops', attempt: 1 },
          { kind: 'attempt', at: later(2), delivery: a.id, subscription: 'ops', attempt: 2 },
        ]);
        expect(await ledger.due(later(5), 1)).toHaveLength(1);
        expect(await ledger.due(NOON, 10)).toEqual([]);
      });

      it('holds nothing that is over', async () => {
        const { ledger } = opened;
        const opening = delivery('1', 'ops', { dueAt: NOON });
        await ledger.record([{ event: event('1'), deliveries: [opening] }]);
        await ledger.saveAttempt(attempted(opening, { status: 'failed', dueAt: null }));
        expect(await ledger.due(later(9), 10)).toEqual([]);
      });

      it('moves a delivery only from where it was seen', async () => {
        const { ledger } = opened;
        const opening = delivery('1', 'ops', { dueAt: NOON });
        await ledger.record([{ event: event('1'), deliveries: [opening] }]);
        const [moment] = await ledger.due(NOON, 1);
        if (moment === undefined) throw new Error('nothing was due');
        await ledger.postpone(moment, later(2));
        await ledger.postpone(moment, later(7));
        expect((await ledger.delivery(opening.id))?.dueAt).toBe(later(2));
        expect((await ledger.due(later(2), 1)).map(({ at }) => at)).toEqual([later(2)]);
      });
    });

    describe('subscriptions', () => {
      it('makes the declared ones exactly those of the config, and says what that meant', async () => {
        const { ledger } = opened;
        const first = await ledger.applyDeclared([subscription('b'), subscription('a')]);
        expect(first).toEqual({ added: ['b', 'a'], changed: [], removed: [] });
        const moved = subscription('b', { events: ['task.closed'], where: { subject: [{ prefix: 'task/' }, null] } });
        expect(await ledger.applyDeclared([moved, subscription('c')])).toEqual({
          added: ['c'],
          changed: ['b'],
          removed: ['a'],
        });
        expect(await ledger.subscriptions()).toEqual([moved, subscription('c')]);
        expect(await ledger.subscription('b')).toEqual(moved);
        expect(await ledger.subscription('a')).toBeUndefined();
        expect(await ledger.applyDeclared([moved, subscription('c')])).toEqual({ added: [], changed: [], removed: [] });
      });
    });

    describe('a subscription that is changed', () => {
      const rotation = { secret: 'ssm:/new', replaces: 'ssm:/old', previous: 'ssm:/old', until: later(9) };

      it('keeps what is carried over when it is declared anew', async () => {
        const { ledger } = opened;
        await ledger.applyDeclared([subscription('ops', { rotation })]);
        const seen: unknown[] = [];
        const declared = [subscription('ops', { events: ['task.closed'] }), subscription('new')];
        const applied = await ledger.applyDeclared(declared, (one, kept) => {
          seen.push(kept?.rotation);
          return kept?.rotation === undefined ? one : { ...one, rotation: kept.rotation };
        });
        expect(applied).toEqual({ added: ['new'], changed: ['ops'], removed: [] });
        expect(seen).toContainEqual(rotation);
        expect(await ledger.subscription('ops')).toEqual(subscription('ops', { events: ['task.closed'], rotation }));
      });

      it('is changed as it stands, and not made where there is none', async () => {
        const { ledger } = opened;
        await ledger.saveSubscription(subscription('ops'));
        expect(await ledger.changeSubscription('ops', (kept) => ({ ...kept, rotation }))).toBe(true);
        expect(await ledger.subscription('ops')).toEqual(subscription('ops', { rotation }));
        expect(await ledger.changeSubscription('nobody', (kept) => kept)).toBe(false);
        expect(await ledger.subscription('nobody')).toBeUndefined();
      });

      it('loses none of two changes at once', async () => {
        const { ledger } = opened;
        await ledger.applyDeclared([subscription('ops')]);
        const declared = subscription('ops', { events: ['task.closed'] });
        await Promise.all([
          ledger.changeSubscription('ops', (kept) => ({ ...kept, rotation })),
          ledger.applyDeclared([declared], (one, kept) =>
            kept?.rotation === undefined ? one : { ...one, rotation: kept.rotation },
          ),
          ledger.changeSubscription('ops', (kept) => ({ ...kept, rate: { count: 1, per: 1000 } })),
        ]);
        expect((await ledger.subscription('ops'))?.rotation).toEqual(rotation);
        expect((await ledger.subscription('ops'))?.events).toEqual(['task.closed']);
      });
    });

    describe('subscriptions that no config declares', () => {
      it('are added, replaced and removed by name, and the config leaves them alone', async () => {
        const { ledger } = opened;
        const own = subscription('own', { declared: false });
        await ledger.saveSubscription(own);
        await ledger.applyDeclared([subscription('ops')]);
        const changed = subscription('own', { declared: false, events: ['invoice.*'] });
        await ledger.saveSubscription(changed);
        expect(await ledger.subscriptions()).toEqual([subscription('ops'), changed]);
        expect(await ledger.removeSubscription('own')).toBe(true);
        expect(await ledger.removeSubscription('own')).toBe(false);
        expect(await ledger.subscriptions()).toEqual([subscription('ops')]);
      });
    });

    describe('scan state', () => {
      it('is kept per source and resource', async () => {
        const { ledger } = opened;
        const state = {
          ...initialScanState('main', 'task'),
          version: 1,
          failures: 2,
          lastError: { code: 'TIDINGS_SOURCE_STATUS', message: 'answered 502' },
        };
        expect(await ledger.saveScanState(state)).toBe(true);
        expect(await ledger.saveScanState({ ...initialScanState('main', 'invoice'), version: 1 })).toBe(true);
        expect(await ledger.scanState('main', 'task')).toEqual(state);
        expect(await ledger.scanState('other', 'task')).toBeUndefined();
      });

      it('is saved only on the state it was made from, and stands as it was otherwise', async () => {
        const { ledger } = opened;
        const saved = (version: number, count: number) => ({ ...initialScanState('main', 'task'), version, count });
        const save = (version: number, count: number) => ledger.saveScanState(saved(version, count));
        expect(await save(2, 10)).toBe(false);
        expect(await ledger.scanState('main', 'task')).toBeUndefined();
        expect(await save(1, 11)).toBe(true);
        expect(await save(1, 12)).toBe(false);
        expect(await save(2, 13)).toBe(true);
        expect(await save(3, 14)).toBe(true);
        // Made from the first, by one who was overtaken since.
        expect(await save(2, 15)).toBe(false);
        expect(await save(5, 16)).toBe(false);
        expect(await ledger.scanState('main', 'task')).toEqual(saved(3, 14));
      });

      it('of several saved at once, one counts', async () => {
        const { ledger } = opened;
        const counts = [1, 2, 3, 4, 5];
        const saved = await Promise.all(
          counts.map((count) => ledger.saveScanState({ ...initialScanState('main', 'task'), version: 1, count })),
        );
        expect(saved.filter(Boolean)).toHaveLength(1);
        expect((await ledger.scanState('main', 'task'))?.count).toBe(counts[saved.indexOf(true)]);
      });
    });

    describe('leases', () => {
      it('has one holder at a time, who may extend it and keeps the fence', async () => {
        const { ledger } = opened;
        const mine = await ledger.acquireLease('poll', 'me', NOON, 5 * MINUTE);
        expect(mine).toEqual({ name: 'poll', holder: 'me', fence: 1 });
        expect(await ledger.acquireLease('poll', 'you', later(4), MINUTE)).toBeUndefined();
        expect(await ledger.acquireLease('poll', 'me', later(4), 5 * MINUTE)).toEqual(mine);
        expect(await ledger.acquireLease('poll', 'you', later(8), MINUTE)).toBeUndefined();
        expect(await ledger.acquireLease('other', 'you', NOON, MINUTE)).toBeDefined();
      });

      it('goes to another when it runs out, with a greater fence', async () => {
        const { ledger } = opened;
        await ledger.acquireLease('poll', 'me', NOON, MINUTE);
        expect(await ledger.acquireLease('poll', 'you', later(1), MINUTE)).toMatchObject({ holder: 'you', fence: 2 });
        expect(await ledger.acquireLease('poll', 'me', later(1), MINUTE)).toBeUndefined();
      });

      it('has a new fence for the same holder once it ran out: others may have held it unseen', async () => {
        const { ledger } = opened;
        await ledger.acquireLease('poll', 'me', NOON, MINUTE);
        expect(await ledger.acquireLease('poll', 'me', later(2), MINUTE)).toMatchObject({ fence: 2 });
      });

      it('can be given back early, but not by one who was overtaken', async () => {
        const { ledger } = opened;
        const mine = await ledger.acquireLease('poll', 'me', NOON, MINUTE);
        if (mine === undefined) throw new Error('the lease was free');
        await ledger.releaseLease(mine);
        expect(await ledger.acquireLease('poll', 'you', NOON, MINUTE)).toMatchObject({ fence: 2 });
        await ledger.releaseLease(mine);
        expect(await ledger.acquireLease('poll', 'them', NOON, MINUTE)).toBeUndefined();
      });
    });
  });
}
