/**
 * Lets other requests run between the calls of one that makes thousands of them, such as a replay: calls of SQLite block their
 * thread. After writes it also leaves the data file to the service, which waits for it while it delivers.
 */

import { setImmediate as nextEventLoopTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../adapters/sqlite/database.ts';

/** After this time of work other requests have their turn. */
const SLICE_MS = 4;

/** A transaction of one request may take longer: its pause need not, because the service tries again every few milliseconds. */
const MAX_PAUSE_MS = 50;

export interface Pacer {
  /** The same database, whose writes are timed. */
  readonly database: Database;
  /** The same store, whose calls wait for their turn. Each method must return a promise. */
  pace<Store extends object>(store: Store): Store;
}

export function createPacer(database: Database): Pacer {
  let turnFrom = performance.now();
  /** Milliseconds of this turn in which the data file was locked. */
  let written = 0;

  const timed =
    <T>(work: () => T) =>
    (): T => {
      const from = performance.now();
      try {
        return work();
      } finally {
        written += performance.now() - from;
      }
    };

  const waitForTurn = async (): Promise<void> => {
    if (performance.now() - turnFrom < SLICE_MS) return;
    if (written < SLICE_MS) await nextEventLoopTurn();
    else {
      // As long as it was locked: then the service gets every other moment.
      const pause = Math.min(written, MAX_PAUSE_MS);
      written = 0;
      await sleep(pause);
    }
    turnFrom = performance.now();
  };

  return {
    database: {
      ...database,
      transaction: (work) => timed(() => database.transaction(work))(),
      durableTransaction: (work) => timed(() => database.durableTransaction(work))(),
      batchWrite: (work) => database.batchWrite(timed(work)),
    },
    pace: (store) =>
      Object.fromEntries(
        Object.entries(store).map(([name, method]) => [
          name,
          async (...values: readonly unknown[]) => {
            await waitForTurn();
            return Reflect.apply(method, undefined, values);
          },
        ]),
      ) as typeof store,
  };
}
