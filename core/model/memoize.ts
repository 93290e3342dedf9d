/** Memoization: a scan computes the same few values for 100,000 records. */

/** Caches up to `maxEntries` results, then starts over. Results are shared, so callers must not modify them. */
export function memoize<Key, Result>(compute: (key: Key) => Result, maxEntries = 20_000): (key: Key) => Result {
  const results = new Map<Key, Result>();
  return (key) => {
    const cached = results.get(key);
    if (cached !== undefined) return cached;
    if (results.size >= maxEntries) results.clear();
    const result = compute(key);
    results.set(key, result);
    return result;
  };
}

/** Longer texts rarely repeat, and would fill the memory. */
const MAX_TEXT_LENGTH = 100;

/** Like memoize, for external text of any length and number. */
export function memoizeText<Result>(compute: (text: string) => Result, maxEntries = 5_000): (text: string) => Result {
  const recall = memoize(compute, maxEntries);
  return (text) => (text.length > MAX_TEXT_LENGTH ? compute(text) : recall(text));
}
