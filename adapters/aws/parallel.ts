/** Runs work on many things, a bounded number at a time. Knows nothing of what the work is. */

/** As many requests as the SDK's connections carry without waiting for each other. */
const MAX_CONCURRENCY = 32;

/**
 * The results in the order of the items. After a failure nothing more is begun, and the first failure is thrown when all
 * that was under way is over: a function that ends is frozen, and what it still had in flight would land at any time later.
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
  await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENCY, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
}

export function inGroups<T>(items: readonly T[], size: number): (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}
