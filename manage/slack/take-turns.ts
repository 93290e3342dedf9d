/**
 * Runs work of the app that reads much, such as the preview of a query over the events of a week: one at a time, in slices. In `serve` it
 * runs in the thread that delivers, and many at a time would fill the memory.
 */

import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import type { Pace } from '../../core/model/pace.ts';

/** Runs the work after that of earlier calls. It must not wait for Slack: others wait for it. */
export type TakeTurn = <T>(work: (pace: Pace) => Promise<T>) => Promise<T>;

const SLICE_MS = 4;

/** For all work together, also for parts of it that run at the same time: one of them continues in each turn of the event loop. */
function createPace(): Pace {
  let sliceFrom = performance.now();
  let turn: Promise<void> = Promise.resolve();
  return async () => {
    if (performance.now() - sliceFrom < SLICE_MS) return;
    turn = turn.then(async () => {
      await nextEventLoopTurn();
      sliceFrom = performance.now();
    });
    await turn;
  };
}

export function createTurns(): TakeTurn {
  const pace = createPace();
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(() => work(pace));
    last = turn.catch(() => {});
    return turn;
  };
}
