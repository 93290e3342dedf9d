/** Wakes a loop that waits: rung by another loop, by time, or by the wish to stop. */

import type { Duration } from '../../core/model/time.ts';

export interface Signal {
  /** Wakes whoever waits; rung while nobody does, the next wait ends at once. */
  notify(): void;
  /** @param longest - how long at the most, not at all where that is over; @default - until it is rung */
  wait(longest?: Duration, signal?: AbortSignal): Promise<void>;
}

export function createSignal(): Signal {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    notify() {
      rung = true;
      wake?.();
    },
    async wait(longest, signal) {
      if (!rung && signal?.aborted !== true) {
        await new Promise<void>((resolve) => {
          const end = () => {
            // Rung by hundreds in one turn, it wakes once.
            if (wake === end) wake = undefined;
            clearTimeout(timer);
            signal?.removeEventListener('abort', end);
            resolve();
          };
          const timer = longest === undefined ? undefined : setTimeout(end, Math.max(0, longest));
          signal?.addEventListener('abort', end, { once: true });
          wake = end;
        });
      }
      rung = false;
    },
  };
}
