/** Deliveries that are not sent at once: gathering, digests, paused and disabled subscriptions. */

import { beforeEach, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteQueue } from '../../../adapters/sqlite/queue.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { pause, resume } from '../../../core/delivery/hold.ts';
import { changeHealth, readHealth } from '../../../core/delivery/receivers/subscription-state.ts';
import { retryNow } from '../../../core/delivery/retry.ts';
import { tick } from '../../../core/delivery/tick.ts';
import { announceFeed } from '../../../core/events/announce-feed.ts';
import { sayEvent } from '../../../core/events/catalogue.ts';
import { findPeopleConcerned } from '../../../core/messages/people-concerned.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { OWN_SOURCE } from '../../../core/model/event.ts';
import type { Fields } from '../../../core/model/record.ts';
import type { Subscription } from '../../../core/model/subscription.ts';
import { DAY, HOUR, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import type { Channel, OutboundMessage } from '../../../core/ports/channel.ts';
import { restageDue } from '../../../core/snapshot/restage.ts';
import { computeStage, defaultRules } from '../../../core/snapshot/stage.ts';
import { deliverJob } from '../../deliver-job.ts';
import { NOON, snapshot, subscription } from '../../samples.ts';

const team = (change: Partial<Subscription> = {}) =>
  subscription('team', {
    events: ['task.closed'],
    to: { channel: 'slack', settings: { webhook: 'https://hooks.example.com/x' } },
    ...change,
  });

const ops = () => subscription('ops', { events: ['task.closed'] });

/** The pipeline on SQLite with a manual clock. */
function world() {
  const db = openDatabase(':memory:');
  const snapshots = sqliteSnapshotStore(db);
  const stores = sqliteStores(db);
  const queue = sqliteQueue(db);
  const messages: OutboundMessage[] = [];
  const self = {
    now: NOON,
    answer: async (_message: OutboundMessage): Promise<object> => ({ status: 200 }),
    messages,
  };
  const channel: Channel = {
    send: async (message) => {
      messages.push(message);
      return self.answer(message);
    },
  };
  const ports = {
    ...stores,
    snapshots,
    queue,
    feed: snapshots,
    rules: defaultRules,
    customEvents: [],
    clock: { now: () => self.now },
    random: () => 0.5,
    zoneOf: async () => 'Europe/Berlin',
    channels: channelRegistry,
    channelFor: () => channel,
  };
  /** Runs the pipeline until there is nothing left to do at this time. */
  const settle = async () => {
    for (let round = 0; round < 50; round++) {
      let moved = await tick(ports);
      while ((await announceFeed(ports)) !== undefined) moved += 1;
      for (const received of await queue.receive({ limit: 100, visibility: MINUTE }, self.now)) {
        await deliverJob(ports, received.job);
        await queue.acknowledge(received);
        moved += 1;
      }
      if (moved === 0) return;
    }
    throw new Error('the pipeline did not settle');
  };
  const at = async (instant: string) => {
    self.now = instant;
    await settle();
  };
  /** Commits an existing task, and then the same task closed. */
  const close = async (id: string) => {
    const before = snapshot(id, { cause: 'baseline' });
    await snapshots.commit([{ snapshot: before, expected: 0 }]);
    const record = { ...before.record, status: 'Closed', dateclosed: '2026-11-14' };
    const after = snapshot(id, { version: 2, record, stage: { closed: true }, committedAt: self.now });
    await snapshots.commit([{ snapshot: after, expected: 1 }]);
  };
  const types = () => messages.map(({ events }) => events.map(({ type, subject }) => `${type} ${subject}`));
  const statuses = async (name: string) =>
    (await stores.deliveries.list({ subscription: name, limit: 99 })).map(({ status }) => status);
  return { ...ports, self, messages, settle, at, close, types, statuses };
}

let w: ReturnType<typeof world>;
beforeEach(() => {
  w = world();
});

/** Commits the record of a task or an invoice, as a poll finds it. */
async function commit(resource: string, record: Fields) {
  const id = String(record.id);
  const before = await w.snapshots.get({ source: 'main', resource, id });
  const after = snapshot(id, {
    key: { source: 'main', resource, id },
    record,
    version: (before?.version ?? 0) + 1,
    committedAt: w.self.now,
    cause: before === undefined ? 'baseline' : 'poll',
    ...computeStage(resource, record, { timeZone: 'Europe/Berlin', at: w.self.now, rules: defaultRules }),
  });
  await w.snapshots.commit([{ snapshot: after, expected: after.version - 1 }]);
  await w.settle();
}

describe('what waits', () => {
  const quiet = { from: '12:00', until: '18:00' };
  const EVENING = plus(NOON, 8 * HOUR);
  const invoice = (datedue: string, payments: number) =>
    commit('invoice', { id: '9', title: 'October', total: 100, payments, balance: 100 - payments, datedue });
  const task = (change: Fields) =>
    commit('task', { id: '1', title: 'Draft', status: 'Open', dateclosed: null, datedue: '2026-12-24', ...change });

  it('is described to people as it is when it is sent, and to machines as it happened', async () => {
    const events = ['invoice.overdue', 'invoice.payment_received', 'invoice.partially_paid'];
    await w.subscriptions.applyDeclared([team({ events, quiet }), subscription('ops', { events })]);
    await invoice('2026-12-24', 0);
    w.self.answer = async () => {
      throw new RetryLater('TIDINGS_HTTP_STATUS', 'down');
    };
    await invoice('2026-11-10', 0);
    await invoice('2026-11-10', 60);
    await invoice('2026-11-10', 80);
    w.messages.length = 0;
    w.self.answer = async () => ({ status: 200 });
    await w.at(EVENING);
    const balances = (name: string) =>
      w.messages
        .filter((message) => message.subscription.name === name)
        .flatMap((message) => message.events.map(({ type, data }) => `${type} ${data.record.balance}`));
    expect(balances('ops').sort()).toEqual([
      'invoice.overdue 100',
      'invoice.partially_paid 20',
      'invoice.partially_paid 40',
      'invoice.payment_received 20',
      'invoice.payment_received 40',
    ]);
    expect(balances('team')).toEqual([
      'invoice.overdue 20',
      'invoice.payment_received 20',
      'invoice.partially_paid 20',
      'invoice.payment_received 20',
      'invoice.partially_paid 20',
    ]);
  });

  it('names people by their ids, also namesakes, with commas, and a second manager', async () => {
    const person = (id: string, firstname: string, lastname: string) =>
      commit('person', { id, firstname, lastname, email: null, active: true });
    await person('5', 'Ann', 'Smith');
    await person('7', 'George', 'Eliot, PhD');
    await person('9', 'Ann', 'Smith');
    const events = ['task.assigned', 'project.manager_changed'];
    const settings = { webhook: 'https://hooks.example.com/x' };
    await w.subscriptions.applyDeclared([team({ events, to: { channel: 'slack', settings } })]);
    const project = { id: '3', name: 'Website', active: true };
    await commit('project', { ...project, managerid: ['5'], manager: 'Ann Smith' });
    await commit('project', { ...project, managerid: ['7', '5'], manager: 'George Eliot, PhD' });
    // Ann was Ann Vogt until now, and the API splits the name of George.
    await task({ assigneeid: ['5'], assignees: ['Ann Vogt'] });
    await task({ assigneeid: ['5', '7', '9'], assignees: ['Ann Smith', 'George Eliot', 'PhD', 'Ann Smith'] });
    await w.at(plus(w.self.now, MINUTE));
    const [message] = w.messages;
    expect(message?.events.map((event) => sayEvent(event))).toEqual([
      'Project “Website” is now managed by George Eliot, PhD and Ann Smith',
      'Task “Draft” was assigned to George Eliot, PhD and Ann Smith',
    ]);
    expect(message?.events.map((event) => findPeopleConcerned(event).map(({ name }) => name))).toEqual([
      ['George Eliot, PhD', 'Ann Smith'],
      ['George Eliot, PhD', 'Ann Smith'],
    ]);
    expect(message?.events[1]?.data.record.assignees).toEqual(['Ann Smith', 'George Eliot, PhD', 'Ann Smith']);
  });

  it('is left out if the filter was narrowed meanwhile', async () => {
    const digest = { at: '18:00', list: 'new' } as const;
    const wide = team({ events: ['task.*'], digest });
    await w.subscriptions.applyDeclared([wide]);
    await task({});
    await task({ estimate: 2, datedue: '2026-12-20' });
    await task({ estimate: 3, datedue: '2026-12-20', project: 'Website' });
    await w.subscriptions.applyDeclared([
      {
        ...wide,
        events: ['task.due_date_changed', 'task.updated'],
        where: { data: { record: { project: ['Website'] } } },
      },
    ]);
    await w.at(EVENING);
    expect(w.types()).toEqual([['task.updated task/1']]);
  });

  it('goes to the subscription that matches the record when it is sent, once', async () => {
    const of = (name: string, project: string) =>
      subscription(name, {
        ...team(),
        name,
        events: ['task.overdue', 'task.closed'],
        quiet,
        where: { data: { record: { project: [project] } } },
      });
    await w.subscriptions.applyDeclared([of('website', 'Website'), of('campaign', 'Campaign')]);
    await task({ project: 'Website' });
    await task({ project: 'Website', datedue: '2026-11-10' });
    await task({ project: 'Campaign', datedue: '2026-11-10' });
    await w.at(EVENING);
    await w.at(plus(EVENING, MINUTE));
    await w.at(plus(EVENING, HOUR));
    expect(w.messages.map((message) => `${message.subscription.name} ${message.events[0].type}`)).toEqual([
      'campaign task.overdue',
    ]);
  });
});

describe('gathering', () => {
  it('sends the events of half a minute in one message, and later ones in another', async () => {
    await w.subscriptions.applyDeclared([team()]);
    await w.close('1');
    await w.settle();
    expect(w.messages).toEqual([]);
    w.self.now = plus(NOON, 20 * SECOND);
    await w.close('2');
    await w.at(plus(NOON, 29 * SECOND));
    expect(w.messages).toEqual([]);
    await w.at(plus(NOON, 30 * SECOND));
    expect(w.types()).toEqual([['task.closed task/1', 'task.closed task/2']]);
    w.self.now = plus(NOON, 31 * SECOND);
    await w.close('3');
    await w.settle();
    await w.at(plus(NOON, 2 * MINUTE));
    expect(w.types().slice(1)).toEqual([['task.closed task/3']]);
    expect(await w.statuses('team')).toEqual(['gathered', 'gathered', 'settled', 'settled']);
  });

  it('sends 500 events at once in one message', async () => {
    await w.subscriptions.applyDeclared([team()]);
    for (let id = 1; id <= 500; id++) await w.close(String(id));
    await w.settle();
    await w.at(plus(NOON, MINUTE));
    expect(w.messages.map(({ events }) => events.length)).toEqual([500]);
  });

  it('retries the whole message when it was not accepted', async () => {
    await w.subscriptions.applyDeclared([team()]);
    await w.close('1');
    await w.close('2');
    await w.settle();
    w.self.answer = async () => {
      throw new RetryLater('TIDINGS_SLACK_BUSY', 'answered 429', { after: 20_000 });
    };
    await w.at(plus(NOON, 31 * SECOND));
    w.self.answer = async () => ({ status: 200 });
    await w.at(plus(NOON, 50 * SECOND));
    expect(w.messages).toHaveLength(1);
    await w.at(plus(NOON, 52 * SECOND));
    expect(w.messages.map(({ delivery, events }) => [delivery, events.length])).toEqual([
      [w.messages[0]?.delivery, 2],
      [w.messages[0]?.delivery, 2],
    ]);
  });

  it('sends a waiting group early on retryNow', async () => {
    await w.subscriptions.applyDeclared([team({ digest: { at: '08:30' } })]);
    await w.close('1');
    await w.close('2');
    await w.settle();
    const [first] = await w.deliveries.list({ limit: 1, end: 'oldest' });
    expect(await retryNow(w, first?.id ?? '')).toBe(true);
    await w.settle();
    expect(w.types()).toEqual([['task.closed task/1', 'task.closed task/2']]);
  });
});

describe('a digest', () => {
  it('is sent at its time on its days, without outdated events', async () => {
    await w.subscriptions.applyDeclared([team({ events: ['task.overdue'], digest: { at: '08:30', days: ['mon'] } })]);
    const open = (id: string, version: number, cause: 'baseline' | 'poll', datedue: string, closed: boolean) => {
      const record = { id, title: `Task ${id}`, status: 'Open', datedue, dateclosed: closed ? '2026-11-15' : null };
      return snapshot(id, {
        version,
        record,
        cause,
        committedAt: w.self.now,
        ...computeStage('task', record, { timeZone: 'Europe/Berlin', at: w.self.now, rules: defaultRules }),
      });
    };
    // Both are due on Saturday, and so overdue on Sunday.
    for (const id of ['1', '2'])
      await w.snapshots.commit([{ snapshot: open(id, 1, 'baseline', '2026-11-14', false), expected: 0 }]);
    const range = { source: 'main', resource: 'task', until: '2026-11-15T12:00:00.000Z' };
    await restageDue(w, range, { timeZone: 'Europe/Berlin', rules: defaultRules }, async () => {});
    await w.at('2026-11-15T12:00:00.000Z');
    expect((await w.events.list({ limit: 9 })).events.map(({ type }) => type)).toEqual([
      'task.overdue',
      'task.overdue',
    ]);
    expect(w.messages).toEqual([]);
    // One is closed on Sunday.
    const now = await w.snapshots.get({ source: 'main', resource: 'task', id: '1' });
    await w.snapshots.commit([
      { snapshot: open('1', (now?.version ?? 0) + 1, 'poll', '2026-11-14', true), expected: now?.version ?? 0 },
    ]);
    await w.at('2026-11-16T07:29:00.000Z');
    expect(w.messages).toEqual([]);
    await w.at('2026-11-16T07:30:00.000Z');
    expect(w.types()).toEqual([['task.overdue task/2']]);
    // A week later there is nothing to send.
    await w.at('2026-11-23T07:30:00.000Z');
    expect(w.messages).toHaveLength(1);
  });

  it('is skipped when all events are outdated', async () => {
    await w.subscriptions.applyDeclared([team({ events: ['task.overdue'], digest: { at: '08:30' } })]);
    const record = { id: '1', title: 'Task 1', datedue: '2026-11-13', dateclosed: null };
    const overdue = snapshot('1', { record, stage: { closed: false, overdue: true } });
    await w.snapshots.commit([{ snapshot: overdue, expected: 0 }]);
    await w.settle();
    const closed = snapshot('1', { version: 2, record, stage: { closed: true, overdue: false } });
    await w.snapshots.commit([{ snapshot: closed, expected: 1 }]);
    await w.at(plus(NOON, DAY));
    expect(w.messages).toEqual([]);
    const [delivery] = await w.deliveries.list({ limit: 1 });
    expect(delivery).toMatchObject({ status: 'settled', attempts: [{ outcome: 'skipped' }] });
  });
});

describe('what a new day brings', () => {
  const MIDNIGHT = '2026-11-14T23:00:00.000Z';
  const EIGHT = '2026-11-15T07:00:00.000Z';

  /** Tasks due on Saturday, and the midnight after it. */
  async function passMidnight(...ids: string[]) {
    for (const id of ids) {
      const record = { id, title: `Task ${id}`, status: 'Open', datedue: '2026-11-14', dateclosed: null };
      const staged = computeStage('task', record, { timeZone: 'Europe/Berlin', at: NOON, rules: defaultRules });
      await w.snapshots.commit([{ snapshot: snapshot(id, { record, cause: 'baseline', ...staged }), expected: 0 }]);
    }
    w.self.now = plus(MIDNIGHT, 5 * MINUTE);
    const range = { source: 'main', resource: 'task', until: w.self.now };
    await restageDue(w, range, { timeZone: 'Europe/Berlin', rules: defaultRules }, async () => {});
    await w.settle();
  }

  it('reaches people at 08:00 in one message, and machines at once', async () => {
    await w.subscriptions.applyDeclared([team({ events: ['task.*'] }), { ...ops(), events: ['task.overdue'] }]);
    await passMidnight('1', '2');
    expect(w.types()).toEqual([['task.overdue task/1'], ['task.overdue task/2']]);
    await w.at(plus(EIGHT, -SECOND));
    expect(w.messages).toHaveLength(2);
    await w.at(EIGHT);
    expect(w.types().slice(2)).toEqual([['task.overdue task/1', 'task.overdue task/2']]);
  });

  it('is not taken along by an ordinary message at night', async () => {
    await w.subscriptions.applyDeclared([team({ events: ['task.*'] })]);
    await passMidnight('1', '2');
    await w.close('7');
    await w.settle();
    await w.at(plus(MIDNIGHT, 10 * MINUTE));
    expect(w.messages.map(({ events }) => events.map(({ subject }) => subject))).toEqual([['task/7', 'task/7']]);
    expect((await w.statuses('team')).filter((status) => status === 'waiting')).toHaveLength(2);
    await w.at(EIGHT);
    expect(w.types().slice(1)).toEqual([['task.overdue task/1', 'task.overdue task/2']]);
  });

  it('goes with what a person causes in the morning', async () => {
    await w.subscriptions.applyDeclared([team({ events: ['task.overdue', 'task.closed'] })]);
    await passMidnight('1');
    await w.at(plus(EIGHT, -10 * SECOND));
    await w.close('7');
    await w.settle();
    await w.at(EIGHT);
    await w.at(plus(EIGHT, MINUTE));
    expect(w.types()).toEqual([['task.overdue task/1', 'task.closed task/7']]);
  });

  it('waits for the start of the day after a pause ends at night', async () => {
    await w.subscriptions.applyDeclared([team({ events: ['task.overdue'] })]);
    await passMidnight('1');
    await pause(w, 'team');
    const [waiting] = await w.deliveries.list({ limit: 1 });
    if (waiting !== undefined) await w.deliveries.update(waiting, { ...waiting, status: 'held', dueAt: null });
    await resume(w, 'team');
    await w.at(plus(MIDNIGHT, HOUR));
    expect(w.messages).toEqual([]);
    await w.at(EIGHT);
    expect(w.types()).toEqual([['task.overdue task/1']]);
  });

  it('is sent at night if a person asks for it', async () => {
    await w.subscriptions.applyDeclared([team({ events: ['task.overdue'] })]);
    await passMidnight('1');
    const [waiting] = await w.deliveries.list({ limit: 1 });
    await retryNow(w, waiting?.id ?? '');
    await w.settle();
    expect(w.types()).toEqual([['task.overdue task/1']]);
  });
});

describe('a paused subscription', () => {
  it('holds its deliveries, and sends them when it is resumed', async () => {
    await w.subscriptions.applyDeclared([ops()]);
    await pause(w, 'ops');
    await w.close('1');
    await w.close('2');
    await w.settle();
    expect(w.messages).toEqual([]);
    expect(await w.statuses('ops')).toEqual(['held', 'held']);
    await w.at(plus(NOON, 9 * DAY));
    expect(w.messages).toEqual([]);
    expect(await resume(w, 'ops')).toBe(2);
    await w.settle();
    expect(w.types()).toEqual([['task.closed task/1'], ['task.closed task/2']]);
    expect((await w.events.list({ limit: 99 })).events.map(({ type }) => type)).not.toContain('subscription.recovered');
  });

  it('gathers held deliveries to people into one message', async () => {
    await w.subscriptions.applyDeclared([team()]);
    await pause(w, 'team');
    for (const id of ['1', '2', '3']) {
      await w.close(id);
      await w.settle();
      await w.at(plus(w.self.now, HOUR));
    }
    expect(await w.statuses('team')).toEqual(['held', 'held', 'held']);
    await resume(w, 'team');
    await w.settle();
    expect(w.messages.map(({ events }) => events.length)).toEqual([3]);
  });
});

describe('a failing receiver', () => {
  const down = async () => {
    throw new RetryLater('TIDINGS_HTTP_STATUS', 'ops.example.com answered 503', { evidence: { status: 503 } });
  };
  const eventsOf = async (prefix: string) =>
    (await w.events.list({ limit: 999 })).events.filter(({ type }) => type.startsWith(prefix));

  /** Declares a failing receiver and one that gets its health events. */
  async function watched() {
    const watcher = subscription('watcher', { events: ['subscription.*'] });
    await w.subscriptions.applyDeclared([ops(), watcher]);
    w.self.answer = async ({ subscription: { name } }) => (name === 'ops' ? down() : { status: 200 });
  }

  it('causes events at the fourth attempt and at its recovery, which expedites its other deliveries', async () => {
    await watched();
    await w.close('1');
    for (let minutes = 0; minutes <= 45; minutes += 5) await w.at(plus(NOON, minutes * MINUTE + 6 * SECOND * minutes));
    expect((await eventsOf('subscription.')).map(({ type, subject }) => `${type} ${subject}`)).toEqual([
      'subscription.failing subscription/ops',
    ]);
    const watcherMessages = w.messages.filter(({ subscription: { name } }) => name === 'watcher');
    expect(watcherMessages.map(({ events: [event] }) => event.type)).toEqual(['subscription.failing']);
    expect(watcherMessages[0]?.events[0]).toMatchObject({ source: '/tidings', data: { record: { state: 'failing' } } });
    w.self.answer = async () => ({ status: 200 });
    w.self.now = plus(NOON, HOUR);
    await w.close('2');
    await w.settle();
    expect((await eventsOf('subscription.')).at(-1)?.type).toBe('subscription.recovered');
    // The next attempt of the first was two hours away; the success of the second expedites it.
    expect(await w.statuses('ops')).toEqual(['settled', 'settled']);
  });

  it('does not get events about itself', async () => {
    await w.subscriptions.applyDeclared([subscription('ops', { events: ['*.closed', 'subscription.*'] })]);
    w.self.answer = down;
    await w.close('1');
    for (let hours = 0; hours < 30; hours++) await w.at(plus(NOON, hours * HOUR));
    expect(await eventsOf('subscription.')).toHaveLength(1);
    expect(w.messages.every(({ events: [event] }) => event.type === 'task.closed')).toBe(true);
  });

  it('is disabled after a warning and five days, holds its deliveries, is probed, and recovers', async () => {
    await watched();
    for (let hour = 0; hour <= 6 * 24; hour++) {
      w.self.now = plus(NOON, hour * HOUR);
      if (hour % 12 === 0) await w.close(String(hour + 1));
      await w.settle();
    }
    expect((await eventsOf('subscription.')).map(({ type }) => type)).toEqual([
      'subscription.failing',
      'subscription.failing',
      'subscription.disabled',
    ]);
    const disabled = await readHealth(w, 'ops');
    expect(disabled).toMatchObject({ state: 'disabled', gone: false });
    const sentBefore = w.messages.length;
    for (let hour = 6 * 24 + 1; hour <= 7 * 24; hour++) await w.at(plus(NOON, hour * HOUR));
    // One delivery is attempted every few hours; all others are held.
    const probes = w.messages.slice(sentBefore);
    expect(probes.length).toBeGreaterThan(3);
    expect(probes.length).toBeLessThan(8);
    expect(new Set(probes.map(({ delivery }) => delivery))).toEqual(new Set([disabled.probe]));
    w.self.answer = async () => ({ status: 200 });
    for (let hour = 7 * 24 + 1; hour <= 7 * 24 + 6; hour++) await w.at(plus(NOON, hour * HOUR));
    expect((await eventsOf('subscription.')).at(-1)?.type).toBe('subscription.recovered');
    expect((await readHealth(w, 'ops')).state).toBe('ok');
    // Held deliveries wait for a person to resume the subscription.
    const held = (await w.deliveries.list({ status: 'held', subscription: 'ops', limit: 99 })).length;
    expect(held).toBeGreaterThan(0);
    expect(await resume(w, 'ops')).toBe(held);
    await w.settle();
    const events = (await eventsOf('task.closed')).length;
    const settled = (await w.statuses('ops')).filter((status) => status === 'settled').length;
    const failed = (await w.statuses('ops')).filter((status) => status === 'failed').length;
    expect(settled + failed).toBe(events);
    for (const { id } of await w.deliveries.list({ status: 'failed', subscription: 'ops', limit: 99 }))
      await retryNow(w, id);
    await w.settle();
    expect(new Set(await w.statuses('ops'))).toEqual(new Set(['settled']));
  });

  it('that responds with 410 Gone gets nothing until it is resumed, and loses nothing', async () => {
    await watched();
    w.self.answer = async ({ subscription: { name } }) => {
      if (name === 'ops') throw new GiveUp('TIDINGS_HTTP_GONE', 'answered 410', { gone: true });
      return { status: 200 };
    };
    await w.close('1');
    await w.close('2');
    for (let day = 0; day < 9; day++) await w.at(plus(NOON, day * DAY));
    expect(w.messages.filter(({ subscription: { name } }) => name === 'ops')).toHaveLength(1);
    expect((await eventsOf('subscription.')).map(({ type }) => type)).toEqual(['subscription.disabled']);
    expect(await w.statuses('ops')).toEqual(['held', 'held']);
    w.self.answer = async () => ({ status: 200 });
    await resume(w, 'ops');
    await w.settle();
    expect(await w.statuses('ops')).toEqual(['settled', 'settled']);
  });

  it('is probed with a group if it gathers, and recovers', async () => {
    await w.subscriptions.applyDeclared([team()]);
    w.self.answer = down;
    for (let hour = 0; hour <= 7 * 24; hour++) {
      w.self.now = plus(NOON, hour * HOUR);
      if (hour % 12 === 0) for (const n of [1, 2]) await w.close(String(hour * 2 + n));
      await w.settle();
      await w.at(plus(w.self.now, 40 * SECOND));
    }
    const { state, probe } = await readHealth(w, 'team');
    expect(state).toBe('disabled');
    expect((await w.deliveries.get(probe ?? ''))?.status).toBe('pending');
    w.self.answer = async () => ({ status: 200 });
    for (let hour = 7 * 24 + 1; hour <= 7 * 24 + 6; hour++) await w.at(plus(NOON, hour * HOUR));
    expect((await readHealth(w, 'team')).state).toBe('ok');
    await resume(w, 'team');
    await w.settle();
    const carried = (await w.deliveries.list({ status: 'settled', limit: 999 })).flatMap(({ events }) => events);
    const failed = (await w.deliveries.list({ status: 'failed', limit: 999 })).flatMap(({ events }) => events);
    const all = (await eventsOf('task.closed')).map(({ id }) => id);
    expect([...carried, ...failed].toSorted()).toEqual(all.toSorted());
  });

  it('is probed by the next delivery when the last probe is settled', async () => {
    await w.subscriptions.applyDeclared([ops()]);
    await w.close('1');
    await w.settle();
    await changeHealth(w, 'ops', 'delivery', (health) => ({
      ...health,
      state: 'disabled',
      probe: w.messages[0]?.delivery ?? '',
    }));
    w.self.answer = down;
    await w.close('2');
    await w.settle();
    expect(w.messages).toHaveLength(2);
    expect((await readHealth(w, 'ops')).probe).toBe(w.messages[1]?.delivery);
    await w.close('3');
    await w.settle();
    expect(w.messages).toHaveLength(2);
    expect(await w.statuses('ops')).toEqual(['settled', 'pending', 'held']);
  });

  it('has its health stored as a snapshot of the own source', async () => {
    await watched();
    await w.close('1');
    await w.settle();
    const kept = await w.snapshots.get({ source: OWN_SOURCE, resource: 'subscription', id: 'ops' });
    expect(kept).toMatchObject({
      version: 1,
      cause: 'delivery',
      record: { name: 'ops', state: 'ok', failingSince: NOON },
    });
  });
});
