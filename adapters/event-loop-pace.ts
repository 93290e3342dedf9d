/** Lets the event loop turn while long work is done, so that responses of receivers and requests to `/health` do not wait for it. */

import { setImmediate as nextEventLoopTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Pace } from '../core/model/pace.ts';

/** After this time of work the loop turns. */
const SLICE_MS = 4;

export function createEventLoopPace(sliceMs: number = SLICE_MS): Pace {
  let turnedAt = performance.now();
  return async () => {
    if (performance.now() - turnedAt < sliceMs) return;
    await nextEventLoopTurn();
    turnedAt = performance.now();
  };
}

/** A write that waited for the disk leaves others no more time than this. */
const MAX_PAUSE_MS = 100;

/** Others get as much time as each write took, so that requests and deliveries go on during a bulk edit. */
export function createWritePace(): Pace {
  let from = performance.now();
  return async () => {
    await sleep(Math.min(performance.now() - from, MAX_PAUSE_MS));
    from = performance.now();
  };
}
