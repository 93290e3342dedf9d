/** Parses rows whose `body` column holds JSON. */

import type { Row } from './database.ts';

/** Unchecked: only this adapter writes the rows, and the schema version guarantees their form. */
export function parse<T>(row: Record<string, unknown> | undefined): T | undefined {
  return row === undefined ? undefined : (JSON.parse(String(row.body)) as T);
}

/** For a row that consists of the body alone. */
export function parseBody<T>(row: Row | undefined): T | undefined {
  return row === undefined ? undefined : (JSON.parse(String(row[0])) as T);
}

export function parseAll<T>(rows: readonly Record<string, unknown>[]): T[] {
  return rows.map((row) => JSON.parse(String(row.body)) as T);
}
