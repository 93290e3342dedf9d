/** How many rows to request in one page: few requests, but none that overloads the API. Pure. */

import { SECOND } from '../../model/time.ts';
import type { PageFingerprint } from '../../ports/manifest-store.ts';
import type { Page, ResourceTraits } from '../../ports/source-api.ts';

export const FIRST_LIMIT = 500;
const SMALLEST_LIMIT = 100;

/** Pages grow while the response stays below these limits. */
const TARGET_RESPONSE_MS = 2 * SECOND;
const TARGET_RESPONSE_BYTES = 4 * 1024 * 1024;

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

/** The largest page to request: what the API returns at most, or what failures have left; undefined: no limit. */
export function largestPage({ maxPageSize }: ResourceTraits, limit: number | undefined): number | undefined {
  return maxPageSize === undefined || limit === undefined ? (maxPageSize ?? limit) : Math.min(maxPageSize, limit);
}

/** The size of the next page after one of this size. */
export function nextLimit(limit: number, rows: number, { bytes, took }: Pick<Page, 'bytes' | 'took'>): number {
  if (took > TARGET_RESPONSE_MS) return Math.max(SMALLEST_LIMIT, Math.floor(limit / 2));
  const fitting = Math.floor(TARGET_RESPONSE_BYTES / Math.max(1, bytes / Math.max(1, rows)));
  return Math.max(SMALLEST_LIMIT, Math.min(limit * 2, fitting));
}

/** Below this a smaller page would not help, only cost requests. */
const SMALLEST_AFTER_FAILURE = 25;

/** From this size on, pages are no longer limited. */
const LARGE_ENOUGH = 4000;

/** The largest page to request after one of this size failed. */
export function smallerLimit(limit: number): number {
  return Math.max(SMALLEST_AFTER_FAILURE, Math.floor(limit / 2));
}

/** The largest page to request after a scan within this limit succeeded; undefined: no limit. */
export function largerLimit(limit: number | undefined): number | undefined {
  return limit === undefined || limit * 2 >= LARGE_ENOUGH ? undefined : limit * 2;
}
