/** Lets requests go at most so many a minute, by making them wait. Knows nothing of what they ask or how they end. */

import { type Duration, MINUTE } from '../../core/model/time.ts';

/** Resolves after so many milliseconds; rejects at once when the signal aborts. */
export type Sleep = (duration: Duration, signal?: AbortSignal) => Promise<void>;

export interface PaceOptions {
  /** Requests in any 60 seconds, at least one; Infinity for no pace at all. */
  readonly perMinute: number;
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
  readonly sleep: Sleep;
}

export interface RequestPacer {
  /** Resolves when one request may go, and counts it as gone. Rejects with the signal's reason. */
  turn(signal?: AbortSignal): Promise<void>;
  /** Lets nothing go for so long: the API said that we are too fast, whatever we counted. */
  close(duration: Duration): void;
}

export function pace({ perMinute: asked, now, sleep }: PaceOptions): RequestPacer {
  const perMinute = Math.max(1, Math.floor(asked));
  /** When the last requests went, oldest first: never more than `perMinute` of them. */
  const gone: number[] = [];
  let closedUntil = Number.NEGATIVE_INFINITY;

  return {
    async turn(signal) {
      for (;;) {
        signal?.throwIfAborted();
        const at = now();
        const wait = waitBefore(gone, perMinute, closedUntil, at);
        if (wait <= 0) {
          if (gone.length >= perMinute) gone.shift();
          if (Number.isFinite(perMinute)) gone.push(at);
          return;
        }
        // Whoever wakes first goes; the others count again. Timers may also fire a little early.
        await sleepUnlessAborted(sleep, wait, signal);
      }
    },
    close(duration) {
      closedUntil = Math.max(closedUntil, now() + duration);
    },
  };
}

/** Milliseconds until one more request leaves every window of a minute with at most `perMinute`. */
export function waitBefore(gone: readonly number[], perMinute: number, closedUntil: number, at: number): Duration {
  const oldest = gone.length < perMinute ? undefined : gone[gone.length - perMinute];
  const free = oldest === undefined ? Number.NEGATIVE_INFINITY : oldest + MINUTE;
  return Math.max(0, free - at, closedUntil - at);
}

/** The caller's own reason for aborting, instead of the timer's wrapping of it. */
export async function sleepUnlessAborted(sleep: Sleep, duration: Duration, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(duration, signal);
  } finally {
    signal?.throwIfAborted();
  }
}
