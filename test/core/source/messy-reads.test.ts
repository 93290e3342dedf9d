/** Polling an API whose answers are outdated, incomplete or broken: what is emitted, when, and what is not. */

import { describe, expect, it } from 'vitest';
import { RetryLater } from '../../../core/model/errors.ts';
import { DAY, type Duration, HOUR, MINUTE, plus } from '../../../core/model/time.ts';
import type { ManifestStore } from '../../../core/ports/manifest-store.ts';
import type { ListQuery, PageContent, WireRow } from '../../../core/ports/source-api.ts';
import { defaultRules } from '../../../core/snapshot/stage.ts';
import { poll } from '../../../core/source/poll.ts';
import { baselined, fill, openInvoices, setUp, type World } from './poll-world.ts';

const invoices = async (count: number): Promise<World> => {
  const world = setUp('invoice');
  for (let id = 1; id <= count; id++)
    world.api.put(String(id), { localid: `000${id}`, title: `I${id}`, total: '10.00', balance: '10.00' });
  await world.run();
  await world.news();
  return world;
};

const pay = ({ api }: World, id: string) => api.put(id, { balance: '0.00', datepaid: '2026-11-14' });

/** The next list shows this row, single reads the stored one. */
async function readStaleList(world: World, row: WireRow, after: Duration = 6 * HOUR): Promise<string[]> {
  const { list } = world.api;
  const stored = world.api.rows.get('3') ?? expect.unreachable();
  world.api.list = async (...query) => {
    world.api.rows.set('3', row);
    const page = await list(...query);
    world.api.rows.set('3', stored);
    return page;
  };
  world.clock.advance(after);
  await world.run({ everything: true });
  world.api.list = list;
  return world.news();
}

describe('an invoice with less payments than before', () => {
  const PAID = { payments: '10.00', balance: '0.00', datepaid: '2026-11-14' };

  /** Invoice 3 is paid. Returns its row before. */
  async function withPaid(): Promise<[World, WireRow]> {
    const world = await invoices(30);
    await world.run();
    const unpaid = world.api.rows.get('3') ?? expect.unreachable();
    world.api.put('3', PAID);
    world.clock.advance(5 * MINUTE);
    await world.run();
    expect(await world.news()).toContain('invoice.paid 3');
    return [world, unpaid];
  }

  it('was not reversed and not paid again if only a list says so', async () => {
    const [world, unpaid] = await withPaid();
    expect(await readStaleList(world, { ...unpaid, payments: '0.00' })).toEqual([]);
    world.clock.advance(6 * HOUR);
    await world.run({ everything: true });
    expect(await world.news()).toEqual([]);
  });

  it('is left to the next scan if it cannot be read', async () => {
    const [world, unpaid] = await withPaid();
    const { get } = world.api;
    world.api.get = async () => {
      throw new RetryLater('TIDINGS_SOURCE_STATUS', '500');
    };
    expect(await readStaleList(world, { ...unpaid, payments: '0.00' })).toEqual([]);
    world.api.get = get;
    world.api.put('3', { ...unpaid, payments: '4.00', balance: '6.00', datepaid: '' });
    world.clock.advance(6 * HOUR);
    await world.run({ everything: true });
    expect(await world.news()).toContain('invoice.payment_reversed 3');
  });

  it('was reversed if its own record says so', async () => {
    const [world, unpaid] = await withPaid();
    world.api.put('3', { ...unpaid, payments: '0.00', datepaid: '' });
    world.clock.advance(6 * HOUR);
    await world.run({ everything: true });
    expect(await world.news()).toContain('invoice.payment_reversed 3');
  });
});

describe('an invoice whose payment is reversed minutes after it was found', () => {
  it('is emitted as reversed once every replica has the payment', async () => {
    const world = await openInvoices();
    const unpaid = world.api.rows.get('3') ?? expect.unreachable();
    world.api.put('3', { payments: '10.00', balance: '0.00', datepaid: '2026-11-14' });
    await world.run();
    expect(await world.news()).toContain('invoice.paid 3');
    world.api.put('3', { ...unpaid, payments: '0.00', datepaid: '' });
    world.clock.advance(5 * MINUTE);
    await world.run();
    expect(await world.news()).toEqual([]);
    world.clock.advance(5 * MINUTE);
    await world.run();
    expect(await world.news()).toContain('invoice.payment_reversed 3');
  });
});

describe('an invoice paid right after the baseline', () => {
  it('is emitted by the first open scan', async () => {
    const world = await invoices(30);
    pay(world, '3');
    world.clock.advance(5 * MINUTE);
    expect((await world.run()).scans).toMatchObject([{ kind: 'open', changed: 1, requests: 2 }]);
    expect(await world.news()).toEqual(['invoice.paid 3', 'invoice.updated 3']);
  });

  it('is emitted by the next open scan when the manifest is lost', async () => {
    const world = await invoices(30);
    world.clock.advance(5 * MINUTE);
    await world.run();
    pay(world, '4');
    world.clock.advance(5 * MINUTE);
    const { manifests } = world.ports;
    const lost: ManifestStore = { ...manifests, head: async () => undefined };
    await poll({ ...world.ports, manifests: lost }, world.order);
    expect(await world.news()).toEqual(['invoice.paid 4', 'invoice.updated 4']);
  });

  it('costs one request more, once: paid invoices are not read again', async () => {
    const world = await invoices(30);
    for (const id of ['1', '2']) pay(world, id);
    world.clock.advance(5 * MINUTE);
    await world.run();
    world.clock.advance(5 * MINUTE);
    expect((await world.run()).scans).toMatchObject([{ kind: 'open', changed: 0, requests: 1 }]);
  });
});

describe('a record of a baseline that did not finish', () => {
  const interrupted = async () => {
    const world = setUp();
    fill(world, 2600);
    world.api.put('7', { datedue: '2026-11-20', statusid: '1', status: 'Open' });
    world.api.before = (_, count) => {
      if (count === 3) throw new RetryLater('TIDINGS_SOURCE_STATUS', 'answered 502');
    };
    expect((await world.run()).failed).toHaveLength(1);
    world.api.before = () => {};
    return world;
  };
  const snapshotOf = (world: World, id: string) => world.snapshots.get({ source: 'main', resource: 'task', id });

  it('is deleted when the second baseline does not list it and the API says 404', async () => {
    const world = await interrupted();
    world.api.rows.delete('7');
    world.clock.advance(2 * HOUR);
    expect((await world.run()).scans).toMatchObject([{ baseline: true, seen: 2599, deleted: 1 }]);
    expect(await world.news()).toEqual(['task.deleted 7', 'source.baselined main']);
    expect(await snapshotOf(world, '7')).toMatchObject({ deletedAt: world.clock.now(), nextMoment: null });
  });

  it('emits nothing when the second baseline lists it, changed or not', async () => {
    const world = await interrupted();
    world.api.put('8', { title: 'changed' });
    world.clock.advance(2 * HOUR);
    await world.run();
    expect(await world.news()).toEqual(['source.baselined main']);
    expect((await snapshotOf(world, '8'))?.record.title).toBe('changed');
  });
});

describe('a row older than its snapshot', () => {
  const OLD = '2026-11-01 08:00:00';
  const titleOf = async (world: World) =>
    (await world.snapshots.get({ source: 'main', resource: 'task', id: '5' }))?.record.title;
  /** Task 5 was changed and the change was emitted; then a replica shows it as it was before. */
  const lagging = async () => {
    const world = await baselined(20);
    const before = { ...world.api.rows.get('5') };
    world.api.put('5', { title: 'new' });
    await world.run();
    expect(await world.news()).toEqual(['task.updated 5']);
    const after = { ...world.api.rows.get('5') };
    world.api.rows.set('5', before);
    return { ...world, before, after };
  };

  it('is not news for a sweep, and neither is its return', async () => {
    const world = await lagging();
    for (const row of [world.before, world.after, world.before, world.after]) {
      world.api.rows.set('5', row);
      world.clock.advance(MINUTE);
      await world.run({ everything: true });
    }
    expect(await world.news()).toEqual([]);
    expect(await titleOf(world)).toBe('new');
  });

  it('is not news for a delta, whose cursor stays until the replica has caught up', async () => {
    const world = await baselined(20);
    world.api.put('5', { title: 'new' });
    await world.run();
    await world.news();
    const cursor = (await world.state())?.cursor ?? '';
    const stamp = plus(cursor, -2 * MINUTE)
      .slice(0, 19)
      .replace('T', ' ');
    world.api.rows.set('5', { ...world.api.rows.get('5'), title: 'old', datemodified: stamp });
    world.clock.advance(5 * MINUTE);
    await world.run();
    expect(await world.news()).toEqual([]);
    expect((await world.state())?.cursor).toBe(cursor);
  });

  it('is news when it is of the same second, and a day later, when no replica lags that much', async () => {
    const world = await lagging();
    world.api.rows.set('5', { ...world.after, title: 'same second' });
    await world.run({ everything: true });
    expect(await world.news()).toEqual(['task.updated 5']);
    world.api.rows.set('5', { ...world.after, title: 'restored from a backup', datemodified: OLD });
    await world.run({ everything: true });
    expect(await world.news()).toEqual([]);
    for (let hours = 0; hours < 30; hours += 6) {
      world.clock.advance(6 * HOUR);
      await world.run();
    }
    expect(await world.news()).toEqual(['task.updated 5']);
    expect(await titleOf(world)).toBe('restored from a backup');
  });

  it('is news a day later, even if other rules restaged its record meanwhile', async () => {
    const world = await baselined(0);
    world.api.put('5', { localid: '5', title: 'new', statusid: '1', datedue: '2026-11-20' });
    await world.run({ everything: true });
    world.api.rows.set('5', { ...world.api.rows.get('5'), title: 'restored from a backup', datemodified: OLD });
    await world.news();
    for (let hours = 0; hours < 30; hours += 6) {
      world.clock.advance(6 * HOUR);
      // Each time the due date is announced earlier.
      await world.run({ everything: true, rules: { ...defaultRules, taskDueSoon: hours / 6 } });
    }
    expect(await titleOf(world)).toBe('restored from a backup');
  });
});

/** Changes what the API lists, page by page. */
function bend(
  { api }: World,
  change: (content: PageContent, query: ListQuery, resource: string) => PageContent,
): () => void {
  const { list } = api;
  api.list = async (resource, query, signal) => {
    const page = await list(resource, query, signal);
    const content = change(page.content(), query, resource);
    return { ...page, digest: content.rows.map(({ fingerprint }) => fingerprint).join(), content: () => content };
  };
  return () => {
    api.list = list;
  };
}

/** Runs a poll each minute and returns the events. */
async function pollFor(world: World, minutes: number): Promise<string[]> {
  for (let minute = 0; minute < minutes; minute++) {
    world.clock.advance(MINUTE);
    await world.run();
  }
  return world.news();
}

describe('an invoice that left the open list', () => {
  it('is read again in the next scan if a replica that lags shows it as open', async () => {
    const world = await openInvoices();
    const unpaid = world.api.rows.get('7') ?? {};
    world.api.put('7', { balance: '0.00' });
    const paid = world.api.rows.get('7') ?? {};
    const { list } = world.api;
    world.api.list = async (resource, query, signal) => {
      if (query.filters.localIds !== undefined) world.api.rows.set('7', unpaid);
      const page = await list(resource, query, signal);
      world.api.rows.set('7', paid);
      return page;
    };
    await world.run();
    expect(await world.news()).toEqual([]);
    world.api.list = list;
    world.clock.advance(5 * MINUTE);
    await world.run();
    expect(await world.news()).toContain('invoice.updated 7');
  });
});

describe('a row that cannot be read', () => {
  const unreadable = (id: string) => ({
    id,
    fingerprint: 1n,
    parse: () => {
      throw new RetryLater('TIDINGS_SOURCE_ANSWER_INVALID', 'not a record');
    },
  });

  it('with the id 0 is skipped and counted, and the others are polled', async () => {
    const world = setUp();
    fill(world, 20);
    world.api.put('0', { title: 'odd' });
    expect((await world.run()).scans).toMatchObject([{ baseline: true, seen: 20, skipped: 1, complete: true }]);
    expect(await world.state()).toMatchObject({ count: 20, skipped: 1, failures: 0 });
    expect(await world.news()).toEqual(['source.baselined main']);
    world.api.put('7', { title: 'changed' });
    expect(await pollFor(world, 7 * 60)).toEqual(['task.updated 7']);
    // The API counts the row, too: that is no reason for an early sweep.
    expect(world.api.requests()).toBeLessThan(150);
  });

  it.each([
    ['without an id', ''],
    ['of a known record', '9'],
  ])('%s is skipped wherever it is, and no record counts as deleted', async (_, id) => {
    const world = await baselined(20);
    const straighten = bend(world, (content) => ({
      ...content,
      rows: content.rows.map((row) => (row.id === '9' ? unreadable(id) : row)),
    }));
    world.api.put('10', { title: 'changed' });
    for (const pageSize of [2, 3, 5, 9, 500]) {
      const { scans, failed } = await world.run({ everything: true, pageSize });
      expect(failed).toEqual([]);
      expect(scans).toMatchObject([{ skipped: 1, deleted: 0 }]);
      world.clock.advance(HOUR);
    }
    expect(await world.news()).toEqual(['task.updated 10']);
    straighten();
    world.api.put('9', { title: 'readable again' });
    await world.run({ everything: true });
    expect(await world.news()).toEqual(['task.updated 9']);
  });

  it('repeated on the same page or a later one is read once', async () => {
    const world = await baselined(20);
    const repeat = bend(world, (content, { offset }) => {
      const rows = content.rows.toSpliced(3, 0, ...content.rows.slice(0, 1));
      return { ...content, rows: offset > 5 ? rows : content.rows };
    });
    for (const pageSize of [500, 7]) {
      world.api.put('15', { title: `changed ${pageSize}` });
      expect((await world.run({ everything: true, pageSize })).failed).toEqual([]);
      world.clock.advance(HOUR);
    }
    expect(await world.news()).toEqual(['task.updated 15', 'task.updated 15']);
    repeat();
  });
});

describe('a first sync that does not end', () => {
  it('is reported once after an hour', async () => {
    const world = setUp();
    fill(world, 20);
    const backwards = bend(world, (content, _, resource) =>
      resource === 'task' ? { ...content, rows: content.rows.toReversed() } : content,
    );
    const order = world.order.resources.concat(setUp('project').order.resources);
    for (let minute = 0; minute < 30 * 60; minute++) {
      world.clock.advance(MINUTE);
      await world.run({ resources: order });
    }
    expect(await world.news()).toEqual(['source.stale main']);
    backwards();
  });
});

describe('a baseline of a list that is not complete', () => {
  /** Shows 40 of 60 records and counts all of them. */
  const hide = (world: World, isHidden = (id: string) => Number(id) > 40) =>
    bend(world, (content) => ({ ...content, rows: content.rows.filter(({ id }) => !isHidden(id)) }));

  it('waits for the rest, and no record of it is emitted as created', async () => {
    const world = setUp();
    fill(world, 60);
    const show = hide(world);
    expect((await world.run()).scans).toMatchObject([{ baseline: false, complete: false, seen: 40 }]);
    expect((await world.state())?.baselinedAt).toBeNull();
    show();
    expect(await pollFor(world, 30)).toEqual(['source.baselined main']);
    expect((await world.state())?.count).toBe(60);
  });

  it('is accepted after two reads that agree, which is reported once', async () => {
    const world = setUp();
    fill(world, 60);
    hide(world);
    const requests = world.api.requests();
    expect(await pollFor(world, 2 * 60)).toEqual(['source.baselined main', 'source.incomplete main']);
    expect(await pollFor(world, 10 * 60)).toEqual([]);
    // The gap in the count is known: it brings no sweep forward.
    expect(world.api.requests() - requests).toBeLessThan(220);
    world.api.put('7', { title: 'changed' });
    expect(await pollFor(world, 6)).toEqual(['task.updated 7']);
  });

  it('is not accepted while each read hides other records', async () => {
    const world = setUp();
    fill(world, 60);
    let read = 0;
    hide(world, (id) => Number(id) % 3 === Math.floor(read) % 3);
    for (let round = 0; round < 2; round++) {
      await world.run();
      expect((await world.state())?.baselinedAt).toBeNull();
      world.clock.advance(5 * MINUTE);
      read += 1;
    }
    // By now every record was shown once.
    await pollFor(world, 30);
    expect((await Array.fromAsync(world.snapshots.list('main', 'task'))).length).toBe(60);
  });

  it.each(['task', 'project', 'person'] as const)(
    'is complete when the API limits its pages to 100: %s',
    async (name) => {
      const world = setUp(name as 'task');
      fill(world, 250);
      for (const id of world.api.rows.keys()) world.api.put(id, { name: 'N', firstname: 'F' });
      bend(world, (content) => ({ ...content, rows: content.rows.slice(0, 100) }));
      expect((await world.run()).scans).toMatchObject([{ baseline: true, complete: true, seen: 250 }]);
      world.clock.advance(DAY);
      world.api.put('222', { title: 'changed', name: 'changed', firstname: 'changed' });
      await world.run({ everything: true });
      expect(await world.news()).toEqual(['source.baselined main', `${name}.updated 222`]);
    },
  );

  it('counts the rows of an unchanged page, too', async () => {
    const world = await baselined(60);
    world.api.rows.delete('7');
    await world.run({ everything: true });
    await world.news();
    world.clock.advance(HOUR);
    const { list } = world.api;
    world.api.list = async (...query) => {
      const page = await list(...query);
      return { ...page, content: () => ({ ...page.content(), listCount: 80 }), listCount: () => 80 };
    };
    expect((await world.run({ everything: true })).scans).toMatchObject([{ complete: false }]);
  });
});

describe('a sweep that fails', () => {
  const isSweep = ({ filters }: ListQuery) => filters.modifiedAfter === undefined && filters.order !== undefined;
  const failing = (world: World, fails: (query: ListQuery) => boolean) => {
    const { list } = world.api;
    world.api.list = async (resource, query, signal) => {
      if (resource === 'task' && isSweep(query) && fails(query)) {
        throw new RetryLater('TIDINGS_SOURCE_STATUS', 'answered 500');
      }
      return list(resource, query, signal);
    };
    return () => {
      world.api.list = list;
    };
  };

  it('does not delay deltas, and is reported once after a day', async () => {
    const world = await baselined(50);
    failing(world, () => true);
    await pollFor(world, 7 * 60);
    for (let hour = 0; hour < 16; hour++) {
      world.api.put('7', { title: `changed ${hour}` });
      expect(await pollFor(world, 7)).toEqual(['task.updated 7']);
      await pollFor(world, 53);
    }
    expect(await pollFor(world, 24 * 60)).toEqual(['source.stale main']);
    expect((await world.state())?.failedSweeps).toMatchObject({ message: 'answered 500' });
    expect(world.api.requests()).toBeLessThan(1200);
  });

  it('requests smaller pages until it succeeds, and larger ones later', async () => {
    const world = await baselined(3000);
    const limits: number[] = [];
    const repair = failing(world, ({ limit }) => limits.push(limit) > 0 && limit > 300);
    await pollFor(world, 7 * 60);
    expect((await world.state())?.failedSweeps).toBeNull();
    expect(Math.min(...limits)).toBeLessThanOrEqual(300);
    repair();
    failing(world, ({ limit }) => limits.push(limit) < 0);
    limits.length = 0;
    await pollFor(world, 48 * 60);
    expect(Math.max(...limits)).toBeGreaterThan(1000);
    expect(await world.news()).toEqual([]);
  });

  it('is retried at once when the clock ran ahead and was put back', async () => {
    const world = await baselined(50);
    const repair = failing(world, () => true);
    await pollFor(world, 7 * 60);
    repair();
    world.clock.advance(-5 * HOUR);
    await pollFor(world, 2);
    expect(await world.state()).toMatchObject({ failedSweeps: null, failures: 0 });
  });
});

describe('a sweep that is interrupted after its pages became larger', () => {
  it('does not make the next sweep miss records that it listed', async () => {
    const world = await baselined(400);
    const sweep = async (pageSize: number) => {
      world.clock.advance(6 * HOUR);
      return world.run({ pageSize, everything: true });
    };
    await sweep(50);
    const before = world.api.requests();
    world.api.before = (call, count) => {
      if (call === 'list' && count === before + 3) throw new RetryLater('TIDINGS_SOURCE_STATUS', 'answered 502');
    };
    for (let id = 1; id <= 400; id += 20) world.api.put(String(id), { title: 'changed' });
    expect((await sweep(100)).failed).toHaveLength(1);
    world.api.before = () => {};
    await world.news();
    const { get } = world.api;
    const requested: string[] = [];
    world.api.get = async (resource, id, signal) => {
      requested.push(id);
      return get(resource, id, signal);
    };
    expect((await sweep(25)).scans).toMatchObject([{ complete: true, seen: 400, deleted: 0 }]);
    expect(requested).toEqual([]);
    expect((await world.news()).filter((line) => !line.startsWith('task.updated'))).toEqual([]);
  });
});

describe('a record without a modification date that changed minutes ago', () => {
  const showInList = (world: World, row: WireRow) => readStaleList(world, row, 5 * MINUTE);

  async function withNewBudget() {
    const world = setUp('project');
    const projects = ['1', '2', '3'].map((id) => ({ id, name: `P${id}`, active: 't', budget: '100' }));
    for (const row of projects) world.api.rows.set(row.id, row);
    await world.run();
    await world.news();
    world.clock.advance(HOUR);
    const former = world.api.rows.get('3') ?? expect.unreachable();
    world.api.rows.set('3', { ...former, budget: '200' });
    await world.run({ everything: true });
    expect(await world.news()).toEqual(['project.budget_changed 3', 'project.updated 3']);
    return { world, former };
  }

  it('did not change back, and again, if only a list says so', async () => {
    const { world, former } = await withNewBudget();
    expect(await showInList(world, former)).toEqual([]);
    world.clock.advance(5 * MINUTE);
    await world.run({ everything: true });
    expect(await world.news()).toEqual([]);
  });

  it('changed back if its own record says so, at the same scan', async () => {
    const { world, former } = await withNewBudget();
    world.api.rows.set('3', former);
    world.clock.advance(5 * MINUTE);
    await world.run({ everything: true });
    expect(await world.news()).toEqual(['project.budget_changed 3', 'project.updated 3']);
  });

  it('is left to a later scan if it cannot be read, and is not forgotten', async () => {
    const { world, former } = await withNewBudget();
    const { get } = world.api;
    world.api.get = async () => {
      throw new RetryLater('TIDINGS_SOURCE_STATUS', '500');
    };
    world.api.rows.set('3', former);
    world.clock.advance(5 * MINUTE);
    await world.run({ everything: true });
    expect(await world.news()).toEqual([]);
    // Every replica has the first change by now.
    world.clock.advance(5 * MINUTE);
    await world.run({ everything: true });
    expect(await world.news()).toEqual(['project.budget_changed 3', 'project.updated 3']);
    world.api.get = get;
  });

  it('costs no request if it did not change again', async () => {
    const { world } = await withNewBudget();
    let gets = 0;
    world.api.before = (call) => {
      if (call === 'get') gets += 1;
    };
    world.clock.advance(5 * MINUTE);
    await world.run({ everything: true });
    expect([gets, await world.news()]).toEqual([0, []]);
  });

  it('does not log the same hours twice: a task whose hours changed without its date', async () => {
    const world = setUp('task');
    const task = {
      id: '3',
      localid: '3',
      title: 'T3',
      statusid: '1',
      actual: '1',
      datemodified: '2026-11-01 08:00:00',
    };
    world.api.rows.set('3', task);
    await world.run();
    world.clock.advance(7 * HOUR);
    world.api.rows.set('3', { ...task, actual: '3' });
    await world.run({ everything: true });
    expect(await world.news()).toContain('task.time_logged 3');
    expect(await showInList(world, task)).toEqual([]);
    world.clock.advance(5 * MINUTE);
    await world.run({ everything: true });
    expect(await world.news()).toEqual([]);
  });
});
