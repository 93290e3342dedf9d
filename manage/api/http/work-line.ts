/**
 * Lets work that cannot be cut into short slices wait for its turn: one piece of all callers at a time, and time for everything else after
 * it. Otherwise ten callers with pieces of a second would let each turn of the event loop take ten seconds.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { threadCpuMillis } from '../../../adapters/thread-cpu.ts';

interface Waiting {
  /** The lowest is next: who has worked little does not wait for those who work much. */
  readonly used: () => number;
  readonly begin: () => void;
}

export interface WorkLine {
  /** Resolves when the piece may begin, with what to call at its end. */
  enter(used: () => number): Promise<() => void>;
}

/** After a shorter piece the next one begins at once. */
const MIN_PIECE_MS = 4;

/** A request takes many turns of the event loop, each of which may wait for a piece: others get three times as much time. */
const REST_PER_PIECE = 3;

export function createWorkLine(): WorkLine {
  let isBusy = false;
  const waiting: Waiting[] = [];
  const beginNext = () => {
    const used = waiting.map((one) => one.used());
    const [next] = waiting.splice(used.indexOf(Math.min(...used)), 1);
    isBusy = next !== undefined;
    next?.begin();
  };
  const begin = () => {
    const from = threadCpuMillis();
    return () => {
      // Not the time that other processes took on a busy machine.
      const took = threadCpuMillis() - from;
      if (took < MIN_PIECE_MS) beginNext();
      else void sleep(took * REST_PER_PIECE).then(beginNext);
    };
  };
  return {
    enter(used) {
      if (!isBusy) {
        isBusy = true;
        return Promise.resolve(begin());
      }
      return new Promise((resolve) => waiting.push({ used, begin: () => resolve(begin()) }));
    },
  };
}
