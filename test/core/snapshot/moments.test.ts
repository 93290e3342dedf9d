/** Time alone, on real stores: once per record and date, in order, in the account's zone, after the record was read again. */

import { beforeEach, describe, expect, it } from 'vitest';
import { workResourceOf } from '../../../adapters/sources/work/resources.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { deriveEvents } from '../../../core/events/derive.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../core/model/time.ts';
import { defaultRules, type StageRules } from '../../../core/snapshot/stage.ts';
import { poll } from '../../../core/source/poll.ts';
import type { PollOptions, PollPorts } from '../../../core/source/poll-ports.ts';
import { handClock, listApi } from '../source/list-api.ts';

function world(start: string, timeZone = 'Europe/Berlin') {
  const clock = handClock(start);
  const api = listApi(clock);
  const db = openDatabase(':memory:');
  const snapshots = sqliteSnapshotStore(db);
  const stores = sqliteStores(db);
  const ports = { ...stores, api, snapshots, clock, holder: 'me' };
  let zone = timeZone;
  let rules: StageRules = { ...defaultRules, taskStale: 0 };
  const order = (): PollOptions => ({
    source: 'main',
    baseUrl: 'https://work.example.com/api',
    resources: [{ resource: workResourceOf('task'), cadence: { every: 5 * MINUTE, sweep: 6 * HOUR } }],
    rules,
    timeZone: zone === '' ? undefined : zone,
    reserve: 0,
  });
  return {
    api,
    clock,
    snapshots,
    poll: async (change: Partial<PollOptions> = {}, other: Partial<PollPorts> = {}) =>
      poll({ ...ports, ...other }, { ...order(), ...change }),
    /** Lets hours pass, each with a poll. */
    async pass(hours: number) {
      for (let hour = 0; hour < hours; hour++) {
        clock.advance(HOUR);
        await poll(ports, order());
      }
    },
    /** Events since the last call with the hour they happened in. */
    async news() {
      const entries = await snapshots.read('test', 10_000);
      await snapshots.acknowledge('test', entries.at(-1)?.position ?? 0);
      return entries
        .flatMap(({ transition }) => deriveEvents(transition))
        .filter(({ type }) => !type.startsWith('source.'))
        .map(({ type, data }) => `${type.slice(5)} ${data.occurred.before.slice(0, 16)}`);
    },
    move: (change: { zone?: string; rules?: Partial<StageRules> }) => {
      zone = change.zone ?? zone;
      rules = { ...rules, ...change.rules };
    },
  };
}

type World = ReturnType<typeof world>;

const task = { localid: '1', title: 'T', status: 'Open', statusid: '1', dateclosed: '' };
const byTime = async (w: World) => (await w.news()).filter((line) => /due_soon|overdue|back_on|closed/.test(line));

describe('overdue', () => {
  let w: World;
  beforeEach(async () => {
    w = world('2026-11-14T11:00:00.000Z');
    w.api.put('1', { ...task, datedue: '2026-11-16' });
    await w.poll();
    await w.news();
  });

  it('fires once, at midnight in the account’s zone, and due soon a day before; not again the days after', async () => {
    await w.pass(24 * 10);
    expect(await byTime(w)).toEqual(['due_soon 2026-11-14T23:00', 'overdue 2026-11-16T23:00']);
  });

  it('takes one light scan and one read of what is due, once lists show the moment', async () => {
    await w.pass(11);
    const before = w.api.requests();
    w.clock.advance(61 * MINUTE + 59 * SECOND);
    await w.poll();
    expect(await byTime(w)).toEqual([]);
    const atNight = w.api.requests() - before;
    w.clock.advance(SECOND);
    expect((await w.poll()).scans).toMatchObject([{ kind: 'delta' }]);
    expect(await byTime(w)).toEqual(['due_soon 2026-11-14T23:00']);
    // The delta, the count that would show deletions, and the task that is due.
    expect(w.api.requests() - before - atNight).toBe(3);
    // What comes next is the usual sweep, and no second delta.
    w.clock.advance(SECOND);
    expect((await w.poll()).scans).not.toContainEqual(expect.objectContaining({ kind: 'delta' }));
  });

  it('catches up in order after days of silence, each with the moment it became true', async () => {
    w.clock.advance(9 * DAY);
    await w.poll();
    expect(await byTime(w)).toEqual(['due_soon 2026-11-14T23:00', 'overdue 2026-11-16T23:00']);
  });

  it('catches up with the days of all tasks in turn, also of more than one commit holds', async () => {
    for (let id = 2; id <= 150; id++) w.api.put(String(id), { ...task, localid: String(id), datedue: '2026-11-17' });
    w.api.put('151', { ...task, localid: '151', datedue: '2026-11-19' });
    w.clock.advance(6 * MINUTE);
    await w.poll();
    await w.news();
    w.clock.advance(9 * DAY);
    await w.poll();
    const moments = (await byTime(w)).map((line) => line.split(' ')[1]);
    expect(moments).toHaveLength(302);
    expect(moments).toEqual(moments.toSorted());
  });

  it('does not fire for what was closed before', async () => {
    w.clock.advance(HOUR);
    w.api.put('1', { status: 'Closed', statusid: '7', dateclosed: '2026-11-14' });
    await w.pass(24 * 10);
    expect(await byTime(w)).toEqual([expect.stringMatching(/^closed /)]);
  });

  it('does not fire for what a poll finds closed after an outage', async () => {
    w.clock.advance(6 * DAY);
    w.api.put('1', { status: 'Closed', statusid: '7', dateclosed: '2026-11-15' });
    await w.poll();
    expect((await byTime(w)).filter((line) => line.startsWith('overdue'))).toEqual([]);
  });

  it('is armed again by another date, and by reopening', async () => {
    await w.pass(24 * 3);
    expect(await byTime(w)).toHaveLength(2);
    w.api.put('1', { datedue: '2026-11-25' });
    await w.pass(1);
    expect(await byTime(w)).toEqual([expect.stringMatching(/^back_on_track/)]);
    await w.pass(24 * 10);
    expect(await byTime(w)).toEqual(['due_soon 2026-11-23T23:00', 'overdue 2026-11-25T23:00']);
    w.api.put('1', { status: 'Closed', statusid: '7', dateclosed: '2026-11-28' });
    await w.pass(2);
    w.api.put('1', { status: 'Open', statusid: '1', dateclosed: '' });
    await w.pass(2);
    expect((await byTime(w)).map((line) => line.split(' ')[0])).toEqual(['closed', 'overdue']);
  });

  it('fires at once for a date that is set to a day gone by', async () => {
    w.api.put('1', { datedue: '2026-11-01' });
    await w.pass(1);
    expect(await byTime(w)).toEqual([expect.stringMatching(/^overdue/)]);
  });
});

describe('a moment that no scan has confirmed', () => {
  let w: World;
  beforeEach(async () => {
    w = world('2026-11-13T11:00:00.000Z');
    w.api.put('1', { ...task, datedue: '2026-11-14' });
    w.api.put('2', { ...task, datedue: '2026-11-14' });
    await w.poll();
    await w.pass(1);
    await w.news();
  });

  it('is not emitted for a task that was closed in time while the process was off', async () => {
    w.clock.advance(DAY);
    w.api.put('1', { status: 'Closed', statusid: '7', dateclosed: '2026-11-14' });
    w.clock.advance(2 * DAY);
    await w.poll();
    expect(await byTime(w)).toEqual(['closed 2026-11-14T12:00', 'overdue 2026-11-14T23:00']);
  });

  it('is not emitted for a task that was closed two minutes before midnight', async () => {
    w.clock.advance(34 * HOUR);
    await w.poll();
    w.clock.advance(56 * MINUTE);
    await w.poll();
    w.clock.advance(2 * MINUTE);
    w.api.put('1', { status: 'Closed', statusid: '7', dateclosed: '2026-11-14' });
    w.clock.advance(4 * MINUTE + SECOND);
    await w.poll();
    expect(await byTime(w)).toEqual(['closed 2026-11-14T22:58', 'overdue 2026-11-14T23:00']);
  });

  it('waits while the source cannot be read, then is emitted once, with its own instant', async () => {
    w.api.before = () => {
      throw new GiveUp('TIDINGS_SOURCE_UNAUTHORIZED', 'the token was revoked');
    };
    await w.pass(3 * 24);
    expect(await byTime(w)).toEqual([]);
    w.api.before = () => {};
    w.api.put('1', { datedue: '2026-11-30' });
    await w.pass(2);
    expect(await byTime(w)).toEqual(['overdue 2026-11-14T23:00']);
    await w.pass(24);
    expect(await byTime(w)).toEqual([]);
  });

  it('is not emitted for a task that was deleted, whose deletion follows; the others do not wait for that', async () => {
    w.clock.advance(34 * HOUR);
    await w.poll();
    w.clock.advance(59 * MINUTE);
    w.api.rows.delete('1');
    w.clock.advance(3 * MINUTE + SECOND);
    await w.poll();
    expect(await byTime(w)).toEqual(['overdue 2026-11-14T23:00']);
    w.clock.advance(SECOND);
    await w.poll();
    expect((await w.news()).map((line) => line.split(' ')[0])).toEqual(['deleted']);
  });

  it('is emitted after an edit that happened before it, each with its own instant', async () => {
    w.clock.advance(DAY);
    w.api.put('1', { title: 'Edited on Saturday' });
    w.clock.advance(2 * DAY);
    await w.poll();
    expect((await w.news()).filter((line) => !line.startsWith('due_soon'))).toEqual([
      'updated 2026-11-14T12:00',
      'overdue 2026-11-14T23:00',
      'overdue 2026-11-14T23:00',
    ]);
  });

  it('is emitted when the process is killed between the scan and its commit', async () => {
    w.clock.advance(36 * HOUR);
    const broken = { ...w.snapshots, commit: async () => Promise.reject(new Error('killed')) };
    await w.poll({}, { snapshots: broken }).catch(() => {});
    expect(await byTime(w)).toEqual([]);
    w.clock.advance(MINUTE);
    await w.poll();
    expect(await byTime(w)).toEqual(['overdue 2026-11-14T23:00', 'overdue 2026-11-14T23:00']);
  });
});

describe('what is no longer polled', () => {
  it('emits nothing: neither a removed source nor a resource that is switched off', async () => {
    const w = world('2026-11-14T11:00:00.000Z');
    w.api.put('1', { ...task, datedue: '2026-11-14' });
    await w.poll();
    await w.news();
    w.clock.advance(2 * DAY);
    await w.poll({ source: 'renamed' });
    await w.poll({ resources: [] });
    expect(await byTime(w)).toEqual([]);
    // Switched on again, it catches up.
    await w.poll();
    expect(await byTime(w)).toEqual(['overdue 2026-11-14T23:00']);
  });
});

describe('the baseline', () => {
  it('is silent about what is overdue already, then and later', async () => {
    const w = world('2026-11-14T11:00:00.000Z');
    w.api.put('1', { ...task, datedue: '2026-11-01' });
    await w.poll();
    await w.pass(48);
    expect(await w.news()).toEqual([]);
  });

  it('emits an event when asked, once', async () => {
    const w = world('2026-11-14T11:00:00.000Z');
    w.api.put('1', { ...task, datedue: '2026-11-01' });
    w.api.put('2', { ...task, datedue: '2026-11-15' });
    w.api.put('3', { ...task, datedue: '2027-01-01' });
    await w.poll({ announceExisting: true });
    expect((await w.news()).map((line) => line.split(' ')[0]).sort()).toEqual(['due_soon', 'overdue']);
    await w.pass(6);
    expect(await w.news()).toEqual([]);
  });
});

describe('zones and rules', () => {
  it.each([
    ['Europe/Berlin', '2026-03-28', 'overdue 2026-03-28T23:00'],
    ['Europe/Berlin', '2026-03-29', 'overdue 2026-03-29T22:00'],
    ['America/New_York', '2026-11-01', 'overdue 2026-11-02T05:00'],
    ['Pacific/Auckland', '2028-02-29', 'overdue 2028-02-29T11:00'],
  ])('in %s a task due on %s is overdue at the next midnight there', async (zone, datedue, expected) => {
    const w = world(`${datedue}T00:00:00.000Z`, zone);
    w.clock.advance(-3 * DAY);
    w.api.put('1', { ...task, datedue });
    await w.poll();
    await w.pass(24 * 5);
    expect(await byTime(w)).toContain(expected);
    expect((await byTime(w)).filter((line) => line === expected)).toEqual([]);
  });

  it('moves the agenda to another zone silently, and emits nothing twice', async () => {
    const w = world('2026-11-14T11:00:00.000Z', 'Europe/Berlin');
    w.api.put('1', { ...task, datedue: '2026-11-14' });
    w.api.put('2', { ...task, datedue: '2026-11-20' });
    await w.poll();
    w.clock.advance(13 * HOUR);
    await w.poll();
    expect(await byTime(w)).toEqual(['overdue 2026-11-14T23:00']);
    w.move({ zone: 'America/New_York' });
    await w.pass(24);
    expect(await byTime(w)).toEqual([]);
    await w.pass(24 * 7);
    expect(await byTime(w)).toEqual(['due_soon 2026-11-19T05:00', 'overdue 2026-11-21T05:00']);
  });

  it('takes over another rule silently: a status that now counts as closed closes nothing', async () => {
    const w = world('2026-11-14T11:00:00.000Z');
    w.api.put('1', { ...task, status: 'Staged', datedue: '2026-11-20' });
    await w.poll();
    w.move({ rules: { closedStatuses: ['Closed', 'Staged'] } });
    await w.pass(24 * 9);
    expect(await w.news()).toEqual([]);
  });
});

describe('an unknown zone', () => {
  const isMe = (zone: unknown) => ({ timezone: zone });

  it('stages nothing, is asked for in each cycle, and then nothing since the baseline is lost', async () => {
    const w = world('2026-11-14T11:00:00.000Z', '');
    w.api.put('1', { ...task, datedue: '2026-11-14' });
    w.api.put('2', { ...task, datedue: '2026-11-01' });
    await w.poll();
    const health = async () => (await w.snapshots.get({ source: 'main', resource: 'source', id: 'main' }))?.record;
    expect(await health()).toMatchObject({ timeZone: null, timeZoneFrom: null });
    await w.pass(24);
    expect(await byTime(w)).toEqual([]);
    // The record of person 1, which the API of these tests keeps in the same list.
    w.api.rows.set('1', { ...w.api.rows.get('1'), id: '1', ...isMe('Europe/Berlin') });
    await w.pass(1);
    expect(await health()).toMatchObject({ timeZone: 'Europe/Berlin', timeZoneFrom: 'user' });
    expect(await byTime(w)).toEqual(['overdue 2026-11-14T23:00']);
    await w.pass(24);
    expect(await byTime(w)).toEqual([]);
  });

  it('is reported once as an event, and to the log each time the API is asked', async () => {
    const w = world('2026-11-14T11:00:00.000Z', '');
    w.api.put('1', { ...task, datedue: '2026-11-14' });
    expect(await w.poll()).toMatchObject({ zoneUnknown: true });
    w.clock.advance(5 * MINUTE);
    expect((await w.poll()).zoneUnknown).toBeUndefined();
    await w.pass(24);
    const entries = await w.snapshots.read('all', 10_000);
    const types = entries.flatMap(({ transition }) => deriveEvents(transition)).map(({ type }) => type);
    expect(types.filter((type) => type === 'source.zone_unknown')).toHaveLength(1);
  });

  /** The API refuses or fails the record of the token's person. */
  function refusePerson(w: World, error: Error): void {
    const { get } = w.api;
    w.api.get = async (resource, id, signal) => {
      if (resource === 'person') throw error;
      return get(resource, id, signal);
    };
  }
  const eventTypesOf = async (w: World) => {
    const entries = await w.snapshots.read('all', 10_000);
    return entries.flatMap(({ transition }) => deriveEvents(transition)).map(({ type }) => type);
  };

  it.each([
    ['may not be read', new GiveUp('TIDINGS_SOURCE_FORBIDDEN', '403'), 30],
    ['does not exist for the token', new GiveUp('TIDINGS_SOURCE_REQUEST_INVALID', '400'), 30],
    ['fails', new RetryLater('TIDINGS_SOURCE_STATUS', '500'), 400],
  ])('is reported once if the record of the person %s', async (_, error, maxRequests) => {
    const w = world('2026-11-14T11:00:00.000Z', '');
    w.api.put('1', { ...task, datedue: '2026-11-14' });
    refusePerson(w, error);
    const reports: boolean[] = [];
    let asked = 0;
    w.api.before = (call) => {
      if (call === 'list') asked += 1;
    };
    for (let minute = 0; minute < 120; minute += 5) {
      reports.push((await w.poll()).zoneUnknown === true);
      w.clock.advance(5 * MINUTE);
    }
    expect(reports).toContain(true);
    expect((await eventTypesOf(w)).filter((type) => type === 'source.zone_unknown')).toHaveLength(1);
    expect(asked).toBeLessThan(maxRequests + 24);
  });

  it('is that of /me/ if the record of the person may not be read', async () => {
    const w = world('2026-11-14T11:00:00.000Z', '');
    w.api.put('1', { ...task, datedue: '2026-11-14' });
    w.api.me = { ...w.api.me, timezone: 'America/New_York' };
    refusePerson(w, new GiveUp('TIDINGS_SOURCE_FORBIDDEN', '403'));
    await w.poll();
    await w.pass(20);
    expect(await byTime(w)).toEqual(['overdue 2026-11-15T05:00']);
    expect(await eventTypesOf(w)).not.toContain('source.zone_unknown');
  });

  it('is not reported after a single failure', async () => {
    const w = world('2026-11-14T11:00:00.000Z', '');
    w.api.put('1', { ...task, datedue: '2026-11-14', timezone: 'Europe/Berlin' });
    const { get } = w.api;
    refusePerson(w, new RetryLater('TIDINGS_SOURCE_STATUS', '500'));
    await w.poll();
    w.api.get = get;
    await w.pass(3);
    expect(await eventTypesOf(w)).not.toContain('source.zone_unknown');
  });

  it('is not assumed after a failed first contact', async () => {
    const w = world('2026-11-14T11:00:00.000Z', '');
    w.api.put('1', { ...task, datedue: '2026-11-14', timezone: 'America/New_York' });
    w.api.before = () => {
      throw new GiveUp('TIDINGS_SOURCE_UNAUTHORIZED', 'wrong token');
    };
    await w.poll();
    w.api.before = () => {};
    await w.pass(20);
    expect(await byTime(w)).toEqual(['overdue 2026-11-15T05:00']);
  });

  it('follows the user of the token within a day, and never loses a known zone to a failed request', async () => {
    const w = world('2026-11-14T11:00:00.000Z', '');
    w.api.put('1', { ...task, datedue: '2026-11-20', timezone: 'Europe/Berlin' });
    await w.poll();
    w.api.put('1', { timezone: 'America/New_York' });
    await w.pass(26);
    await w.news();
    w.api.put('1', { timezone: '' });
    await w.pass(24 * 7);
    expect(await byTime(w)).toEqual(['due_soon 2026-11-19T05:00', 'overdue 2026-11-21T05:00']);
  });
});

describe('other rules or another zone', () => {
  const due = async (dates: readonly string[], rules: Partial<StageRules> = {}, zone = 'Europe/Berlin') => {
    const w = world('2026-11-14T22:00:00.000Z', zone);
    w.move({ rules });
    for (const [index, datedue] of dates.entries()) w.api.put(String(index + 1), { ...task, datedue });
    await w.poll();
    await w.news();
    w.clock.advance(30 * MINUTE);
    await w.poll();
    return w;
  };
  const types = async (w: World) => (await byTime(w)).map((line) => line.split(' ')[0]).sort();

  it('lose no moment that was due when they changed', async () => {
    const w = await due(['2026-11-14']);
    w.move({ rules: { taskStale: 30 } });
    w.clock.advance(2 * HOUR);
    await w.poll();
    expect(await byTime(w)).toEqual(['overdue 2026-11-14T23:00']);
  });

  it('emit once what they newly make true', async () => {
    const w = await due(['2026-11-15', '2026-11-16', '2026-11-17']);
    w.move({ rules: { taskDueSoon: 3 } });
    await w.pass(2);
    expect(await types(w)).toEqual(['due_soon', 'due_soon']);
    await w.pass(12);
    expect(await types(w)).toEqual([]);
  });

  it('emit what they newly make true two minutes after they are noticed, also if the last scan was at midnight', async () => {
    const w = await due(['2026-11-17']);
    w.clock.advance(30 * MINUTE);
    await w.poll();
    w.move({ rules: { taskDueSoon: 3 } });
    w.clock.advance(5 * MINUTE);
    await w.poll();
    expect(await byTime(w)).toEqual([]);
    w.clock.advance(2 * MINUTE);
    await w.poll();
    expect(await byTime(w)).toEqual(['due_soon 2026-11-14T23:05']);
  });

  it('emit nothing twice, not even after an edit', async () => {
    const w = await due(['2026-11-18'], { taskDueSoon: 3 });
    await w.pass(2);
    expect(await types(w)).toEqual(['due_soon']);
    w.move({ rules: { taskDueSoon: 1 } });
    await w.pass(2);
    w.api.put('1', { title: 'Edited' });
    await w.pass(48 + 20);
    expect(await types(w)).toEqual([]);
    await w.pass(25);
    expect(await types(w)).toEqual(['overdue']);
  });

  it.each([
    ['east', 'Europe/Berlin', 'Asia/Tokyo'],
    ['west', 'Asia/Tokyo', 'Europe/Berlin'],
    ['far west', 'Europe/Berlin', 'America/Los_Angeles'],
  ])('emit an overdue task once when the zone moves %s', async (_, from, to) => {
    const w = await due(['2026-11-15'], {}, from);
    await w.pass(17);
    const before = await types(w);
    w.move({ zone: to });
    await w.pass(48);
    expect([...before, ...(await types(w))].filter((type) => type === 'overdue')).toEqual(['overdue']);
  });

  it('close no task by a new closed status, and reopen none', async () => {
    const w = world('2026-11-14T11:00:00.000Z');
    w.api.put('1', { ...task, status: 'Staged', statusid: '5', datedue: '2026-11-14' });
    await w.poll();
    w.clock.advance(12 * HOUR + 30 * MINUTE);
    w.move({ rules: { closedStatuses: ['Closed', 'Staged'] } });
    await w.pass(24);
    w.move({ rules: { closedStatuses: ['Closed'] } });
    await w.pass(24);
    expect(await types(w)).toEqual(['overdue']);
  });
});

describe('stale', () => {
  const stales = async (w: World) => (await w.news()).filter((line) => line.startsWith('stale'));

  it.each([
    ['Europe/Berlin', '2026-06-01T23:30:00.000Z', 'stale 2026-07-01T22:00'],
    ['America/New_York', '2026-06-01T02:00:00.000Z', 'stale 2026-06-30T04:00'],
  ])('counts from the day of the last change in %s, not in UTC', async (zone, touched, expected) => {
    const w = world(touched, zone);
    w.move({ rules: { taskStale: 30 } });
    w.api.put('1', { ...task, datedue: '' });
    await w.poll();
    await w.pass(24 * 32);
    expect(await stales(w)).toEqual([expected]);
  });

  it('waits again after a change that left no other trace, and is announced again after it', async () => {
    const w = world('2026-06-01T12:00:00.000Z');
    w.move({ rules: { taskStale: 30 } });
    w.api.put('1', { ...task, datedue: '' });
    await w.poll();
    await w.pass(24 * 20);
    // A person saved it as it was, or changed it and changed it back.
    w.api.put('1', {});
    await w.pass(24 * 32);
    w.api.put('1', {});
    await w.pass(24 * 32);
    expect(await stales(w)).toEqual(['stale 2026-07-20T22:00', 'stale 2026-08-21T22:00']);
  });
});
