/** Records as the rest of the house sees them: cleaned values under the field's own name, and the key that finds one. */

export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

/** One cleaned row. A field that is absent is unknown (hidden by the token's role); null is known to be empty. */
export type Fields = Readonly<Record<string, Value>>;

export interface RecordKey {
  /** Name of the source in the config. */
  readonly source: string;
  /** `task`, `invoice`, … */
  readonly resource: string;
  /** As the API gives it: a whole number, kept as text. */
  readonly id: string;
}

/** `task/123`: the subject of its events. */
export function subjectOf(key: RecordKey): string {
  return `${key.resource}/${key.id}`;
}

/** Ids are whole numbers kept as text: shorter is smaller, then digit by digit. Total for any text. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
