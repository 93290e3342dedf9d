/** Reverses the keys of all objects in a JSON value, as a store may that does not keep their order. */

export function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, reverseKeys(item)] as const);
  return Object.fromEntries(entries.reverse());
}
