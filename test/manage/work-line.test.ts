import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createWorkLine } from '../../manage/api/http/work-line.ts';
import { cpuMillis } from '../cpu-time.ts';

describe('work that waits for its turn', () => {
  it('begins one piece at a time, those who have worked least first', async () => {
    const { enter } = createWorkLine();
    const end = await enter(() => 0);
    const begun: number[] = [];
    const waiting = [3, 1, 2].map(async (used) => {
      const endPiece = await enter(() => used);
      begun.push(used);
      endPiece();
    });
    await sleep(10);
    expect(begun).toEqual([]);
    end();
    await Promise.all(waiting);
    expect(begun).toEqual([1, 2, 3]);
  });

  it('leaves three times as much time to others', async () => {
    const { enter } = createWorkLine();
    const end = await enter(() => 0);
    const next = enter(() => 0);
    for (const until = cpuMillis() + 20; cpuMillis() < until; );
    const endedAt = performance.now();
    end();
    const endNext = await next;
    expect(performance.now() - endedAt).toBeGreaterThan(55);
    endNext();
    // Nobody waits: the next one begins at once.
    (await enter(() => 0))();
  });
});
