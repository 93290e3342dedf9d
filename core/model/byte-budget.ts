/** Counts the bytes of a page, so that it ends before it is larger than its reader can take. */

/**
 * The bytes of one response of the API as JSON. Lambda returns at most 6 MB, in which the body is a JSON text once more: each
 * quote takes two bytes there.
 */
export const MAX_RESPONSE_BYTES = 2_500_000;

/** Returns whether an item still fits, and counts it if so. The first always fits: a page without any would never end. */
export type ByteBudget = (item: unknown) => boolean;

/** The items up to the first that does not fit. */
export function takeFitting<T>(items: readonly T[], fits: ByteBudget): readonly T[] {
  const end = items.findIndex((item) => !fits(item));
  return end === -1 ? items : items.slice(0, end);
}

/** @param maxBytes of all items as JSON. @default - any number fits */
export function createByteBudget(maxBytes?: number): ByteBudget {
  if (maxBytes === undefined) return () => true;
  let total = 0;
  return (item) => {
    const bytes = Buffer.byteLength(JSON.stringify(item) ?? '');
    if (total > 0 && total + bytes > maxBytes) return false;
    total += bytes;
    return true;
  };
}
