/** The scan state of one resource of a source: stored between polls, read by the planner and by `status`. */

import type { Instant } from './time.ts';

/** `delta`: changed records; `open`: records that are still open; `sweep`: all records. */
export type ScanKind = 'delta' | 'open' | 'sweep';

/**
 * How many ids of missing records are stored and checked; the others are only counted. All are dirty in the manifest, so
 * the next sweep finds them missing again. The limit keeps the state small enough for a DynamoDB item.
 */
export const MAX_MISSING_IDS = 200;

/** Where a sweep was interrupted, so that the next one can resume there. */
export interface SweepProgress {
  readonly startedAt: Instant;
  /** The next page: its number and offset. */
  readonly index: number;
  readonly offset: number;
  /** The last processed id. */
  readonly last: string;
  readonly seen: number;
  /** The first expected ids that were absent so far. All are dirty in the manifest too. */
  readonly missing: readonly string[];
  /** How many others were absent. @default 0 */
  readonly more?: number;
  readonly complete: boolean;
  /** Rows that could not be read. @default 0 */
  readonly skipped?: number;
}

/** A record that no list shows, although it is not known to be deleted. */
export interface UnlistedRecord {
  /**
   * The API returned the record, did not allow reading it, or failed. `absent`: it answered 404, but the record changed
   * so recently that the answer may be older.
   */
  readonly answer: 'exists' | 'forbidden' | 'failed' | 'absent';
  /** When it was first requested. */
  readonly since: Instant;
  /** When it is requested again. */
  readonly askAt: Instant;
  /** When it was last known to exist. @default - unknown */
  readonly existedAt?: Instant | null;
}

/** Whom the token belongs to. */
export interface TokenIdentity {
  /** The id of the person. */
  readonly person: string;
  /** The name of their group; null when the API does not say. */
  readonly role: string | null;
  /** The name of the person. @default - the API does not say */
  readonly name?: string;
  /** Whether the person sees only their own tasks. @default - the API does not say */
  readonly restricted?: boolean;
  readonly checkedAt: Instant;
}

interface QuotaReading {
  readonly limit: number;
  readonly used: number;
  readonly resetsAt: Instant | null;
  readonly readAt: Instant;
}

export interface IncompleteBaseline {
  readonly listCount: number | null;
  readonly unlisted: number;
  readonly missing: number;
}

interface FailedSweeps {
  readonly count: number;
  /** When the first of them failed. */
  readonly since: Instant;
  readonly triedAt: Instant;
  readonly message: string;
}

/** The last direct read of the records whose moments had come. */
interface DueRead {
  readonly at: Instant;
  /** Records that could not be read. They are tried again. */
  readonly pending: number;
  /** The earliest moment of these; null: there are none. */
  readonly since: Instant | null;
  /** Reads in a row that left records pending. */
  readonly attempts: number;
}

/** Ids of closed statuses by their configured name, which they may not have any more. */
export type ClosedStatusIds = Readonly<Record<string, readonly string[]>>;

/** Statuses that have got a configured name since the baseline, by id: since when. */
export type ClosedStatusCandidates = Readonly<Record<string, { readonly name: string; readonly since: Instant }>>;

export interface ScanState {
  readonly source: string;
  readonly resource: string;
  /** 0 before the first save, then one higher each time. A save succeeds only on the version it is based on. */
  readonly version: number;
  /** End of the first complete sweep; null until then. No events are sent before it. */
  readonly baselinedAt: Instant | null;
  /** Start of the last complete scan without conflicts: all changes before it are committed. */
  readonly lastGoodScanAt: Instant | null;
  /** Start of the last sweep that came to its end. */
  readonly lastSweepAt: Instant | null;
  /**
   * Start of the last sweep that showed all records and left no missing one undecided: what changed before it is known.
   * @default - unknown
   */
  readonly completeSweepAt?: Instant | null;
  /** Start of the last open scan that showed all open records and those that left the list. @default - unknown */
  readonly completeOpenAt?: Instant | null;
  /** Start of the last scan, successful or not. */
  readonly lastTriedAt: Instant | null;
  /** A delta requests records modified after this; null: unknown, a sweep is needed. */
  readonly cursor: Instant | null;
  /** Failed scans since the last successful one. */
  readonly failures: number;
  /** The last error; null after a successful scan. */
  readonly lastError: { readonly code: string; readonly message: string } | null;
  /** Since when the token has no access; null while it has. */
  readonly forbiddenAt: Instant | null;
  /** Number of known records; null before the first complete sweep. */
  readonly count: number | null;
  /** When the count was last compared with the API's. */
  readonly countedAt: Instant | null;
  /** Requests of the last scan of each kind, to estimate the next. */
  readonly cost: { readonly [kind in ScanKind]?: number };
  /** The counts do not match: a sweep should come early. */
  readonly sweepSoon: boolean;
  /** An interrupted sweep. */
  readonly progress: SweepProgress | null;
  /** The quota as read before the last scan; null when it could not be read. */
  readonly quota: QuotaReading | null;
  /**
   * Time-driven changes of this resource are committed up to this instant: the start of the last complete scan, which
   * showed the records as they were at these moments. null: unknown.
   */
  readonly settledUntil: Instant | null;
  /** @default - no moment has come yet */
  readonly dueRead?: DueRead | null;
  /** Rows of the last sweep that have no valid id or cannot be parsed. @default 0 */
  readonly skipped?: number;
  /**
   * The last baseline if it was incomplete: the API's count, and how many rows and expected records it did not show. An
   * incomplete baseline counts only when a second one agrees. @default - none, or it was complete
   */
  readonly incompleteBaseline?: IncompleteBaseline | null;
  /** Sweeps that failed since the last complete one, while lighter scans go on. @default - none */
  readonly failedSweeps?: FailedSweeps | null;
  /** The largest page to request in a scan of each kind, after failures. @default - no limit */
  readonly pageLimits?: { readonly [kind in ScanKind]?: number };
  /** When the first scan was tried, until the baseline. @default - unknown */
  readonly firstTriedAt?: Instant | null;
  /** How many deletions the brake holds back, and since when. */
  readonly held: { readonly count: number; readonly since: Instant } | null;
  /** Missing records that were requested and not found deleted, by id. @default - none */
  readonly unlisted?: Readonly<Record<string, UnlistedRecord>>;
  /**
   * Missing records beyond those in `unlisted`, of which a sample exists: how many, and the last one that was requested. They
   * are requested in turn. @default - none
   */
  readonly overflow?: { readonly count: number; readonly askedUpTo: string | null } | null;
  /** Records that the token no longer shows and that may exist: how many in the last days, and when the last one. @default - none */
  readonly outOfSight?: { readonly count: number; readonly at: Instant } | null;
  /** Missing records that are not decided yet and that the brake does not hold back. @default - none */
  readonly waiting?: readonly string[];
  /** The highest id of the last complete sweep: an unknown record with a lower one is not new. @default - not known yet */
  readonly highestId?: string | null;
  /** Sweeps in a row that did not show all records the API counts. @default 0 */
  readonly incompleteSweeps?: number;
  /** The token's person and role as of the last scan; what a sweep shows depends on them. @default - not known yet */
  readonly identity?: TokenIdentity;
  /** How far our clock was ahead of the API's in the last scan, in milliseconds; negative: behind. @default - not known */
  readonly clockAhead?: number;
  /** Scans in a row in which the clocks differed by minutes or more, up to 3. @default 0 */
  readonly skewedScans?: number;
  /** Tasks only. @default - not known yet */
  readonly closedStatusIds?: ClosedStatusIds;
  /** Tasks only. @default - none */
  readonly closedStatusCandidates?: ClosedStatusCandidates;
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
    settledUntil: null,
    held: null,
  };
}
