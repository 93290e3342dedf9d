/** Reads a JSON object from a text that may be anything. What must be in it is for those who ask. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** Undefined for what is none, and no reason: the parser's own error would quote the text, and it may be a secret. */
export function readJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
