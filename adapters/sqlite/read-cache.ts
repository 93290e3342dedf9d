/**
 * Caches reads for the rest of the current event-loop turn: the attempts of one subscription start together and read the
 * same rows. A write clears the cache; another process's write shows in the next turn.
 */

export interface ReadCache<T> {
  /** The value cached in this turn, or the result of `read`. */
  get(key: string, read: () => T): T;
  /** Many values that were read in this turn: adding each would take longer than reading them. @param find undefined for one that was not read */
  addAll(find: (key: string) => T | undefined): void;
  clear(): void;
}

export function readCache<T>(): ReadCache<T> {
  const values = new Map<string, T>();
  let findAdded: (key: string) => T | undefined = () => undefined;
  let isToBeCleared = false;
  const clear = () => {
    values.clear();
    findAdded = () => undefined;
  };
  const clearAfterTurn = () => {
    if (isToBeCleared) return;
    isToBeCleared = true;
    setImmediate(() => {
      isToBeCleared = false;
      clear();
    });
  };
  return {
    clear,
    get(key, read) {
      const cached = values.get(key);
      if (cached !== undefined || values.has(key)) return cached as T;
      const value = findAdded(key) ?? read();
      clearAfterTurn();
      values.set(key, value);
      return value;
    },
    addAll(find) {
      clearAfterTurn();
      findAdded = find;
    },
  };
}
