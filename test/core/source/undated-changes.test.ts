/** Changes that the API does not date, and a closing date that the status contradicts. */

import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../../core/model/time.ts';
import { setUp, type World } from './poll-world.ts';

const open = { status: 'Open', statusid: '1', status_order: '1', dateclosed: '', projectid: '4', actual: '0.00' };

/** Logged hours do not modify the task. */
function logHours({ api }: World, id: string, actual: string): void {
  const row = api.rows.get(id);
  if (row === undefined) throw new Error(`no task ${id}`);
  api.rows.set(id, { ...row, actual });
}

async function pass(world: World, days: number): Promise<void> {
  for (let hour = 0; hour < days * 24; hour += 3) {
    world.clock.advance(3 * HOUR - 5 * MINUTE);
    await world.run();
    // The records of a new day are read once lists have caught up.
    world.clock.advance(5 * MINUTE);
    await world.run();
  }
}

async function withTasks(): Promise<World> {
  const world = setUp('task');
  for (const id of ['1', '2']) world.api.put(id, { localid: id, title: `T${id}`, ...open });
  await world.run();
  await world.news();
  return world;
}

describe('hours logged on a task', () => {
  it('count as activity: the task is stale thirty days after them', async () => {
    const world = await withTasks();
    await pass(world, 20);
    logHours(world, '1', '2.00');
    await pass(world, 15);
    expect(await world.news()).toEqual(['task.time_logged 1', 'task.updated 1', 'task.stale 2']);
    await pass(world, 16);
    expect(await world.news()).toEqual(['task.stale 1']);
    await pass(world, 10);
    expect(await world.news()).toEqual([]);
  });

  it('end the staleness of a task, which is stale again after another period', async () => {
    const world = await withTasks();
    await pass(world, 31);
    logHours(world, '1', '2.00');
    await pass(world, 25);
    expect((await world.news()).filter((line) => line.endsWith(' 1'))).toEqual([
      'task.stale 1',
      'task.time_logged 1',
      'task.updated 1',
    ]);
    await pass(world, 6);
    expect(await world.news()).toEqual(['task.stale 1']);
  });

  it('are not counted for a record that was stored before they were', async () => {
    const world = await withTasks();
    logHours(world, '1', '2.00');
    await pass(world, 1);
    const key = { source: 'main', resource: 'task', id: '1' };
    const stored = await world.snapshots.get(key);
    if (stored === undefined) throw new Error('not stored');
    const { activeDay: _, ...stage } = stored.stage;
    await world.snapshots.commit([
      { snapshot: { ...stored, stage, version: stored.version + 1 }, expected: stored.version },
    ]);
    await world.news();
    await pass(world, 31);
    expect(await world.news()).toEqual(['task.stale 1', 'task.stale 2']);
  });

  it('cost one request for all tasks that are stale by them', async () => {
    const world = setUp('task');
    for (let id = 1; id <= 30; id++) world.api.put(String(id), { localid: String(id), title: `T${id}`, ...open });
    await world.run();
    world.clock.advance(2 * DAY);
    for (let id = 1; id <= 30; id++) logHours(world, String(id), '2.00');
    await world.run();
    await pass(world, 29);
    await world.news();
    const { list } = world.api;
    const filters: object[] = [];
    let single = 0;
    const { get } = world.api;
    world.api.list = async (resource, query, signal) => {
      if (query.filters.localIds !== undefined) filters.push(query.filters);
      return list(resource, query, signal);
    };
    world.api.get = async (...asked) => {
      single += 1;
      return get(...asked);
    };
    await pass(world, 2);
    expect((await world.news()).filter((line) => line.startsWith('task.stale'))).toHaveLength(30);
    expect({ lists: filters.length, single }).toEqual({ lists: 1, single: 0 });
  });
});

describe('a modification date that is wrong', () => {
  const redate = ({ api }: World, id: string, change: Record<string, string>) => {
    const row = api.rows.get(id);
    if (row === undefined) throw new Error(`no task ${id}`);
    api.rows.set(id, { ...row, ...change });
  };

  it.each([
    ['went back', '2026-10-10 10:00:00'],
    ['is older than the last scan', '2026-11-15 10:00:00'],
  ])('and %s: the edit counts as activity all the same', async (_, datemodified) => {
    const world = await withTasks();
    await pass(world, 20);
    redate(world, '1', { title: 'Another title', datemodified });
    await pass(world, 3);
    expect(await world.news()).toEqual(['task.updated 1']);
    await pass(world, 20);
    expect(await world.news()).toEqual(['task.stale 2']);
    await pass(world, 8);
    expect(await world.news()).toEqual(['task.stale 1']);
  });

  it('does not make a new task stale at once', async () => {
    const world = await withTasks();
    await pass(world, 2);
    world.api.put('3', { localid: '3', title: 'T3', ...open, datecreated: '2026-11-16' });
    redate(world, '3', { datemodified: '2026-10-01 10:00:00' });
    await pass(world, 20);
    expect(await world.news()).toEqual(['task.created 3']);
  });

  it('counts for a task of the baseline, of which nothing else is known', async () => {
    const world = setUp('task');
    world.api.put('1', { localid: '1', title: 'T1', ...open });
    redate(world, '1', { datemodified: '2026-10-20 10:00:00' });
    await world.run();
    await world.news();
    await pass(world, 6);
    expect(await world.news()).toEqual(['task.stale 1']);
  });
});

describe('a task whose closing date stays', () => {
  const closed = { status: 'Closed', statusid: '7', status_order: '7', dateclosed: '2026-11-14' };

  async function withClosed(): Promise<World> {
    const world = setUp('task');
    world.api.put('1', { localid: '1', title: 'T1', ...open, ...closed, datedue: '2026-11-16' });
    await world.run();
    await world.news();
    return world;
  }

  it('is reopened by its status, and becomes overdue', async () => {
    const world = await withClosed();
    world.api.put('1', { ...open, dateclosed: '2026-11-14' });
    world.clock.advance(HOUR);
    await world.run();
    expect(await world.news()).toEqual(['task.reopened 1', 'task.status_changed 1', 'task.updated 1']);
    await pass(world, 4);
    expect(await world.news()).toEqual(['task.due_soon 1', 'task.overdue 1']);
    world.api.put('1', { title: 'another' });
    world.clock.advance(HOUR);
    await world.run();
    expect(await world.news()).toEqual(['task.updated 1']);
    world.api.put('1', closed);
    world.clock.advance(HOUR);
    await world.run();
    expect(await world.news()).toEqual(['task.closed 1', 'task.status_changed 1', 'task.updated 1']);
  });

  it.each([
    ['is more complete, such as Archived', { status: 'Archived', statusid: '8', status_order: '8' }],
    ['has no known order', { status: 'Open', statusid: '1', status_order: '' }],
  ])('stays closed when the new status %s', async (_, status) => {
    const world = await withClosed();
    world.api.put('1', status);
    await pass(world, 4);
    expect(await world.news()).toEqual(['task.status_changed 1', 'task.updated 1']);
  });

  it('stays closed when its status is removed from the config', async () => {
    const world = await withClosed();
    world.clock.advance(HOUR);
    await world.run({ rules: { ...world.order.rules, closedStatuses: ['Done'] } });
    expect(await world.news()).toEqual([]);
  });
});
