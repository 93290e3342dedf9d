/** Records after cleaning, and their keys. */

export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

/** A cleaned row. An absent field is unknown (hidden by the token's role); null means empty. */
export type Fields = Readonly<Record<string, Value>>;

export interface RecordKey {
  /** Name of the source in the config. */
  readonly source: string;
  /** `task`, `invoice`, … */
  readonly resource: string;
  /** The API's id: an integer as text. */
  readonly id: string;
}

/** `task/123`: the subject of the record's events. */
export function subjectOf(key: RecordKey): string {
  return `${key.resource}/${key.id}`;
}

/** Orders integers kept as text: by length, then by digits. A total order for any text. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

const RECORD_ID = /^[1-9]\d{0,18}$/;

/** Ids are whole numbers above 0 that fit into 64 bits. */
export function isRecordId(id: string): boolean {
  return RECORD_ID.test(id);
}
