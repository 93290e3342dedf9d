/** The long report of a truth run: a table, and every difference by kind. */

export interface LongForm {
  /** The first row names the columns. */
  readonly rows: readonly (readonly string[])[];
  /** All must be empty. */
  readonly differences: Readonly<Record<string, readonly string[]>>;
}

export interface LongFormOptions {
  readonly seed: number;
  /** Used by `year` only. */
  readonly days: number;
}

export const count = (number: number): string => number.toLocaleString('en');

/** Rows with the number of differences of each kind. */
export function differenceRows(differences: LongForm['differences']): string[][] {
  return Object.entries(differences).map(([kind, lines]) => [kind, count(lines.length)]);
}
