/**
 * What the verbs of a scan share: built once per scan and passed down unchanged. Holds facts and callbacks only;
 * what differs from page to page is a parameter of its own.
 */

import type { ScanKind, ScanState, SweepProgress } from '../../model/scan.ts';
import { type Duration, type Instant, MINUTE, plus, SECOND } from '../../model/time.ts';
import type { ManifestStore } from '../../ports/manifest-store.ts';
import type { SnapshotStore } from '../../ports/snapshot-store.ts';
import type { SourceApi, SourceTraits } from '../../ports/source-api.ts';
import type { PolledResource } from '../../resources/resource.ts';
import type { StageRules } from '../../snapshot/stage.ts';
import { type ClosedStatuses, trackClosedStatuses } from '../account/closed-statuses.ts';
import { hasSameSight, type IdentityTracker } from '../account/identity.ts';
import { type ApiClock, isSkewed, SKEWED_AFTER_SCANS } from '../api-clock.ts';
import type { DueMoments, PlannedResource } from '../plan.ts';
import { MAX_REPLICA_LAG } from './replica-lag.ts';

export interface CommitPorts {
  readonly api: Pick<SourceApi, 'list' | 'get'>;
  readonly snapshots: SnapshotStore;
  readonly manifests: ManifestStore;
}

/** How a source is read, whichever resource is scanned. */
export interface SourceOptions {
  readonly source: string;
  readonly rules: StageRules;
  /** The zone that defines "today". @default - the zone of the token's user */
  readonly timeZone?: string;
  /** Send events for records that are already overdue or due soon at the baseline. @default false */
  readonly announceExisting?: boolean;
  /** Find out who changed a task. Costs one more request for each scan that finds changes. @default false */
  readonly attribution?: boolean;
  /** Fixed page size, for an API that cannot serve large pages. @default - adapts to the API's response times */
  readonly pageSize?: number;
  /** Called after each page, to show progress. */
  readonly onProgress?: (resource: string, seen: number, total: number | null) => void;
  readonly signal?: AbortSignal;
}

/** A source while this poller holds its lease. */
export interface SourceContext extends Omit<SourceOptions, 'timeZone'> {
  readonly traits: SourceTraits;
  /** null: not known yet. */
  readonly timeZone: string | null;
  /** Called before every write. Throws when another poller has taken over. */
  readonly assertLeaseHeld: () => Promise<void>;
  readonly identity: IdentityTracker;
  readonly apiClock: ApiClock;
  /** Called before projects are committed whose client, name or label changed. @default - tasks are not polled */
  readonly rereadTasks?: (projectIds: readonly string[]) => Promise<void>;
  /** The highest version of forgotten records: new records continue after it. @default 0 */
  readonly forgottenVersion?: number;
  /** How far restored backups raised `forgottenVersion`. @default 0 */
  readonly versionOffset?: number;
  /** When a backup was last restored. @default - never */
  readonly restoredAt?: Instant;
}

/** One scan of one resource. */
export interface ScanContext extends SourceContext {
  readonly resource: PolledResource;
  readonly kind: ScanKind;
  /** What the scan learns about closed statuses; saved with every state of a scan of tasks. */
  readonly closedStatuses: ClosedStatuses;
  /** Time-driven changes to commit after the scan. @default - not known; they are read after the scan */
  readonly moments?: DueMoments;
  /** As it was before the scan. */
  readonly state: ScanState;
  /** The first sweep with another person or role: what it newly shows or no longer shows is not news. */
  readonly isNewIdentity: boolean;
  /** `baseline` for the first sweep, which sends no events. */
  readonly cause: 'baseline' | 'poll';
  /** The interrupted sweep that this one resumes; null: start from the first page. */
  readonly progress: SweepProgress | null;
  /** Start of the scan; of a resumed sweep, start of the interrupted one. */
  readonly startedAt: Instant;
  /** Start of this run: later than `startedAt` when a sweep is resumed. */
  readonly resumedAt: Instant;
}

/**
 * How far a delta reaches back before the start of the last good scan. Records are indexed late, replicas lag behind and
 * clocks differ; reading a record twice costs nothing. The extra second is there because the filter excludes its own second.
 */
export const LOOKBACK: Duration = MAX_REPLICA_LAG + SECOND;

/** An interrupted sweep older than this starts over: its first pages are too old to prove that a record still exists. */
const MAX_RESUME_AGE: Duration = 60 * MINUTE;

export function buildScanContext(
  source: SourceContext,
  due: ScanKind,
  { resource, state, moments }: PlannedResource,
  now: Instant,
): ScanContext {
  const identity = source.identity.current();
  const isNewIdentity =
    state.baselinedAt !== null &&
    state.identity !== undefined &&
    identity !== undefined &&
    !hasSameSight(source.traits, state.identity, identity);
  const kind = isNewIdentity ? 'sweep' : due;
  const isSweep = kind === 'sweep';
  const isResumable = state.progress !== null && plus(state.progress.startedAt, MAX_RESUME_AGE) > now;
  // An interrupted sweep has read its first pages with the other role.
  const progress = isSweep && isResumable && !isNewIdentity ? state.progress : null;
  const isBaseline = isSweep && state.baselinedAt === null;
  return {
    ...source,
    resource,
    kind,
    closedStatuses: trackClosedStatuses(source.rules, state, isBaseline),
    state,
    moments,
    isNewIdentity,
    cause: isBaseline ? 'baseline' : 'poll',
    progress,
    startedAt: progress?.startedAt ?? now,
    resumedAt: now,
  };
}

/** What the scan state keeps of the clocks. */
export function clockFields({
  apiClock,
  state: { skewedScans = 0 },
}: Pick<ScanContext, 'apiClock' | 'state'>): Pick<ScanState, 'clockAhead' | 'skewedScans'> {
  const clockAhead = apiClock.ahead();
  if (clockAhead === undefined) return {};
  return { clockAhead, skewedScans: isSkewed(clockAhead) ? Math.min(skewedScans + 1, SKEWED_AFTER_SCANS) : 0 };
}
