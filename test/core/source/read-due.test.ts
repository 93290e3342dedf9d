/** Records whose moment has come are read directly: what they prove is emitted, whatever the scans make of the others. */

import { describe, expect, it } from 'vitest';
import { RetryLater } from '../../../core/model/errors.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../core/model/time.ts';
import type { ListQuery, Page } from '../../../core/ports/source-api.ts';
import { setUp, type World } from './poll-world.ts';

const open = { status: 'Open', statusid: '1', dateclosed: '' };
const busy = () => new RetryLater('TIDINGS_SOURCE_STATUS', '500 from the API');

/**
 * Two minutes before midnight of the day on which records 1 and 2 are due: 2026-11-14.
 * @param at2355 happens three minutes earlier, before the last scan of the day
 */
async function beforeMidnight(
  name: 'task' | 'invoice' | 'project' = 'task',
  at2355: (world: World) => void = () => {},
): Promise<World> {
  const world = setUp(name);
  const due = name === 'project' ? { dateend: '2026-11-14', active: 't' } : { datedue: '2026-11-14' };
  const rest = name === 'invoice' ? { total: '10.00', balance: '10.00' } : open;
  for (const id of ['1', '2']) world.api.put(id, { localid: id, title: `T${id}`, name: `P${id}`, ...rest, ...due });
  world.api.put('3', { localid: '3', title: 'T3', name: 'P3', ...rest });
  await world.run();
  world.clock.advance(12 * HOUR - 7 * MINUTE);
  await world.run();
  world.clock.advance(2 * MINUTE);
  at2355(world);
  world.clock.advance(3 * MINUTE);
  await world.run();
  await world.news();
  return world;
}

/** Changes each page of the lists that match. */
function distort({ api }: World, isMeant: (query: ListQuery) => boolean, change: (page: Page) => Page): void {
  const list = api.list.bind(api);
  api.list = async (resource, query, signal) => {
    const page = await list(resource, query, signal);
    return resource !== 'me' && isMeant(query) ? change(page) : page;
  };
}

const isFull = ({ filters }: ListQuery) => Object.keys(filters).every((name) => name === 'order');
const countsMore = (page: Page): Page => ({
  ...page,
  content: () => ({ ...page.content(), listCount: page.content().listCount + 1 }),
});

async function pass(world: World, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    world.clock.advance(MINUTE);
    await world.run();
  }
}

const late = (lines: readonly string[]) => lines.filter((line) => /overdue|past_end|source\./.test(line)).toSorted();

describe('what is due', () => {
  it.each([
    ['task', ['task.overdue 1', 'task.overdue 2']],
    ['invoice', ['invoice.overdue 1', 'invoice.overdue 2']],
    ['project', ['project.past_end 1', 'project.past_end 2']],
  ] as const)(
    'is emitted for each %s within minutes although every list counts one record more',
    async (name, events) => {
      const world = await beforeMidnight(name);
      distort(world, () => true, countsMore);
      await pass(world, 6);
      expect(late(await world.news())).toEqual(events);
      await pass(world, 30);
      expect(late(await world.news()).filter((line) => !line.startsWith('source.'))).toEqual([]);
    },
  );

  it('is emitted although the full list answers 500', async () => {
    const world = await beforeMidnight();
    distort(
      world,
      (query) => isFull(query) && query.limit > 1,
      () => {
        throw busy();
      },
    );
    world.api.rows.delete('3');
    await pass(world, 6);
    expect(late(await world.news())).toEqual(['task.overdue 1', 'task.overdue 2']);
  });

  it('is emitted for one project although no list is served, by single reads', async () => {
    const world = await beforeMidnight('project');
    distort(
      world,
      () => true,
      () => {
        throw busy();
      },
    );
    await pass(world, 6);
    expect(late(await world.news())).toContain('project.past_end 1');
  });

  it('is not delayed by one task whose modification date goes back', async () => {
    const world = await beforeMidnight();
    world.api.put('2', { title: 'edited' });
    await world.run({ everything: true });
    world.api.rows.set('2', {
      ...world.api.rows.get('2'),
      id: '2',
      title: 'older',
      datemodified: '2026-11-14 23:56:00',
    });
    await pass(world, 5);
    expect(late(await world.news())).toContain('task.overdue 1');
  });

  it('is not delayed by an open invoice that the list of open ones does not show', async () => {
    const world = await beforeMidnight('invoice');
    distort(
      world,
      ({ filters }) => filters.open !== undefined,
      (page) => ({
        ...page,
        digest: `${page.digest} without 3`,
        content: () => {
          const { rows, listCount, ...rest } = page.content();
          return { ...rest, rows: rows.filter(({ id }) => id !== '3'), listCount: listCount - 1 };
        },
      }),
    );
    await pass(world, 6);
    expect(late(await world.news())).toEqual(['invoice.overdue 1', 'invoice.overdue 2']);
  });

  it('is read in one request for all tasks of a day', async () => {
    const world = await beforeMidnight();
    for (let id = 10; id < 400; id++)
      world.api.put(String(id), { localid: String(id), ...open, datedue: '2026-11-14' });
    await world.run({ everything: true });
    await world.news();
    world.clock.advance(3 * MINUTE + SECOND);
    await world.run();
    world.clock.advance(MINUTE);
    const queries: ListQuery[] = [];
    distort(
      world,
      (query) => queries.push(query) > 0,
      (page) => page,
    );
    await world.run();
    expect(queries.filter(({ filters }) => 'dueFrom' in filters)).toHaveLength(1);
    expect(late(await world.news())).toHaveLength(392);
  });
});

describe('an invoice that leaves the list of open ones', () => {
  it('is emitted as paid at once although that list counts one too many', async () => {
    const world = await beforeMidnight('invoice');
    await pass(world, 10);
    await world.news();
    distort(world, ({ filters }) => filters.open !== undefined, countsMore);
    world.api.put('1', { balance: '0.00', payments: '10.00', datepaid: '2026-11-15', status: 'paid' });
    await pass(world, 6);
    expect(await world.news()).toContain('invoice.paid 1');
  });
});

describe('what is closed or deleted', () => {
  it('is not overdue when it was deleted while another was restored, so that the count is equal', async () => {
    const world = setUp();
    for (const id of ['1', '2', '3'])
      world.api.put(id, { localid: id, title: `T${id}`, ...open, datedue: '2026-11-14' });
    await world.run();
    const restored = { ...world.api.rows.get('3'), id: '3' };
    world.api.rows.delete('3');
    world.clock.advance(HOUR);
    await world.run({ everything: true });
    expect(await world.news()).toContain('task.deleted 3');
    world.clock.advance(11 * HOUR - 7 * MINUTE);
    await world.run({ everything: true });
    world.clock.advance(2 * MINUTE);
    world.api.rows.delete('1');
    world.api.rows.set('3', restored);
    world.clock.advance(3 * MINUTE);
    await pass(world, 10);
    const news = await world.news();
    expect(news).not.toContain('task.overdue 1');
    expect(news).toContain('task.overdue 2');
    expect(news).toContain('task.deleted 1');
  });

  it('is not overdue when it was deleted while another was created, so that the count is equal', async () => {
    const world = await beforeMidnight('task', ({ api }) => {
      api.rows.delete('1');
      api.put('4', { localid: '4', title: 'T4', ...open });
    });
    await pass(world, 6);
    expect(late(await world.news())).toEqual(['task.overdue 2']);
  });

  it.each([
    ['task', '23:55', 'task.overdue 2'],
    ['task', '23:58', 'task.overdue 2'],
    ['invoice', '23:58', 'invoice.overdue 2'],
  ] as const)('is no overdue %s when it was deleted at %s and every count fails', async (name, time, event) => {
    const remove = (world: World) => {
      world.api.rows.delete('1');
      distort(
        world,
        (query) => query.limit === 1 && isFull(query),
        () => {
          throw busy();
        },
      );
    };
    const world = await beforeMidnight(name, time === '23:55' ? remove : undefined);
    if (time === '23:58') remove(world);
    await pass(world, 60);
    expect(late(await world.news())).toEqual([event]);
  });

  const closings = [15, 40, 65].flatMap((lag) =>
    [10, 30, 60].filter((seconds) => seconds < lag).map((seconds) => [seconds, lag] as const),
  );
  it.each(closings)(
    'is not overdue when it was closed %i s before midnight and lists and records lag by %i s',
    async (seconds, lag) => {
      const world = await beforeMidnight();
      world.clock.advance(2 * MINUTE - seconds * SECOND);
      const shown = structuredClone(world.api.rows.get('1'));
      world.api.put('1', { status: 'Closed', statusid: '7', dateclosed: '2026-11-14' });
      const closed = structuredClone(world.api.rows.get('1'));
      world.api.rows.set('1', { ...shown, id: '1' });
      for (let second = 0; second < lag; second += 5) {
        world.clock.advance(5 * SECOND);
        await world.run();
      }
      world.api.rows.set('1', { ...closed, id: '1' });
      await pass(world, 10);
      expect(late(await world.news())).toEqual(['task.overdue 2']);
    },
  );

  it.each([10, 60])(
    'is not overdue when it was deleted %i s before midnight and lists lag by 65 s',
    async (seconds) => {
      const world = await beforeMidnight();
      world.clock.advance(2 * MINUTE - seconds * SECOND + 65 * SECOND);
      await world.run();
      world.api.rows.delete('1');
      await pass(world, 10);
      expect(late(await world.news())).toEqual(['task.overdue 2']);
    },
  );
});

describe('what is due and cannot be read', () => {
  it('is reported within minutes, once, and emitted when it can be read', async () => {
    const world = await beforeMidnight();
    distort(
      world,
      ({ filters }) => 'dueFrom' in filters,
      () => {
        throw busy();
      },
    );
    const get = world.api.get.bind(world.api);
    world.api.get = async (resource, id, signal) => {
      if (id === '1') throw busy();
      return get(resource, id, signal);
    };
    await pass(world, 10);
    expect(late(await world.news())).toEqual(['source.unconfirmed main', 'task.overdue 2']);
    const before = world.api.requests();
    await pass(world, 4 * 60);
    expect(late(await world.news())).toEqual([]);
    // Hourly after a while, two requests each; 48 deltas, 8 counts and 4 checks of the role come as usual.
    expect(world.api.requests() - before).toBeLessThan(48 + 8 + 4 + 2 * 8);
    world.api.get = get;
    await pass(world, 61);
    expect(late(await world.news())).toEqual(['task.overdue 1']);
  });

  it('is emitted after an outage of days, each once', async () => {
    const world = await beforeMidnight();
    world.api.before = () => {
      throw new RetryLater('TIDINGS_SOURCE_UNREACHABLE', 'no answer');
    };
    for (let hour = 0; hour < 48; hour++) {
      world.clock.advance(HOUR);
      await world.run();
    }
    world.api.before = () => {};
    world.clock.advance(DAY);
    await world.run();
    expect(late(await world.news())).toEqual([
      'source.recovered main',
      'source.unreachable main',
      'task.overdue 1',
      'task.overdue 2',
    ]);
  });
});
