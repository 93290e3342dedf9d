/** A poller that stalls and is overtaken, at every line where that matters: nothing lost, nothing false, nothing twice. */

import { describe, expect, it } from 'vitest';
import { RetryLater } from '../../../core/model/errors.ts';
import { HOUR, MINUTE } from '../../../core/model/time.ts';
import { poll } from '../../../core/source/poll.ts';
import type { PollPorts } from '../../../core/source/poll-ports.ts';
import {
  baselined,
  fill,
  LOST,
  linesOf,
  openInvoices,
  overtake,
  recordedEvents,
  setUp,
  stalling,
  titleOf,
} from './poll-world.ts';

describe('a poller that is overtaken while a page is under way', () => {
  it.each([1, 2, 3, 4, 5, 6])('leaves the baseline of the other one alone: page %i', async (page) => {
    const world = setUp();
    fill(world, 550);
    const api = stalling(world.api, 'list', page, 'after', overtake(world, { pageSize: 100 }));
    const stalled = await poll({ ...world.ports, api }, { ...world.order, pageSize: 100 });
    expect(stalled).toMatchObject({ scans: [], failed: LOST });
    expect(await world.state()).toMatchObject({ baselinedAt: world.clock.now(), progress: null, count: 550 });
    expect(await world.news()).toEqual(['source.baselined main']);
    // Were the baseline undone, these would be taken for what was there before we looked first.
    for (const id of ['3', '540']) world.api.put(id, { title: 'changed' });
    world.clock.advance(5 * MINUTE);
    await world.run();
    expect(await world.news()).toEqual(['task.updated 3', 'task.updated 540']);
  });

  it.each([1, 2, 3, 4, 5, 6])('commits nothing of what it read before: page %i of a sweep', async (page) => {
    const world = await baselined(550);
    world.clock.advance(6 * HOUR);
    // On every page, so that none is passed over.
    for (let id = 50; id <= 550; id += 100) world.api.put(String(id), { title: 'old' });
    const renew = () => {
      for (let id = 50; id <= 550; id += 100) world.api.put(String(id), { title: 'new' });
    };
    const order = { ...world.order, pageSize: 100 };
    const api = stalling(world.api, 'list', page, 'after', overtake(world, { pageSize: 100 }, renew));
    const before = await recordedEvents(world);
    const stalled = await poll({ ...world.ports, api }, order);
    expect(stalled).toMatchObject({ scans: [], failed: LOST });
    const saved = await world.state();
    for (let round = 0; round < 2; round++) {
      world.clock.advance(7 * HOUR);
      await world.run({ pageSize: 100 });
    }
    const events = (await recordedEvents(world)).slice(before.length);
    const [early, late] = [Math.min(page - 1, 6), 6];
    const ids = (count: number) => Array.from({ length: count }, (_, n) => 50 + n * 100);
    // What the stalled one had emitted when it stalled, then what the other found; nothing goes back to what it was.
    expect(linesOf(events).sort()).toEqual([...ids(early), ...ids(late)].map((id) => `task.updated ${id}`).sort());
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    for (const id of ids(6)) expect(await titleOf(world, String(id))).toBe('new');
    expect(saved).toMatchObject({ progress: null, failures: 0, lastError: null });
  });

  it('does not tell a change that was taken back before the other one looked', async () => {
    const world = await baselined(150);
    world.clock.advance(6 * HOUR);
    const original = world.api.rows.get('70') ?? {};
    world.api.put('70', { title: 'for a moment' });
    const takeBack = () => world.api.rows.set('70', original);
    const api = stalling(world.api, 'list', 1, 'after', overtake(world, { pageSize: 100 }, takeBack));
    expect(await poll({ ...world.ports, api }, { ...world.order, pageSize: 100 })).toMatchObject({ failed: LOST });
    expect(await world.news()).toEqual([]);
    expect(await titleOf(world, '70')).toBe('T70');
  });

  it('does not tell what a delta, a second reading or a member showed for a moment', async () => {
    const tasks = await baselined(150);
    const [row = {}, gone = {}] = [tasks.api.rows.get('70'), tasks.api.rows.get('42')];
    tasks.api.put('70', { title: 'for a moment' });
    const untitled = overtake(tasks, {}, () => tasks.api.rows.set('70', row));
    const delta = stalling(tasks.api, 'list', 1, 'after', untitled);
    expect(await poll({ ...tasks.ports, api: delta }, tasks.order)).toMatchObject({ scans: [], failed: LOST });

    tasks.clock.advance(7 * HOUR);
    tasks.api.rows.delete('42');
    const back = overtake(tasks, {}, () => tasks.api.rows.set('42', gone));
    const sweep = stalling(tasks.api, 'get', 1, 'after', back);
    expect(await poll({ ...tasks.ports, api: sweep }, tasks.order)).toMatchObject({ scans: [], failed: LOST });
    tasks.clock.advance(7 * HOUR);
    await tasks.run();
    expect(await tasks.news()).toEqual([]);

    const invoices = await openInvoices();
    const unpaid = invoices.api.rows.get('3') ?? {};
    invoices.api.put('3', { balance: '0.00' });
    const reversed = overtake(invoices, {}, () => invoices.api.rows.set('3', unpaid));
    const open = stalling(invoices.api, 'list', 2, 'after', reversed);
    expect(await poll({ ...invoices.ports, api: open }, invoices.order)).toMatchObject({ scans: [], failed: LOST });
    expect(await invoices.news()).toEqual([]);
  });

  it('says nothing of how its own request failed meanwhile', async () => {
    const world = await baselined(150);
    world.clock.advance(6 * HOUR);
    const { leases } = world.ports;
    const takeOver = async () => {
      world.clock.advance(3 * MINUTE);
      // At work, and has saved nothing yet.
      await leases.acquire('poll/main', 'you', world.clock.now(), 2 * MINUTE);
      throw new RetryLater('TIDINGS_SOURCE_UNREACHABLE', 'timed out');
    };
    const before = await world.state();
    const api = stalling(world.api, 'list', 1, 'after', takeOver);
    expect(await poll({ ...world.ports, api }, world.order)).toMatchObject({ scans: [], failed: LOST });
    expect(await world.state()).toEqual(before);
  });

  it('makes no further request and gives nothing back that is not its own', async () => {
    const world = setUp();
    fill(world, 2000);
    let asked = 0;
    const takeOver = async () => {
      world.clock.advance(3 * MINUTE);
      await world.ports.leases.acquire('poll/main', 'you', world.clock.now(), 2 * MINUTE);
      asked = world.api.requests();
    };
    const api = stalling(world.api, 'list', 3, 'after', takeOver);
    expect(await poll({ ...world.ports, api }, { ...world.order, pageSize: 100 })).toMatchObject({ failed: LOST });
    // The next page may be under way already.
    expect(world.api.requests() - asked).toBeLessThanOrEqual(1);
    expect(await world.state()).toBeUndefined();
    expect(await world.ports.leases.acquire('poll/main', 'me', world.clock.now(), MINUTE)).toBeUndefined();
  });

  it('emits what a delta found once, regardless of the poller that found it', async () => {
    const world = await baselined(20);
    world.api.put('7', { title: 'old' });
    const api = stalling(
      world.api,
      'list',
      1,
      'after',
      overtake(world, {}, () => world.api.put('7', { title: 'new' })),
    );
    expect(await poll({ ...world.ports, api }, world.order)).toMatchObject({ scans: [], failed: LOST });
    expect(await world.news()).toEqual(['task.updated 7']);
    world.clock.advance(5 * MINUTE);
    await world.run();
    expect(await world.news()).toEqual([]);
    expect(await titleOf(world, '7')).toBe('new');
  });

  it('does not bring back a record that the other one saw deleted', async () => {
    const world = await baselined(150);
    world.clock.advance(6 * HOUR);
    world.api.put('60', { title: 'changed' });
    const remove = () => world.api.rows.delete('42');
    const api = stalling(world.api, 'list', 1, 'after', overtake(world, { pageSize: 100 }, remove));
    await poll({ ...world.ports, api }, { ...world.order, pageSize: 100 });
    for (let round = 0; round < 2; round++) {
      world.clock.advance(7 * HOUR);
      await world.run({ pageSize: 100 });
    }
    expect((await world.news()).sort()).toEqual(['task.deleted 42', 'task.updated 60']);
  });
});

describe('a poller that stalls after it looked at its lease', () => {
  const stale = async (wrap: (ports: PollPorts, act: () => unknown) => PollPorts) => {
    const world = await baselined(150);
    world.clock.advance(6 * HOUR);
    world.api.put('70', { title: 'old' });
    const renew = () => world.api.put('70', { title: 'new' });
    const ports = wrap(world.ports, overtake(world, { pageSize: 100 }, renew));
    expect(await poll(ports, { ...world.order, pageSize: 100 })).toMatchObject({ scans: [], failed: LOST });
    return world;
  };

  it('leaves rows that are older than their snapshot', async () => {
    const world = await stale((ports, act) => ({
      ...ports,
      snapshots: stalling(ports.snapshots, 'getMany', 1, 'before', act),
    }));
    expect(await world.news()).toEqual(['task.updated 70']);
    expect(await titleOf(world, '70')).toBe('new');
  });

  it('does not vouch for a page that the other one has seen since', async () => {
    const world = await stale((ports, act) => ({
      ...ports,
      snapshots: stalling(ports.snapshots, 'commit', 1, 'after', act),
    }));
    expect(await world.news()).toEqual(['task.updated 70', 'task.updated 70']);
    // The very row of the stalled page again: were its fingerprint believed, nobody would look.
    world.clock.advance(7 * HOUR);
    const row = world.api.rows.get('70');
    const before = (await world.snapshots.transitionsOf({ source: 'main', resource: 'task', id: '70' }, 1))[0]?.before;
    const stamp = String(before?.record.datemodified).slice(0, 19).replace('T', ' ');
    world.api.rows.set('70', { ...row, title: 'old', datemodified: stamp });
    await world.run({ pageSize: 100 });
    expect(await world.news()).toEqual(['task.updated 70']);
    expect(await titleOf(world, '70')).toBe('old');
  });

  it('does not cut the manifest of the other one to its own length', async () => {
    const world = await baselined(150);
    world.clock.advance(6 * HOUR);
    world.api.put('70', { title: 'changed' });
    world.api.put('145', { title: 'changed' });
    const manifests = stalling(world.ports.manifests, 'write', 2, 'after', overtake(world, { pageSize: 30 }));
    const order = { ...world.order, pageSize: 100 };
    expect(await poll({ ...world.ports, manifests }, order)).toMatchObject({ scans: [], failed: LOST });
    await world.news();
    world.api.rows.delete('140');
    world.clock.advance(7 * HOUR);
    await world.run({ pageSize: 30 });
    expect(await world.news()).toEqual(['task.deleted 140']);
  });

  it.each([
    ['its last page', 'finish', 1],
    ['a page', 'write', 2],
  ] as const)(
    'saves nothing after %s that would be in the way of the other, who has saved nothing yet',
    async (_, call, at) => {
      const world = setUp();
      fill(world, 350);
      const stop = new AbortController();
      const takeOver = async () => {
        world.clock.advance(3 * MINUTE);
        await world.ports.leases.acquire('poll/main', 'you', world.clock.now(), 2 * MINUTE);
        // Time is over as well: a sweep saves its place then.
        if (call === 'write') stop.abort();
      };
      const manifests = stalling(world.ports.manifests, call, at, 'after', takeOver);
      const order = { ...world.order, pageSize: 100, signal: stop.signal };
      expect(await poll({ ...world.ports, manifests }, order)).toMatchObject({ scans: [], failed: LOST });
      expect(await world.state()).toBeUndefined();
    },
  );

  it('cannot save its state over the one of the other', async () => {
    const world = await baselined(150);
    world.clock.advance(6 * HOUR);
    const scanStates = stalling(world.ports.scanStates, 'save', 1, 'before', overtake(world, {}));
    const stalled = await poll({ ...world.ports, scanStates }, world.order);
    expect(stalled).toMatchObject({ scans: [], failed: LOST });
    expect(await world.state()).toMatchObject({ lastSweepAt: world.clock.now(), failures: 0, lastError: null });
  });
});
