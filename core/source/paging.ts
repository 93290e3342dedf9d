/**
 * Reads a list page by page in id order. Each page shares one row with the page before, which shows when the list
 * changes during the scan. Knows pages and ids, nothing of records.
 */

import { RetryLater } from '../model/errors.ts';
import { compareIds } from '../model/record.ts';
import { type Instant, SECOND } from '../model/time.ts';
import type { PageFingerprint } from '../ports/manifest-store.ts';
import type { Page, PageContent, PageRow } from '../ports/source-api.ts';

export interface PageRequest {
  readonly offset: number;
  readonly limit: number;
}

export interface PageRead extends PageRequest {
  /** Number of the page, from 0. */
  readonly index: number;
  readonly page: Page;
  /** When the page was requested: its rows may be as old as this. */
  readonly requestedAt: Instant;
  /** Rows that the page before did not have; undefined when the digest is unchanged and the page was not parsed. */
  readonly fresh: readonly PageRow[] | undefined;
  /** Number of rows in the page. */
  readonly rows: number;
  /** First and last id of the page; null when it is empty. */
  readonly firstId: string | null;
  readonly lastId: string | null;
  /** The API's count of matching records; null when the page was not parsed. */
  readonly listCount: number | null;
  /** Whether this is the last page. */
  readonly final: boolean;
  /** False from the page on where rows may have been missed: absence then proves nothing. */
  readonly complete: boolean;
}

/** An unchanged page, which need not be parsed. */
export interface KnownPage {
  readonly rows: number;
  readonly firstId: string;
  readonly lastId: string;
}

export interface ReadOptions {
  readonly fetch: (request: PageRequest) => Promise<Page>;
  readonly now: () => Instant;
  /** Where to resume; `last` is the last id that was read. @default - the first page */
  readonly from?: { readonly offset: number; readonly index: number; readonly last: string | null };
  /** The page size for this offset. @default - adapts to the API's response times */
  readonly limitAt?: (offset: number) => number | undefined;
  /** Reads the whole list as one page and sorts it, for lists that the API does not sort. @default false */
  readonly onePage?: boolean;
  /** Finds an unchanged page by its digest. @default - every page is parsed */
  readonly known?: (index: number, request: PageRequest, digest: string, last: string | null) => KnownPage | undefined;
}

const FIRST_LIMIT = 500;
const SMALLEST_LIMIT = 100;

/** Page size for lists read in one page: larger than any of them. The API has no maximum. */
export const WHOLE_LIST = 1_000_000;

/** Pages grow while the response stays below these limits: few requests, but none that overloads the API. */
const TARGET_RESPONSE_MS = 2 * SECOND;
const TARGET_RESPONSE_BYTES = 4 * 1024 * 1024;

/** How often to step back when rows before the page were deleted, each time further. */
const MAX_STEPS_BACK = 5;

/** Consecutive full pages without a new row. The API then ignores the offset, and reading would never end. */
const MAX_STALLED_PAGES = 10;

export async function* readPages(options: ReadOptions): AsyncGenerator<PageRead> {
  const { fetch, now, from, limitAt, known, onePage = false } = options;
  const ask = async (request: PageRequest) => ({ requestedAt: now(), page: await fetch(request) });
  let { offset, index, last } = from ?? { offset: 0, index: 0, last: null as string | null };
  let limit = onePage ? WHOLE_LIST : (limitAt?.(offset) ?? FIRST_LIMIT);
  let back = 0;
  let shortOnce = false;
  let complete = true;
  let stalled = 0;
  let reached = 0;
  let pending = ask({ offset, limit });
  for (;;) {
    const { page, requestedAt } = await pending;
    const request = { offset, limit };
    const same = known?.(index, request, page.digest, last);
    const content = same === undefined ? page.content() : undefined;
    const rows = content === undefined ? [] : onePage ? sortRows(content) : content.rows;
    if (!onePage) assertIdOrder(rows);
    const count = same?.rows ?? rows.length;
    const firstId = same?.firstId ?? rows[0]?.id ?? null;
    const lastId = same?.lastId ?? rows.at(-1)?.id ?? null;

    // Rows before this page were deleted, so later rows moved up and some were never read. Step back.
    if (same === undefined && offset > 0 && last !== null && (firstId === null || compareIds(firstId, last) > 0)) {
      if (back < MAX_STEPS_BACK) {
        offset = Math.max(0, offset - 4 ** back * 5);
        back += 1;
        pending = ask({ offset, limit });
        continue;
      }
      complete = false;
    }
    back = 0;

    const isFinal = count < limit;
    // The API counts more rows than it returns: perhaps a truncated page. Ask once more, then stop trusting the count.
    if (isFinal && content !== undefined && offset + count < content.listCount) {
      if (!shortOnce) {
        shortOnce = true;
        pending = ask(request);
        continue;
      }
      complete = false;
    }
    shortOnce = false;

    const before = last;
    const fresh =
      same === undefined ? rows.filter(({ id }) => before === null || compareIds(id, before) > 0) : undefined;
    const advances = lastId !== null && (last === null || compareIds(lastId, last) > 0);
    if (advances) last = lastId;
    // After stepping back, pages bring nothing new until they reach the offset of the last new row.
    if (advances) reached = offset;
    stalled = advances || offset < reached ? 0 : stalled + 1;
    if (!isFinal && stalled >= MAX_STALLED_PAGES) {
      throw new RetryLater(
        'TIDINGS_SOURCE_STANDSTILL',
        `expected new rows at offset ${offset}, got earlier rows again`,
      );
    }
    if (!isFinal) {
      // Prefetch while the caller processes this page. A failure is thrown when the page is awaited.
      offset += Math.max(1, count - 1);
      limit = limitAt?.(offset) ?? nextLimit(request.limit, count, page);
      pending = ask({ offset, limit });
      pending.catch(() => {});
    }
    const listCount = content?.listCount ?? null;
    yield {
      ...request,
      index,
      page,
      requestedAt,
      fresh,
      rows: count,
      firstId,
      lastId,
      listCount,
      final: isFinal,
      complete,
    };
    if (isFinal) return;
    index += 1;
  }
}

function sortRows({ rows }: PageContent): readonly PageRow[] {
  return rows.toSorted((a, b) => compareIds(a.id, b.id));
}

/**
 * A better page size for a list that was last read in these pages; undefined when they are few enough. Pages start
 * small and lists grow, so reading with a larger size once saves requests from then on.
 */
export function betterLimit(pages: readonly Pick<PageFingerprint, 'rows' | 'bytes' | 'took'>[]): number | undefined {
  const rows = pages.reduce((sum, page) => sum + page.rows, 0);
  if (pages.length < 2 || rows === 0) return undefined;
  const bytesPerRow = pages.reduce((sum, page) => sum + page.bytes, 0) / rows;
  const millisPerRow = Math.max(...pages.map((page) => page.took / Math.max(1, page.rows)));
  const fitting = Math.floor(Math.min(TARGET_RESPONSE_BYTES / bytesPerRow, TARGET_RESPONSE_MS / millisPerRow));
  // Leave room, so that a list that fits one page still fits when it has grown a little.
  const limit = Math.max(SMALLEST_LIMIT, Math.min(fitting, Math.ceil(rows * 1.25) + 100));
  const needed = Math.ceil(rows / limit);
  return needed === 1 || needed + 1 < pages.length ? limit : undefined;
}

function nextLimit(limit: number, rows: number, { bytes, took }: Page): number {
  if (took > TARGET_RESPONSE_MS) return Math.max(SMALLEST_LIMIT, Math.floor(limit / 2));
  const fitting = Math.floor(TARGET_RESPONSE_BYTES / Math.max(1, bytes / Math.max(1, rows)));
  return Math.max(SMALLEST_LIMIT, Math.min(limit * 2, fitting));
}

function assertIdOrder(rows: readonly PageRow[]): void {
  for (let at = 1; at < rows.length; at++) {
    const [before, row] = [rows[at - 1], rows[at]];
    if (before === undefined || row === undefined || compareIds(before.id, row.id) < 0) continue;
    throw new RetryLater('TIDINGS_SOURCE_ORDER_BROKEN', `expected rows in id order, got ${row.id} after ${before.id}`);
  }
}
