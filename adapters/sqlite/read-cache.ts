/**
 * Caches reads for the rest of the current event-loop turn: the attempts of one subscription start together and read the
 * same rows. A write clears the cache; another process's write shows in the next turn.
 */

export interface ReadCache<T> {
  /** The value cached in this turn, or the result of `read`. */
  get(key: string, read: () => T): T;
  clear(): void;
}

export function readCache<T>(): ReadCache<T> {
  const known = new Map<string, T>();
  const forget = () => known.clear();
  return {
    clear: forget,
    get(key, read) {
      const seen = known.get(key);
      if (seen !== undefined || known.has(key)) return seen as T;
      const value = read();
      if (known.size === 0) setImmediate(forget);
      known.set(key, value);
      return value;
    },
  };
}
