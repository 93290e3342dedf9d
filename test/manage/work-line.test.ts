import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createWorkLine } from '../../manage/api/http/work-line.ts';
import { cpuMillis } from '../cpu-time.ts';

const HEAVY = { used: () => 500, own: () => 0, since: 0 };
const work = (used: number, own = 0, since = 0) => ({ used: () => used, own: () => own, since });

function burn(millis: number): void {
  for (const until = cpuMillis() + millis; cpuMillis() < until; );
}

describe('work that waits for its turn', () => {
  it.each([
    { of: 'those who have worked little: the least first', waiting: [work(30), work(10), work(20)], order: [1, 2, 0] },
    {
      of: 'long requests that have begun: the oldest goes on to its end',
      waiting: [work(400, 400, 2), work(300, 300, 1), work(500, 500, 3)],
      order: [1, 0, 2],
    },
    {
      of: 'requests beside others of their caller: last',
      waiting: [work(5000, 50, 1), work(200, 200, 2)],
      order: [1, 0],
    },
    { of: 'a request that has worked little beside long ones', waiting: [HEAVY, work(99, 99, 9)], order: [1, 0] },
  ])('begins one piece at a time. $of', async ({ waiting, order }) => {
    const { enter } = createWorkLine();
    const end = await enter(work(0));
    const begun: number[] = [];
    const all = waiting.map(async (one, place) => {
      const endPiece = await enter(one);
      begun.push(place);
      endPiece();
    });
    await sleep(10);
    expect(begun).toEqual([]);
    end();
    await Promise.all(all);
    expect(begun).toEqual(order);
  });

  it('leaves three times as much time to others after a piece', async () => {
    const { enter } = createWorkLine();
    const end = await enter(HEAVY);
    const next = enter(HEAVY);
    burn(20);
    const endedAt = performance.now();
    end();
    const endNext = await next;
    expect(performance.now() - endedAt).toBeGreaterThan(55);
    endNext();
    // Nobody waits: the next one begins at once.
    (await enter(HEAVY))();
  });

  it('lets one caller at a time who has worked little begin before that time is over', async () => {
    const { enter } = createWorkLine();
    const end = await enter(HEAVY);
    burn(20);
    end();
    const endedAt = performance.now();
    const order: string[] = [];
    const later = enter(HEAVY).then((endPiece) => {
      order.push('long');
      endPiece();
    });
    const endLittle = await enter(work(5));
    order.push('little');
    expect(performance.now() - endedAt).toBeLessThan(30);
    const second = enter(work(6)).then((endPiece) => {
      order.push('second');
      endPiece();
    });
    endLittle();
    await second;
    expect(performance.now() - endedAt).toBeGreaterThan(55);
    await later;
    expect(order).toEqual(['little', 'second', 'long']);
  });
});
