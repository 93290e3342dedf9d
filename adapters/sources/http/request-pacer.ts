/** Limits the number of requests per minute by delaying them. Knows nothing of what they ask or how they end. */

import { type Duration, MINUTE } from '../../../core/model/time.ts';

/** Resolves after this many milliseconds. Rejects at once when the signal aborts. */
export type Sleep = (duration: Duration, signal?: AbortSignal) => Promise<void>;

export interface RequestPacerOptions {
  /** Requests in any 60 seconds, at least one. Infinity turns the limit off. */
  readonly perMinute: number;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
  readonly sleep: Sleep;
}

export interface RequestPacer {
  /** Resolves when one request may be sent, and counts it. Rejects with the signal's reason. */
  waitForSlot(signal?: AbortSignal): Promise<void>;
  /** Delays all requests for this long: the API's own rate limit was hit, whatever we counted. */
  pauseFor(duration: Duration): void;
}

export function createRequestPacer(options: RequestPacerOptions): RequestPacer {
  const { now, sleep } = options;
  const perMinute = Math.max(1, Math.floor(options.perMinute));
  /** Times of the last requests, oldest first, at most `perMinute`. */
  const sentAt: number[] = [];
  let pausedUntil = Number.NEGATIVE_INFINITY;

  return {
    async waitForSlot(signal) {
      for (;;) {
        signal?.throwIfAborted();
        const at = now();
        const wait = millisUntilSlot(sentAt, perMinute, pausedUntil, at);
        if (wait <= 0) {
          if (sentAt.length >= perMinute) sentAt.shift();
          if (Number.isFinite(perMinute)) sentAt.push(at);
          return;
        }
        // The first to wake takes the slot and the others wait again. Timers may also fire a little early.
        await sleepUnlessAborted(sleep, wait, signal);
      }
    },
    pauseFor(duration) {
      pausedUntil = Math.max(pausedUntil, now() + duration);
    },
  };
}

/** Milliseconds until one more request keeps every 60-second window at `perMinute` or fewer. */
export function millisUntilSlot(
  sentAt: readonly number[],
  perMinute: number,
  pausedUntil: number,
  at: number,
): Duration {
  const oldest = sentAt.length < perMinute ? undefined : sentAt[sentAt.length - perMinute];
  const freeAt = oldest === undefined ? Number.NEGATIVE_INFINITY : oldest + MINUTE;
  return Math.max(0, freeAt - at, pausedUntil - at);
}

/** Rejects with the caller's own abort reason instead of the timer's wrapper of it. */
export async function sleepUnlessAborted(sleep: Sleep, duration: Duration, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(duration, signal);
  } finally {
    signal?.throwIfAborted();
  }
}
