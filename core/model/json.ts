/** JSON values: parses, recognises, compares and prints them. The caller validates their content. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** Undefined when the text is not a JSON object. No reason is given: the parser's error quotes the text, which may be a secret. */
export function readJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the value has more levels of lists and objects. Stops there: a deep value would exhaust the stack. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isNestedDeeper(item, levels - 1));
}

/**
 * Whether two values are the same JSON. The order of keys does not matter, because DynamoDB does not keep it; the order of
 * lists does. As in JSON, an undefined property is absent, and an undefined item of a list is null.
 */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && isSameList(a, b);
  return isJsonObject(a) && isJsonObject(b) && isSameObject(a, b);
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => isSameValue(item ?? null, b[index] ?? null));
}

function isSameObject(a: JsonObject, b: JsonObject): boolean {
  const keys = definedKeys(a);
  return (
    keys.length === definedKeys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSameValue(a[key], b[key]))
  );
}

function definedKeys(value: JsonObject): readonly string[] {
  const keys = Object.keys(value);
  return keys.every((key) => value[key] !== undefined) ? keys : keys.filter((key) => value[key] !== undefined);
}

/** The same text for values that `isSameValue` calls the same: for digests and tags. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    isJsonObject(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
  );
}

/** The value if it is a text, otherwise an empty one. `String` of a list that is nested deeply would exhaust the stack. */
export const jsonTextOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The value if it is a JSON object, otherwise an empty one: for optional parts of outside data. */
export const jsonObjectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
