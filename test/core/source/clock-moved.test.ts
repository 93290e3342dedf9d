/** Polling after the machine's clock ran ahead and was put back. */

import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../../core/model/time.ts';
import { asYou, baselined } from './poll-world.ts';

const task = { localid: '1', title: 'T', status: 'Open', statusid: '1', dateclosed: '' };

describe('a clock that ran ahead and was put back', () => {
  it.each([HOUR, 12 * HOUR, 400 * DAY])('by %i ms polls at once, says so, and loses no change', async (ahead) => {
    const world = await baselined(9);
    world.clock.advance(ahead);
    await world.run();
    world.clock.advance(-ahead);
    world.api.put('3', { title: 'changed meanwhile' });
    world.clock.advance(MINUTE);
    const report = await world.run();
    expect(report).toMatchObject({ clockMovedBack: true, failed: [] });
    expect((await world.news()).filter((line) => !line.startsWith('task.stale'))).toEqual(['task.updated 3']);
    // From then on all is as usual.
    expect(await world.run()).toEqual({ scans: [], failed: [] });
    world.api.put('4', { title: 'changed later' });
    world.clock.advance(5 * MINUTE);
    expect((await world.run()).clockMovedBack).toBeUndefined();
    expect(await world.news()).toEqual(['task.updated 4']);
  });

  it('takes over the lease of a process that died while the clock was ahead', async () => {
    const world = await baselined(9);
    world.clock.advance(12 * HOUR);
    await world.ports.leases.acquire('poll/main', 'killed', world.clock.now(), 2 * MINUTE);
    world.clock.advance(-12 * HOUR);
    expect((await asYou(world)).scans).toHaveLength(1);
  });

  it('goes on after a jump of hours ahead', async () => {
    const world = await baselined(9);
    world.api.put('1', { ...task, datedue: '2026-11-14' });
    await world.run();
    await world.news();
    world.clock.advance(24 * HOUR);
    expect((await world.run()).failed).toEqual([]);
    expect(await world.news()).toEqual(['task.overdue 1']);
  });

  it('emits a time-driven event once, although its moment comes twice', async () => {
    const world = await baselined(9);
    world.api.put('1', { ...task, datedue: '2026-11-14' });
    await world.run();
    await world.news();
    world.clock.advance(12 * HOUR);
    await world.run();
    expect(await world.news()).toEqual(['task.overdue 1']);
    world.clock.advance(-12 * HOUR);
    world.api.put('1', { title: 'changed meanwhile' });
    world.clock.advance(MINUTE);
    await world.run();
    expect(await world.news()).toEqual(['task.updated 1']);
    for (let hour = 0; hour < 24; hour++) {
      world.clock.advance(HOUR);
      await world.run();
    }
    expect(await world.news()).toEqual([]);
  });
});
