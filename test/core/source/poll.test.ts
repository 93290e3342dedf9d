/** Polling as a whole, on real stores and an API in memory: what is missed, what is false, what a crash leaves. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { DAY, HOUR, MINUTE } from '../../../core/model/time.ts';
import { poll } from '../../../core/source/poll.ts';
import type { PollPorts } from '../../../core/source/poll-ports.ts';
import { baselined, fill, setUp, stalling, titleOf, type World } from './poll-world.ts';

describe('baseline', () => {
  it('is silent but for one source.baselined, with counts', async () => {
    const world = setUp();
    fill(world, 1203);
    const { scans } = await world.run();
    expect(scans).toMatchObject([{ kind: 'sweep', baseline: true, seen: 1203, created: 1203, complete: true }]);
    expect(await world.news()).toEqual(['source.baselined main']);
    expect((await world.snapshots.get({ source: 'main', resource: 'source', id: 'main' }))?.record.counts).toEqual({
      task: 1203,
    });
  });

  it('emits nothing for what changed while it was interrupted, and resumes where it stopped', async () => {
    const world = setUp();
    fill(world, 2600);
    world.api.before = (_, count) => {
      world.clock.advance(20_000);
      if (count === 3) throw new RetryLater('TIDINGS_SOURCE_STATUS', 'answered 502');
    };
    expect((await world.run()).failed).toHaveLength(1);
    world.api.put('1', { title: 'changed meanwhile' });
    world.clock.advance(MINUTE);
    const asked = world.api.requests();
    const { scans } = await world.run();
    expect(scans).toMatchObject([{ baseline: true, seen: 2600, complete: true }]);
    expect(world.api.requests() - asked).toBeLessThan(4);
    expect(await world.news()).toEqual(['source.baselined main']);
  });

  it.each(['before', 'after'] as const)(
    'that ends %s the second commit of a page continues with all its rows',
    async (moment) => {
      const world = setUp();
      fill(world, 2000);
      // After the account and the first page, 500 rows in three commits; the second page has 1,000, in commits of 200.
      const snapshots = stalling(world.ports.snapshots, 'commit', 6, moment, () => {
        throw new Error('the process was killed');
      });
      expect((await poll({ ...world.ports, snapshots }, world.order)).failed).toHaveLength(1);
      expect(await titleOf(world, '700')).toBe('T700');
      expect(await titleOf(world, '701')).toBe(moment === 'after' ? 'T701' : undefined);
      world.api.put('600', { title: 'changed meanwhile' });
      world.clock.advance(5 * MINUTE);
      const { scans } = await world.run();
      expect(scans).toMatchObject([{ baseline: true, seen: 2000, complete: true }]);
      expect(await titleOf(world, '600')).toBe('changed meanwhile');
      expect(await titleOf(world, '2000')).toBe('T2000');
      expect(await world.news()).toEqual(['source.baselined main']);
    },
  );
});

describe('a baseline of many records', () => {
  it('lets other work run after every 200', async () => {
    const world = setUp();
    fill(world, 3000);
    let turns = 0;
    let isDone = false;
    const countTurn = () => {
      turns += 1;
      if (!isDone) setImmediate(countTurn);
    };
    setImmediate(countTurn);
    await world.run();
    isDone = true;
    expect(turns).toBeGreaterThanOrEqual(13);
  });
});

describe('a delta', () => {
  it('emits new and changed records once, although it looks back', async () => {
    const world = await baselined(50);
    world.api.put('7', { title: 'Better' });
    world.api.put('51', { title: 'New' });
    expect((await world.run()).scans).toMatchObject([{ kind: 'delta', created: 1, changed: 1, requests: 1 }]);
    expect(await world.news()).toEqual(['task.updated 7', 'task.created 51']);
    world.clock.advance(5 * MINUTE);
    expect((await world.run()).scans).toMatchObject([{ kind: 'delta', created: 0, changed: 0 }]);
    expect(await world.news()).toEqual([]);
  });

  it('finds a record with the very second of the cursor, and one that was indexed four minutes late', async () => {
    const world = await baselined(5);
    world.api.put('2', { title: 'same second' });
    await world.run();
    expect(await world.news()).toEqual(['task.updated 2']);
    const stamped = world.api.rows.get('2')?.datemodified;
    world.clock.advance(4 * MINUTE);
    world.api.rows.set('3', { ...world.api.rows.get('3'), title: 'late', datemodified: stamped });
    world.clock.advance(MINUTE);
    await world.run();
    expect(await world.news()).toEqual(['task.updated 3']);
  });

  it('still finds what a sweep of a list that would not settle had hidden', async () => {
    const world = await baselined(5);
    world.api.put('2', { title: 'hidden' });
    // Longer than a delta looks back.
    world.clock.advance(10 * MINUTE);
    const { list } = world.api;
    // Four rows of five that are counted: asked twice, then the sweep is incomplete.
    world.api.list = async (...query) => {
      const page = await list(...query);
      const content = page.content();
      return {
        ...page,
        digest: 'short',
        content: () => ({ ...content, rows: content.rows.filter(({ id }) => id !== '2') }),
      };
    };
    expect((await world.run({ everything: true })).scans).toMatchObject([{ kind: 'sweep', complete: false }]);
    expect(await world.news()).toEqual([]);
    world.api.list = list;
    world.clock.advance(20 * MINUTE);
    expect((await world.run()).scans).toMatchObject([{ kind: 'delta' }]);
    expect(await world.news()).toEqual(['task.updated 2']);
  });

  it('moves its cursor only after a scan that read to its end', async () => {
    const world = await baselined(5);
    world.api.put('2', { title: 'unlucky' });
    world.api.before = (call) => {
      if (call === 'list') throw new RetryLater('TIDINGS_SOURCE_STATUS', 'answered 500');
    };
    for (let minute = 0; minute < 60; minute++) {
      world.clock.advance(MINUTE);
      await world.run();
    }
    world.api.before = () => {};
    world.clock.advance(5 * MINUTE);
    await world.run();
    expect(await world.news()).toEqual(['source.unreachable main', 'task.updated 2', 'source.recovered main']);
  });

  it('brings a sweep forward when the count does not add up', async () => {
    const world = await baselined(50);
    world.api.rows.delete('9');
    const kinds: string[] = [];
    for (let minute = 0; minute < 60; minute += 5) {
      kinds.push(...(await world.run()).scans.map(({ kind }) => kind));
      world.clock.advance(5 * MINUTE);
    }
    expect(kinds).toContain('sweep');
    expect(await world.news()).toEqual(['task.deleted 9']);
  });
});

describe('a baseline that announces existing records', () => {
  it('announces each once, even if it ends before its state is saved and the records are edited', async () => {
    const world = setUp();
    for (let id = 1; id <= 3; id++)
      world.api.put(String(id), { title: `T${id}`, datedue: '2026-11-01', status: 'Open' });
    const lines: string[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      let isKilled = false;
      const save: typeof world.ports.scanStates.save = async (state) => {
        isKilled ||= attempt < 2 && state.baselinedAt !== null;
        if (isKilled) throw new Error('killed');
        return world.ports.scanStates.save(state);
      };
      const scanStates = {
        ...world.ports.scanStates,
        get: world.ports.scanStates.get.bind(world.ports.scanStates),
        save,
      };
      const options = { ...world.order, announceExisting: true };
      await poll({ ...world.ports, scanStates }, options).catch(() => undefined);
      lines.push(...(await world.news()));
      world.clock.advance(10 * MINUTE);
      world.api.put('2', { title: `Edited ${attempt}` });
    }
    expect(lines.filter((line) => line.startsWith('task.overdue')).toSorted()).toEqual(
      ['1', '2', '3'].map((id) => `task.overdue ${id}`),
    );
  });
});

describe('the report of a baseline', () => {
  it('says whether events are sent for existing records', async () => {
    const reportOf = async (announceExisting: boolean) => {
      const world = setUp();
      world.api.put('1', { title: 'T1', datedue: '2026-11-01', status: 'Open' });
      return (await poll(world.ports, { ...world.order, announceExisting })).scans[0];
    };
    expect(await reportOf(true)).toMatchObject({ baseline: true, announcesExisting: true });
    expect(await reportOf(false)).toMatchObject({ baseline: true, announcesExisting: false });
  });
});

describe('a sweep', () => {
  const sweep = async (world: World) => {
    world.clock.advance(6 * HOUR);
    return (await world.run()).scans[0];
  };

  it('reads no snapshot and writes nothing when nothing changed', async () => {
    const world = await baselined(3000);
    const touched: string[] = [];
    const spy = <T extends object>(store: T): T =>
      new Proxy(store, {
        get: (target, property) => {
          touched.push(String(property));
          return Reflect.get(target, property);
        },
      });
    // The first sweep after the baseline finds larger pages.
    await sweep(world);
    world.clock.advance(6 * HOUR);
    await poll({ ...world.ports, snapshots: spy(world.snapshots), manifests: spy(world.ports.manifests) }, world.order);
    // Only the health of the source, its account and the due moments are read.
    expect(touched.sort()).toEqual(['due', 'get', 'get', 'head']);
  });

  it('refreshes a renamed project in 3,000 tasks without an event', async () => {
    const world = await baselined(3000);
    for (const [id, row] of world.api.rows) world.api.rows.set(id, { ...row, project: 'Renamed' });
    expect(await sweep(world)).toMatchObject({ changed: 3000 });
    expect(await world.news()).toEqual([]);
    expect((await world.snapshots.get({ source: 'main', resource: 'task', id: '77' }))?.record.project).toBe('Renamed');
  });

  it('emits nothing when a role hides fields, nor when they come back', async () => {
    const world = await baselined(100);
    const all = new Map(world.api.rows);
    for (const [id, { statusid: _, ...row }] of all) world.api.rows.set(id, row);
    await sweep(world);
    for (const [id, row] of all) world.api.rows.set(id, row);
    await sweep(world);
    expect(await world.news()).toEqual([]);
  });

  it('calls a record deleted once its member answers 404, restored when it is back, under growing versions', async () => {
    const world = await baselined(100);
    const row = world.api.rows.get('42');
    world.api.rows.delete('42');
    expect(await sweep(world)).toMatchObject({ deleted: 1 });
    await sweep(world);
    if (row !== undefined) world.api.rows.set('42', row);
    await sweep(world);
    expect(await world.news()).toEqual(['task.deleted 42', 'task.restored 42']);
    expect((await world.snapshots.get({ source: 'main', resource: 'task', id: '42' }))?.version).toBe(3);
  });

  it('does not call a record deleted that the list hides but its member shows', async () => {
    const world = await baselined(100);
    const hidden = world.api.rows.get('42');
    const get = world.api.get;
    world.api.rows.delete('42');
    world.api.get = async (resource, id) => (id === '42' ? hidden : get(resource, id));
    await sweep(world);
    expect(await world.news()).toEqual([]);
  });

  it.each([
    ['not allowed to look', () => new GiveUp('TIDINGS_SOURCE_FORBIDDEN', '403')],
    ['the API is down', () => new RetryLater('TIDINGS_SOURCE_STATUS', '502')],
  ])('does not call a record deleted when its member says: %s', async (_, error) => {
    const world = await baselined(100);
    world.api.rows.delete('42');
    world.api.before = (call) => {
      if (call === 'get') throw error();
    };
    await sweep(world);
    expect(await world.news()).not.toContain('task.deleted 42');
    world.api.before = () => {};
    await sweep(world);
    expect(await world.news()).toContain('task.deleted 42');
  });

  it('holds a mass disappearance, says so once, and lets it go when the records are back', async () => {
    const world = await baselined(200);
    const all = new Map(world.api.rows);
    for (let id = 1; id <= 50; id++) world.api.rows.delete(String(id));
    await sweep(world);
    expect(await world.news()).toEqual(['source.mass_disappearance main']);
    for (const [id, row] of all) world.api.rows.set(id, row);
    await sweep(world);
    await sweep(world);
    expect(await world.news()).toEqual([]);
    expect((await world.state())?.held).toBeNull();
  });

  it('believes a mass disappearance that lasts and whose records are truly gone', async () => {
    const world = await baselined(200);
    for (let id = 1; id <= 60; id++) world.api.rows.delete(String(id));
    for (let round = 0; round < 4; round++) await sweep(world);
    const news = await world.news();
    expect(news[0]).toBe('source.mass_disappearance main');
    expect(new Set(news.slice(1))).toEqual(
      new Set(Array.from({ length: 60 }, (_, index) => `task.deleted ${index + 1}`)),
    );
    expect(news).toHaveLength(61);
  });

  it('takes an empty list for a fault, not for the end of the account', async () => {
    const world = await baselined(200);
    const all = new Map(world.api.rows);
    world.api.rows.clear();
    const get = world.api.get;
    world.api.get = async (resource, id) => all.get(id) ?? get(resource, id);
    for (let round = 0; round < 3; round++) await sweep(world);
    expect(await world.news()).toEqual(['source.mass_disappearance main']);
  });

  it('sees A become B and A again, though the page looks as it did', async () => {
    const world = setUp();
    fill(world, 20);
    // Without a modification date nothing shows that the row is older than B.
    const { datemodified: _, ...original } = world.api.rows.get('5') ?? {};
    world.api.rows.set('5', original);
    await world.run();
    await world.news();
    world.clock.advance(5 * MINUTE);
    world.api.put('5', { title: 'B' });
    await world.run();
    world.api.rows.set('5', original);
    await sweep(world);
    expect(await world.news()).toEqual(['task.updated 5', 'task.updated 5']);
    expect((await world.snapshots.get({ source: 'main', resource: 'task', id: '5' }))?.record.title).toBe('T5');
  });
});

describe('invoices', () => {
  it('are seen to be paid when they leave the open ones: one request for the list, one for those that left', async () => {
    const world = setUp('invoice');
    for (let id = 1; id <= 30; id++)
      world.api.put(String(id), { localid: `000${id}`, title: `I${id}`, total: '10.00', balance: '10.00' });
    await world.run();
    await world.news();
    world.clock.advance(5 * MINUTE);
    await world.run();
    for (const id of ['3', '4']) world.api.put(id, { balance: '0.00', datepaid: '2026-11-14' });
    world.clock.advance(5 * MINUTE);
    expect((await world.run()).scans).toMatchObject([{ kind: 'open', changed: 2, requests: 2 }]);
    expect(await world.news()).toEqual(['invoice.paid 3', 'invoice.updated 3', 'invoice.paid 4', 'invoice.updated 4']);
    world.clock.advance(5 * MINUTE);
    expect((await world.run()).scans).toMatchObject([{ kind: 'open', changed: 0, requests: 1 }]);
  });

  it('are re-read by id when their local id is empty, textual, or shared with another invoice', async () => {
    const world = setUp('invoice');
    const localids = ['', null, 'INV-3', '0004', '0004', '123456789012345678901', '0007'];
    for (const [at, localid] of localids.entries())
      world.api.put(String(at + 1), { localid, title: 'I', total: '10.00', balance: '10.00' });
    for (let round = 0; round < 2; round++) {
      await world.run();
      world.clock.advance(5 * MINUTE);
    }
    await world.news();
    for (const id of ['1', '2', '3', '5', '6', '7']) world.api.put(id, { balance: '0.00', datepaid: '2026-11-14' });
    const { scans, failed } = await world.run();
    expect(failed).toEqual([]);
    expect(scans).toMatchObject([{ kind: 'open', changed: 6 }]);
    const paid = (await world.news()).filter((line) => line.startsWith('invoice.paid')).toSorted();
    expect(paid).toEqual(['1', '2', '3', '5', '6', '7'].map((id) => `invoice.paid ${id}`));
    // All were found: no sweep is needed.
    expect(await world.state()).toMatchObject({ sweepSoon: false });
  });

  it('are re-read 50 at a time when none has a local id', async () => {
    const world = setUp('invoice');
    for (let id = 1; id <= 120; id++)
      world.api.put(String(id), { localid: '', title: `I${id}`, total: '10.00', balance: '10.00' });
    for (let round = 0; round < 2; round++) {
      await world.run();
      world.clock.advance(5 * MINUTE);
    }
    await world.news();
    for (let id = 1; id <= 60; id++) world.api.put(String(id), { balance: '0.00', datepaid: '2026-11-14' });
    expect((await world.run()).scans).toMatchObject([{ kind: 'open', changed: 50 }]);
    world.clock.advance(5 * MINUTE);
    await world.run();
    expect((await world.news()).filter((line) => line.startsWith('invoice.paid'))).toHaveLength(60);
  });
});

describe('health', () => {
  const failing = (world: World, error: () => Error) => {
    world.api.before = (call) => {
      if (call !== 'quota') throw error();
    };
  };

  it.each([
    [
      'unreachable',
      () => new RetryLater('TIDINGS_SOURCE_UNREACHABLE', 'reset'),
      ['source.unreachable main', 'source.recovered main'],
    ],
    [
      'unauthorized',
      () => new GiveUp('TIDINGS_SOURCE_UNAUTHORIZED', '401'),
      ['source.unauthorized main', 'source.recovered main'],
    ],
    ['forbidden', () => new GiveUp('TIDINGS_SOURCE_FORBIDDEN', '403'), ['source.forbidden main']],
    [
      'out of quota',
      () => new RetryLater('TIDINGS_SOURCE_QUOTA_EXHAUSTED', 'code 11'),
      ['source.quota_exhausted main'],
    ],
  ])('says once that it is %s, and once that it is over', async (_, error, expected) => {
    const world = await baselined(10);
    failing(world, error);
    for (let minute = 0; minute < 120; minute++) {
      world.clock.advance(MINUTE);
      await world.run();
    }
    world.api.before = () => {};
    for (let minute = 0; minute < 1500; minute += 5) {
      world.clock.advance(5 * MINUTE);
      await world.run();
    }
    expect(await world.news()).toEqual(expected);
  });

  it('says when the quota resets while it is used up, and not after', async () => {
    const world = await baselined(10);
    const { quota } = world.api;
    const resetsAt = '2026-11-15T00:00:00.000Z';
    world.api.quota = async () => ({ limit: 0, used: 0, ...(await quota()), resetsAt });
    failing(world, () => new RetryLater('TIDINGS_SOURCE_QUOTA_EXHAUSTED', 'code 11'));
    world.clock.advance(HOUR);
    await world.run();
    const health = async () => (await world.snapshots.get({ source: 'main', resource: 'source', id: 'main' }))?.record;
    expect(await health()).toMatchObject({ quota: 'exhausted', quotaResetsAt: resetsAt });
    world.api.before = () => {};
    world.clock.advance(DAY);
    await world.run();
    expect(await health()).toMatchObject({ quota: 'ok' });
    expect(await health()).not.toHaveProperty('quotaResetsAt');
  });

  it('makes no request beyond the reserve, says that the quota runs low and out, and goes on when there is more', async () => {
    const world = await baselined(10);
    world.api.quotaLimit = 60;
    for (let minute = 0; minute < 6000; minute += 5) {
      world.clock.advance(5 * MINUTE);
      await world.run();
    }
    expect(world.api.requests()).toBeLessThanOrEqual(48);
    const news = await world.news();
    expect(news).toEqual(['source.quota_low main', 'source.quota_exhausted main']);
    world.api.quotaLimit = 10_000;
    world.api.put('3', { title: 'after the reset' });
    world.clock.advance(6 * HOUR);
    await world.run();
    expect(await world.news()).toEqual(['task.updated 3']);
  });
});

describe('two pollers', () => {
  it('do not poll the same resource at once', async () => {
    const world = await baselined(10);
    const [a, b] = await Promise.all([world.run(), poll({ ...world.ports, holder: 'you' }, world.order)]);
    expect([a.scans.length, b.scans.length].sort()).toEqual([0, 1]);
  });

  it('lose and double nothing when one stalls, is overtaken, and comes back', async () => {
    const world = await baselined(1500);
    world.api.put('700', { title: 'moved' });
    world.clock.advance(6 * HOUR);
    let overtaken = false;
    world.api.before = () => {
      if (overtaken) return;
      overtaken = true;
      world.clock.advance(10 * MINUTE);
    };
    const other = { ...world.ports, holder: 'you' };
    const slow = world.run();
    await poll(other, world.order);
    await slow;
    world.clock.advance(5 * MINUTE);
    await world.run();
    expect(await world.news()).toEqual(['task.updated 700']);
  });
});

describe('any history, with any crash', () => {
  const STALLS = ['list', 'getMany', 'commit', 'markDirty', 'saveState'] as const;
  interface Stall {
    readonly call: (typeof STALLS)[number];
    readonly at: number;
    readonly id: string;
    /** null: the record goes. */
    readonly title: string | null;
  }
  const id = fc.integer({ min: 1, max: 30 }).map(String);
  const step = fc.oneof(
    fc.record({ do: fc.constant('put' as const), id, title: fc.constantFrom('A', 'B', 'C') }),
    fc.record({ do: fc.constant('delete' as const), id }),
    fc.record({
      do: fc.constant('poll' as const),
      minutes: fc.constantFrom(5, 6, 30, 361),
      gone: fc.option(id),
      at: fc.integer({ min: 1, max: 4 }),
    }),
    fc.record({
      do: fc.constant('crash' as const),
      minutes: fc.constantFrom(5, 361),
      after: fc.integer({ min: 1, max: 25 }),
    }),
    fc.record({
      do: fc.constant('stall' as const),
      minutes: fc.constantFrom(5, 361),
      call: fc.constantFrom(...STALLS),
      at: fc.integer({ min: 1, max: 5 }),
      id,
      title: fc.constantFrom('A', 'B', 'C', null),
    }),
  );

  /** At the nth such call something changes, and another poller takes over: this one has been away for minutes. */
  function overtaken(world: World, pageSize: number, stall: Stall): PollPorts {
    const act = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      if (stall.title === null) world.api.rows.delete(stall.id);
      else world.api.put(stall.id, { localid: stall.id, title: stall.title, statusid: '1' });
      world.clock.advance(3 * MINUTE);
      await poll({ ...world.ports, holder: 'you' }, { ...world.order, pageSize });
    };
    const { api, snapshots, manifests, scanStates } = world.ports;
    const at = <T extends object>(port: T, name: keyof T, isMeant: boolean): T =>
      isMeant ? stalling(port, name, stall.at, name === 'list' ? 'after' : 'before', act) : port;
    return {
      ...world.ports,
      api: at(api, 'list', stall.call === 'list'),
      snapshots: at(at(snapshots, 'getMany', stall.call === 'getMany'), 'commit', stall.call === 'commit'),
      scanStates: at(scanStates, 'save', stall.call === 'saveState'),
      manifests: at(manifests, 'markDirty', stall.call === 'markDirty'),
    };
  }

  /** Every port dies after so many calls, before or after the effect, and stays dead: the process was killed. */
  function mortal(ports: PollPorts, lives: number): PollPorts {
    let calls = 0;
    const wrap = <T extends object>(port: T): T =>
      new Proxy(port, {
        get: (target, property) => {
          const member = Reflect.get(target, property);
          if (typeof member !== 'function' || property === 'requests' || property === 'list') return member;
          return async (...args: unknown[]) => {
            calls += 1;
            if (calls > lives) throw new Error('killed');
            const result = await Reflect.apply(member, target, args);
            if (calls === lives && lives % 2 === 0) throw new Error('killed');
            return result;
          };
        },
      });
    return {
      ...ports,
      snapshots: wrap(ports.snapshots),
      manifests: wrap(ports.manifests),
      scanStates: wrap(ports.scanStates),
      leases: wrap(ports.leases),
    };
  }

  it('ends with snapshots that are the truth, one creation and one deletion per life of a record', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.constantFrom(2, 3, 5, 500), async (steps, pageSize) => {
        const world = await baselined(12);
        const known = new Set(world.api.rows.keys());
        for (const one of steps) {
          world.clock.advance(1000);
          world.api.before = () => {};
          if (one.do === 'put') world.api.put(one.id, { localid: one.id, title: one.title, statusid: '1' });
          else if (one.do === 'delete') world.api.rows.delete(one.id);
          else {
            world.clock.advance(one.minutes * MINUTE);
            if (one.do === 'poll' && one.gone !== null) {
              // A record goes in the middle of the reading.
              const [start, { gone, at }] = [world.api.requests(), one];
              world.api.before = (_, count) => {
                if (count === start + at) world.api.rows.delete(gone ?? '');
              };
            }
            const ports =
              one.do === 'crash'
                ? mortal(world.ports, one.after)
                : one.do === 'stall'
                  ? overtaken(world, pageSize, one)
                  : world.ports;
            await poll(ports, { ...world.order, pageSize }).catch((error: Error) =>
              expect(error.message).toBe('killed'),
            );
          }
        }
        world.api.before = () => {};
        // Twice: the first finds what is missing after a brake, the second what was held by it.
        for (let round = 0; round < 4; round++) {
          world.clock.advance(7 * HOUR);
          await world.run({ pageSize });
        }
        const live = new Map<string, unknown>();
        for await (const { key, record, deletedAt } of world.snapshots.list('main', 'task')) {
          if (deletedAt === null) live.set(key.id, record.title);
        }
        expect(live).toEqual(new Map([...world.api.rows].map(([id, { title }]) => [id, title])));
        // created (unless it was there at the baseline), then deleted and restored in turns.
        const lives = new Map<string, string[]>();
        for (const line of await world.news()) {
          const [type = '', subject = ''] = line.split(' ');
          if (/created|deleted|restored/.test(type)) lives.set(subject, [...(lives.get(subject) ?? []), type]);
        }
        for (const [subject, types] of lives) {
          const born = known.has(subject) ? [] : ['task.created'];
          const turns = types
            .slice(born.length)
            .map((_, index) => (index % 2 === 0 ? 'task.deleted' : 'task.restored'));
          expect(types).toEqual([...born, ...turns]);
        }
      }),
      {
        numRuns: 200,
        // Once lost the last page of the manifest: a page was known by the digest of one with another number.
        examples: [
          [
            [
              { do: 'poll', minutes: 361, gone: '1', at: 2 },
              { do: 'poll', minutes: 361, gone: '7', at: 3 },
            ],
            5,
          ],
        ],
      },
    );
  });
});
