/** Several pollers at one source: stalled, overtaken, broken off, started at once. Nothing lost, nothing false, nothing twice. */

import { describe, expect, it } from 'vitest';
import { deriveEvents } from '../../../core/events/derive.ts';
import { RetryLater } from '../../../core/model/errors.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import { HOUR, MINUTE, SECOND } from '../../../core/model/time.ts';
import type { Page } from '../../../core/ports/source-api.ts';
import { resourceOf } from '../../../core/resources/catalogue.ts';
import { type PollOrder, type PollPorts, poll } from '../../../core/source/poll.ts';
import { snapshot } from '../../samples.ts';
import { baselined, fill, setUp, type World } from './poll-world.ts';

const LOST = [{ code: 'TIDINGS_SOURCE_LEASE_LOST' }];

/** The same port, whose nth call of this name stalls until something else is done, before or after its own effect. */
function stalling<T extends object>(
  port: T,
  name: keyof T,
  at: number,
  moment: 'before' | 'after',
  act: () => unknown,
): T {
  let calls = 0;
  return new Proxy(port, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function' || key !== name) return member;
      return async (...given: unknown[]) => {
        calls += 1;
        const isMeant = calls === at;
        if (isMeant && moment === 'before') await act();
        const result: unknown = await Reflect.apply(member, target, given);
        if (isMeant && moment === 'after') await act();
        return result;
      };
    },
  });
}

const titleOf = async ({ snapshots }: World, id: string) =>
  (await snapshots.get({ source: 'main', resource: 'task', id }))?.record.title;

/** All events so far, with their ids. */
async function told({ snapshots }: World): Promise<readonly TidingsEvent[]> {
  const entries = await snapshots.read('all of it', 100_000);
  return entries.flatMap(({ transition }) => deriveEvents(transition));
}

const linesOf = (events: readonly TidingsEvent[]) =>
  events.map(({ type, subject }) => `${type} ${subject.split('/')[1]}`);

const asYou = (world: World, change: Partial<PollOrder> = {}) =>
  poll({ ...world.ports, holder: 'you' }, { ...world.order, ...change });

async function openInvoices(): Promise<World> {
  const world = setUp('invoice');
  for (let id = 1; id <= 30; id++)
    world.api.put(String(id), { localid: `000${id}`, title: `I${id}`, total: '10.00', balance: '10.00' });
  for (let round = 0; round < 2; round++) {
    await world.run();
    world.clock.advance(5 * MINUTE);
  }
  await world.news();
  return world;
}

/** Another poller takes over after three minutes, and finds what changed meanwhile. */
const overtake =
  (world: World, change: Partial<PollOrder>, act: () => void = () => {}) =>
  async () => {
    // What is done while the page is fetched comes to its end first.
    await new Promise((resolve) => setImmediate(resolve));
    act();
    world.clock.advance(3 * MINUTE);
    const { scans, failed } = await asYou(world, change);
    expect(failed).toEqual([]);
    expect(scans).toHaveLength(1);
  };

describe('a poller that is overtaken while a page is under way', () => {
  it.each([1, 2, 3, 4, 5, 6])('leaves the baseline of the other one alone: page %i', async (page) => {
    const world = setUp();
    fill(world, 550);
    const api = stalling(world.api, 'list', page + 1, 'after', overtake(world, { pageSize: 100 }));
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
    const before = await told(world);
    const stalled = await poll({ ...world.ports, api }, order);
    expect(stalled).toMatchObject({ scans: [], failed: LOST });
    const saved = await world.state();
    for (let round = 0; round < 2; round++) {
      world.clock.advance(7 * HOUR);
      await world.run({ pageSize: 100 });
    }
    const events = (await told(world)).slice(before.length);
    const [early, late] = [Math.min(page - 1, 6), 6];
    const ids = (count: number) => Array.from({ length: count }, (_, n) => 50 + n * 100);
    // What the stalled one had told when it stalled, then what the other found; nothing goes back to what it was.
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
    const { ledger } = world.ports;
    const takeOver = async () => {
      world.clock.advance(3 * MINUTE);
      // At work, and has saved nothing yet.
      await ledger.acquireLease('poll/main', 'you', world.clock.now(), 2 * MINUTE);
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
      await world.ports.ledger.acquireLease('poll/main', 'you', world.clock.now(), 2 * MINUTE);
      asked = world.api.requests();
    };
    const api = stalling(world.api, 'list', 3, 'after', takeOver);
    expect(await poll({ ...world.ports, api }, { ...world.order, pageSize: 100 })).toMatchObject({ failed: LOST });
    // The next page may be under way already.
    expect(world.api.requests() - asked).toBeLessThanOrEqual(1);
    expect(await world.state()).toBeUndefined();
    expect(await world.ports.ledger.acquireLease('poll/main', 'me', world.clock.now(), MINUTE)).toBeUndefined();
  });

  it('tells what a delta found once, whoever found it', async () => {
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
        await world.ports.ledger.acquireLease('poll/main', 'you', world.clock.now(), 2 * MINUTE);
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
    const ledger = stalling(world.ports.ledger, 'saveScanState', 1, 'before', overtake(world, {}));
    const stalled = await poll({ ...world.ports, ledger }, world.order);
    expect(stalled).toMatchObject({ scans: [], failed: LOST });
    expect(await world.state()).toMatchObject({ lastSweepAt: world.clock.now(), failures: 0, lastError: null });
  });
});

describe('a row whose record was committed while its page was under way', () => {
  /** Time does something to the record, as tick would. */
  const restaged = (world: World, resource: string, id: string) => async () => {
    const snapshot = await world.snapshots.get({ source: 'main', resource, id });
    if (snapshot === undefined) throw new Error('it was read');
    world.clock.advance(SECOND);
    const next = { ...snapshot, version: 2, cause: 'tick' as const, committedAt: world.clock.now() };
    expect(await world.snapshots.commit([{ snapshot: next, expected: 1 }])).toEqual(['committed']);
  };

  it('is left to the next look a minute later, and told once; the others are told at once', async () => {
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
    const snapshots = stalling(world.snapshots, 'getMany', 1, 'after', restaged(world, 'task', '7'));
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
    expect(await world.ports.ledger.acquireLease('poll/main', 'you', world.clock.now(), MINUTE)).toBeDefined();
  });

  it('ends the scan when another came and went, and the lease is free', async () => {
    const world = setUp();
    fill(world, 350);
    const { ledger, clock } = world.ports;
    const passBy = async () => {
      world.clock.advance(5 * MINUTE);
      const lease = await ledger.acquireLease('poll/main', 'you', clock.now(), MINUTE);
      if (lease !== undefined) await ledger.releaseLease(lease);
    };
    const api = stalling(world.api, 'list', 3, 'after', passBy);
    expect(await poll({ ...world.ports, api }, { ...world.order, pageSize: 100 })).toMatchObject({ failed: LOST });
    expect(await ledger.acquireLease('poll/main', 'them', clock.now(), MINUTE)).toBeDefined();
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

  it.each([1, 2, 3, 4, 5, 6])('tells the deletions on both sides of page %i, and each change once', async (page) => {
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
      const { list, get, quota } = world.api;
      const counted = {
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
    resource: resourceOf(name),
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
    const ledger = stalling(world.ports.ledger, 'acquireLease', 1, 'before', () => first);
    const asked = world.api.requests();
    const second = await poll({ ...world.ports, ledger, holder: 'you' }, world.order);
    expect((await first).scans).toHaveLength(1);
    expect(second).toEqual({ scans: [], failed: [] });
    expect(world.api.requests() - asked).toBe(1);
  });

  it('wait for one that died no longer than its lease', async () => {
    const world = await baselined(10);
    const lease = await world.ports.ledger.acquireLease('poll/main', 'dead', world.clock.now(), 2 * MINUTE);
    expect(lease).toBeDefined();
    world.clock.advance(2 * MINUTE - SECOND);
    expect((await world.run()).scans).toEqual([]);
    world.clock.advance(SECOND);
    expect((await world.run()).scans).toHaveLength(1);
  });
});
