/** Gathering that is interrupted, on both stores: each event is sent with one delivery id, whichever job continues. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { dynamoSnapshotStore } from '../../adapters/dynamodb/snapshot-store.ts';
import { dynamoStores } from '../../adapters/dynamodb/stores.ts';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { hold, pause, release, resume } from '../../core/delivery/hold.ts';
import { changeHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { type Delivery, openGroup } from '../../core/model/delivery.ts';
import { type Clock, DAY, MINUTE, plus } from '../../core/model/time.ts';
import type { OutboundMessage } from '../../core/ports/channel.ts';
import type { DatabaseStores } from '../../core/ports/database-stores.ts';
import type { DeliveryStore } from '../../core/ports/delivery-store.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import { type LocalTables, startLocalTables } from '../adapters/dynamodb/local-tables.ts';
import { handClock } from '../core/source/list-api.ts';
import { deliverJob } from '../deliver-job.ts';
import { delivery, event, NOON, subscription } from '../samples.ts';

const team = subscription('team', { to: { channel: 'slack', settings: { webhook: 'https://hooks.example.com/x' } } });
const waiting = (id: string) => delivery(id, 'team', { status: 'waiting', dueAt: NOON });
const opening = (one: Delivery) => ({ event: event(one.events[0]?.slice('evt_'.length) ?? ''), deliveries: [one] });
const jobFor = ({ id }: Pick<Delivery, 'id'>) => ({
  kind: 'attempt' as const,
  delivery: id,
  attempt: 1,
  group: 'team',
});

/** Ports that record each message by its delivery id. */
function portsOf(stores: DatabaseStores, snapshots: SnapshotStore, clock: Clock) {
  const sent: OutboundMessage[] = [];
  const send = async (message: OutboundMessage) => {
    sent.push(message);
    return { status: 200 };
  };
  const ports = {
    ...stores,
    snapshots,
    clock,
    random: () => 0.5,
    zoneOf: async () => 'UTC',
    channels: channelRegistry,
    channelFor: () => ({ send }),
  };
  return { ports, sent: () => sent.map((message) => [message.delivery, message.events.map(({ id }) => id)] as const) };
}

async function embedded(count: number) {
  const db = openDatabase(':memory:');
  const stores = sqliteStores(db);
  const clock = handClock(NOON);
  const members = Array.from({ length: count }, (_, n) => waiting(String(n + 1)));
  await stores.subscriptions.applyDeclared([team]);
  await stores.events.record(members.map(opening));
  return { stores, clock, members, ...portsOf(stores, sqliteSnapshotStore(db), clock) };
}

/** An interrupted gathering: the group was written, and this many of its members were marked. */
async function leaveHalfDone(stores: DatabaseStores, members: readonly Delivery[], marked: number): Promise<Delivery> {
  const [first, ...others] = members;
  if (first === undefined) throw new Error('nobody waits');
  return stores.deliveries.gather(openGroup([first, ...others], NOON), others.slice(0, marked));
}

const statusesOf = async (stores: DatabaseStores, members: readonly Delivery[]) =>
  Promise.all(members.map(async ({ id }) => (await stores.deliveries.get(id))?.status));

describe('groups that were held and released', () => {
  it('are gathered up to the limit of one delivery, the rest into the next', async () => {
    const { stores, clock, members, ports, sent } = await embedded(7);
    const eventsOf = (n: number) => Array.from({ length: 900 }, (_, i) => event(`${n}-${i}`));
    // Each contains the events of 900 others.
    const groups = members.map((one, n) => ({ ...one, id: `dlv_${n}`, events: eventsOf(n).map(({ id }) => id) }));
    for (const [n, group] of groups.entries()) {
      await stores.events.record(eventsOf(n).map((event, i) => ({ event, deliveries: i === 0 ? [group] : [] })));
    }
    for (const { id } of members) await retired(stores, id);
    for (let round = 0; round < 5; round++) {
      for (const group of groups) await deliverJob(ports, jobFor(group));
      clock.advance(3 * MINUTE);
    }
    expect(sent().map(([, events]) => events.length)).toEqual([1800, 1800, 1800, 900]);
    expect(new Set(sent().flatMap(([, events]) => events)).size).toBe(6300);
  });
});

/** Out of the way. */
async function retired(stores: DatabaseStores, id: string): Promise<void> {
  const one = await stores.deliveries.get(id);
  if (one !== undefined) await stores.deliveries.update(one, { ...one, status: 'failed', dueAt: null });
}

describe('a half-marked group', () => {
  it('is sent, although the job of another member comes first', async () => {
    const { stores, members, ports, sent } = await embedded(3);
    const group = await leaveHalfDone(stores, members, 0);
    for (const member of [members[1], members[0], members[2]]) if (member) await deliverJob(ports, jobFor(member));
    expect(sent()).toEqual([[group.id, ['evt_1', 'evt_2', 'evt_3']]]);
    expect(await statusesOf(stores, members)).toEqual(['gathered', 'gathered', 'gathered']);
  });

  it('is found through its first member when only that one still waits', async () => {
    const { stores, members, ports, sent } = await embedded(3);
    const group = await leaveHalfDone(stores, members, 2);
    for (const member of members) await deliverJob(ports, jobFor(member));
    expect(sent()).toEqual([[group.id, ['evt_1', 'evt_2', 'evt_3']]]);
    expect(await statusesOf(stores, members)).toEqual(['gathered', 'gathered', 'gathered']);
  });

  it('contains only its own events, although an older delivery became visible since', async () => {
    const { stores, clock, members, ports, sent } = await embedded(4);
    const [late, ...listed] = members;
    if (late === undefined) throw new Error('nobody waits');
    const group = await leaveHalfDone(stores, listed, 1);
    await deliverJob(ports, jobFor(late));
    expect(await statusesOf(stores, members)).toEqual(['waiting', 'gathered', 'gathered', 'gathered']);
    clock.advance(3 * MINUTE);
    for (const one of [late, group]) await deliverJob(ports, jobFor(one));
    expect(sent()).toEqual([
      [group.id, ['evt_2', 'evt_3', 'evt_4']],
      [late.id, ['evt_1']],
    ]);
  });

  it('is sent once, although it was held and released before its members were marked', async () => {
    const { stores, clock, members, ports, sent } = await embedded(3);
    const group = await leaveHalfDone(stores, members, 1);
    await pause(ports, 'team');
    await deliverJob(ports, jobFor(group));
    expect(await statusesOf(stores, [group])).toEqual(['held']);
    await resume(ports, 'team');
    expect(await statusesOf(stores, [group])).toEqual(['waiting']);
    for (let round = 0; round < 3; round++) {
      clock.advance(3 * MINUTE);
      for (const one of [...members, group]) await deliverJob(ports, jobFor(one));
    }
    expect(sent()).toEqual([[group.id, ['evt_1', 'evt_2', 'evt_3']]]);
    expect(await statusesOf(stores, [...members, group])).toEqual(['gathered', 'gathered', 'gathered', 'settled']);
  });

  it('that was sent since is not sent again, and its members are marked', async () => {
    const { stores, members, ports, sent } = await embedded(3);
    const group = await leaveHalfDone(stores, members, 1);
    await deliverJob(ports, jobFor(group));
    for (const member of members.toReversed()) expect(await deliverJob(ports, jobFor(member))).toBeUndefined();
    expect(sent()).toHaveLength(1);
    expect(await statusesOf(stores, members)).toEqual(['gathered', 'gathered', 'gathered']);
    expect(await stores.agenda.due(plus(NOON, DAY), 9)).toEqual([]);
  });

  it.each(['held', 'snoozed'] as const)(
    'marks its members before one of them is sent, although its first is %s',
    async (state) => {
      const { stores, clock, members, ports, sent } = await embedded(3);
      const [first, , third] = members;
      if (first === undefined || third === undefined) throw new Error('nobody waits');
      // The process died while it marked the members.
      await stores.leases.acquire('gather/team', 'a dead process', clock.now(), MINUTE);
      const group = await leaveHalfDone(stores, members, 1);
      if (state === 'held') await stores.deliveries.update(first, { ...first, status: 'held', dueAt: null });
      else
        await changeHealth(ports, 'team', 'person', (health) => ({
          ...health,
          snoozes: { '/sources/main task/1': plus(NOON, DAY) },
        }));
      clock.advance(2 * MINUTE);
      await deliverJob(ports, jobFor(third));
      clock.advance(3 * MINUTE);
      for (const one of [group, third]) await deliverJob(ports, jobFor(one));
      expect(sent()).toEqual([[group.id, ['evt_1', 'evt_2', 'evt_3']]]);
      expect(await statusesOf(stores, members)).toEqual(['gathered', 'gathered', 'gathered']);
    },
  );

  it('leaves later deliveries to another message', async () => {
    const { stores, clock, members, ports, sent } = await embedded(2);
    const group = await leaveHalfDone(stores, members, 0);
    const late = waiting('3');
    await stores.events.record([opening(late)]);
    await deliverJob(ports, jobFor(late));
    clock.advance(3 * MINUTE);
    await deliverJob(ports, jobFor(late));
    expect(sent()).toEqual([
      [group.id, ['evt_1', 'evt_2']],
      [late.id, ['evt_3']],
    ]);
  });

  it('sends each event with one delivery id, wherever it was interrupted and in any order of jobs', async () => {
    const story = fc.record({
      count: fc.integer({ min: 2, max: 6 }),
      marked: fc.nat(5),
      wentOut: fc.boolean(),
      order: fc.infiniteStream(fc.nat()),
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ count, marked, wentOut, order }) => {
        const { stores, clock, members, ports, sent } = await embedded(count);
        const group = await leaveHalfDone(stores, members, Math.min(marked, count - 1));
        if (wentOut) await deliverJob(ports, jobFor(group));
        for (let round = 0; round < 3; round++) {
          clock.advance(3 * MINUTE);
          const due = (await stores.agenda.due(clock.now(), 99)).map((moment) => ({
            moment,
            rank: Number(order.next().value),
          }));
          for (const { moment } of due.toSorted((a, b) => a.rank - b.rank)) {
            await stores.agenda.postpone(moment, plus(clock.now(), 2 * MINUTE));
            await deliverJob(ports, jobFor({ id: moment.delivery }));
          }
        }
        expect(sent()).toEqual([[group.id, members.flatMap(({ events }) => events)]]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('gathering', () => {
  it('depends on what waits, not on the job: the job of the newest delivery creates the same group', async () => {
    const names = await Promise.all(
      [0, 1, 2].map(async (index) => {
        const { members, ports, sent } = await embedded(3);
        const member = members[index];
        if (member !== undefined) await deliverJob(ports, jobFor(member));
        return sent();
      }),
    );
    expect(names[1]).toEqual(names[0]);
    expect(names[2]).toEqual(names[0]);
    expect(names[0]?.[0]?.[1]).toEqual(['evt_1', 'evt_2', 'evt_3']);
  });

  it('excludes deliveries sent with another group, although a stale read shows them as waiting', async () => {
    const { stores, members, ports, sent } = await embedded(2);
    const [one, two] = members;
    if (one === undefined || two === undefined) throw new Error('two wait');
    await deliverJob(ports, jobFor(one));
    const three = waiting('3');
    await stores.events.record([opening(three)]);
    const stale = { ...stores, delivery: async (id: string) => (id === two.id ? two : stores.deliveries.get(id)) };
    expect(await deliverJob({ ...ports, ...stale }, jobFor(two))).toBeUndefined();
    await deliverJob(ports, jobFor(three));
    expect(sent().map(([, events]) => events)).toEqual([['evt_1', 'evt_2'], ['evt_3']]);
  });

  it('includes a delivery that the list does not show yet', async () => {
    const { stores, members, ports, sent } = await embedded(3);
    const [, , youngest] = members;
    if (youngest === undefined) throw new Error('three wait');
    const deliveries: DeliveryStore = {
      ...stores.deliveries,
      list: async (query) => (await stores.deliveries.list(query)).filter(({ id }) => id !== youngest.id),
    };
    await deliverJob({ ...ports, deliveries }, jobFor(youngest));
    expect(sent().map(([, events]) => events)).toEqual([['evt_1', 'evt_2', 'evt_3']]);
  });

  it('of a renamed subscription does not run beside one under the former name', async () => {
    const { stores, clock, members, ports, sent } = await embedded(3);
    const [first, second, third] = members;
    if (first === undefined || second === undefined || third === undefined) throw new Error('nobody waits');
    /** Another process deploys the new name, moves some of the deliveries and sends, after this one has listed them. */
    const renameMeanwhile: DeliveryStore['gather'] = async (group, listed) => {
      await stores.subscriptions.applyDeclared([{ ...team, name: 'crew', renamedFrom: 'team' }]);
      await stores.deliveries.rename(third, 'crew');
      await deliverJob(ports, jobFor(third));
      return stores.deliveries.gather(group, listed);
    };
    await deliverJob({ ...ports, deliveries: { ...stores.deliveries, gather: renameMeanwhile } }, jobFor(first));
    for (let round = 0; round < 3; round++) {
      clock.advance(3 * MINUTE);
      const all = await stores.deliveries.list({ limit: 10 });
      for (const one of all) await deliverJob(ports, jobFor(one));
    }
    expect(sent().flatMap(([, events]) => events)).toEqual(['evt_1', 'evt_2', 'evt_3']);
  });

  it('gathers released deliveries with newer ones', async () => {
    const { stores, members, ports, sent } = await embedded(2);
    const [one] = members;
    if (one === undefined) throw new Error('two wait');
    await stores.deliveries.update(one, { ...one, status: 'held', dueAt: null });
    await release(ports, 'team');
    for (const member of members) await deliverJob(ports, jobFor(member));
    expect(sent().map(([, events]) => events)).toEqual([['evt_1', 'evt_2']]);
    await hold(ports, one);
    expect((await stores.deliveries.get(one.id))?.status).toBe('gathered');
  });
});

describe('on DynamoDB, where a group is many writes', () => {
  let tables: LocalTables;
  beforeAll(async () => {
    tables = await startLocalTables();
  });
  afterAll(async () => tables.stop());

  /** The stores of a process that dies after this many calls. */
  function mortal(open: (client: LocalTables['client']) => DatabaseStores, calls: number) {
    const client = tables.connect({ maxAttempts: 1 });
    let left = calls;
    client.middlewareStack.add(
      (next) => async (args) => {
        if (left <= 0) throw new Error('killed');
        left -= 1;
        return next(args);
      },
      { step: 'initialize' },
    );
    return { stores: open(client), isDead: () => left <= 0, end: () => client.destroy() };
  }

  it('each event is sent with one delivery id, after whichever write the process dies', async () => {
    let calls = 0;
    for (let isOver = false; !isOver; calls++) {
      const names = await tables.create();
      const clock = handClock(NOON);
      const open = (client: LocalTables['client']) =>
        dynamoStores({ client, tables: names, retention: 90 * DAY, clock });
      const stores = open(tables.client);
      const snapshots = dynamoSnapshotStore({ client: tables.client, table: names.snapshots });
      await stores.subscriptions.save(team);
      const members = ['1', '2', '3', '4'].map(waiting);
      await stores.events.record(members.map(opening));
      const dying = mortal(open, calls);
      const { ports, sent } = portsOf(stores, snapshots, clock);
      const [first, second] = members;
      if (first === undefined || second === undefined) throw new Error('four wait');
      await deliverJob({ ...ports, ...dying.stores }, jobFor(first)).catch(() => {});
      isOver = !dying.isDead();
      dying.end();
      for (let round = 0; round < 3; round++) {
        clock.advance(3 * MINUTE);
        const due = await stores.agenda.due(clock.now(), 99);
        // The queue has no order: the job of another member comes before that of the first member.
        for (const moment of [...due].sort(
          (a, b) => Number(b.delivery === second.id) - Number(a.delivery === second.id),
        )) {
          await stores.agenda.postpone(moment, plus(clock.now(), 2 * MINUTE));
          await deliverJob(ports, {
            kind: 'attempt',
            delivery: moment.delivery,
            attempt: moment.attempt,
            group: 'team',
          });
        }
      }
      // If the process dies after sending, the message is sent again with the same id and events.
      expect(new Set(sent().map(([name]) => name)).size).toBe(1);
      for (const [, events] of sent()) expect(events).toEqual(['evt_1', 'evt_2', 'evt_3', 'evt_4']);
      expect(await statusesOf(stores, members)).toEqual(['gathered', 'gathered', 'gathered', 'gathered']);
    }
    expect(calls).toBeGreaterThan(10);
  });
});
