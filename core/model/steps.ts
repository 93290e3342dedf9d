/** Runs work that says between which steps others may have their turn: a generator that yields there. */

import type { Pace } from './pace.ts';

export type Steps<T> = Generator<void, T>;

export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

export async function runPaced<T>(steps: Steps<T>, pace: Pace): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await pace();
  }
}
