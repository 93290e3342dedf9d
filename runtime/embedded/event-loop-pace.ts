/** Lets the event loop turn while long work is done, so that responses of receivers and requests to `/health` do not wait for it. */

import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import type { Pace } from '../../core/model/pace.ts';

/** After this time of work the loop turns. */
const SLICE_MS = 4;

export function createEventLoopPace(): Pace {
  let turnedAt = performance.now();
  return async () => {
    if (performance.now() - turnedAt < SLICE_MS) return;
    await nextEventLoopTurn();
    turnedAt = performance.now();
  };
}
