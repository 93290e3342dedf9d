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

/** Of work that can wait. A delivery takes several turns of the loop, and may wait for the work in each of them. */
const SHORT_SLICE_MS = 1;
const REST_PER_SLICE = 3;

/** Others get three times as much time as the work takes. */
export function createTurnPace(serveOthers: () => Promise<void>): Pace {
  let from = performance.now();
  return async () => {
    const took = performance.now() - from;
    if (took < SHORT_SLICE_MS) return;
    await serveOthers();
    await sleep(took * REST_PER_SLICE);
    await serveOthers();
    from = performance.now();
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
