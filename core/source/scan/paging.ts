/**
 * Reads a list page by page in id order. Each page shares one row with the page before, which shows when the list
 * changes during the scan. Knows pages and ids, nothing of records.
 */

import { RetryLater } from '../../model/errors.ts';
import { compareIds } from '../../model/record.ts';
import type { Instant } from '../../model/time.ts';
import type { Page, PageRow } from '../../ports/source-api.ts';
import { arrangeRows, type ListRows, readRemaining } from './list-rows.ts';
import { FIRST_LIMIT, nextLimit } from './page-size.ts';

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
  /** Rows without a valid id. They are ignored. */
  readonly invalid: number;
  /** First and last id of the page; null when it is empty. */
  readonly firstId: string | null;
  readonly lastId: string | null;
  /** The API's count of matching records; null when the page is known and not the last. */
  readonly listCount: number | null;
  /** Whether this is the last page. */
  readonly final: boolean;
  /** False from the page on where rows may have been missed: absence then proves nothing. */
  readonly complete: boolean;
}

/** An unchanged page, which need not be parsed. */
interface KnownPage {
  readonly rows: number;
  readonly firstId: string;
  readonly lastId: string;
}

interface ListPosition {
  readonly offset: number;
  readonly index: number;
  readonly last: string | null;
  /** Rows read so far, those without a valid id included. */
  readonly seen: number;
}

export interface ReadOptions {
  readonly fetch: (request: PageRequest) => Promise<Page>;
  readonly now: () => Instant;
  /** Where to resume; `last` is the last id that was read. @default - the first page */
  readonly from?: ListPosition;
  /** The page size for this offset. @default - adapts to the API's response times */
  readonly limitAt?: (offset: number) => number | undefined;
  /** The largest page to request. @default - no limit */
  readonly maxLimit?: number;
  /** Reads the whole list as one page and sorts it, for lists that the API does not sort. @default false */
  readonly onePage?: boolean;
  /** Finds an unchanged page by its digest. @default - every page is parsed */
  readonly findUnchanged?: (
    index: number,
    request: PageRequest,
    digest: string,
    last: string | null,
  ) => KnownPage | undefined;
}

/** Page size for lists read in one page: larger than any of them. The API has no maximum. */
export const WHOLE_LIST = 1_000_000;

/** If a server returns even fewer rows, its pages are read one after the other as they come. */
const SMALLEST_CAP = 10;

/** How often to step back when rows before the page were deleted, each time further. */
const MAX_STEPS_BACK = 5;
const MAX_TOTAL_STEPS_BACK = 200;

/** Consecutive full pages without a new row. The API then ignores the offset, and reading would never end. */
const MAX_STALLED_PAGES = 10;

export async function* readPages(options: ReadOptions): AsyncGenerator<PageRead> {
  const { fetch, now, from, limitAt, maxLimit = WHOLE_LIST, onePage = false } = options;
  const ask = async (request: PageRequest) => ({ requestedAt: now(), page: await fetch(request) });
  let { offset, index, last, seen } = from ?? { offset: 0, index: 0, last: null as string | null, seen: 0 };
  let limit = Math.min(maxLimit, onePage ? WHOLE_LIST : (limitAt?.(offset) ?? FIRST_LIMIT));
  // The server returns no more rows than this, whatever it is asked for.
  let cap = Number.POSITIVE_INFINITY;
  let back = 0;
  let stepsBack = 0;
  let isRetry = false;
  let complete = true;
  let stalled = 0;
  let reached = 0;
  let pending = ask({ offset, limit });
  for (;;) {
    const { requestedAt, ...answer } = await pending;
    let { page } = answer;
    const same = findKnownPage(options, index, { offset, limit }, page, last);
    const content = same === undefined ? page.content() : undefined;
    const isShort = content !== undefined && offset + content.rows.length < content.listCount;
    // The API counts more rows than it returns: perhaps a truncated page. Ask once more.
    if (isShort && content.rows.length < limit && !isRetry && cap > content.rows.length) {
      isRetry = true;
      pending = ask({ offset, limit });
      continue;
    }
    isRetry = false;
    let rows = content?.rows ?? [];
    if (onePage && isShort) {
      rows = await readRemaining(async (request) => (await ask(request)).page.content(), content);
      // The digest of the first page says nothing about the others.
      page = { ...page, digest: '' };
    }
    const arranged: ListRows =
      same === undefined ? arrangeRows(rows, onePage, last) : { ...NO_ROWS, total: same.rows, reach: same.rows };
    const count = arranged.total;
    const isFull = count >= limit;
    // Rows without a valid id fill the page: nothing would connect it to the next one.
    if (isFull && arranged.invalid > 0 && arranged.reach <= 1) {
      limit *= 2;
      pending = ask({ offset, limit });
      continue;
    }
    // Such a page is parsed every time: its rows say less than it holds.
    if (arranged.invalid > 0) page = { ...page, digest: '' };
    const firstId = same?.firstId ?? arranged.rows[0]?.id ?? null;
    const lastId = same?.lastId ?? arranged.rows.at(-1)?.id ?? null;

    // Rows before this page were deleted, so later rows moved up and some were never read. Step back.
    const isGap = last !== null && (firstId === null || compareIds(firstId, last) > 0);
    if (same === undefined && offset > 0 && isGap) {
      if (back < MAX_STEPS_BACK && stepsBack < MAX_TOTAL_STEPS_BACK) {
        offset = Math.max(0, offset - 4 ** back * 5);
        back += 1;
        stepsBack += 1;
        pending = ask({ offset, limit });
        continue;
      }
      complete = false;
    }
    back = 0;

    const before = last;
    const fresh =
      same === undefined ? arranged.rows.filter(({ id }) => before === null || compareIds(id, before) > 0) : undefined;
    const advances = lastId !== null && (last === null || compareIds(lastId, last) > 0);
    seen += fresh?.length ?? count - (last === null ? 0 : 1);
    if (advances) last = lastId;
    // A server that limits the size of its pages is followed. If nothing new comes either, its count is wrong.
    const isCapped = isShort && !isFull && advances && !onePage;
    if (isCapped) cap = Math.max(SMALLEST_CAP, count);
    const isFinal = onePage || (!isFull && !isCapped);
    // Invalid rows after the last valid one are in the next page, too.
    const invalid = arranged.invalid - (isFinal ? 0 : count - arranged.reach);
    seen += invalid + arranged.repeated;
    const listCount = content?.listCount ?? (isFinal ? countRecords(page) : null);
    if (isFinal && listCount !== null && seen < listCount) complete = false;
    // After stepping back, pages bring nothing new until they reach the offset of the last new row.
    if (advances) reached = offset;
    stalled = advances || offset < reached ? 0 : stalled + 1;
    if (!isFinal && stalled >= MAX_STALLED_PAGES) {
      throw new RetryLater(
        'TIDINGS_SOURCE_STANDSTILL',
        `expected new rows at offset ${offset}, got earlier rows again`,
      );
    }
    const request = { offset, limit: Math.min(limit, cap) };
    if (!isFinal) {
      // The last row with a valid id is in the next page, too.
      offset += Math.max(1, arranged.reach - 1);
      // Prefetch while the caller processes this page. A failure is thrown when the page is awaited.
      limit = Math.min(cap, maxLimit, limitAt?.(offset) ?? nextLimit(limit, count, page));
      pending = ask({ offset, limit });
      pending.catch(() => {});
    }
    yield {
      ...request,
      index,
      page,
      requestedAt,
      fresh,
      rows: count,
      invalid,
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

const NO_ROWS: ListRows = { rows: [], total: 0, invalid: 0, repeated: 0, reach: 0 };

/** An unchanged page that is too short for the API's count is read like any other. */
function findKnownPage(
  { findUnchanged }: ReadOptions,
  index: number,
  request: PageRequest,
  page: Page,
  last: string | null,
): KnownPage | undefined {
  const same = findUnchanged?.(index, request, page.digest, last);
  if (same === undefined || same.rows >= request.limit) return same;
  return request.offset + same.rows < countRecords(page) ? undefined : same;
}

function countRecords(page: Page): number {
  return page.listCount?.() ?? page.content().listCount;
}
