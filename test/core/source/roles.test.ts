/** A token whose person or role changes: what it newly shows was not created, what it no longer shows was not deleted. */

import { describe, expect, it } from 'vitest';
import { workResourceOf } from '../../../adapters/sources/work/resources.ts';
import { GiveUp } from '../../../core/model/errors.ts';
import { HOUR, MINUTE } from '../../../core/model/time.ts';
import type { WireRow } from '../../../core/ports/source-api.ts';
import { baselined, type World } from './poll-world.ts';

const CHANGED = 'source.role_changed main';
const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => String(from + at));

/** From now on the token has this role and shows only these records. */
function become(world: World, role: string, hidden: readonly string[]): Map<string, WireRow> {
  world.api.me = { ...world.api.me, role };
  const all = new Map(world.api.rows);
  for (const id of hidden) world.api.rows.delete(id);
  return all;
}

async function sweep(world: World): Promise<string[]> {
  world.clock.advance(6 * HOUR);
  await world.run({ everything: true });
  return world.news();
}

/** Polls every five minutes. */
async function live(world: World, hours: number): Promise<string[]> {
  const news: string[] = [];
  for (let minute = 0; minute < hours * 60; minute += 5) {
    world.clock.advance(5 * MINUTE);
    await world.run();
    news.push(...(await world.news()));
  }
  return news;
}

describe('a token', () => {
  it.each([1, 5, 50])('whose role shrinks by %i records deletes none of them, and says so once', async (count) => {
    const world = await baselined(100);
    become(world, 'Resource', ids(1, count));
    expect(await sweep(world)).toEqual([CHANGED]);
    expect(await live(world, 12)).toEqual([]);
  });

  it('whose role shrinks right after it was checked deletes nothing either', async () => {
    const world = await baselined(100);
    become(world, 'Resource', ids(1, 8));
    world.clock.advance(MINUTE);
    await world.run({ everything: true });
    expect(await world.news()).toEqual([CHANGED]);
    expect(await sweep(world)).toEqual([]);
  });

  it('whose role grows creates nothing, and finds changes and new records afterwards', async () => {
    const world = await baselined(100);
    const all = become(world, 'Resource', ids(60, 100));
    await sweep(world);
    world.api.me = { person: '1', role: 'Administrator' };
    for (const [id, row] of all) world.api.rows.set(id, row);
    for (const id of ids(101, 150)) world.api.put(id, { localid: id, title: `T${id}`, statusid: '1' });
    world.clock.advance(5 * MINUTE);
    await world.run();
    expect(await world.news()).toEqual([CHANGED]);
    world.api.put('77', { title: 'Better' });
    world.api.put('151', { localid: '151', title: 'New', statusid: '1' });
    expect(await live(world, 1)).toEqual(['task.updated 77', 'task.created 151']);
  });

  it('of another person who sees fewer tasks deletes none of the others', async () => {
    const world = await baselined(0);
    const manager = { role: 'Manager', restricttasks: 'f' };
    world.api.me = { person: '1', ...manager };
    for (const id of ids(1, 100)) world.api.put(id, { localid: id, title: `T${id}`, projectid: '1' });
    world.api.visible.add('project/1');
    await world.run({ everything: true });
    await world.news();
    become(world, 'Manager', ids(1, 50));
    world.api.me = { person: '2', ...manager };
    expect(await sweep(world)).toEqual([CHANGED]);
    world.api.rows.delete('60');
    expect(await sweep(world)).toEqual(['task.deleted 60']);
  });

  it('of another Administrator after an outage finds what was created and deleted meanwhile', async () => {
    const world = await baselined(100);
    world.clock.advance(20 * HOUR);
    world.api.me = { person: '2', role: 'Administrator' };
    for (const id of ids(1, 3)) world.api.rows.delete(id);
    for (const id of ids(101, 120)) world.api.put(id, { localid: id, title: `T${id}`, statusid: '1' });
    const news = await sweep(world);
    expect(news.filter((line) => line.startsWith('task.deleted'))).toEqual(ids(1, 3).map((id) => `task.deleted ${id}`));
    expect(news.filter((line) => line.startsWith('task.created'))).toHaveLength(20);
    expect(news.filter((line) => line.startsWith('source.'))).toEqual([CHANGED]);
    expect(await live(world, 7)).toEqual([]);
  });

  it('whose role hides fields by sending them empty unassigns nobody', async () => {
    const world = await baselined(0);
    for (const id of ids(1, 20)) world.api.put(id, { localid: id, title: 'T', assigneeid: '3,4', ownerid: '3' });
    await world.run();
    await world.news();
    const hide = () => {
      for (const id of ids(1, 20)) world.api.put(id, { assigneeid: '', ownerid: '' });
    };
    world.api.me = { person: '1', role: 'Executive' };
    hide();
    world.clock.advance(5 * MINUTE);
    await world.run();
    expect(await world.news()).toEqual([CHANGED]);
    hide();
    expect(await live(world, 2)).toEqual([]);
    world.api.me = { person: '1', role: 'Administrator' };
    for (const id of ids(1, 20)) world.api.put(id, { assigneeid: id === '7' ? '4' : '3,4', ownerid: '3' });
    const news = await live(world, 2);
    expect(news).toContain('task.unassigned 7');
    expect(news.filter((line) => !line.endsWith(' 7'))).toEqual([CHANGED]);
  });

  it('whose role is an Administrator again finds what was created and deleted in a resource it could not read', async () => {
    const world = await baselined(20);
    const { list } = world.api;
    world.api.list = async (resource, query) => {
      if (resource === 'task' && world.api.me.role === 'Resource') throw new GiveUp('TIDINGS_SOURCE_FORBIDDEN', '403');
      return list(resource, query);
    };
    // Another resource, which is read when the role is requested, and not when tasks are tried again.
    const cadence = { every: 20 * MINUTE, sweep: 6 * HOUR };
    const resources = [...world.order.resources, { resource: workResourceOf('project'), cadence }];
    await world.run({ resources });
    world.api.me = { person: '1', role: 'Resource' };
    for (let minute = 5; minute <= 60; minute += 5) {
      world.clock.advance(5 * MINUTE);
      await world.run({ resources });
    }
    expect((await world.state())?.forbiddenAt).not.toBeNull();
    world.api.me = { person: '1', role: 'Administrator' };
    world.api.put('21', { localid: '21', title: 'New', statusid: '1' });
    world.api.rows.delete('3');
    await world.news();
    const news: string[] = [];
    for (let minute = 5; minute <= 120; minute += 5) {
      world.clock.advance(5 * MINUTE);
      await world.run({ resources });
      news.push(...(await world.news()));
    }
    expect(news.filter((line) => line.startsWith('task.'))).toEqual(['task.created 21', 'task.deleted 3']);
  });

  it('of the same person and role still reports deletions and creations', async () => {
    const world = await baselined(100);
    for (const id of ids(1, 4)) world.api.rows.delete(id);
    for (const id of ids(101, 120)) world.api.put(id, { localid: id, title: `T${id}`, statusid: '1' });
    const news = await sweep(world);
    expect(news.filter((line) => line.startsWith('task.deleted'))).toHaveLength(4);
    expect(news.filter((line) => line.startsWith('task.created'))).toHaveLength(20);
  });
});
