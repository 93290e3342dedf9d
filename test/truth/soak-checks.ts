/** Checks of the truth run `soak`. Pure. */

import type { SoakReport } from './soak.ts';
import type { SoakSink } from './soak-sink.ts';

/** Settled, and its receiver never accepted it. */
export function findUnaccepted(
  { settled }: Pick<SoakReport, 'settled'>,
  { accepted }: Pick<SoakSink, 'accepted'>,
): string[] {
  return settled.flatMap((ids, endpoint) =>
    ids
      .filter((id) => accepted.get(String(endpoint))?.has(id) !== true)
      .map((id) => `endpoint-${endpoint} never accepted ${id}`),
  );
}

/** The heap of the last quarter of the waves over that of the second: the first is the warm-up. */
export function heapGrowth(heap: readonly number[]): number {
  const quarter = Math.floor(heap.length / 4);
  const median = (part: readonly number[]) => part.toSorted((a, b) => a - b)[Math.floor(part.length / 2)] ?? Number.NaN;
  return median(heap.slice(-quarter)) / median(heap.slice(quarter, 2 * quarter));
}
