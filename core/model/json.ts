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
