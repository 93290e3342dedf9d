/**
 * Waits while another program locks the data file, or while the disk is full, instead of failing. The first call that
 * finds the file locked tries again until it succeeds; the others wait for it, so that the process stays responsive.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../../core/model/errors.ts';

export interface LockGate {
  /** The same store, whose methods wait. Each method must have no effect when it fails. */
  guard<Store extends object>(store: Store): Store;
  /** Why nothing can be written now, and for how long. @default - the file is available */
  unavailable(): UnavailableData | undefined;
}

interface UnavailableData {
  /** `database is locked` */
  readonly reason: string;
  readonly ms: number;
}

/** Long enough to leave time for other work, short enough not to be noticed. */
const RETRY_EVERY_MS = 250;

/** A lock that lasts is reported again after this time. */
const REPORT_EVERY_MS = 60_000;

/** The database file. */
interface GatedFile {
  readonly file: string;
  isWritable(): boolean;
  report(message: string): void;
}

export function lockGate({ file, isWritable, report }: GatedFile): LockGate {
  /** Settles when the call that found the lock has ended. Undefined while the file is available. */
  let blocked: Promise<unknown> | undefined;
  let found: { readonly reason: string; readonly since: number } | undefined;

  const retry = async <T>(call: () => Promise<T>, first: unknown): Promise<T> => {
    const since = performance.now();
    let reportedAt = Number.NEGATIVE_INFINITY;
    for (let error = first; ; ) {
      found = { reason: errorMessage(error), since };
      if (performance.now() - reportedAt >= REPORT_EVERY_MS) {
        report(`data file '${file}' cannot be written, waiting: ${errorMessage(error)}`);
        reportedAt = performance.now();
      }
      await sleep(RETRY_EVERY_MS);
      if (!isWritable()) continue;
      try {
        const result = await call();
        report(`data file '${file}' can be written again after ${Math.round((performance.now() - since) / 1000)} s`);
        return result;
      } catch (next) {
        if (!isUnavailable(next)) throw next;
        error = next;
      }
    }
  };

  const run = async <T>(call: () => Promise<T>): Promise<T> => {
    for (;;) {
      while (blocked !== undefined) await blocked;
      try {
        return await call();
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        if (blocked !== undefined) continue;
        const retried = retry(call, error);
        blocked = retried
          .catch(() => {})
          .finally(() => {
            blocked = undefined;
            found = undefined;
          });
        return retried;
      }
    }
  };

  return {
    unavailable: () => found && { reason: found.reason, ms: performance.now() - found.since },
    guard: (store) =>
      Object.fromEntries(
        Object.entries(store).map(([name, method]) => [
          name,
          (...values: readonly unknown[]) => run<unknown>(() => Reflect.apply(method, undefined, values)),
        ]),
      ) as typeof store,
  };
}

/** The primary result codes SQLITE_BUSY, SQLITE_LOCKED and SQLITE_FULL. */
const UNAVAILABLE_CODES: readonly number[] = [5, 6, 13];

/** Whether another program holds the file, or the disk is full: both pass, and nothing was written. */
export function isUnavailable(error: unknown): boolean {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
  return UNAVAILABLE_CODES.includes(code & 0xff);
}
