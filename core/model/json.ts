/** Parses a JSON object from untrusted text. The caller validates its content. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** Undefined when the text is not a JSON object. No reason is given: the parser's error quotes the text, which may be a secret. */
export function readJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether two JSON values are equal, whatever the order of their keys. An undefined property equals an absent one. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [definedEntries(a), new Map(definedEntries(b))];
  return (
    left.length === right.size && left.every(([key, value]) => right.has(key) && isSameValue(value, right.get(key)))
  );
}

const definedEntries = (value: object): (readonly [string, unknown])[] =>
  Object.entries(value).filter(([, item]) => item !== undefined);
