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
  const values = new Map<string, T>();
  const clear = () => values.clear();
  return {
    clear,
    get(key, read) {
      const cached = values.get(key);
      if (cached !== undefined || values.has(key)) return cached as T;
      const value = read();
      if (values.size === 0) setImmediate(clear);
      values.set(key, value);
      return value;
    },
  };
}
