/** What a poll needs, and what it reports. */

import type { ErrorCode } from '../model/error-codes.ts';
import type { ScanKind } from '../model/scan.ts';
import type { LeaseStore } from '../ports/lease-store.ts';
import type { ScanStateStore } from '../ports/scan-state-store.ts';
import type { PolledResource } from '../resources/resource.ts';
import type { Cadence } from './plan.ts';
import type { SourceOptions } from './scan/scan-context.ts';
import type { ScanPorts } from './scan/scan-list.ts';
import type { ScanReport } from './scan/scan-report.ts';

export interface PollPorts extends ScanPorts {
  readonly scanStates: ScanStateStore;
  readonly leases: LeaseStore;
  /** Identifies this process as a lease holder. */
  readonly holder: string;
}

export interface PollOptions extends SourceOptions {
  /** The address of the API: with the token's person it identifies the account. */
  readonly baseUrl: string;
  readonly resources: readonly { readonly resource: PolledResource; readonly cadence: Cadence }[];
  /** Share of the daily quota that is reserved for people, 0 to 1. */
  readonly reserve: number;
  /** Sweep all resources, due or not. @default false */
  readonly everything?: boolean;
}

export interface FailedScan {
  readonly source: string;
  readonly resource: string;
  readonly kind: ScanKind;
  readonly code: ErrorCode;
  readonly message: string;
}

export interface PollReport {
  readonly scans: readonly ScanReport[];
  readonly failed: readonly FailedScan[];
  /** Records whose moments had come were read. @default false */
  readonly dueRead?: boolean;
  /** Scans were due, but another poller holds the lease. @default false */
  readonly leftToAnother?: boolean;
  /** The API was asked for the time zone and named none: no time-driven event can come. @default false */
  readonly zoneUnknown?: boolean;
  /** The clock was put back since the last scan: what it made wait is due now. @default false */
  readonly clockMovedBack?: boolean;
  /** Scans of the source have failed several times in a row, now or in earlier polls. @default false */
  readonly isFailing?: boolean;
  /** No scan of a resource has completed for several of its intervals. @default false */
  readonly isLagging?: boolean;
}
