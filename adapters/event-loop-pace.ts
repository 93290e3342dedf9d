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

interface Others {
  readonly serveOthers: () => Promise<void>;
  /** Ends after so many milliseconds, or at the signal, or as soon as there is something to serve, and says whether there is. */
  readonly waitForNews: (ms: number | undefined, signal?: AbortSignal) => Promise<boolean>;
}

export interface WorkTurns {
  /** Others get three times as much time as the work takes, and are served at once within it. */
  readonly pace: Pace;
  /** Waits for work that is done elsewhere, whose time does not count. Others are served meanwhile. */
  readonly waitFor: <T>(elsewhere: Promise<T>) => Promise<T>;
}

export function createWorkTurns({ serveOthers, waitForNews }: Others): WorkTurns {
  let from = performance.now();
  const pace = async () => {
    const now = performance.now();
    const took = now - from;
    if (took < SHORT_SLICE_MS) return;
    const end = now + took * REST_PER_SLICE;
    await serveOthers();
    for (let left = end - performance.now(); left > 0; left = end - performance.now()) {
      await waitForNews(left);
      await serveOthers();
    }
    from = performance.now();
  };
  const waitFor = async <T>(elsewhere: Promise<T>): Promise<T> => {
    const begun = performance.now();
    const ended = new AbortController();
    const end = () => ended.abort();
    elsewhere.then(end, end);
    while (!ended.signal.aborted) if (await waitForNews(undefined, ended.signal)) await serveOthers();
    from += performance.now() - begun;
    return elsewhere;
  };
  return { pace, waitFor };
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
