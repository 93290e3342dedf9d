/** JSON values as Slack's payloads have them, and how to read one that may be anything. Pure. */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list: empty if the value is absent, undefined if it is not a list of objects. */
export function objectsIn(value: Json | undefined): readonly JsonObject[] | undefined {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) && value.every(isObject) ? value : undefined;
}

export const stringOr = (value: Json | undefined, other: string): string => (typeof value === 'string' ? value : other);

/** Undefined if the text is not a JSON object. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const parsed = JSON.parse(text);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The first result of a check of each item. */
export function first<Item>(
  list: readonly Item[],
  check: (one: Item, index: number) => string | undefined,
): string | undefined {
  for (const [index, one] of list.entries()) {
    const problem = check(one, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
