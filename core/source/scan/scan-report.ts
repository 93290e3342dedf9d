/** What a scan found and did. */

import type { ScanKind, ScanState } from '../../model/scan.ts';

export interface ScanReport {
  readonly source: string;
  readonly resource: string;
  readonly kind: ScanKind;
  /** True for the sweep that completes the first sync. It sends no events, except with `announcesExisting`. */
  readonly baseline: boolean;
  /** The baseline sends events for records that are already overdue, due soon or past their end. @default false */
  readonly announcesExisting?: boolean;
  readonly seen: number;
  readonly created: number;
  readonly changed: number;
  readonly deleted: number;
  /** Rows that could not be read, because they have no valid id or are no valid record. */
  readonly skipped: number;
  /** False when rows may have been missed: absent records are then not treated as deleted. */
  readonly complete: boolean;
  readonly requests: number;
  /** The first sweep with another person or role of the token. @default false */
  readonly newIdentity?: boolean;
}

export interface ScanOutcome {
  /** Rows whose record another process committed during the scan. */
  readonly conflicts: number;
  /** Rows came from a replica that lags behind. @default false */
  readonly outdated?: boolean;
  readonly report: Omit<ScanReport, 'source' | 'resource' | 'kind' | 'requests'>;
  readonly state: Partial<ScanState>;
}
