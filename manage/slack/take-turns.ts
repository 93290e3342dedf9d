/**
 * Runs work of the app that reads much, such as the preview of a query over the events of a week: one at a time, in slices. In `serve` it
 * runs in the thread that delivers, and many at a time would fill the memory.
 */

import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import type { Pace } from '../../core/model/pace.ts';

/** Runs the work after that of earlier calls. It must not wait for Slack: others wait for it. */
export type TakeTurn = <T>(work: (pace: Pace) => Promise<T>) => Promise<T>;

const SLICE_MS = 4;

function createPace(): Pace {
  let sliceFrom = performance.now();
  return async () => {
    if (performance.now() - sliceFrom < SLICE_MS) return;
    await nextEventLoopTurn();
    sliceFrom = performance.now();
  };
}

export function createTurns(): TakeTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(() => work(createPace()));
    last = turn.catch(() => {});
    return turn;
  };
}
