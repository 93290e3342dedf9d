import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pace, type Sleep, waitBefore } from '../../../adapters/work-api/pace.ts';
import { fakeTime } from './api-server.ts';

/** A clock whose sleepers wake in order of time, so that many can wait at once. */
function sharedTime() {
  let at = 0;
  const sleepers: { at: number; wake: () => void }[] = [];
  const sleep: Sleep = (duration) => new Promise((wake) => sleepers.push({ at: at + duration, wake }));
  const run = async (until: () => boolean) => {
    while (!until()) {
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
      sleepers.sort((a, b) => a.at - b.at);
      const next = sleepers.shift();
      if (next === undefined) continue;
      at = Math.max(at, next.at);
      next.wake();
    }
  };
  return { now: () => at, sleep, run };
}

describe('the pace', () => {
  it.each([
    ['nothing has gone', [], 2, 0],
    ['there is room', [0], 2, 0],
    ['the minute is full', [0, 10], 2, 59_980],
    ['the oldest of the full minute is a minute ago', [-59_980, 10], 2, 0],
    ['only the last count', [-90_000, 0, 15], 2, 59_980],
  ])('waits as long as it must when %s', (_, gone, perMinute, wait) => {
    expect(waitBefore(gone, perMinute, Number.NEGATIVE_INFINITY, 20)).toBe(wait);
  });

  it('lets a burst up to the limit go at once, and the next after a minute', async () => {
    const time = fakeTime();
    const { turn } = pace({ perMinute: 3, ...time });
    for (let n = 0; n < 4; n++) await turn();
    expect(time.slept).toEqual([60_000]);
  });

  it('never lets more than the limit go in any 60 seconds, however requests come', async () => {
    const bursts = fc.array(
      fc.record({ gap: fc.integer({ min: 0, max: 90_000 }), size: fc.integer({ min: 1, max: 9 }) }),
      {
        maxLength: 12,
      },
    );
    await fc.assert(
      fc.asyncProperty(bursts, fc.integer({ min: 1, max: 6 }), async (bursts, perMinute) => {
        const time = sharedTime();
        const { turn } = pace({ perMinute, ...time });
        const went: number[] = [];
        let done = false;
        const all = (async () => {
          for (const { gap, size } of bursts) {
            await time.sleep(gap);
            await Promise.all(Array.from({ length: size }, () => turn().then(() => went.push(time.now()))));
          }
          done = true;
        })();
        await time.run(() => done);
        await all;
        expect(went).toHaveLength(bursts.reduce((sum, { size }) => sum + size, 0));
        for (const [index, at] of went.entries()) {
          const later = went[index + perMinute];
          if (later !== undefined) expect(later - at).toBeGreaterThanOrEqual(60_000);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('lets nothing go while it is closed, not even what waited before', async () => {
    const time = sharedTime();
    const { turn, close } = pace({ perMinute: 1, ...time });
    await turn();
    const went: number[] = [];
    const waiting = turn().then(() => went.push(time.now()));
    await time.run(() => time.now() === 0);
    close(90_000);
    await time.run(() => went.length === 1);
    await waiting;
    expect(went).toEqual([90_000]);
  });

  it.each([0, -5, 1.9])('takes a limit of %d for one a minute', async (perMinute) => {
    const time = fakeTime();
    const { turn } = pace({ perMinute, ...time });
    for (let n = 0; n < 3; n++) await turn();
    expect(time.slept).toEqual([60_000, 60_000]);
  });

  it('waits for nobody when there is no limit', async () => {
    const time = fakeTime();
    const { turn } = pace({ perMinute: Number.POSITIVE_INFINITY, ...time });
    for (let n = 0; n < 1000; n++) await turn();
    expect(time.slept).toEqual([]);
  });

  it('stops waiting with the reason of the abort, and does not count the request', async () => {
    const controller = new AbortController();
    const aborted = new Error('shutting down');
    const sleep: Sleep = async () => {
      controller.abort(aborted);
      throw new Error('the timer says it in its own words');
    };
    let at = 0;
    const { turn } = pace({ perMinute: 1, now: () => at, sleep });
    await turn();
    await expect(turn(controller.signal)).rejects.toBe(aborted);
    at = 60_000;
    await expect(turn()).resolves.toBeUndefined();
  });
});
