import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRequestPacer, millisUntilSlot, type Sleep } from '../../../../adapters/sources/http/request-pacer.ts';
import { fakeTime } from '../work/api-server.ts';

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

describe('the request pacer', () => {
  it.each([
    ['nothing was sent', [], 2, 0],
    ['there is room', [0], 2, 0],
    ['the minute is used up', [0, 10], 2, 59_980],
    ['the oldest request was a minute ago', [-59_980, 10], 2, 0],
    ['older requests no longer count', [-90_000, 0, 15], 2, 59_980],
  ])('computes the wait when %s', (_, sentAt, perMinute, wait) => {
    expect(millisUntilSlot(sentAt, perMinute, Number.NEGATIVE_INFINITY, 20)).toBe(wait);
  });

  it('sends a burst up to the limit at once, and the next request after a minute', async () => {
    const time = fakeTime();
    const { waitForSlot } = createRequestPacer({ perMinute: 3, ...time });
    for (let n = 0; n < 4; n++) await waitForSlot();
    expect(time.slept).toEqual([60_000]);
  });

  it('never sends more than the limit in any 60 seconds', async () => {
    const bursts = fc.array(
      fc.record({ gap: fc.integer({ min: 0, max: 90_000 }), size: fc.integer({ min: 1, max: 9 }) }),
      {
        maxLength: 12,
      },
    );
    await fc.assert(
      fc.asyncProperty(bursts, fc.integer({ min: 1, max: 6 }), async (bursts, perMinute) => {
        const time = sharedTime();
        const { waitForSlot } = createRequestPacer({ perMinute, ...time });
        const sent: number[] = [];
        let done = false;
        const all = (async () => {
          for (const { gap, size } of bursts) {
            await time.sleep(gap);
            await Promise.all(Array.from({ length: size }, () => waitForSlot().then(() => sent.push(time.now()))));
          }
          done = true;
        })();
        await time.run(() => done);
        await all;
        expect(sent).toHaveLength(bursts.reduce((sum, { size }) => sum + size, 0));
        for (const [index, at] of sent.entries()) {
          const later = sent[index + perMinute];
          if (later !== undefined) expect(later - at).toBeGreaterThanOrEqual(60_000);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('sends nothing while paused, not even requests that waited before', async () => {
    const time = sharedTime();
    const { waitForSlot, pauseFor } = createRequestPacer({ perMinute: 1, ...time });
    await waitForSlot();
    const sent: number[] = [];
    const waiting = waitForSlot().then(() => sent.push(time.now()));
    await time.run(() => time.now() === 0);
    pauseFor(90_000);
    await time.run(() => sent.length === 1);
    await waiting;
    expect(sent).toEqual([90_000]);
  });

  it.each([0, -5, 1.9])('treats a limit of %d as one request a minute', async (perMinute) => {
    const time = fakeTime();
    const { waitForSlot } = createRequestPacer({ perMinute, ...time });
    for (let n = 0; n < 3; n++) await waitForSlot();
    expect(time.slept).toEqual([60_000, 60_000]);
  });

  it('never waits without a limit', async () => {
    const time = fakeTime();
    const { waitForSlot } = createRequestPacer({ perMinute: Number.POSITIVE_INFINITY, ...time });
    for (let n = 0; n < 1000; n++) await waitForSlot();
    expect(time.slept).toEqual([]);
  });

  it('rejects with the abort reason and does not count the request', async () => {
    const controller = new AbortController();
    const aborted = new Error('shutting down');
    const sleep: Sleep = async () => {
      controller.abort(aborted);
      throw new Error('the error of the timer');
    };
    let at = 0;
    const { waitForSlot } = createRequestPacer({ perMinute: 1, now: () => at, sleep });
    await waitForSlot();
    await expect(waitForSlot(controller.signal)).rejects.toBe(aborted);
    at = 60_000;
    await expect(waitForSlot()).resolves.toBeUndefined();
  });
});
