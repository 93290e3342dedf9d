/** Runs work on many items with bounded concurrency. */

import { MAX_IN_FLIGHT } from './in-flight.ts';

/**
 * Returns the results in the order of the items. After a failure no more work is started, and the failure is thrown once
 * all work in flight has ended: Lambda freezes a function that returns, and its requests would complete at any later time.
 */
export async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length);
  const failures: unknown[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (failures.length === 0 && next < items.length) {
      const at = next++;
      try {
        results[at] = await work(items[at] as T);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_IN_FLIGHT, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
}

export function inGroups<T>(items: readonly T[], size: number): (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}
