/**
 * Reads a list page by page in id order, each page sharing one row with the one before, so that a list that moves
 * under the reader is noticed. Knows pages and ids, nothing of records.
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

/** What a page turned out to be. */
export interface PageRead extends PageRequest {
  /** Number of the page, from 0. */
  readonly index: number;
  readonly page: Page;
  /** When it was asked for: what it shows may be as old as this. */
  readonly askedAt: Instant;
  /** Rows beyond the page before; undefined when the page was known by its digest and not looked into. */
  readonly fresh: readonly PageRow[] | undefined;
  /** All rows of the page. */
  readonly rows: number;
  /** First and last id of the page; null of an empty one. */
  readonly firstId: string | null;
  readonly lastId: string | null;
  /** Matching records as the API counts them; null when the page was not looked into. */
  readonly listCount: number | null;
  /** Whether the list ends here. */
  readonly final: boolean;
  /** False once rows may have been missed, from this page on: then absence means nothing. */
  readonly complete: boolean;
}

/** What is known of a page from last time: enough to go on without looking into it. */
export interface KnownPage {
  readonly rows: number;
  readonly firstId: string;
  readonly lastId: string;
}

export interface ReadOptions {
  readonly fetch: (request: PageRequest) => Promise<Page>;
  readonly now: () => Instant;
  /** Where to go on; `last` is the last id that was read. @default - from the start */
  readonly from?: { readonly offset: number; readonly index: number; readonly last: string | null };
  /** The page size used at this offset before. @default - adapts by itself */
  readonly limitAt?: (offset: number) => number | undefined;
  /** Reads everything in one page, and puts it in order: for lists the API does not sort. @default false */
  readonly onePage?: boolean;
  /** Knows the page of this number by its digest. @default - none is known */
  readonly known?: (index: number, request: PageRequest, digest: string, last: string | null) => KnownPage | undefined;
}

const FIRST_LIMIT = 500;
const SMALLEST_LIMIT = 100;

/** More than any list that is read in one page holds; the API knows no maximum. */
export const WHOLE_LIST = 1_000_000;

/** Pages grow while the API answers within this and the body stays below that: each request counts, none may choke. */
const TARGET_RESPONSE_MS = 2 * SECOND;
const LARGE = 4 * 1024 * 1024;

/** How often a page is asked for again when the list moved under us, each time from further back. */
const STEPS_BACK = 5;

/** Full pages in a row that brought nothing new: the API does not do as it is told, and would never end. */
const STANDSTILL = 10;

export async function* readPages(options: ReadOptions): AsyncGenerator<PageRead> {
  const { fetch, now, from, limitAt, known, onePage = false } = options;
  const ask = async (request: PageRequest) => ({ askedAt: now(), page: await fetch(request) });
  let { offset, index, last } = from ?? { offset: 0, index: 0, last: null as string | null };
  let limit = onePage ? WHOLE_LIST : (limitAt?.(offset) ?? FIRST_LIMIT);
  let back = 0;
  let shortOnce = false;
  let complete = true;
  let still = 0;
  let reached = 0;
  let coming = ask({ offset, limit });
  for (;;) {
    const { page, askedAt } = await coming;
    const request = { offset, limit };
    const same = known?.(index, request, page.digest, last);
    const content = same === undefined ? page.content() : undefined;
    const rows = content === undefined ? [] : onePage ? inOrder(content) : content.rows;
    if (!onePage) requireOrder(rows);
    const count = same?.rows ?? rows.length;
    const firstId = same?.firstId ?? rows[0]?.id ?? null;
    const lastId = same?.lastId ?? rows.at(-1)?.id ?? null;

    // Rows went before this page: what stood here has moved up, and some of it was never read. Look further back.
    if (same === undefined && offset > 0 && last !== null && (firstId === null || compareIds(firstId, last) > 0)) {
      if (back < STEPS_BACK) {
        offset = Math.max(0, offset - 4 ** back * 5);
        back += 1;
        coming = ask({ offset, limit });
        continue;
      }
      complete = false;
    }
    back = 0;

    const ends = count < limit;
    // The API counts more than it shows: perhaps a page cut short. Asked once more; then its count is not believed.
    if (ends && content !== undefined && offset + count < content.listCount) {
      if (!shortOnce) {
        shortOnce = true;
        coming = ask(request);
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
    // Having stepped back, pages bring nothing new until they are where the last new row was.
    if (advances) reached = offset;
    still = advances || offset < reached ? 0 : still + 1;
    if (!ends && still >= STANDSTILL) {
      throw new RetryLater(
        'TIDINGS_SOURCE_STANDSTILL',
        `expected further rows at offset ${offset}, got those before it again`,
      );
    }
    if (!ends) {
      // Fetched while the caller works on this one. Its failure is met when it is awaited.
      offset += Math.max(1, count - 1);
      limit = limitAt?.(offset) ?? nextLimit(request.limit, count, page);
      coming = ask({ offset, limit });
      coming.catch(() => {});
    }
    const listCount = content?.listCount ?? null;
    yield { ...request, index, page, askedAt, fresh, rows: count, firstId, lastId, listCount, final: ends, complete };
    if (ends) return;
    index += 1;
  }
}

function inOrder({ rows }: PageContent): readonly PageRow[] {
  return rows.toSorted((a, b) => compareIds(a.id, b.id));
}

/**
 * The page size for a list that was read before in these pages; undefined when they were few enough. Pages grow from
 * a small first one, and lists grow past their last: read in larger pages once, a list takes fewer requests from then on.
 */
export function betterLimit(pages: readonly Pick<PageFingerprint, 'rows' | 'bytes' | 'took'>[]): number | undefined {
  const rows = pages.reduce((sum, page) => sum + page.rows, 0);
  if (pages.length < 2 || rows === 0) return undefined;
  const bytesPerRow = pages.reduce((sum, page) => sum + page.bytes, 0) / rows;
  const millisPerRow = Math.max(...pages.map((page) => page.took / Math.max(1, page.rows)));
  const fitting = Math.floor(Math.min(LARGE / bytesPerRow, TARGET_RESPONSE_MS / millisPerRow));
  // Room to grow, so that a list that fits one page still does tomorrow.
  const limit = Math.max(SMALLEST_LIMIT, Math.min(fitting, Math.ceil(rows * 1.25) + 100));
  const needed = Math.ceil(rows / limit);
  return needed === 1 || needed + 1 < pages.length ? limit : undefined;
}

function nextLimit(limit: number, rows: number, { bytes, took }: Page): number {
  if (took > TARGET_RESPONSE_MS) return Math.max(SMALLEST_LIMIT, Math.floor(limit / 2));
  const fitting = Math.floor(LARGE / Math.max(1, bytes / Math.max(1, rows)));
  return Math.max(SMALLEST_LIMIT, Math.min(limit * 2, fitting));
}

function requireOrder(rows: readonly PageRow[]): void {
  for (let at = 1; at < rows.length; at++) {
    const [before, row] = [rows[at - 1], rows[at]];
    if (before === undefined || row === undefined || compareIds(before.id, row.id) < 0) continue;
    throw new RetryLater(
      'TIDINGS_SOURCE_ORDER_BROKEN',
      `expected rows in the order of their ids, got ${row.id} after ${before.id}`,
    );
  }
}
