/** A modification date that goes back: a lagging replica shows such rows, and so does an API that really went back. */

import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../../core/model/time.ts';
import { baselined, titleOf, type World } from './poll-world.ts';

const LAST_WEEK = '2026-11-07 08:00:00';

/** The samples begin at noon. */
const UNTIL_MIDNIGHT = 12 * HOUR;

/** Task 5 is edited and read, then edited again and dated back, so that no delta shows it. */
async function backdated(fields: Record<string, unknown>): Promise<World> {
  const world = await baselined(20);
  world.api.put('5', { title: 'first', datedue: '2026-11-14' });
  await world.run();
  await world.news();
  world.clock.advance(HOUR);
  world.api.rows.set('5', { ...world.api.rows.get('5'), ...fields, datemodified: LAST_WEEK });
  return world;
}

describe('a row that is older than its snapshot', () => {
  it('is news beside a row that was edited after both', async () => {
    const world = await backdated({ title: 'second' });
    world.api.put('6', { title: 'another' });
    await world.run({ everything: true });
    expect(await world.news()).toEqual(['task.updated 5', 'task.updated 6']);
    expect(await titleOf(world, '5')).toBe('second');
  });

  it('is news beside an unchanged row that was edited after both', async () => {
    const world = await baselined(20);
    world.api.put('5', { title: 'first' });
    await world.run();
    world.clock.advance(30 * MINUTE);
    world.api.put('6', { title: 'another' });
    await world.run({ everything: true });
    await world.news();
    world.clock.advance(HOUR);
    world.api.rows.set('5', { ...world.api.rows.get('5'), title: 'second', datemodified: LAST_WEEK });
    await world.run({ everything: true });
    expect(await world.news()).toEqual(['task.updated 5']);
  });

  it('is no news beside rows of the same minute, or of the future', async () => {
    const world = await backdated({ title: 'second' });
    world.api.rows.set('6', { ...world.api.rows.get('6'), datemodified: '2099-01-01 00:00:00' });
    const seen = String(
      (await world.snapshots.get({ source: 'main', resource: 'task', id: '5' }))?.record.datemodified,
    );
    world.api.rows.set('7', { ...world.api.rows.get('7'), title: 'just after', datemodified: seen });
    await world.run({ everything: true });
    expect(await world.news()).toEqual(['task.updated 7']);
    expect(await titleOf(world, '5')).toBe('first');
  });

  it('is news after a date in the future, beside a row that was edited since', async () => {
    const world = await baselined(20);
    world.api.rows.set('5', { ...world.api.rows.get('5'), title: 'imported', datemodified: '2099-01-01 00:00:00' });
    await world.run({ everything: true });
    world.clock.advance(HOUR);
    world.api.put('5', { title: 'corrected' });
    world.api.put('6', { title: 'another' });
    await world.news();
    await world.run({ everything: true });
    expect((await world.news()).toSorted()).toEqual(['task.updated 5', 'task.updated 6']);
  });

  it('confirms what is due if only its date differs', async () => {
    const world = await backdated({});
    world.clock.advance(UNTIL_MIDNIGHT - HOUR);
    for (let minutes = 0; minutes < 10; minutes++) {
      await world.run();
      world.clock.advance(MINUTE);
    }
    expect(await world.news()).toContain('task.overdue 5');
    expect((await world.state())?.dueRead).toMatchObject({ pending: 0 });
  });

  it('confirms what is due if it is open with the same due date, and does not change the record', async () => {
    const world = await backdated({ title: 'second' });
    world.clock.advance(UNTIL_MIDNIGHT - HOUR);
    for (let minutes = 0; minutes < 10; minutes++) {
      await world.run();
      world.clock.advance(MINUTE);
    }
    const news = await world.news();
    expect(news).toContain('task.overdue 5');
    expect(news).not.toContain('task.updated 5');
    expect(await titleOf(world, '5')).toBe('first');
  });

  it.each([{ datedue: '2026-11-20' }, { statusid: '9', status: 'Closed' }, { dateclosed: '2026-11-14' }])(
    'confirms nothing that it contradicts: %j',
    async (fields) => {
      const world = await backdated(fields);
      world.clock.advance(UNTIL_MIDNIGHT - HOUR);
      for (let minutes = 0; minutes < 10; minutes++) {
        await world.run();
        world.clock.advance(MINUTE);
      }
      expect(await world.news()).not.toContain('task.overdue 5');
    },
  );

  it('confirms nothing while a replica may lag behind', async () => {
    const world = await baselined(20);
    world.api.put('5', { title: 'first', datedue: '2026-11-14' });
    world.clock.advance(UNTIL_MIDNIGHT - 8 * MINUTE);
    await world.run();
    const before = { ...world.api.rows.get('5') };
    // Edited right before midnight and read; then the replica shows it as it was.
    world.clock.advance(MINUTE);
    world.api.put('5', { title: 'second' });
    await world.run({ everything: true });
    world.api.rows.set('5', before);
    await world.news();
    world.clock.advance(6 * MINUTE);
    await world.run();
    expect(await world.news()).toEqual([]);
  });
});
