import type { StoredItem } from './keys.ts';

/**
 * The format in which the holders of a lease write their items. A version that is rolled back writes an older one, for
 * example without the keys of a new index. The lease shows it: an older version increases the fence and leaves the format as
 * it is. Every writer takes the lease first, so an older one is noticed even if it is killed right after its first write.
 */

/** Increase it when items get an attribute that an index or a query needs. 1 is that of version 1.0.0, which stored no number. */
const FORMAT = 2;

interface StoredFormat {
  readonly version: number;
  /** The fence since which all holders have written this format. */
  readonly since: number;
  /** The fence of the last holder that knew of formats. */
  readonly fence: number;
}

/** The format to store with a lease that is acquired with this fence. */
export function nextFormat(held: StoredItem | undefined, fence: number): StoredFormat {
  const before = formatOf(held);
  return { version: FORMAT, since: before?.since ?? fence, fence };
}

/**
 * The fence since which all holders have written the present format; undefined if the last one wrote another. Without a
 * lease nothing was written by another version.
 */
export function formatSince(lease: StoredItem | undefined): number | undefined {
  return lease === undefined ? 0 : formatOf(lease)?.since;
}

/** Unchecked: only `nextFormat` makes it. */
function formatOf(lease: StoredItem | undefined): StoredFormat | undefined {
  const format = lease?.format as StoredFormat | undefined;
  return format?.version === FORMAT && format.fence === lease?.fence ? format : undefined;
}
