/** Subscriptions to the people concerned: each person gets messages and digests of their own, on both stores. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { dynamoStores } from '../../adapters/dynamodb/stores.ts';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { createDigestOpener } from '../../core/delivery/open-digest.ts';
import { prepareTest, replay } from '../../core/delivery/replay.ts';
import { tick } from '../../core/delivery/tick.ts';
import { announce } from '../../core/events/announce.ts';
import { GiveUp, RetryLater } from '../../core/model/errors.ts';
import type { Fields } from '../../core/model/record.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { DAY, HOUR, type Instant, MINUTE, plus } from '../../core/model/time.ts';
import type { OutboundMessage } from '../../core/ports/channel.ts';
import type { DatabaseStores } from '../../core/ports/database-stores.ts';
import type { NewJob } from '../../core/ports/queue.ts';
import { computeStage, defaultRules } from '../../core/snapshot/stage.ts';
import { type LocalTables, startLocalTables } from '../adapters/dynamodb/local-tables.ts';
import { deliverJob } from '../deliver-job.ts';
import { snapshot, subscription } from '../samples.ts';

const ZONE = 'Europe/Berlin';
/** Monday, 16 November, 08:30 in Berlin. */
const MONDAY = '2026-11-16T07:30:00.000Z';

const mine = (to: string, change: Partial<Subscription> = {}, fallback?: string) =>
  subscription('mine', {
    events: ['task.overdue', 'task.assigned', 'task.closed'],
    to: { channel: 'email', settings: fallback === undefined ? { to } : { to, fallback } },
    ...change,
  });

function world(stores: DatabaseStores) {
  const self = { now: plus(MONDAY, -DAY), isDown: false, isDownFor: undefined as string | undefined };
  const messages: OutboundMessage[] = [];
  const jobs: NewJob[] = [];
  const send = async (message: OutboundMessage) => {
    const isDown = self.isDown || (self.isDownFor !== undefined && message.recipient?.address === self.isDownFor);
    if (isDown) throw new RetryLater('TIDINGS_HTTP_STATUS', 'down');
    messages.push(message);
    const settings = message.subscription.to.settings as { fallback?: string; to?: unknown };
    const isTeam = Array.isArray(settings.to);
    if (!isTeam && (message.recipient?.address ?? settings.fallback) === undefined)
      throw new GiveUp('TIDINGS_PERSON_WITHOUT_ADDRESS', 'no address');
    return { status: 250 };
  };
  const ports = {
    ...stores,
    clock: { now: () => self.now },
    random: () => 0.5,
    zoneOf: async () => ZONE,
    knownZoneOf: async () => ZONE,
    channels: channelRegistry,
    channelFor: () => ({ send }),
    customEvents: [],
    queue: {
      send: async (sent: readonly NewJob[]) => {
        jobs.push(...sent);
      },
      receive: async () => [],
      acknowledge: async () => {},
      release: async () => {},
    },
  };
  const run = async (now: Instant) => {
    self.now = now;
    await createDigestOpener(ports, ['main'])();
    for (let round = 0; round < 6; round++) {
      await tick(ports);
      for (const job of jobs.splice(0)) await deliverJob(ports, job);
    }
  };
  const commit = async (resource: string, record: Fields) => {
    const id = String(record.id);
    const before = (await stores.snapshots.get({ source: 'main', resource, id })) ?? null;
    const after = snapshot(id, {
      key: { source: 'main', resource, id },
      record,
      version: (before?.version ?? 0) + 1,
      committedAt: self.now,
      cause: before === null ? 'baseline' : 'poll',
      ...computeStage(resource, record, { timeZone: ZONE, at: self.now, rules: defaultRules }),
    });
    await stores.snapshots.commit([{ snapshot: after, expected: after.version - 1 }]);
    const events = await announce(ports, [{ before, after }]);
    jobs.splice(0);
    return events;
  };
  const person = (id: string, firstname: string, change: Fields = {}) =>
    commit('person', {
      id,
      firstname,
      lastname: 'Vogt',
      email: `${firstname.toLowerCase()}@example.com`,
      active: true,
      clientid: null,
      ...change,
    });
  const task = (id: string, datedue: string, assigneeid: readonly string[], change: Fields = {}) =>
    commit('task', { id, title: `Task ${id}`, status: 'Open', dateclosed: null, datedue, assigneeid, ...change });
  const sent = () =>
    messages
      .map(
        ({ recipient, events, fresh }) =>
          `${recipient?.name ?? 'fallback'} <${recipient?.address ?? '-'}>: ${events
            .map(({ type, subject, id }) => `${type} ${subject}${fresh?.includes(id) === true ? ' new' : ''}`)
            .join(', ')}`,
      )
      .sort();
  return { ...ports, self, messages, run, commit, person, task, sent };
}

let tables: LocalTables;
beforeAll(async () => {
  tables = await startLocalTables();
});
afterAll(async () => tables.stop());

const openSqlite = async (): Promise<DatabaseStores> => sqliteStores(openDatabase(':memory:'));
const openDynamo = async () =>
  dynamoStores({
    client: tables.client,
    tables: await tables.create(),
    retention: 90 * DAY,
    clock: { now: () => MONDAY },
  });

describe.each([
  ['SQLite', openSqlite],
  ['DynamoDB', openDynamo],
] as const)('people concerned, on %s', (_name, open) => {
  it('get one message each, gathered per person', async () => {
    const w = world(await open());
    await w.subscriptions.save(mine('assignees'));
    await w.person('5', 'Ann');
    await w.person('9', 'Ben');
    for (const id of ['1', '2', '3']) await w.task(id, '2026-12-24', ['5']);
    await w.task('1', '2026-11-10', ['5', '9']);
    await w.task('2', '2026-11-10', ['5']);
    await w.run(plus(w.self.now, 10 * MINUTE));
    expect(w.sent()).toEqual([
      'Ann Vogt <ann@example.com>: task.overdue task/1, task.overdue task/2',
      'Ben Vogt <ben@example.com>: task.assigned task/1, task.overdue task/1',
    ]);
  });

  it('get what waits if it concerns them when it is sent, and not what concerned them before', async () => {
    const w = world(await open());
    const quiet = { from: '20:00', until: '08:00' };
    await w.subscriptions.save(mine('assignees', { events: ['task.overdue', 'task.due_date_changed'], quiet }));
    await w.person('5', 'Ann');
    await w.person('9', 'Ben');
    for (const id of ['1', '2', '3']) await w.task(id, '2026-12-24', ['5']);
    w.self.now = plus(MONDAY, -6 * HOUR);
    for (const id of ['1', '2', '3']) await w.task(id, '2026-11-13', ['5']);
    w.self.now = plus(MONDAY, -HOUR);
    await w.task('1', '2026-11-13', ['9']);
    await w.task('2', '2026-11-13', ['5', '9']);
    await w.run(MONDAY);
    await w.run(plus(MONDAY, MINUTE));
    expect(w.sent()).toEqual([
      'Ann Vogt <ann@example.com>: task.due_date_changed task/2, task.overdue task/2, task.due_date_changed task/3, task.overdue task/3',
      'Ben Vogt <ben@example.com>: task.due_date_changed task/1, task.overdue task/1, task.overdue task/2',
    ]);
    expect(await w.agenda.due('9999', 10)).toEqual([]);
  });

  it.each([
    ['alone', ['1'], 'Ann Vogt <ann@example.com>: task.overdue task/1'],
    ['beside other tasks', ['1', '2'], 'Ann Vogt <ann@example.com>: task.overdue task/1'],
  ])(
    'get a task %s that is handed back while the message of the other person is retried',
    async (_how, ids, expected) => {
      const w = world(await open());
      const quiet = { from: '20:00', until: '08:00' };
      await w.subscriptions.save(mine('assignees', { events: ['task.overdue'], quiet }));
      await w.person('5', 'Ann');
      await w.person('9', 'Ben');
      for (const id of ids) await w.task(id, '2026-12-24', ['5']);
      w.self.now = plus(MONDAY, -6 * HOUR);
      for (const id of ids) await w.task(id, '2026-11-13', ['5']);
      await w.task('1', '2026-11-13', ['9']);
      // Only what is sent to Ben fails.
      w.self.isDownFor = 'ben@example.com';
      await w.run(MONDAY);
      const own = ids.slice(1).map((id) => `Ann Vogt <ann@example.com>: task.overdue task/${id}`);
      expect(w.sent()).toEqual(own);
      // Handed back, to Ben again while Ann's second message is retried, and back once more.
      w.self.isDownFor = 'ann@example.com';
      await w.task('1', '2026-11-13', ['5']);
      await w.run(plus(MONDAY, HOUR));
      w.self.isDownFor = 'ben@example.com';
      await w.task('1', '2026-11-13', ['9']);
      await w.run(plus(MONDAY, 2 * HOUR));
      expect(w.sent()).toEqual(own);
      w.self.isDownFor = undefined;
      await w.task('1', '2026-11-13', ['5']);
      for (const hours of [3, 8, 20, 40]) await w.run(plus(MONDAY, hours * HOUR));
      expect(w.sent()).toEqual([...own, expected].toSorted());
      expect(await w.agenda.due('9999', 10)).toEqual([]);
    },
  );

  it('get what concerned no one when it began to wait, and nobody gets it without them', async () => {
    const w = world(await open());
    const quiet = { from: '20:00', until: '08:00' };
    await w.subscriptions.save(mine('assignees', { events: ['task.overdue', 'task.closed'], quiet }));
    await w.person('9', 'Ben');
    for (const id of ['1', '2', '3']) await w.task(id, '2026-12-24', []);
    w.self.now = plus(MONDAY, -6 * HOUR);
    for (const id of ['1', '2']) await w.task(id, '2026-11-13', []);
    // What happened is over: it concerns no one.
    await w.task('3', '2026-12-24', [], { status: 'Closed', dateclosed: '2026-11-16' });
    await w.task('1', '2026-11-13', ['9']);
    await w.run(MONDAY);
    await w.run(plus(MONDAY, MINUTE));
    expect(w.sent()).toEqual(['Ben Vogt <ben@example.com>: task.overdue task/1']);
    expect(await w.agenda.due('9999', 10)).toEqual([]);
  });

  it('get what waits for a team if the subscription is theirs by now, and the team what waits for them', async () => {
    const w = world(await open());
    const quiet = { from: '20:00', until: '08:00' };
    const events = ['task.overdue', 'task.due_date_changed'];
    const team = { to: { channel: 'email', settings: { to: ['team@example.com'] } } };
    const theirs = { ...mine('assignees', { events, quiet }), name: 'theirs' };
    const ours = { ...mine('assignees', { events, quiet }), name: 'ours' };
    await w.subscriptions.save({ ...theirs, ...team });
    await w.subscriptions.save(ours);
    await w.person('5', 'Ann');
    await w.person('9', 'Ben');
    await w.task('1', '2026-12-24', ['5', '9']);
    w.self.now = plus(MONDAY, -6 * HOUR);
    await w.task('1', '2026-11-13', ['5', '9']);
    await w.subscriptions.save(theirs);
    await w.subscriptions.save({ ...ours, ...team });
    await w.run(MONDAY);
    await w.run(plus(MONDAY, MINUTE));
    const sent = w.messages.map(
      ({ subscription: { name }, recipient, events: all }) =>
        `${name} ${recipient?.name ?? 'team'}: ${all.map(({ type }) => type).join(', ')}`,
    );
    expect(sent.sort()).toEqual([
      'ours team: task.due_date_changed, task.overdue',
      'theirs Ann Vogt: task.due_date_changed, task.overdue',
      'theirs Ben Vogt: task.due_date_changed, task.overdue',
    ]);
  });

  it('get no task in a late digest that was handed to others since', async () => {
    const w = world(await open());
    await w.subscriptions.save(mine('assignees', { digest: { at: '08:30' } }));
    await w.person('5', 'Ann');
    await w.person('9', 'Ben');
    await w.task('1', '2026-11-10', ['5']);
    await w.task('2', '2026-11-11', ['5']);
    await w.run(plus(MONDAY, -HOUR));
    w.self.isDown = true;
    await w.run(MONDAY);
    await w.run(plus(MONDAY, MINUTE));
    await w.task('1', '2026-11-10', ['9']);
    w.self.isDown = false;
    for (let hour = 1; hour < 4; hour++) await w.run(plus(MONDAY, hour * HOUR));
    expect(w.sent()).toEqual(['Ann Vogt <ann@example.com>: task.overdue task/2']);
  });

  it('read of a change of people only if it still holds when it is sent', async () => {
    const w = world(await open());
    const quiet = { from: '20:00', until: '08:00' };
    await w.subscriptions.save(mine('assignees', { events: ['task.assigned', 'task.unassigned'], quiet }));
    for (const [id, name] of [
      ['5', 'Ann'],
      ['9', 'Ben'],
      ['7', 'Cleo'],
    ] as const)
      await w.person(id, name);
    await w.task('1', '2026-12-24', ['7']);
    await w.task('2', '2026-12-24', ['7']);
    w.self.now = plus(MONDAY, -6 * HOUR);
    // The first is given to Ann, and then to Ben. The second is taken from Cleo, and given back.
    await w.task('1', '2026-12-24', ['7', '5']);
    await w.task('2', '2026-12-24', []);
    await w.task('1', '2026-12-24', ['7', '9']);
    await w.task('2', '2026-12-24', ['7']);
    await w.run(MONDAY);
    await w.run(plus(MONDAY, MINUTE));
    expect(w.sent()).toEqual([
      'Ann Vogt <ann@example.com>: task.unassigned task/1',
      'Ben Vogt <ben@example.com>: task.assigned task/1',
      'Cleo Vogt <cleo@example.com>: task.assigned task/2',
    ]);
  });

  it('read all that was handed to them while it waited, together with their own and each once', async () => {
    const w = world(await open());
    const quiet = { from: '20:00', until: '08:00' };
    await w.subscriptions.save(mine('assignees', { events: ['task.overdue'], quiet }));
    await w.person('5', 'Ann');
    await w.person('9', 'Ben');
    const ids = ['1', '2', '3', '4'];
    for (const id of ids) await w.task(id, '2026-12-24', ['5']);
    await w.task('8', '2026-12-24', ['9']);
    w.self.now = plus(MONDAY, -6 * HOUR);
    for (const id of ids) await w.task(id, '2026-11-13', id === '4' ? ['5', '9'] : ['5']);
    await w.task('8', '2026-11-13', ['9']);
    for (const id of ids.slice(0, 2)) await w.task(id, '2026-11-13', ['9'], { title: `Task ${id} of Ben` });
    await w.run(MONDAY);
    await w.run(plus(MONDAY, MINUTE));
    const subjects = (name: string) =>
      w.messages
        .filter(({ recipient }) => recipient?.name === name)
        .flatMap(({ events }) => events.map(({ subject, data }) => `${subject} ${String(data.record.title)}`))
        .sort();
    expect(subjects('Ann Vogt')).toEqual(['task/3 Task 3', 'task/4 Task 4']);
    expect(subjects('Ben Vogt')).toEqual([
      'task/1 Task 1 of Ben',
      'task/2 Task 2 of Ben',
      'task/4 Task 4',
      'task/8 Task 8',
    ]);
    expect(w.messages.length).toBeLessThanOrEqual(3);
  });

  it('get an open digest of their own tasks, with what is new in the same message', async () => {
    const w = world(await open());
    await w.subscriptions.save(mine('assignees', { digest: { at: '08:30' } }, 'office@example.com'));
    await w.person('5', 'Ann');
    await w.person('9', 'Ben');
    await w.task('1', '2026-11-10', ['5', '9']);
    await w.task('2', '2026-11-11', ['5']);
    await w.task('3', '2026-12-24', ['9']);
    await w.task('4', '2026-11-12', []);
    await w.run(plus(MONDAY, -HOUR));
    await w.task('3', '2026-11-13', ['9']);
    await w.run(MONDAY);
    await w.run(plus(MONDAY, MINUTE));
    expect(w.sent()).toEqual([
      'Ann Vogt <ann@example.com>: task.overdue task/1, task.overdue task/2',
      'Ben Vogt <ben@example.com>: task.overdue task/1, task.overdue task/3 new',
      'fallback <->: task.overdue task/4',
    ]);
    w.messages.length = 0;
    await w.task('1', '2026-11-10', ['5', '9'], { status: 'Closed', dateclosed: '2026-11-16' });
    await w.run(plus(MONDAY, DAY));
    await w.run(plus(MONDAY, DAY + MINUTE));
    expect(w.sent()).toEqual([
      'Ann Vogt <ann@example.com>: task.overdue task/2, task.closed task/1 new',
      'Ben Vogt <ben@example.com>: task.overdue task/3, task.closed task/1 new',
      'fallback <->: task.overdue task/4',
    ]);
  });

  it('get the digest of a subscription that is made again on the day, in one message with what waits', async () => {
    const w = world(await open());
    const make = (at: string, createdAt: Instant) =>
      w.subscriptions.save(mine('assignees', { digest: { at }, declared: false, createdAt }));
    await make('08:30', plus(MONDAY, -DAY));
    await w.person('5', 'Ann');
    await w.task('1', '2026-11-10', ['5']);
    await w.run(plus(MONDAY, -HOUR));
    await w.run(MONDAY);
    await w.run(plus(MONDAY, MINUTE));
    expect(w.sent()).toEqual(['Ann Vogt <ann@example.com>: task.overdue task/1']);
    w.messages.length = 0;
    await w.subscriptions.remove('mine');
    await make('10:30', plus(MONDAY, HOUR));
    await w.run(plus(MONDAY, HOUR));
    await w.task('2', '2026-11-11', ['5']);
    await w.task('2', '2026-11-11', ['5'], { status: 'Closed', dateclosed: '2026-11-16' });
    for (const minutes of [0, 1, 2, 30]) await w.run(plus(MONDAY, 2 * HOUR + minutes * MINUTE));
    expect(w.sent()).toEqual(['Ann Vogt <ann@example.com>: task.overdue task/1, task.closed task/2 new']);
  });
});

describe('people concerned', () => {
  it('are the managers of the project, the owners or the followers', async () => {
    const w = world(await openSqlite());
    await w.subscriptions.save({
      ...mine('projectmanager'),
      name: 'managers',
      events: ['task.closed', 'invoice.paid'],
    });
    await w.subscriptions.save({ ...mine('owners'), name: 'owners' });
    await w.subscriptions.save({ ...mine('followers'), name: 'followers' });
    for (const [id, name] of [
      ['2', 'Cleo'],
      ['3', 'Dan'],
      ['4', 'Eve'],
    ] as const)
      await w.person(id, name);
    await w.commit('project', { id: '31', name: 'Website', active: true, managerid: ['2'] });
    const people = { projectid: '31', ownerid: ['3'], followerid: ['4', '3'] };
    await w.task('1', '2026-12-24', ['5'], people);
    await w.task('1', '2026-12-24', ['5'], { ...people, status: 'Closed', dateclosed: '2026-11-15' });
    const invoice = {
      id: '9',
      title: 'October',
      projectid: '31',
      total: 100,
      balance: 100,
      payments: 0,
      datedue: null,
    };
    await w.commit('invoice', invoice);
    await w.commit('invoice', { ...invoice, balance: 0, payments: 100 });
    await w.run(plus(w.self.now, 10 * MINUTE));
    expect(w.messages.map(({ subscription, recipient }) => `${subscription.name} ${recipient?.name}`).sort()).toEqual([
      'followers Dan Vogt',
      'followers Eve Vogt',
      'managers Cleo Vogt',
      'owners Dan Vogt',
    ]);
    expect(w.sent()).toContain('Cleo Vogt <cleo@example.com>: task.closed task/1, invoice.paid invoice/9');
  });

  it('who were added or removed hear of that, the others do not', async () => {
    const w = world(await openSqlite());
    await w.subscriptions.save(mine('assignees', { events: ['task.assigned', 'task.unassigned'] }));
    for (const [id, name] of [
      ['5', 'Ann'],
      ['6', 'Ben'],
      ['7', 'Cleo'],
    ] as const)
      await w.person(id, name);
    await w.task('1', '2026-12-24', ['5', '6']);
    await w.task('1', '2026-12-24', ['6', '7']);
    await w.run(plus(w.self.now, 10 * MINUTE));
    expect(w.sent()).toEqual([
      'Ann Vogt <ann@example.com>: task.unassigned task/1',
      'Cleo Vogt <cleo@example.com>: task.assigned task/1',
    ]);
  });

  it('without an address, or not active, are not reached, which says nothing about the receiver', async () => {
    const w = world(await openSqlite());
    await w.subscriptions.save(mine('assignees', { events: ['task.closed'] }));
    await w.person('5', 'Ann', { email: null });
    await w.person('6', 'Ben', { active: false });
    await w.task('1', '2026-12-24', ['5', '6', '8']);
    await w.task('1', '2026-12-24', ['5', '6', '8'], { status: 'Closed', dateclosed: '2026-11-15' });
    await w.task('2', '2026-12-24', []);
    await w.task('2', '2026-12-24', [], { status: 'Closed', dateclosed: '2026-11-15' });
    await w.run(plus(w.self.now, 10 * MINUTE));
    expect(w.sent()).toEqual([
      'Ann Vogt <->: task.closed task/1',
      'Ben Vogt <->: task.closed task/1',
      'person 8 <->: task.closed task/1',
    ]);
    const statuses = (await w.deliveries.list({ limit: 9 })).map(({ status, attempts }) => [status, attempts[0]?.code]);
    expect(statuses).toEqual(Array(3).fill(['failed', 'TIDINGS_PERSON_WITHOUT_ADDRESS']));
    // With an address, a replay reaches them.
    await w.person('5', 'Ann');
    const events = (await w.events.list({ limit: 9 })).events.filter(
      ({ type, subject }) => type === 'task.closed' && subject === 'task/1',
    );
    const [subscribed] = await w.subscriptions.list();
    if (subscribed === undefined) throw new Error('no subscription');
    w.messages.length = 0;
    await replay(w, subscribed, events);
    await w.run(plus(w.self.now, 10 * MINUTE));
    expect(w.sent()[0]).toBe('Ann Vogt <ann@example.com>: task.closed task/1');
  });

  it('announced twice get one message', async () => {
    const w = world(await openSqlite());
    await w.subscriptions.save(mine('assignees', { events: ['task.closed'] }));
    await w.person('5', 'Ann');
    await w.task('1', '2026-12-24', ['5']);
    const [event] = await w.task('1', '2026-12-24', ['5'], { status: 'Closed', dateclosed: '2026-11-15' });
    const before = await w.deliveries.listByEvent(event?.id ?? '');
    const key = { source: 'main', resource: 'task', id: '1' };
    const after = await w.snapshots.get(key);
    if (after === undefined) throw new Error('no task');
    await announce(w, [
      {
        before: {
          ...after,
          version: 1,
          stage: { ...after.stage, closed: false },
          record: { ...after.record, status: 'Open', dateclosed: null },
        },
        after,
      },
    ]);
    expect(await w.deliveries.listByEvent(event?.id ?? '')).toEqual(before);
    expect(before).toMatchObject([{ person: 'main/5', subscription: 'mine' }]);
  });

  it('get a test of the subscription as the first of them', async () => {
    const w = world(await openSqlite());
    const personal = mine('assignees', { events: ['task.closed'] });
    await w.subscriptions.save(personal);
    await w.person('5', 'Ann');
    await w.task('1', '2026-12-24', ['5']);
    await w.task('1', '2026-12-24', ['5'], { status: 'Closed', dateclosed: '2026-11-15' });
    expect((await prepareTest(w, personal, undefined))?.delivery).toMatchObject({ person: 'main/5', mark: 'test' });
  });
});
