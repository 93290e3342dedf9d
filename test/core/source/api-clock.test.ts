/** Our clock and the API's differ: nothing becomes overdue before midnight by both, and the difference is reported. */

import { describe, expect, it } from 'vitest';
import { between, type Duration, HOUR, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import type { Page } from '../../../core/ports/source-api.ts';
import { storedAhead } from '../../../core/source/api-clock.ts';
import { setUp, type World } from './poll-world.ts';

const open = { status: 'Open', statusid: '1', dateclosed: '' };

/** The API's clock in responses; a cache may have kept them. */
function setDate({ api, clock }: World, ahead: () => Duration, cachedFor = 0): void {
  const list = api.list.bind(api);
  api.list = async (resource, query, signal): Promise<Page> => ({
    ...(await list(resource, query, signal)),
    serverTime: plus(clock.now(), -ahead() - cachedFor),
    cachedFor,
  });
}

/** Polls every minute, and returns the news of each. */
async function live(world: World, minutes: number): Promise<string[]> {
  const news: string[] = [];
  for (let minute = 0; minute < minutes; minute++) {
    world.clock.advance(MINUTE);
    await world.run();
    news.push(...(await world.news()));
  }
  return news;
}

/** A task that is due today, an hour before midnight by our clock. */
async function beforeMidnight(ahead: () => Duration, cachedFor = 0): Promise<World> {
  const world = setUp();
  setDate(world, ahead, cachedFor);
  world.api.put('1', { localid: '1', title: 'T1', ...open, datedue: '2026-11-14' });
  await world.run();
  world.clock.advance(11 * HOUR);
  await world.run();
  await world.news();
  return world;
}

const overdue = (news: readonly string[]) => news.filter((line) => line.startsWith('task.overdue'));

describe('a clock that is four minutes ahead of the API', () => {
  it('makes nothing overdue before midnight by the API', async () => {
    const world = await beforeMidnight(() => 4 * MINUTE);
    // 00:04 by our clock: a person closes the task in the last minute of its day.
    expect(overdue(await live(world, 60 + 4))).toEqual([]);
    world.api.put('1', { status: 'Closed', statusid: '7', dateclosed: '2026-11-14' });
    expect(overdue(await live(world, 20))).toEqual([]);
  });

  it('delays an overdue event by four minutes, with few requests', async () => {
    const world = await beforeMidnight(() => 4 * MINUTE);
    await live(world, 55);
    const before = world.api.requests();
    expect(overdue(await live(world, 10))).toEqual([]);
    expect(overdue(await live(world, 3))).toEqual(['task.overdue 1']);
    expect(world.api.requests() - before).toBeLessThanOrEqual(9);
  });

  it('is noticed by the response that would confirm the task', async () => {
    let ahead = 0;
    const world = await beforeMidnight(() => ahead);
    await live(world, 59);
    ahead = 4 * MINUTE;
    expect(overdue(await live(world, 6))).toEqual([]);
    expect(overdue(await live(world, 3))).toEqual(['task.overdue 1']);
  });

  it('is reported once, after three scans, and again after it was right', async () => {
    let ahead = 4 * MINUTE;
    const world = setUp();
    setDate(world, () => ahead);
    world.api.put('1', { localid: '1', title: 'T1', ...open });
    const isSkew = (line: string) => line === 'source.clock_skewed main';
    await world.run();
    expect((await live(world, 5)).filter(isSkew)).toEqual([]);
    expect((await live(world, 60)).filter(isSkew)).toHaveLength(1);
    const key = { source: 'main', resource: 'source', id: 'main' };
    expect((await world.snapshots.get(key))?.record.clockAhead).toBe(4);
    ahead = 10 * SECOND;
    await live(world, 10);
    expect((await world.snapshots.get(key))?.record.clockAhead).toBeUndefined();
    ahead = -3 * HOUR;
    expect((await live(world, 30)).filter(isSkew)).toHaveLength(1);
    expect((await world.snapshots.get(key))?.record.clockAhead).toBe(-180);
  });
});

describe('a difference that has ended', () => {
  it('is not kept by resources that are scanned rarely', () => {
    const scanned = (clockAhead: Duration | undefined, lastGoodScanAt: string | null) => ({
      clockAhead,
      lastGoodScanAt,
    });
    const states = [
      scanned(3 * HOUR, '2026-11-14T10:00:00.000Z'),
      scanned(0, '2026-11-14T12:00:00.000Z'),
      scanned(3 * HOUR, '2026-11-14T11:00:00.000Z'),
      scanned(undefined, '2026-11-14T13:00:00.000Z'),
      scanned(2 * HOUR, null),
    ];
    expect(storedAhead(states)).toBe(0);
    expect(storedAhead(states.slice(0, 1))).toBe(3 * HOUR);
    expect(storedAhead(states.slice(3))).toBe(0);
  });
});

describe('dates that say nothing about the API’s clock', () => {
  it('delay nothing: a cached response with its age, a machine without the time', async () => {
    for (const [ahead, cachedFor] of [
      [() => 0, HOUR],
      [() => 30 * 365 * 24 * HOUR, 0],
    ] as const) {
      const world = await beforeMidnight(ahead, cachedFor);
      const news = await live(world, 63);
      expect(overdue(news)).toEqual(['task.overdue 1']);
      expect(news).not.toContain('source.clock_skewed main');
    }
  });

  it.each([
    ['stays two days behind', () => 48 * HOUR],
    ['stands still', ({ clock }: World) => between('2026-11-10T00:00:00.000Z', clock.now())],
  ])('delay nothing where the API’s clock %s, and are reported', async (_, aheadIn) => {
    let world: World | undefined;
    world = await beforeMidnight(() => (world === undefined ? 48 * HOUR : aheadIn(world)));
    const news = await live(world, 63);
    expect(overdue(news)).toEqual(['task.overdue 1']);
    expect(news).toContain('source.clock_skewed main');
  });

  it('delay an event by 23 hours where the API’s clock is behind by as much', async () => {
    const world = await beforeMidnight(() => 23 * HOUR);
    expect(overdue(await live(world, 120))).toEqual([]);
    world.clock.advance(22 * HOUR);
    expect(overdue(await live(world, 10))).toEqual(['task.overdue 1']);
  });

  it('is late, but not false, where our clock is behind', async () => {
    const world = await beforeMidnight(() => -3 * HOUR);
    expect(overdue(await live(world, 60))).toEqual([]);
    expect(overdue(await live(world, 4))).toEqual(['task.overdue 1']);
  });
});
