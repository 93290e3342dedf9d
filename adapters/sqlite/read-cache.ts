/**
 * Remembers what was read for the rest of this turn of the event loop: the attempts of one subscription begin
 * together and ask for the same. Whoever writes forgets it all; what another process writes shows in the next turn.
 */

export interface ReadCache<T> {
  /** What was read under this key in this turn, or else what `read` gives. */
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
