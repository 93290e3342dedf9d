/** Wakes a waiting loop: on a notification from another loop, after a timeout, or on abort. */

import type { Duration } from '../../core/model/time.ts';

export interface Signal {
  /** Wakes the waiting loop; if none is waiting, the next wait ends immediately. */
  notify(): void;
  /**
   * Whether it was notified.
   * @param timeout no wait if it is not positive; undefined waits until notified
   */
  wait(timeout?: Duration, signal?: AbortSignal): Promise<boolean>;
}

export function createSignal(): Signal {
  let isNotified = false;
  let wake: (() => void) | undefined;
  return {
    notify() {
      isNotified = true;
      wake?.();
    },
    async wait(timeout, signal) {
      if (!isNotified && signal?.aborted !== true) {
        await new Promise<void>((resolve) => {
          const end = () => {
            // Hundreds of notifications in one turn wake it once.
            if (wake === end) wake = undefined;
            clearTimeout(timer);
            signal?.removeEventListener('abort', end);
            resolve();
          };
          const timer = timeout === undefined ? undefined : setTimeout(end, Math.max(0, timeout));
          signal?.addEventListener('abort', end, { once: true });
          wake = end;
        });
      }
      const wasNotified = isNotified;
      isNotified = false;
      return wasNotified;
    },
  };
}
