/** A token that does not see everything: a record that answers 404 may be deleted, or only out of its sight. */

import { describe, expect, it } from 'vitest';
import { GiveUp, RetryLater } from '../../../../core/model/errors.ts';
import type { Snapshot } from '../../../../core/model/snapshot.ts';
import { HOUR, MINUTE, plus } from '../../../../core/model/time.ts';
import type { WireRow } from '../../../../core/ports/source-api.ts';
import { NOON } from '../../../samples.ts';
import { setUp, type World } from '../poll-world.ts';

const UNDECIDED = 'source.deletions_undecided main';
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => String(from + at));

/** Sixty tasks of three projects: 1 to 20 belong to project 1, and so on. Each third one is the person's own. */
async function tasksOf(me: World['api']['me'], fields: Record<string, string> = {}): Promise<World> {
  const world = setUp('task');
  world.api.me = me;
  for (const id of range(1, 60)) {
    const project = String(Math.ceil(Number(id) / 20));
    const owner = Number(id) % 3 === 0 ? me.person : '9';
    world.api.put(id, { localid: id, title: `T${id}`, projectid: project, ownerid: owner, assigneeid: '', ...fields });
    world.api.visible.add(`project/${project}`);
  }
  await world.run();
  await world.news();
  return world;
}

/** Invoices or documents of project 1, or projects. */
async function recordsOf(
  name: 'invoice' | 'document' | 'project' | 'client' | 'person',
  role: string | null,
): Promise<World> {
  const world = setUp(name);
  world.api.me = { person: '5', role };
  const parent = name === 'invoice' || name === 'document' ? { projectid: '1' } : {};
  for (const id of range(1, 30)) world.api.put(id, { localid: id, name: `T${id}`, ...parent });
  world.api.visible.add('project/1');
  await world.run();
  await world.news();
  return world;
}

const today = ({ clock }: World) => clock.now().slice(0, 10);

async function sweep(world: World, times = 1): Promise<string[]> {
  const news: string[] = [];
  for (let time = 0; time < times; time++) {
    world.clock.advance(6 * HOUR);
    await world.run({ everything: true });
    news.push(...(await world.news()));
  }
  return news;
}

function hide({ api }: World, ids: readonly string[]): WireRow[] {
  const hidden = [...api.rows.values()].filter(({ id }) => ids.includes(String(id)));
  for (const id of ids) api.rows.delete(id);
  return hidden;
}

function show({ api }: World, rows: readonly WireRow[]): void {
  for (const row of rows) api.rows.set(String(row.id), row);
}

const MANAGER = { person: '5', role: 'Manager', restricttasks: 'f' };
const RESOURCE = { person: '5', role: 'Resource' };

describe('a token that does not see everything', () => {
  it.each([
    ['Manager', 3],
    ['Manager', 20],
    ['Resource', 3],
    ['Resource', 20],
    ['Executive', 20],
  ])('(%s) deletes none of the %i tasks of a project that it no longer sees', async (role, count) => {
    const world = await tasksOf({ person: '5', role });
    world.api.visible.delete('project/1');
    hide(world, range(1, count));
    const news = await sweep(world, 6);
    expect(news.filter((line) => line !== 'source.mass_disappearance main')).toEqual([UNDECIDED]);
  });

  it.each([MANAGER, RESOURCE])('($role) deletes a task whose project it still sees', async (me) => {
    const world = await tasksOf(me);
    hide(world, ['7', '8']);
    expect(await sweep(world)).toEqual(['task.deleted 7', 'task.deleted 8']);
  });

  it('does not delete a task that is assigned to another person, if it sees only its own', async () => {
    const world = await tasksOf({ person: '5', role: 'Resource' }, { ownerid: '5' });
    hide(world, ['7']);
    expect(await sweep(world)).toEqual([UNDECIDED]);
    const manager = await tasksOf({ ...MANAGER, restricttasks: 't' });
    hide(manager, ['7']);
    expect(await sweep(manager)).toEqual([UNDECIDED]);
  });

  it('does not call a task restored that it sees again', async () => {
    const world = await tasksOf(RESOURCE);
    world.api.visible.delete('project/1');
    const rows = hide(world, range(1, 5));
    expect(await sweep(world, 3)).toEqual([UNDECIDED]);
    show(world, rows);
    expect(await sweep(world, 2)).toEqual([]);
    world.api.put('3', { title: 'Better' });
    expect(await sweep(world)).toEqual(['task.updated 3']);
  });

  it('does not call a task overdue that it no longer sees', async () => {
    const world = await tasksOf(RESOURCE, { datedue: '2026-11-14', dateopen: '2026-11-01' });
    for (const id of range(1, 60)) world.api.put(id, { datedue: '2030-01-01' });
    for (const id of ['1', '2', '30']) world.api.put(id, { datedue: world.clock.now().slice(0, 10) });
    world.clock.advance(5 * MINUTE);
    await world.run();
    await world.news();
    world.api.visible.delete('project/1');
    hide(world, ['1', '2']);
    expect((await sweep(world, 3)).filter((line) => line.startsWith('task.'))).toEqual(['task.overdue 30']);
  });

  it('deletes neither a project, nor an invoice of a project that it no longer sees', async () => {
    const projects = await recordsOf('project', 'Manager');
    hide(projects, ['4']);
    expect(await sweep(projects)).toEqual(['source.deletions_undecided main']);
    const invoices = await recordsOf('invoice', 'Manager');
    hide(invoices, ['4']);
    expect(await sweep(invoices)).toEqual(['invoice.deleted 4']);
    invoices.api.visible.clear();
    hide(invoices, ['5']);
    expect(await sweep(invoices)).toEqual([UNDECIDED]);
  });

  it.each([null, '1', '7'])(
    '(role %s, which is no name) deletes no record of a project that it no longer sees',
    async (role) => {
      const world = await tasksOf({ person: '5', role });
      world.api.visible.delete('project/1');
      hide(world, ['3']);
      expect(await sweep(world)).toEqual([UNDECIDED]);
      const projects = await recordsOf('project', role);
      hide(projects, ['4']);
      expect(await sweep(projects)).toEqual([UNDECIDED]);
    },
  );

  it.each(['client', 'person'] as const)('deletes no %s, which a role need not see', async (name) => {
    const limited = await recordsOf(name, 'Manager');
    hide(limited, ['4']);
    expect(await sweep(limited)).toEqual([UNDECIDED]);
    const all = await recordsOf(name, 'Administrator');
    hide(all, ['4']);
    expect(await sweep(all)).toEqual([`${name}.deleted 4`]);
  });

  it.each([null, '1'])('is the Administrator that the record of its person names, if /me/ says %s', async (role) => {
    const world = setUp('task');
    world.api.me = { person: '5', role };
    world.api.people.set('5', { id: '5', groupid: '1', group: 'Administrator' });
    for (const id of range(1, 20)) world.api.put(id, { localid: id, title: `T${id}` });
    await world.run();
    await world.news();
    hide(world, ['4']);
    expect(await sweep(world)).toEqual(['task.deleted 4']);
  });

  it('does not change its role when the name of its group becomes known', async () => {
    const world = await tasksOf({ person: '5', role: '1' });
    world.api.me = { person: '5', role: 'Administrator' };
    expect(await sweep(world)).toEqual([]);
    world.api.put('61', { localid: '61', title: 'New', datecreated: '2020-01-01' });
    expect(await sweep(world)).toEqual(['task.created 61']);
  });

  it('decides later when the project cannot be read at the moment', async () => {
    const world = await tasksOf(RESOURCE);
    hide(world, ['7']);
    const { get } = world.api;
    world.api.get = async (resource, id) => {
      if (resource === 'project') throw new RetryLater('TIDINGS_SOURCE_STATUS', '500');
      return get(resource, id);
    };
    expect(await sweep(world)).toEqual([]);
    world.api.get = get;
    expect(await sweep(world)).toEqual(['task.deleted 7']);
  });

  it('is reported again when more disappears after some days', async () => {
    const world = await tasksOf(RESOURCE);
    world.api.visible.clear();
    hide(world, ['7']);
    expect(await sweep(world, 8)).toEqual([UNDECIDED]);
    hide(world, ['8']);
    expect(await sweep(world)).toEqual([UNDECIDED]);
  });
});

/** Stores project 1. */
async function putProject({ snapshots, clock }: World, change: Partial<Snapshot>): Promise<void> {
  const project: Snapshot = {
    key: { source: 'main', resource: 'project', id: '1' },
    ...{ version: 1, record: { id: '1', name: 'P' }, stage: {}, deletedAt: null, nextMoment: null },
    cause: 'poll',
    committedAt: '2026-11-01T00:00:00.000Z',
    occurred: { after: null, before: clock.now() },
    ...change,
  };
  const stored = await snapshots.get(project.key);
  await snapshots.commit([{ snapshot: project, expected: stored?.version ?? 0 }]);
}

/** Tasks 10, 20 and 30 exist, but the token does not see them yet. Returns their rows. */
async function withHidden(me: World['api']['me'], fields: Record<string, string> = {}): Promise<[World, WireRow[]]> {
  const world = setUp('task');
  world.api.me = me;
  for (const id of range(1, 60)) world.api.put(id, { localid: id, title: `T${id}`, ownerid: '9', ...fields });
  const hidden = hide(world, ['10', '20', '30']);
  await world.run();
  await world.news();
  world.clock.advance(5 * MINUTE);
  return [world, hidden];
}

describe('a record that appears', () => {
  it('although its id is lower than those of the last sweep is not created, if the token sees only a part', async () => {
    const [world, hidden] = await withHidden(RESOURCE);
    show(world, hidden);
    world.api.put('10', { title: 'Yours' });
    world.api.put('61', { localid: '61', title: 'New', datecreated: today(world) });
    await world.run();
    expect(await world.news()).toEqual(['task.created 61']);
    expect(await sweep(world)).toEqual([]);
    world.api.put('20', { title: 'Better' });
    expect(await sweep(world)).toEqual(['task.updated 20']);
  });

  it('because the role has grown by a few records since the last check is not created', async () => {
    const [world, hidden] = await withHidden(RESOURCE);
    world.api.me = { person: '5', role: 'Administrator' };
    show(world, hidden);
    world.api.put('10', { title: 'Yours' });
    await world.run();
    expect(await world.news()).toEqual(['source.role_changed main']);
    expect(await sweep(world)).toEqual([]);
  });

  it('although it was created long before the last sweep is not created, whatever the role', async () => {
    const [world, hidden] = await withHidden({ person: '1', role: 'Administrator' }, { datecreated: '2020-02-02' });
    show(world, hidden);
    expect(await sweep(world)).toEqual([]);
  });

  it('with a low id and without a creation date is created, if the token sees everything', async () => {
    const [world, hidden] = await withHidden({ person: '1', role: 'Administrator' });
    show(world, hidden);
    expect(await sweep(world)).toEqual(['task.created 10', 'task.created 20', 'task.created 30']);
  });
});

describe('a record with a higher id than the last sweep showed', () => {
  const row = (id: string, fields: Record<string, string>) => ({
    localid: id,
    title: `T${id}`,
    ownerid: '9',
    ...fields,
  });

  it.each([
    ['old', '2026-10-02', []],
    ['of today', '2026-11-14', ['task.created 90', 'task.assigned 90']],
    ['of yesterday, which the token may have been shown only now', '2026-11-13', ['task.became_visible 90']],
  ])('is created only if its creation date says so: %s', async (_, datecreated, news) => {
    const [world] = await withHidden(RESOURCE);
    world.api.put('90', row('90', { datecreated, assigneeid: '5' }));
    await world.run();
    expect(await world.news()).toEqual(news);
    expect(await sweep(world)).toEqual([]);
    world.api.put('90', { title: 'Better' });
    expect(await sweep(world)).toEqual(['task.updated 90']);
  });

  it('is created, however old, if the token sees everything', async () => {
    const [world] = await withHidden({ person: '1', role: 'Administrator' });
    world.api.put('90', row('90', { datecreated: '2020-02-02' }));
    await world.run();
    expect(await world.news()).toEqual(['task.created 90']);
  });

  it('is created if it was created during an outage', async () => {
    const [world] = await withHidden(RESOURCE);
    world.clock.advance(5 * 24 * HOUR);
    world.api.put('90', row('90', { datecreated: '2026-11-17' }));
    expect(await sweep(world)).toEqual(['task.created 90']);
  });

  it('became visible if it has no creation date, and tells what is true by time', async () => {
    const world = await recordsOf('project', 'Manager');
    world.api.put('31', { localid: '31', name: 'Relaunch', active: 't', dateend: '2026-11-10' });
    expect(await sweep(world)).toEqual(['project.past_end 31', 'project.became_visible 31']);
    expect(await sweep(world)).toEqual([]);
    const all = await recordsOf('project', 'Administrator');
    all.api.put('31', { localid: '31', name: 'Relaunch' });
    expect(await sweep(all)).toEqual(['project.created 31']);
  });

  it.each([
    ['was created if its project was visible before', true, 'invoice.created 31'],
    ['became visible if its project was not', false, 'invoice.became_visible 31'],
  ])('%s', async (_, isKnown, line) => {
    const world = await recordsOf('invoice', 'Manager');
    world.clock.advance(HOUR);
    await putProject(world, isKnown ? {} : { committedAt: world.clock.now() });
    await world.news();
    world.api.put('31', {
      localid: '31',
      title: 'I31',
      projectid: '1',
      total: '5.00',
      balance: '0.00',
      payments: '5.00',
    });
    expect((await sweep(world)).filter((news) => !news.startsWith('invoice.pa'))).toEqual([line]);
  });
});

describe('a task of today', () => {
  const task = { localid: '90', title: 'T90', projectid: '1', ownerid: '9', datecreated: '2026-11-14' };
  const BACK = { version: 2, cause: 'baseline' } as const;

  it.each([
    ['is created in a project that is shown as before', {}, {}, 'task.created 90'],
    [
      'became visible with its project, which was out of sight',
      { deletedAt: NOON, ...BACK },
      {},
      'task.became_visible 90',
    ],
    ['became visible in a project that is shown again', { deletedAt: NOON, ...BACK }, BACK, 'task.became_visible 90'],
  ])('%s', async (_, before, after, line) => {
    const [world] = await withHidden(MANAGER);
    await putProject(world, { ...before, committedAt: plus(NOON, MINUTE) });
    if ('cause' in after) await putProject(world, { ...after, version: 3, committedAt: world.clock.now() });
    await world.news();
    world.api.put('90', task);
    await world.run();
    expect(await world.news()).toEqual([line]);
  });
});

describe('a document that appears in a project which was visible before', () => {
  it.each([
    ['Manager', 'document.created 31'],
    // Executives see public documents only: it may have become public.
    ['Executive', 'document.became_visible 31'],
  ])('for the role %s is %s', async (role, line) => {
    const world = await recordsOf('document', role);
    await putProject(world, {});
    await world.news();
    world.api.put('31', { localid: '31', title: 'D31', projectid: '1' });
    expect(await sweep(world)).toEqual([line]);
  });
});

describe('a record that was out of sight', () => {
  it('is shown again although its modification date went back meanwhile', async () => {
    const world = await tasksOf(RESOURCE);
    expect(await sweep(world, 5)).toEqual([]);
    world.api.visible.delete('project/1');
    const rows = hide(world, ['3']);
    expect(await sweep(world)).toEqual([UNDECIDED]);
    show(
      world,
      rows.map((row) => ({ ...row, datemodified: '2026-11-10 08:00:00' })),
    );
    expect(await sweep(world)).toEqual([]);
    world.api.put('3', { title: 'Better' });
    expect(await sweep(world)).toEqual(['task.updated 3']);
  });
});

describe('a record that is missing', () => {
  it('does not become overdue while it is not known to be deleted, and does when it is listed again', async () => {
    const world = setUp('task');
    const due = { datedue: world.clock.now().slice(0, 10), statusid: '1' };
    for (const id of range(1, 100)) world.api.put(id, { localid: id, title: `T${id}`, ...due });
    await world.run();
    await world.news();
    world.clock.advance(11 * HOUR + 45 * MINUTE);
    const rows = hide(world, range(1, 50));
    await world.run({ everything: true });
    expect(await world.news()).toContain('source.mass_disappearance main');
    world.clock.advance(20 * MINUTE);
    for (let scan = 0; scan < 3; scan++) {
      await world.run({ everything: true });
      world.clock.advance(5 * MINUTE);
    }
    expect((await world.news()).filter((line) => line.startsWith('task.'))).toEqual(
      range(51, 100).map((id) => `task.overdue ${id}`),
    );
    show(world, rows);
    expect(await sweep(world)).toEqual(range(1, 50).map((id) => `task.overdue ${id}`));
  });

  it('becomes overdue once it is listed again, hours after midnight and unchanged', async () => {
    const world = setUp('task');
    const due = { datedue: world.clock.now().slice(0, 10), statusid: '1' };
    for (const id of range(1, 20)) world.api.put(id, { localid: id, title: `T${id}`, ...due });
    await world.run();
    await world.news();
    const rows = hide(world, ['7']);
    const { get } = world.api;
    world.api.get = async () => {
      throw new GiveUp('TIDINGS_SOURCE_FORBIDDEN', 'answered 403');
    };
    world.clock.advance(6 * HOUR);
    await world.run();
    for (let minute = 0; minute < 9 * 60; minute += 5) {
      world.clock.advance(5 * MINUTE);
      await world.run();
    }
    const others = range(1, 20).filter((id) => id !== '7');
    const overdue = (await world.news()).filter((line) => line.startsWith('task.'));
    expect(overdue).toEqual(others.map((id) => `task.overdue ${id}`));
    world.api.get = get;
    show(world, rows);
    expect(await sweep(world)).toEqual(['task.overdue 7']);
    expect(await sweep(world)).toEqual([]);
  });
});
