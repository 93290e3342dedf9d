/**
 * Lets work that cannot be cut into short slices wait for its turn: one piece of all callers at a time, and time for everything else after
 * it. Otherwise ten callers with pieces of a second would let each turn of the event loop take ten seconds.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { threadCpuMillis } from '../../../adapters/thread-cpu.ts';

/** A request whose work comes in pieces. */
interface Work {
  /** How much its caller has worked of late, in milliseconds, this request included. */
  readonly used: () => number;
  /** How much of that is this request. */
  readonly own: () => number;
  /** When the request began. */
  readonly since: number;
}

interface Waiting extends Work {
  readonly begin: () => void;
}

export interface WorkLine {
  /** Resolves when a piece of the work may begin, with what to call at its end. */
  enter(work: Work): Promise<() => void>;
}

/** After a shorter piece the next one begins at once. */
const MIN_PIECE_MS = 4;

/** A request takes many turns of the event loop, each of which may wait for a piece: others get three times as much time. */
const REST_PER_PIECE = 3;

/** Who has worked less than this of late is next, and does not wait for the rest after the pieces of others: their own are usually short. */
const LITTLE_MS = 100;

/**
 * The lowest is next. Long work counts what other requests of its caller have used, so that a request that has begun goes on to its
 * end: if long requests took turns, all of them would end late.
 */
function rankOf({ used, own }: Work): number {
  const all = used();
  return all < LITTLE_MS ? all : Math.max(LITTLE_MS, all - own());
}

export function createWorkLine(): WorkLine {
  let isBusy = false;
  let isResting = false;
  /** Milliseconds of rest after the present one. */
  let owed = 0;
  // One at a time: with ten callers who have worked little there would be no rest.
  let hasSkippedRest = false;
  const waiting: Waiting[] = [];
  const beginNext = () => {
    if (isBusy || waiting.length === 0) return;
    const ranked = waiting.map((one, place) => ({ ...one, place, rank: rankOf(one) }));
    const next = ranked.reduce((first, one) => ((one.rank - first.rank || one.since - first.since) < 0 ? one : first));
    // The end of the rest begins the next one.
    if (isResting && (hasSkippedRest || next.rank >= LITTLE_MS)) return;
    hasSkippedRest = isResting;
    isBusy = true;
    waiting.splice(next.place, 1);
    next.begin();
  };
  const rest = async () => {
    isResting = true;
    while (owed > 0) {
      const millis = owed;
      owed = 0;
      await sleep(millis);
    }
    isResting = false;
    beginNext();
  };
  const begin = () => {
    const from = threadCpuMillis();
    return () => {
      // Not the time that other processes took on a busy machine.
      const took = threadCpuMillis() - from;
      isBusy = false;
      if (took >= MIN_PIECE_MS) {
        owed += took * REST_PER_PIECE;
        if (!isResting) void rest();
      }
      beginNext();
    };
  };
  return {
    enter(work) {
      const { promise, resolve } = Promise.withResolvers<() => void>();
      waiting.push({ ...work, begin: () => resolve(begin()) });
      beginNext();
      return promise;
    },
  };
}
