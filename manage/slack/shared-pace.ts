/**
 * Lets deliveries and other requests run between slices of the app's work. In `serve` it runs in the thread that delivers, and
 * the preview of a query reads all events of a week. All tasks share the slices: many of them take no more at a time than one.
 */

import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import type { Pace } from '../../core/model/pace.ts';

const SLICE_MS = 4;

export function createSharedPace(): Pace {
  let sliceFrom = performance.now();
  let turn: Promise<void> = Promise.resolve();
  return async () => {
    if (performance.now() - sliceFrom < SLICE_MS) return;
    // One task for each turn of the event loop, in the order in which they asked.
    turn = turn.then(async () => {
      await nextEventLoopTurn();
      sliceFrom = performance.now();
    });
    await turn;
  };
}
