/** Keeps maps by names that callers choose small: a name comes and goes, and its entry must not stay for ever. Pure. */

/** Fewer entries are not worth a look at all of them. */
const MIN_ENTRIES = 1000;

/**
 * Returns a function to call before an entry is added. When the map has twice as many entries as after the last time, it
 * removes those that are over: the map has at most twice as many as are in use, and each entry is looked at a few times.
 *
 * @param isOver gets the time that the function is called with
 */
export function createMapPruner<V>(
  entries: Map<string, V>,
  isOver: (value: V, now: number) => boolean,
): (now: number) => void {
  let limit = MIN_ENTRIES;
  return (now) => {
    if (entries.size < limit) return;
    for (const [name, value] of entries) if (isOver(value, now)) entries.delete(name);
    limit = Math.max(MIN_ENTRIES, 2 * entries.size);
  };
}
