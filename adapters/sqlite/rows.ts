/** Rows whose `body` is the thing itself as JSON. */

/** We wrote it, in this form: the schema's version vouches for it. */
export function parse<T>(row: Record<string, unknown> | undefined): T | undefined {
  return row === undefined ? undefined : (JSON.parse(String(row.body)) as T);
}

export function parseAll<T>(rows: readonly Record<string, unknown>[]): T[] {
  return rows.map((row) => JSON.parse(String(row.body)) as T);
}
