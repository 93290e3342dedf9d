/** A task status that is renamed: no task was closed, reopened or forgotten. */

import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../../core/model/time.ts';
import { setUp, type World } from './poll-world.ts';

/** Tasks without closing dates: 1 to 20 in `Closed`, 21 to 30 in `Open`, all of them past their due date. */
async function closedByStatus(): Promise<World> {
  const world = setUp();
  for (let id = 1; id <= 30; id++) {
    const status = id <= 20 ? { statusid: '7', status: 'Closed' } : { statusid: '1', status: 'Open' };
    world.api.put(String(id), { localid: String(id), title: `T${id}`, datedue: '2026-11-02', ...status });
  }
  await world.run();
  await world.news();
  world.clock.advance(5 * MINUTE);
  return world;
}

function rename(world: World, statusid: string, status: string): void {
  for (const [id, row] of world.api.rows) if (row.statusid === statusid) world.api.rows.set(id, { ...row, status });
}

async function sweep(world: World): Promise<string[]> {
  world.clock.advance(6 * HOUR);
  await world.run();
  return world.news();
}

describe('a status that counts as closed for a while', () => {
  const byTime = (news: readonly string[]) => news.filter((line) => /overdue|due_soon|stale/.test(line));

  it('announces nothing again for the same due date, however often the rule is changed', async () => {
    const world = setUp();
    world.api.put('1', { localid: '1', title: 'T1', datedue: '2026-11-14', statusid: '3', status: 'Review' });
    await world.run();
    await world.news();
    world.clock.advance(13 * HOUR);
    await world.run();
    expect(byTime(await world.news())).toEqual(['task.overdue 1']);
    const extended = { ...world.order.rules, closedStatuses: ['Closed', 'Review'] };
    const news: string[] = [];
    for (let change = 0; change < 4; change++) {
      for (const rules of [extended, world.order.rules]) {
        world.clock.advance(5 * MINUTE);
        await world.run({ rules });
        world.clock.advance(5 * MINUTE);
        await world.run({ rules, everything: true });
        news.push(...(await world.news()));
      }
    }
    expect(news).toEqual([]);
    expect((await world.snapshots.get({ source: 'main', resource: 'task', id: '1' }))?.stage.overdue).toBe(true);
    world.api.put('1', { datedue: '2026-11-13' });
    world.clock.advance(5 * MINUTE);
    await world.run();
    expect(byTime(await world.news())).toEqual(['task.overdue 1']);
  });

  /** A task that was announced as overdue, and whose status then got the name of the closed one. */
  const overdueAndMisnamed = async () => {
    const world = setUp();
    world.api.put('1', { localid: '1', title: 'T1', datedue: '2026-11-12', statusid: '3', status: 'Review' });
    await world.run();
    world.api.put('1', { datedue: '2026-11-13' });
    world.clock.advance(5 * MINUTE);
    await world.run();
    expect(byTime(await world.news())).toEqual(['task.overdue 1']);
    world.clock.advance(5 * MINUTE);
    rename(world, '3', 'Closed');
    await world.run({ everything: true });
    expect(await world.news()).toEqual([]);
    return world;
  };

  it('does not hide that an overdue task gets a later due date', async () => {
    const world = await overdueAndMisnamed();
    world.clock.advance(5 * MINUTE);
    rename(world, '3', 'Review');
    world.api.put('1', { datedue: '2026-11-30' });
    await world.run();
    expect(await world.news()).toContain('task.back_on_track 1');
  });

  it.each([
    ['to the future', '2026-11-30', ['task.back_on_track 1']],
    ['to another day of the past', '2026-11-12', ['task.overdue 1']],
  ])('does not hide that the due date was moved %s meanwhile', async (_, datedue, expected) => {
    const world = await overdueAndMisnamed();
    world.clock.advance(5 * MINUTE);
    world.api.put('1', { datedue });
    await world.run();
    expect(await world.news()).toEqual(expect.not.arrayContaining(expected));
    world.clock.advance(5 * MINUTE);
    rename(world, '3', 'Review');
    await world.run({ everything: true });
    expect((await world.news()).filter((line) => /overdue|back_on_track/.test(line))).toEqual(expected);
  });

  it('announces again when a person closed the task and reopens it', async () => {
    const world = setUp();
    world.api.put('1', { localid: '1', title: 'T1', datedue: '2026-11-12', statusid: '3', status: 'Review' });
    await world.run();
    for (const status of [
      { statusid: '7', status: 'Closed' },
      { statusid: '3', status: 'Review' },
    ]) {
      world.clock.advance(5 * MINUTE);
      world.api.put('1', status);
      await world.run();
    }
    expect(await world.news()).toEqual(expect.arrayContaining(['task.closed 1', 'task.reopened 1', 'task.overdue 1']));
  });
});

describe('a renamed status', () => {
  it('reopens no task and makes none overdue', async () => {
    const world = await closedByStatus();
    rename(world, '7', 'Done');
    expect(await sweep(world)).toEqual([]);
    const { stage, nextMoment } = (await world.snapshots.get({ source: 'main', resource: 'task', id: '3' })) ?? {};
    expect([stage?.closed, stage?.overdue, nextMoment]).toEqual([true, false, null]);
  });

  it('closes the tasks that get it later, and reopens those that leave it', async () => {
    const world = await closedByStatus();
    rename(world, '7', 'Done');
    world.api.put('21', { statusid: '7', status: 'Done' });
    world.api.put('31', { localid: '31', title: 'T31', datedue: '2026-11-02', statusid: '7', status: 'Done' });
    await world.run();
    expect(await world.news()).toEqual([
      'task.closed 21',
      'task.status_changed 21',
      'task.updated 21',
      'task.created 31',
      'task.closed 31',
    ]);
    world.api.put('2', { statusid: '1', status: 'Open' });
    expect(await sweep(world)).toContain('task.reopened 2');
  });

  it('is known by its id after an upgrade, before any task with its old name is read', async () => {
    const world = await closedByStatus();
    const { closedStatusIds: _, ...state } = (await world.state()) ?? expect.unreachable();
    await world.ports.scanStates.save({ ...state, version: state.version + 1 });
    rename(world, '7', 'Done');
    world.api.put('21', { statusid: '7', status: 'Done' });
    await world.run();
    expect(await world.news()).toContain('task.closed 21');
    expect((await world.state())?.closedStatusIds).toEqual({ Closed: ['7'] });
  });

  it('closes no task when it gets the name of a closed status', async () => {
    const world = await closedByStatus();
    world.api.put('40', { localid: '40', title: 'T40', statusid: '4', status: 'Verify & Close' });
    await world.run();
    await world.news();
    rename(world, '4', 'Closed');
    expect(await sweep(world)).toEqual([]);
  });

  it('stays closed when the rules or the zone change', async () => {
    const world = await closedByStatus();
    rename(world, '7', 'Done');
    await sweep(world);
    world.clock.advance(5 * MINUTE);
    await world.run({ rules: { ...world.order.rules, taskStale: 10 }, timeZone: 'Asia/Tokyo' });
    expect(await world.news()).toEqual([]);
    const { stage } = (await world.snapshots.get({ source: 'main', resource: 'task', id: '3' })) ?? {};
    expect(stage?.closed).toBe(true);
  });
});

describe('a status that gets the name of a closed one', () => {
  const stageOf = async (world: World, id: string) =>
    (await world.snapshots.get({ source: 'main', resource: 'task', id }))?.stage;

  /** Task 40 of the status 4 was last modified an hour ago: deltas do not show it. */
  async function withNamesake(): Promise<World> {
    const world = await closedByStatus();
    world.api.put('40', { localid: '40', title: 'T40', datedue: '2026-11-15', statusid: '4', status: 'Review' });
    await world.run();
    await world.news();
    world.clock.advance(HOUR);
    return world;
  }

  it('does not hide that a person closes the task', async () => {
    const world = await withNamesake();
    rename(world, '4', 'Closed');
    await world.run({ everything: true });
    world.clock.advance(5 * MINUTE);
    // An edit that leaves it where it is does not close it.
    world.api.put('40', { datedue: '2026-11-16' });
    await world.run();
    expect(await world.news()).not.toContain('task.closed 40');
    world.clock.advance(5 * MINUTE);
    world.api.put('40', { statusid: '7', status: 'Closed', dateclosed: '2026-11-14' });
    await world.run();
    expect(await world.news()).toContain('task.closed 40');
    world.clock.advance(5 * MINUTE);
    world.api.put('40', { statusid: '5', status: 'Open', dateclosed: '' });
    await world.run();
    expect(await world.news()).toContain('task.reopened 40');
  });

  it('reopens no task that leaves it: nobody had closed it', async () => {
    const world = await withNamesake();
    rename(world, '4', 'Closed');
    await world.run({ everything: true });
    world.clock.advance(5 * MINUTE);
    world.api.put('40', { statusid: '5', status: 'Open' });
    await world.run();
    expect(await world.news()).toEqual(['task.status_changed 40', 'task.updated 40']);
  });

  it('is open again once it is renamed back', async () => {
    const world = await withNamesake();
    rename(world, '4', 'Closed');
    await world.run({ everything: true });
    expect((await stageOf(world, '40'))?.closed).toBe(true);
    world.clock.advance(5 * MINUTE);
    rename(world, '4', 'Review');
    await world.run({ everything: true });
    expect((await stageOf(world, '40'))?.closed).toBe(false);
    world.api.put('41', { localid: '41', title: 'T41', datedue: '2026-11-02', statusid: '4', status: 'Review' });
    world.clock.advance(5 * MINUTE);
    await world.run();
    expect((await stageOf(world, '41'))?.closed).toBe(false);
    await world.news();
    world.clock.advance(2 * DAY);
    await world.run();
    expect(await world.news()).toContain('task.overdue 40');
  });

  it('is open again although only one task showed the name, and the rules change meanwhile', async () => {
    const world = await withNamesake();
    world.api.put('41', { localid: '41', title: 'T41', datedue: '2026-11-15', statusid: '4', status: 'Closed' });
    await world.run();
    world.clock.advance(5 * MINUTE);
    await world.run({ rules: { ...world.order.rules, taskStale: 10 } });
    rename(world, '4', 'Review');
    world.clock.advance(5 * MINUTE);
    await world.run({ everything: true });
    expect(await Promise.all(['40', '41'].map(async (id) => (await stageOf(world, id))?.closed))).toEqual([
      false,
      false,
    ]);
  });

  it('stays closed under any name once it kept this one for a day', async () => {
    const world = await withNamesake();
    rename(world, '4', 'Closed');
    await world.run({ everything: true });
    for (let sweeps = 0; sweeps < 5; sweeps++) await sweep(world);
    expect((await world.state())?.closedStatusIds).toEqual({ Closed: ['7', '4'] });
    rename(world, '4', 'Done');
    expect(await sweep(world)).toEqual([]);
    expect((await stageOf(world, '40'))?.closed).toBe(true);
  });
});

describe('a renamed status whose old name is removed from the config', () => {
  it('is open, also after another status brings the name back', async () => {
    const world = await closedByStatus();
    rename(world, '7', 'Done');
    await sweep(world);
    world.api.put('50', { localid: '50', title: 'T50', datedue: '2026-11-02', statusid: '8', status: 'Closed' });
    world.clock.advance(5 * MINUTE);
    await world.run();
    const isClosed = async (id: string) =>
      (await world.snapshots.get({ source: 'main', resource: 'task', id }))?.stage.closed;
    expect([await isClosed('3'), await isClosed('50')]).toEqual([true, true]);
    world.clock.advance(5 * MINUTE);
    const rules = { ...world.order.rules, closedStatuses: [] };
    await world.run({ rules });
    expect([await isClosed('3'), await isClosed('50')]).toEqual([false, false]);
    world.clock.advance(5 * MINUTE);
    await world.run();
    expect([await isClosed('3'), await isClosed('50')]).toEqual([false, true]);
    expect((await world.state())?.closedStatusIds).toEqual({ Closed: ['8'] });
  });
});
