/** Several pollers and other writers at one source: in each other's way, one after the other, and started at once. */

import { describe, expect, it } from 'vitest';
import { workResourceOf } from '../../../adapters/sources/work/resources.ts';
import { HOUR, MINUTE, SECOND } from '../../../core/model/time.ts';
import type { Page } from '../../../core/ports/source-api.ts';
import { poll } from '../../../core/source/poll.ts';
import type { PollPorts } from '../../../core/source/poll-ports.ts';
import { snapshot } from '../../samples.ts';
import { asYou, baselined, fill, LOST, openInvoices, setUp, stalling, titleOf, type World } from './poll-world.ts';

describe('a row whose record was committed while its page was under way', () => {
  /** Time does something to the record, as tick would. */
  const restaged = (world: World, resource: string, id: string) => async () => {
    const snapshot = await world.snapshots.get({ source: 'main', resource, id });
    if (snapshot === undefined) throw new Error('it was read');
    world.clock.advance(SECOND);
    const next = { ...snapshot, version: 2, cause: 'tick' as const, committedAt: world.clock.now() };
    expect(await world.snapshots.commit([{ snapshot: next, expected: 1 }])).toEqual(['committed']);
  };

  it('is left to the next scan a minute later, and emitted once; the others are emitted at once', async () => {
    const world = await baselined(20);
    for (const id of ['7', '8']) world.api.put(id, { title: 'changed' });
    // Longer ago than a delta looks back: were the cursor moved, only a sweep would find it.
    world.clock.advance(20 * MINUTE);
    const api = stalling(world.api, 'list', 1, 'after', restaged(world, 'task', '7'));
    const cursor = (await world.state())?.cursor;
    const { scans, failed } = await poll({ ...world.ports, api }, world.order);
    expect({ scans, failed }).toMatchObject({ scans: [{ kind: 'delta', changed: 1, complete: true }], failed: [] });
    expect(await world.news()).toEqual(['task.updated 8']);
    expect((await world.state())?.cursor).toBe(cursor);
    world.clock.advance(MINUTE);
    expect((await world.run()).scans).toMatchObject([{ kind: 'delta', changed: 1 }]);
    expect(await world.news()).toEqual(['task.updated 7']);
    world.clock.advance(MINUTE);
    expect((await world.run()).scans).toEqual([]);
  });

  it('is found by the delta after a sweep that left it', async () => {
    const world = await baselined(20);
    world.api.put('7', { title: 'changed' });
    world.clock.advance(20 * MINUTE);
    const api = stalling(world.api, 'list', 1, 'after', restaged(world, 'task', '7'));
    await poll({ ...world.ports, api }, { ...world.order, everything: true });
    expect(await world.news()).toEqual([]);
    world.clock.advance(MINUTE);
    expect((await world.run()).scans).toMatchObject([{ kind: 'delta', changed: 1 }]);
    expect(await world.news()).toEqual(['task.updated 7']);
  });

  it('is read again when it had left the open ones', async () => {
    const world = await openInvoices();
    world.api.put('3', { balance: '0.00', datepaid: '2026-11-14' });
    const api = stalling(world.api, 'list', 2, 'after', restaged(world, 'invoice', '3'));
    expect((await poll({ ...world.ports, api }, world.order)).scans).toMatchObject([{ kind: 'open', changed: 0 }]);
    world.clock.advance(MINUTE);
    expect((await world.run()).scans).toMatchObject([{ kind: 'open', changed: 1 }]);
    expect(await world.news()).toEqual(['invoice.paid 3', 'invoice.updated 3']);
  });

  it('is not passed over after a baseline either', async () => {
    const world = setUp();
    fill(world, 20);
    // What a baseline that was broken off had read, before it changed.
    const read = snapshot('7', { cause: 'baseline', record: { id: '7', localid: '7', title: 'before' } });
    await world.snapshots.commit([{ snapshot: read, expected: 0 }]);
    // The first one compares the stored record with the account's.
    const snapshots = stalling(world.snapshots, 'getMany', 2, 'after', restaged(world, 'task', '7'));
    await poll({ ...world.ports, snapshots }, world.order);
    expect(await titleOf(world, '7')).toBe('before');
    world.clock.advance(7 * HOUR);
    await world.run();
    expect(await titleOf(world, '7')).toBe('T7');
  });

  it('is not passed over by the sweep after it, though the page is the same', async () => {
    const world = await baselined(20);
    world.clock.advance(6 * HOUR);
    // No datemodified of its own: only a sweep shows it.
    world.api.rows.set('7', { ...world.api.rows.get('7'), title: 'changed' });
    const api = stalling(world.api, 'list', 1, 'after', restaged(world, 'task', '7'));
    const { scans } = await poll({ ...world.ports, api }, world.order);
    expect(scans).toMatchObject([{ kind: 'sweep', changed: 0, complete: true }]);
    world.clock.advance(6 * HOUR);
    await world.run();
    expect(await world.news()).toEqual(['task.updated 7']);
  });
});

describe('a page that takes longer than the lease', () => {
  it('ends nothing when nobody else came, and the lease is given back', async () => {
    const world = setUp();
    fill(world, 350);
    const api = stalling(world.api, 'list', 3, 'after', () => world.clock.advance(5 * MINUTE));
    const { scans, failed } = await poll({ ...world.ports, api }, { ...world.order, pageSize: 100 });
    expect(failed).toEqual([]);
    expect(scans).toMatchObject([{ baseline: true, seen: 350 }]);
    expect(await world.ports.leases.acquire('poll/main', 'you', world.clock.now(), MINUTE)).toBeDefined();
  });

  it('ends the scan when another came and went, and the lease is free', async () => {
    const world = setUp();
    fill(world, 350);
    const { leases, clock } = world.ports;
    const passBy = async () => {
      world.clock.advance(5 * MINUTE);
      const lease = await leases.acquire('poll/main', 'you', clock.now(), MINUTE);
      if (lease !== undefined) await leases.release(lease);
    };
    const api = stalling(world.api, 'list', 3, 'after', passBy);
    expect(await poll({ ...world.ports, api }, { ...world.order, pageSize: 100 })).toMatchObject({ failed: LOST });
    expect(await leases.acquire('poll/main', 'them', clock.now(), MINUTE)).toBeDefined();
  });
});

describe('a sweep that is broken off and resumed by another poller', () => {
  /** Stops at the nth page, as a function does whose time is over. */
  const breakOff = async (world: World, page: number, pageSize: number, act: () => void = () => {}) => {
    const stop = new AbortController();
    const api = stalling(world.api, 'list', page, 'after', () => {
      act();
      stop.abort();
    });
    const order = { ...world.order, pageSize, signal: stop.signal };
    expect((await poll({ ...world.ports, api }, order)).scans).toEqual([]);
  };

  it.each([1, 2, 3, 4, 5, 6])('emits the deletions on both sides of page %i, and each change once', async (page) => {
    const world = await baselined(550);
    world.clock.advance(6 * HOUR);
    for (const id of ['20', '530']) world.api.rows.delete(id);
    for (const id of ['21', '531']) world.api.put(id, { title: 'changed' });
    await breakOff(world, page, 100);
    expect((await world.state())?.progress).toMatchObject({ index: Math.max(1, page - 1) });
    world.clock.advance(MINUTE);
    const { scans } = await asYou(world, { pageSize: 100 });
    expect(scans).toMatchObject([{ kind: 'sweep', seen: 548, deleted: 2, complete: true }]);
    expect((await world.news()).sort()).toEqual([
      'task.deleted 20',
      'task.deleted 530',
      'task.updated 21',
      'task.updated 531',
    ]);
    expect(await world.state()).toMatchObject({ progress: null, count: 548 });
  });

  it('does not forget that it may have missed rows', async () => {
    const world = await baselined(6000);
    world.clock.advance(6 * HOUR);
    // From the third page on the front of the list is hidden: further than the reader steps back.
    const { list } = world.api;
    world.api.list = async (...query): Promise<Page> => {
      const front = [...world.api.rows].filter(([id]) => Number(id) <= 3000);
      const isHidden = query[1].offset > 0 && world.api.requests() > hiddenFrom;
      if (isHidden) for (const [id] of front) world.api.rows.delete(id);
      const page = await list(...query);
      if (isHidden) for (const [id, row] of front) world.api.rows.set(id, row);
      return page;
    };
    const hiddenFrom = world.api.requests() + 2;
    await breakOff(world, 8, 1000);
    world.api.list = list;
    expect((await world.state())?.progress).toMatchObject({ complete: false });
    world.clock.advance(MINUTE);
    expect((await asYou(world, { pageSize: 1000 })).scans).toMatchObject([{ kind: 'sweep', complete: false }]);
    expect(await world.news()).toEqual([]);
    expect(await world.state()).toMatchObject({ progress: null, held: null });
  });

  it('keeps a mass disappearance in a small state, and knows how many are gone', async () => {
    const world = await baselined(2500);
    world.clock.advance(6 * HOUR);
    for (let id = 1; id <= 900; id++) world.api.rows.delete(String(id));
    await breakOff(world, 1, 500);
    const progress = (await world.state())?.progress;
    expect(progress?.missing).toHaveLength(200);
    expect(progress?.more).toBe(700);
    for (let id = 901; id <= 950; id++) world.api.rows.delete(String(id));
    world.clock.advance(MINUTE);
    await breakOff(world, 1, 500);
    world.clock.advance(MINUTE);
    expect((await asYou(world, { pageSize: 500 })).scans).toMatchObject([{ kind: 'sweep', deleted: 0 }]);
    expect(await world.news()).toEqual(['source.mass_disappearance main']);
    expect(await world.state()).toMatchObject({ count: 2500, held: { count: 900 } });
    // An hour later they are asked for, 50 a sweep, and none is forgotten.
    const gone = new Set<string>();
    for (let round = 0; round < 42; round++) {
      world.clock.advance(7 * HOUR);
      await world.run({ pageSize: 500 });
      for (const line of await world.news()) if (line.startsWith('task.deleted')) gone.add(line);
    }
    expect(gone.size).toBe(950);
    expect(await world.state()).toMatchObject({ count: 1550, held: null });
  });
});

describe('pollers that are started at once', () => {
  /** Each process counts its own requests; the quota is the account's. */
  const processes = (world: World, count: number): PollPorts[] =>
    Array.from({ length: count }, (_, n) => {
      let requests = 0;
      const { list, get, quota, traits } = world.api;
      const counted = {
        traits,
        list: (...query: Parameters<typeof list>) => {
          requests += 1;
          return list(...query);
        },
        get: (...query: Parameters<typeof get>) => {
          requests += 1;
          return get(...query);
        },
        quota,
        requests: () => requests,
      };
      return { ...world.ports, api: counted, holder: `p${n}` };
    });

  const resources = (['task', 'project', 'client', 'expense'] as const).map((name) => ({
    resource: workResourceOf(name),
    cadence: { every: 5 * MINUTE, sweep: 6 * HOUR },
  }));

  it.each([2, 3])('stay within one budget: %i of them', async (count) => {
    const world = setUp();
    fill(world, 5000);
    world.api.quotaLimit = 100;
    let quotas = 0;
    world.api.before = (call) => {
      if (call === 'quota') quotas += 1;
    };
    const order = { ...world.order, resources, timeZone: 'UTC', pageSize: 100 };
    const reports = await Promise.all(processes(world, count).map((ports) => poll(ports, order)));
    expect(world.api.requests()).toBeLessThanOrEqual(80);
    expect(quotas).toBe(1);
    // One works, the others return at once.
    expect(reports.filter(({ scans, failed }) => scans.length + failed.length > 0)).toHaveLength(1);
  });

  it.each([2, 3])('sweep everything once: %i of them', async (count) => {
    const world = await baselined(50);
    world.api.put('7', { title: 'changed' });
    const reports = await Promise.all(
      processes(world, count).map((ports) => poll(ports, { ...world.order, everything: true })),
    );
    expect(reports.flatMap(({ scans }) => scans)).toMatchObject([{ kind: 'sweep', changed: 1 }]);
    expect(await world.news()).toEqual(['task.updated 7']);
  });

  it('work on different sources side by side', async () => {
    const world = await baselined(10);
    const reports = await Promise.all([
      poll({ ...world.ports, holder: 'a' }, { ...world.order, everything: true }),
      poll({ ...world.ports, holder: 'b' }, { ...world.order, source: 'other' }),
    ]);
    expect(reports.map(({ scans }) => scans.length)).toEqual([1, 1]);
  });

  it('find nothing due that the one before them has just done', async () => {
    const world = await baselined(10);
    const first = world.run();
    // Had read the states when the first one took the lease, and gets it when that one is done.
    const leases = stalling(world.ports.leases, 'acquire', 1, 'before', () => first);
    const asked = world.api.requests();
    const second = await poll({ ...world.ports, leases, holder: 'you' }, world.order);
    expect((await first).scans).toHaveLength(1);
    expect(second).toEqual({ scans: [], failed: [] });
    expect(world.api.requests() - asked).toBe(1);
  });

  it('wait for one that died no longer than its lease', async () => {
    const world = await baselined(10);
    const lease = await world.ports.leases.acquire('poll/main', 'dead', world.clock.now(), 2 * MINUTE);
    expect(lease).toBeDefined();
    world.clock.advance(2 * MINUTE - SECOND);
    expect(await world.run()).toEqual({ scans: [], failed: [], leftToAnother: true });
    world.clock.advance(SECOND);
    const report = await world.run();
    expect(report.scans).toHaveLength(1);
    expect(report.leftToAnother).toBeUndefined();
  });
});
