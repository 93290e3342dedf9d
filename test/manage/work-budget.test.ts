/** The budget of requests counts work, not time: a busy machine and a slow store cost the caller nothing. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Pace } from '../../core/model/pace.ts';
import type { ApiPorts, WorkLimits } from '../../manage/api/http/api-ports.ts';
import type { Caller } from '../../manage/api/http/caller.ts';
import { Problem } from '../../manage/api/http/problem.ts';
import { assertWorkLeft, countWork, runWithinBudget } from '../../manage/api/http/work-budget.ts';
import { cpuMillis } from '../cpu-time.ts';

const caller: Caller = { kind: 'key', id: 'key_1', scopes: ['read'] };

function openBudget(workLimits: WorkLimits) {
  return { config: {} as ApiPorts['config'], workLimits };
}

/** Blocks the thread without computing, as a machine does that runs something else. */
function block(millis: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis);
}

function compute(millis: number): void {
  for (const until = cpuMillis() + millis; cpuMillis() < until; );
}

async function inSlices(pace: Pace, slices: number, slice: () => unknown): Promise<void> {
  for (let n = 0; n < slices; n++) {
    await slice();
    await pace();
  }
}

const limits = { request: 150, perMinute: 300, waiting: 20 };

describe('time in which a request does not work', () => {
  it('counts neither for the request nor for the minute of its caller', async () => {
    const api = openBudget(limits);
    await runWithinBudget(api, caller, (pace) => inSlices(pace, 8, () => block(50)));
    await runWithinBudget(api, caller, (pace) => inSlices(pace, 8, () => sleep(50)));
    countWork(api, caller, () => block(400));
    expect(() => assertWorkLeft(api, caller)).not.toThrow();
  });

  it('ends it after a wide limit', async () => {
    const api = openBudget({ ...limits, elapsed: 100 });
    const waiting = runWithinBudget(api, caller, (pace) => inSlices(pace, 8, () => sleep(50)));
    await expect(waiting).rejects.toMatchObject({
      status: 422,
      code: 'TIDINGS_API_BUDGET',
      message: expect.stringContaining('the request took more than 0.1 s: ask for a shorter period'),
    });
  });
});

describe('work', () => {
  it('counts for the request and for the minute of its caller, and for no other caller', async () => {
    const api = openBudget(limits);
    const working = () => runWithinBudget(api, caller, (pace) => inSlices(pace, 100, () => compute(10)));
    await expect(working()).rejects.toMatchObject({ status: 422, message: expect.stringContaining('0.15 s of work') });
    countWork(api, caller, () => compute(200));
    expect(() => assertWorkLeft(api, caller)).toThrow('more than 0.3 s of work within a minute');
    await expect(working()).rejects.toMatchObject({ status: 429 });
    expect(() => assertWorkLeft(api, { ...caller, id: 'key_2' })).not.toThrow();
  });
});

describe('work that waits in the middle', () => {
  it('keeps no work of others waiting meanwhile', async () => {
    const api = openBudget({ ...limits, request: 5000, perMinute: 5000 });
    const other = Promise.withResolvers<void>();
    const waits = runWithinBudget(api, caller, async (pace) => {
      compute(30);
      await pace();
      // As for a turn that the other one has.
      await other.promise;
    });
    await runWithinBudget(api, { ...caller, id: 'key_2' }, (pace) => inSlices(pace, 2, () => compute(30)));
    other.resolve();
    await waits;
  });
});

describe('work for more than a second', () => {
  it('needs a place among the long requests of its caller, and ends without one', async () => {
    let begun = 0;
    const api = { ...openBudget(limits), beginLong: async () => void begun++ };
    await runWithinBudget(api, caller, (pace) => inSlices(pace, 8, () => sleep(50)));
    expect(begun).toBe(0);
    await runWithinBudget(api, caller, (pace) => inSlices(pace, 12, () => sleep(100)));
    expect(begun).toBeGreaterThan(0);
    const full = { ...api, beginLong: () => Promise.reject(new Problem(429, 'TIDINGS_API_RATE', { detail: 'full' })) };
    let slices = 0;
    const refused = runWithinBudget(full, caller, (pace) =>
      inSlices(pace, 100, async () => {
        slices += 1;
        await sleep(100);
      }),
    );
    await expect(refused).rejects.toMatchObject({ status: 429, code: 'TIDINGS_API_RATE' });
    expect(slices).toBeLessThan(20);
  });
});
