/** Puts the rows of a list in order: drops rows without a valid id and repeated rows, and counts them. */

import { RetryLater } from '../../model/errors.ts';
import { compareIds, isRecordId } from '../../model/record.ts';
import type { PageContent, PageRow, WireRow } from '../../ports/source-api.ts';

export interface ListRows {
  /** In id order, each id once. */
  readonly rows: readonly PageRow[];
  /** Rows as they came. */
  readonly total: number;
  /** Rows without a valid id. */
  readonly invalid: number;
  /** Rows whose id occurs before in the list. */
  readonly repeated: number;
  /** Number of rows up to the last one with a valid id. */
  readonly reach: number;
}

/**
 * Throws when the rows are not in id order, unless they may be sorted.
 * @param last the largest id that was read before
 */
export function arrangeRows(all: readonly PageRow[], mayBeSorted: boolean, last: string | null): ListRows {
  const valid = all.every(({ id }) => isRecordId(id)) ? all : all.filter(({ id }) => isRecordId(id));
  const sorted = mayBeSorted ? valid.toSorted((a, b) => compareIds(a.id, b.id)) : valid;
  const rows = isInOrder(sorted) ? sorted : dropRepeated(sorted, last);
  if (!isInOrder(rows)) {
    throw new RetryLater(
      'TIDINGS_SOURCE_ORDER_BROKEN',
      'expected rows in id order, got a smaller id after a larger one',
    );
  }
  return {
    rows,
    total: all.length,
    invalid: all.length - valid.length,
    repeated: valid.length - rows.length,
    reach: all.findLastIndex(({ id }) => isRecordId(id)) + 1,
  };
}

export interface ParsedRows {
  readonly rows: readonly WireRow[];
  /** Ids of the rows that could not be parsed. */
  readonly unreadable: readonly string[];
}

export function parseRows(rows: readonly PageRow[]): ParsedRows {
  const parsed: WireRow[] = [];
  const unreadable: string[] = [];
  for (const row of rows) {
    try {
      parsed.push(row.parse());
    } catch (error) {
      if (!(error instanceof RetryLater)) throw error;
      unreadable.push(row.id);
    }
  }
  return { rows: parsed, unreadable };
}

/** Reads the rest of an unsorted list that did not come in one page, until a page brings no new row. */
export async function readRemaining(
  fetch: (request: { readonly offset: number; readonly limit: number }) => Promise<PageContent>,
  first: PageContent,
): Promise<readonly PageRow[]> {
  const rows = [...first.rows];
  const limit = rows.length;
  const ids = new Set(rows.map(({ id }) => id));
  while (limit > 0 && rows.length < first.listCount) {
    const page = await fetch({ offset: rows.length, limit });
    if (!page.rows.some(({ id }) => !ids.has(id))) break;
    for (const row of page.rows) ids.add(row.id);
    rows.push(...page.rows);
  }
  return rows;
}

function isInOrder(rows: readonly PageRow[]): boolean {
  return rows.every(({ id }, index) => index === 0 || compareIds(rows[index - 1]?.id ?? '', id) < 0);
}

/** The first row is kept although it was read before: it shows that the page continues the one before. */
function dropRepeated(rows: readonly PageRow[], last: string | null): readonly PageRow[] {
  const ids = new Set<string>();
  const isNew = (id: string) => last === null || compareIds(id, last) > 0;
  return rows.filter(({ id }) => (ids.size === 0 || isNew(id)) && ids.size < ids.add(id).size);
}
