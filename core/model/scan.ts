/** What is known about reading one resource of one source: kept between polls, read by the planner and by people. */

import type { Instant } from './time.ts';

/** `delta`: what changed since; `open`: what can still move; `sweep`: everything. */
export type ScanKind = 'delta' | 'open' | 'sweep';

export interface ScanState {
  readonly source: string;
  readonly resource: string;
  /** End of the first complete sweep; null until then, and until then nothing is announced. */
  readonly baselinedAt: Instant | null;
  /** Start of the last scan that read to its end: the earliest moment a change can have escaped it. */
  readonly lastGoodScanAt: Instant | null;
  /** Failed scans since the last good one. */
  readonly failures: number;
  /** What went wrong last; null after a good scan. */
  readonly lastError: string | null;
}

export function unscanned(source: string, resource: string): ScanState {
  return { source, resource, baselinedAt: null, lastGoodScanAt: null, failures: 0, lastError: null };
}
