/** Open digests on both stores: what they list, and that each is sent once a day, wherever the process dies. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { dynamoStores } from '../../adapters/dynamodb/stores.ts';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { pause, resume } from '../../core/delivery/hold.ts';
import { createDigestOpener } from '../../core/delivery/open-digest.ts';
import { tick } from '../../core/delivery/tick.ts';
import { announce } from '../../core/events/announce.ts';
import { RetryLater } from '../../core/model/errors.ts';
import type { Fields } from '../../core/model/record.ts';
import { initialScanState } from '../../core/model/scan.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { DAY, HOUR, type Instant, MINUTE, plus } from '../../core/model/time.ts';
import type { OutboundMessage } from '../../core/ports/channel.ts';
import type { DatabaseStores } from '../../core/ports/database-stores.ts';
import type { NewJob } from '../../core/ports/queue.ts';
import { computeStage, defaultRules } from '../../core/snapshot/stage.ts';
import { addSubscription, changeSubscription, removeSubscription } from '../../core/subscriptions/verbs.ts';
import { type LocalTables, startLocalTables } from '../adapters/dynamodb/local-tables.ts';
import { deliverJob } from '../deliver-job.ts';
import { snapshot, subscription } from '../samples.ts';

const ZONE = 'Europe/Berlin';
/** Monday, 16 November, 08:30 in Berlin. */
const MONDAY = '2026-11-16T07:30:00.000Z';

const team = (change: Partial<Subscription> = {}) =>
  subscription('team', {
    events: ['task.overdue', 'task.due_soon', 'task.closed', 'invoice.overdue'],
    digest: { at: '08:30' },
    to: { channel: 'slack', settings: { webhook: 'https://hooks.example.com/x' } },
    ...change,
  });

/** The pipeline with a manual clock and a queue in memory. */
function world(stores: DatabaseStores, mortal: DatabaseStores = stores) {
  const self = { now: plus(MONDAY, -DAY), isDown: false };
  const messages: OutboundMessage[] = [];
  const jobs: NewJob[] = [];
  const send = async (message: OutboundMessage) => {
    messages.push(message);
    if (self.isDown) throw new RetryLater('TIDINGS_SLACK_STATUS', 'Slack answered 503');
    return { status: 200 };
  };
  const portsOn = (used: DatabaseStores) => ({
    ...used,
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
  });
  const ports = portsOn(stores);
  /** One run of tick and deliver at this time, on stores that may die. */
  const run = async (now: Instant, used = ports) => {
    self.now = now;
    await createDigestOpener(used, ['main'])();
    for (let round = 0; round < 5; round++) {
      await tick({ ...used, queue: ports.queue });
      for (const job of jobs.splice(0)) await deliverJob(used, job);
    }
  };
  const commit = async (record: Fields, change: Partial<Snapshot> = {}, resource = 'task') => {
    const id = String(record.id);
    const before = (await stores.snapshots.get({ source: 'main', resource, id })) ?? null;
    const after = snapshot(id, {
      key: { source: 'main', resource, id },
      record,
      version: (before?.version ?? 0) + 1,
      committedAt: self.now,
      cause: before === null ? 'baseline' : 'poll',
      ...computeStage(resource, record, { timeZone: ZONE, at: self.now, rules: defaultRules }),
      ...change,
    });
    await stores.snapshots.commit([{ snapshot: after, expected: after.version - 1 }]);
    await announce(ports, [{ before, after }]);
    jobs.splice(0);
  };
  const lines = () =>
    messages.map(({ events, fresh }) =>
      events.map(({ type, subject, id }) => `${type} ${subject}${fresh?.includes(id) === true ? ' new' : ''}`),
    );
  return { ...ports, self, messages, jobs, lines, run, commit, dying: portsOn(mortal) };
}

const task = (id: string, datedue: string, change: Fields = {}): Fields => ({
  id,
  title: `Task ${id}`,
  status: 'Open',
  dateclosed: null,
  datedue,
  ...change,
});

let tables: LocalTables;
beforeAll(async () => {
  tables = await startLocalTables();
});
afterAll(async () => tables.stop());

const openSqlite = async (): Promise<DatabaseStores> => sqliteStores(openDatabase(':memory:'));
const openDynamo = async () => {
  const names = await tables.create();
  const clock = { now: () => MONDAY };
  return dynamoStores({ client: tables.client, tables: names, retention: 90 * DAY, clock });
};

describe.each([
  ['SQLite', openSqlite],
  ['DynamoDB', openDynamo],
] as const)('an open digest on %s', (_name, open) => {
  it('says when the data were last read while they are older than they should be', async () => {
    const w = world(await open());
    await w.subscriptions.save(team());
    await w.commit(task('1', '2026-11-10'));
    const health = async (record: Fields, version: number) => {
      const key = { source: 'main', resource: 'source', id: 'main' };
      await w.snapshots.commit([{ snapshot: snapshot('main', { key, record, version }), expected: version - 1 }]);
    };
    const scan = async (resource: string, version: number, lastGoodScanAt: Instant) =>
      w.scanStates.save({ ...initialScanState('main', resource), version, lastGoodScanAt });
    const outdated = () => w.messages.at(-1)?.outdated;
    await health({ state: 'ok', quota: 'ok', stale: [] }, 1);
    await scan('task', 1, plus(MONDAY, -10 * MINUTE));
    await scan('invoice', 1, plus(MONDAY, -20 * MINUTE));
    await w.run(plus(MONDAY, -HOUR));
    await w.run(MONDAY);
    expect(w.messages).toHaveLength(1);
    expect(outdated()).toBeUndefined();
    // The oldest of the resources that it lists.
    await health({ state: 'unreachable', quota: 'ok', stale: [] }, 2);
    await w.run(plus(MONDAY, DAY));
    expect(outdated()).toEqual({ source: 'main', readAt: plus(MONDAY, -20 * MINUTE), reason: 'unreachable' });
    // Only invoices are not read.
    await scan('task', 2, plus(MONDAY, 2 * DAY - HOUR));
    await scan('invoice', 2, plus(MONDAY, 2 * DAY - 9 * HOUR));
    await health({ state: 'ok', quota: 'ok', stale: ['invoice'] }, 3);
    await w.run(plus(MONDAY, 2 * DAY));
    expect(outdated()).toEqual({ source: 'main', readAt: plus(MONDAY, 2 * DAY - 9 * HOUR) });
    // The token may not read them any more.
    await scan('invoice', 3, plus(MONDAY, 3 * DAY - 9 * HOUR));
    await scan('task', 3, plus(MONDAY, 3 * DAY - HOUR));
    await health({ state: 'ok', quota: 'ok', stale: [], forbidden: ['invoice'] }, 4);
    await w.run(plus(MONDAY, 3 * DAY));
    expect(outdated()).toEqual({ source: 'main', readAt: plus(MONDAY, 3 * DAY - 9 * HOUR) });
    // The poller is dead and reports nothing.
    await health({ state: 'ok', quota: 'ok', stale: [] }, 5);
    await w.run(plus(MONDAY, 4 * DAY + HOUR));
    expect(outdated()).toEqual({ source: 'main', readAt: plus(MONDAY, 3 * DAY - 9 * HOUR) });
  });

  it('lists everything that is open every day until it is done, with what is new marked', async () => {
    const w = world(await open());
    await w.subscriptions.save(team());
    await w.commit(task('1', '2026-11-10'));
    await w.commit(task('2', '2026-11-12'));
    await w.commit(task('3', '2026-12-24'));
    await w.commit(
      { id: '9', title: 'October', total: 100, balance: 100, payments: 0, datedue: '2026-11-01' },
      {},
      'invoice',
    );
    await w.run(plus(MONDAY, -2 * HOUR));
    expect(w.messages).toEqual([]);
    // A due date moves into the past on Monday morning.
    await w.commit(task('3', '2026-11-13'));
    await w.run(MONDAY);
    expect(w.lines()).toEqual([
      ['task.overdue task/1', 'task.overdue task/2', 'task.overdue task/3 new', 'invoice.overdue invoice/9'],
    ]);
    await w.run(plus(MONDAY, MINUTE));
    await w.run(plus(MONDAY, 5 * HOUR));
    expect(w.messages).toHaveLength(1);
    // On Tuesday one is closed: it is news once.
    await w.commit(task('2', '2026-11-12', { status: 'Closed', dateclosed: '2026-11-16' }));
    await w.run(plus(MONDAY, DAY));
    expect(w.lines()[1]).toEqual([
      'task.overdue task/1',
      'task.overdue task/3',
      'invoice.overdue invoice/9',
      'task.closed task/2 new',
    ]);
    // Without any event, and until nothing is open.
    await w.run(plus(MONDAY, 2 * DAY));
    expect(w.lines()[2]).toEqual(['task.overdue task/1', 'task.overdue task/3', 'invoice.overdue invoice/9']);
    for (const id of ['1', '3']) await w.commit(task(id, '2026-11-10', { status: 'Closed', dateclosed: '2026-11-18' }));
    await w.commit(
      { id: '9', title: 'October', total: 100, balance: 0, payments: 100, datedue: '2026-11-01' },
      {},
      'invoice',
    );
    await w.run(plus(MONDAY, 3 * DAY));
    await w.run(plus(MONDAY, 4 * DAY));
    expect(w.lines().slice(3)).toEqual([['task.closed task/1 new', 'task.closed task/3 new']]);
  });

  it('lists only what the filter of the subscription matches, as the event would be', async () => {
    const w = world(await open());
    await w.subscriptions.save(
      team({ where: { data: { record: { project: ['Website'] }, cause: ['tick'] } }, events: ['task.*'] }),
    );
    await w.commit(task('1', '2026-11-10', { project: 'Website' }));
    await w.commit(task('2', '2026-11-10', { project: 'Campaign' }));
    await w.run(plus(MONDAY, -HOUR));
    await w.run(MONDAY);
    expect(w.lines()).toEqual([['task.overdue task/1']]);
  });

  it('comes at its time when the subscription was added or changed minutes before', async () => {
    const w = world(await open());
    const ports = {
      ...w,
      config: { sources: [{ name: 'main', timeZone: ZONE }] },
      randomBytes: (size: number) => new Uint8Array(size),
    };
    const author = { kind: 'command', id: 'ann' } as const;
    await w.commit(task('1', '2026-11-10'));
    const openDigests = createDigestOpener(w, ['main']);
    const runAt = async (now: Instant) => {
      w.self.now = now;
      await openDigests();
      for (let round = 0; round < 3; round++) {
        await tick(w);
        for (const job of w.jobs.splice(0)) await deliverJob(w, job);
      }
    };
    await runAt(plus(MONDAY, -3 * MINUTE));
    w.self.now = plus(MONDAY, -2 * MINUTE);
    await addSubscription(ports, author, team({ declared: false }));
    await addSubscription(ports, author, { ...team({ declared: false, digest: { at: '18:00' } }), name: 'evening' });
    w.self.now = plus(MONDAY, -MINUTE);
    await changeSubscription(ports, author, 'evening', (stored) => ({ ...stored, digest: { at: '08:30' } }));
    await runAt(MONDAY);
    expect(w.messages.map(({ subscription }) => subscription.name).sort()).toEqual(['evening', 'team']);
    await runAt(plus(MONDAY, 10 * HOUR));
    expect(w.messages).toHaveLength(2);
  });

  it('of a subscription that is made again on the day is its own, and sent once', async () => {
    const w = world(await open());
    const ports = {
      ...w,
      config: { sources: [{ name: 'main', timeZone: ZONE }], retention: DAY },
      randomBytes: () => Buffer.from('x'),
    };
    const author = { kind: 'command', id: 'ann' } as const;
    const make = (at: string, change: Partial<Subscription> = {}) =>
      addSubscription(ports, author, team({ declared: false, digest: { at }, ...change }));
    await w.commit(task('1', '2026-11-10'));
    w.self.now = plus(MONDAY, -HOUR);
    await make('08:30');
    await w.run(MONDAY);
    expect(w.messages).toHaveLength(1);
    for (const hours of [1, 3]) {
      w.self.now = plus(MONDAY, hours * HOUR);
      await removeSubscription(ports, author, 'team');
      w.self.now = plus(MONDAY, hours * HOUR + MINUTE);
      // At 10:30 and at 12:30.
      await make(hours === 1 ? '10:30' : '12:30');
      await w.run(plus(MONDAY, hours * HOUR + 2 * MINUTE));
      await w.run(plus(MONDAY, (hours + 1) * HOUR));
      await w.run(plus(MONDAY, (hours + 1) * HOUR + 10 * MINUTE));
      expect(w.messages).toHaveLength(hours === 1 ? 2 : 3);
    }
    expect(w.lines()).toEqual(Array.from({ length: 3 }, () => ['task.overdue task/1']));
    await w.run(plus(MONDAY, DAY + 4 * HOUR));
    await w.run(plus(MONDAY, DAY + 5 * HOUR));
    expect(w.messages).toHaveLength(4);
  });

  it('of a subscription that was renamed is not that of another one with its former name', async () => {
    const w = world(await open());
    await w.commit(task('1', '2026-11-10'));
    await w.subscriptions.save({ ...team({ renamedFrom: 'team' }), name: 'crew' });
    await w.run(plus(MONDAY, -2 * HOUR));
    // An earlier version gave the name to another one.
    await w.subscriptions.save(team({ declared: false, createdAt: w.self.now }));
    await w.run(plus(MONDAY, -HOUR));
    await w.run(MONDAY);
    expect(w.messages.map(({ subscription }) => subscription.name).sort()).toEqual(['crew', 'team']);
    await w.run(plus(MONDAY, DAY));
    expect(w.messages).toHaveLength(4);
  });
});

describe('an open digest', () => {
  it('waits until the zone of the account is known', async () => {
    const w = world(await openSqlite());
    await w.subscriptions.save(team());
    await w.commit(task('1', '2026-11-10'));
    let zone: string | undefined;
    const open = createDigestOpener({ ...w, knownZoneOf: async () => zone }, ['main']);
    w.self.now = plus(MONDAY, -2 * HOUR);
    await open();
    expect(await w.deliveries.list({ limit: 10 })).toEqual([]);
    zone = ZONE;
    await open();
    expect((await w.deliveries.list({ limit: 10 })).map(({ dueAt }) => dueAt)).toEqual([MONDAY]);
  });

  it('lists only new events with list: new, and also other states with list: open', async () => {
    const stores = await openSqlite();
    const w = world(stores);
    await w.subscriptions.save(team({ digest: { at: '08:30', list: 'new' } }));
    const open = { ...team({ digest: { at: '08:30', list: 'open' }, events: ['*'] }), name: 'all' };
    await w.subscriptions.save(open);
    await w.commit(task('1', '2026-11-10'));
    await w.commit({ id: '7', name: 'Website', active: true, dateend: '2026-11-01' }, {}, 'project');
    await w.run(plus(MONDAY, -HOUR));
    await w.run(MONDAY);
    expect(w.messages.map(({ subscription }) => subscription.name)).toEqual(['all']);
    expect(w.lines()).toEqual([['task.overdue task/1', 'project.past_end project/7']]);
  });

  it('is read once while it waits, and forgotten with its subscription', async () => {
    const w = world(await openSqlite());
    await w.subscriptions.save(team());
    let reads = 0;
    const get: typeof w.deliveries.get = (...asked) => {
      reads += 1;
      return w.deliveries.get(...asked);
    };
    const openDigests = createDigestOpener({ ...w, deliveries: { ...w.deliveries, get } }, ['main']);
    const readsAfter = async (minutes: number) => {
      w.self.now = plus(MONDAY, -DAY + minutes * MINUTE);
      const before = reads;
      await openDigests();
      return reads - before;
    };
    expect([await readsAfter(0), await readsAfter(10), await readsAfter(20)]).toEqual([1, 0, 0]);
    await w.subscriptions.remove('team');
    expect(await readsAfter(30)).toBe(0);
    // Of names that are not there any more it remembers nothing.
    await w.subscriptions.save(team());
    expect([await readsAfter(40), await readsAfter(50)]).toEqual([1, 0]);
  });

  it('is sent once when it was late by days, and its next one on time', async () => {
    const w = world(await openSqlite());
    await w.subscriptions.save(team());
    await w.commit(task('1', '2026-11-10'));
    await w.run(plus(MONDAY, -HOUR));
    await w.run(plus(MONDAY, 3 * DAY + HOUR));
    expect(w.messages).toHaveLength(1);
    await w.run(plus(MONDAY, 4 * DAY));
    expect(w.messages).toHaveLength(2);
  });

  it('whose receiver was down is not sent beside that of the next day', async () => {
    const w = world(await openSqlite());
    await w.subscriptions.save(team());
    await w.commit(task('1', '2026-11-10'));
    await w.run(plus(MONDAY, -HOUR));
    w.self.isDown = true;
    for (let hours = 0; hours < 23; hours++) await w.run(plus(MONDAY, hours * HOUR));
    w.self.isDown = false;
    const failed = w.messages.length;
    expect(failed).toBeGreaterThan(3);
    for (let hours = 24; hours < 47; hours++) await w.run(plus(MONDAY, hours * HOUR));
    expect(w.messages.length - failed).toBe(1);
  });

  it('follows a changed time without a second message, and a changed list', async () => {
    const w = world(await openSqlite());
    await w.subscriptions.save(team());
    await w.commit(task('1', '2026-11-10'));
    await w.run(plus(MONDAY, -HOUR));
    await w.subscriptions.save(team({ digest: { at: '10:00' } }));
    await w.run(plus(MONDAY, -MINUTE));
    await w.run(MONDAY);
    expect(w.messages).toEqual([]);
    await w.run(plus(MONDAY, 90 * MINUTE));
    expect(w.messages).toHaveLength(1);
    await w.subscriptions.save(team({ digest: { at: '10:00', list: 'new' } }));
    await w.run(plus(MONDAY, DAY + 90 * MINUTE));
    expect(w.messages).toHaveLength(1);
  });

  it('is one message after a pause of days', async () => {
    const w = world(await openSqlite());
    await w.subscriptions.save(team());
    await w.commit(task('1', '2026-11-10'));
    await w.run(plus(MONDAY, -HOUR));
    await pause(w, 'team');
    for (let days = 0; days < 3; days++) await w.run(plus(MONDAY, days * DAY));
    await resume(w, 'team');
    await w.run(plus(MONDAY, 2 * DAY + HOUR));
    expect(w.lines()).toEqual([['task.overdue task/1']]);
  });

  it('keeps its days and its quiet hours', async () => {
    const w = world(await openSqlite());
    await w.subscriptions.save(
      team({ digest: { at: '08:30', days: ['tue'] }, quiet: { from: '20:00', until: '07:00' } }),
    );
    await w.commit(task('1', '2026-11-10'));
    for (let days = -1; days < 8; days++) await w.run(plus(MONDAY, days * DAY));
    expect(w.messages.map(({ at }) => at)).toEqual([plus(MONDAY, DAY)]);
    await w.run(plus(MONDAY, 8 * DAY));
    expect(w.messages).toHaveLength(2);
  });

  it('costs units for what is open, not for the account', async () => {
    const names = await tables.create();
    const client = tables.connect();
    let reads = 0;
    const stores = dynamoStores({ client, tables: names, retention: 90 * DAY, clock: { now: () => MONDAY } });
    const closed = Array.from({ length: 300 }, (_, n) => snapshot(String(n + 100), { cause: 'baseline' }));
    await stores.snapshots.commit(closed.map((one) => ({ snapshot: one, expected: 0 })));
    const w = world(stores);
    await w.subscriptions.save(team());
    await w.commit(task('1', '2026-11-10'));
    // The first one adds the items of earlier versions to the index.
    await w.run(plus(MONDAY, -HOUR));
    await w.run(MONDAY);
    client.middlewareStack.add(
      (next) => async (args) => {
        const { output } = (await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } })) as {
          output: {
            ConsumedCapacity?:
              | { CapacityUnits?: number; TableName?: string }
              | { CapacityUnits?: number; TableName?: string }[];
          };
        };
        for (const one of [output.ConsumedCapacity ?? []].flat())
          if (one.TableName === names.snapshots) reads += one.CapacityUnits ?? 0;
        return { output, response: undefined } as never;
      },
      { step: 'initialize' },
    );
    await w.run(plus(MONDAY, DAY));
    client.destroy();
    expect(w.messages).toHaveLength(2);
    expect(reads).toBeGreaterThan(0);
    expect(reads).toBeLessThan(20);
  });

  it('is sent once a day, after whichever calls the process dies', async () => {
    let calls = 0;
    let doubled = 0;
    for (let isOver = false; !isOver; calls += 7) {
      const names = await tables.create();
      const clock = { now: () => MONDAY };
      const openOn = (client: LocalTables['client']) =>
        dynamoStores({ client, tables: names, retention: 90 * DAY, clock });
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
      const w = world(openOn(tables.client), openOn(client));
      await w.subscriptions.save(team());
      await w.commit(task('1', '2026-11-10'));
      await w.run(plus(MONDAY, -HOUR));
      await w.commit(task('2', '2026-11-11'));
      await w.run(MONDAY, w.dying).catch(() => {});
      isOver = left > 0;
      client.destroy();
      for (const minutes of [3, 6, 9]) await w.run(plus(MONDAY, minutes * MINUTE));
      // If the process dies after sending, the message is sent again with the same id.
      expect(new Set(w.messages.map(({ delivery }) => delivery)).size).toBe(1);
      expect(new Set(w.lines().map((lines) => lines.join())).size).toBe(1);
      if (w.messages.length > 1) doubled += 1;
      await w.run(plus(MONDAY, DAY));
      expect(new Set(w.messages.map(({ delivery }) => delivery)).size).toBe(2);
    }
    expect(calls).toBeGreaterThan(20);
    // The attempt and what is saved after it.
    expect(doubled).toBeLessThan(6);
  }, 60_000);
});
