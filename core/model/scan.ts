/** What is known about reading one resource of one source: kept between polls, read by the planner and by people. */

import type { Instant } from './time.ts';

/** `delta`: what changed since; `open`: what can still move; `sweep`: everything. */
export type ScanKind = 'delta' | 'open' | 'sweep';

/**
 * Ids of missing records that are kept and looked into; of the others it is enough to know how many. All of them are
 * doubtful in the manifest, so that the next sweep misses them again: none is forgotten, and no state grows past its item.
 */
export const MAX_MISSING_IDS = 200;

/** Where a sweep was broken off, so that the next one goes on from there. */
export interface SweepProgress {
  readonly startedAt: Instant;
  /** The next page: its number and first row. */
  readonly index: number;
  readonly offset: number;
  /** The last id that was dealt with. */
  readonly last: string;
  readonly seen: number;
  /** Ids that were expected and did not come, so far: the first of them. All are doubtful in the manifest as well. */
  readonly missing: readonly string[];
  /** How many did not come besides these. @default 0 */
  readonly more?: number;
  readonly complete: boolean;
}

export interface QuotaReading {
  readonly limit: number;
  readonly used: number;
  readonly resetsAt: Instant | null;
  readonly readAt: Instant;
}

export interface ScanState {
  readonly source: string;
  readonly resource: string;
  /** 0 before it was saved, then one more each time: a state is saved only on the one it was made from. */
  readonly version: number;
  /** End of the first complete sweep; null until then, and until then nothing is announced. */
  readonly baselinedAt: Instant | null;
  /** Start of the last scan that read to its end and left no row behind: no change before it has escaped us. */
  readonly lastGoodScanAt: Instant | null;
  /** Start of the last sweep that read to its end. */
  readonly lastSweepAt: Instant | null;
  /** When a scan was last tried, good or not. */
  readonly lastTriedAt: Instant | null;
  /** A delta asks for what was modified after this; null: not known, only a sweep will do. */
  readonly cursor: Instant | null;
  /** Failed scans since the last good one. */
  readonly failures: number;
  /** What went wrong last; null after a good scan. */
  readonly lastError: { readonly code: string; readonly message: string } | null;
  /** Since when the token's role may not read it; null while it may. */
  readonly forbiddenAt: Instant | null;
  /** Records that are there, as far as we know; null before the first complete sweep. */
  readonly count: number | null;
  /** When the count was last held against the API's own. */
  readonly countedAt: Instant | null;
  /** Requests the last scan of each kind took: what the next will cost. */
  readonly cost: { readonly [kind in ScanKind]?: number };
  /** Something does not add up: the next scan is a sweep. */
  readonly sweepSoon: boolean;
  /** A sweep that was broken off. */
  readonly progress: SweepProgress | null;
  /** The quota as it was read before the last scan; null where the API did not tell. */
  readonly quota: QuotaReading | null;
  /** How many records a brake holds back from being called deleted, and since when. */
  readonly held: { readonly count: number; readonly since: Instant } | null;
}

export function initialScanState(source: string, resource: string): ScanState {
  return {
    source,
    resource,
    version: 0,
    baselinedAt: null,
    lastGoodScanAt: null,
    lastSweepAt: null,
    lastTriedAt: null,
    cursor: null,
    failures: 0,
    lastError: null,
    forbiddenAt: null,
    count: null,
    countedAt: null,
    cost: {},
    sweepSoon: false,
    progress: null,
    quota: null,
    held: null,
  };
}
