/**
 * Decides which scans are due, from the cadences, the scan states and the remaining quota.
 * Pure: reads no clock and makes no request.
 */

import type { ScanKind, ScanState, UnlistedRecord } from '../model/scan.ts';
import { between, DAY, type Duration, HOUR, type Instant, MINUTE, plus, SECOND } from '../model/time.ts';
import type { Quota } from '../ports/source-api.ts';
import type { PolledResource } from '../resources/resource.ts';
import { IDENTITY_EVERY } from './account/identity.ts';
import { confirmableUntil } from './scan/replica-lag.ts';

export interface Cadence {
  /** How often to scan for changes. */
  readonly every: Duration;
  /** How often to read all records, for resources whose scans for changes read fewer. */
  readonly sweep: Duration;
}

/** The moments at which time alone changes records, as far as they have come and are not committed. */
export interface DueMoments {
  readonly readAt: Instant;
  /** The latest of those that can be confirmed now; null: there is none. */
  readonly latest: Instant | null;
  /** Others have come too recently: lists may not show yet how the records were at that time. */
  readonly isLaterDue: boolean;
}

export interface PlannedResource {
  readonly resource: PolledResource;
  readonly cadence: Cadence;
  readonly state: ScanState;
  /** @default - not read, because the resource has none yet */
  readonly moments?: DueMoments;
  /** When a person asked for a scan, in the past. @default - nobody did */
  readonly requestedAt?: Instant;
}

export interface DueScan {
  readonly resource: PolledResource;
  readonly kind: ScanKind;
}

export interface Plan {
  /** Most urgent first. */
  readonly due: readonly DueScan[];
  /** Requests this cycle may make without touching the reserve. */
  readonly budget: number;
  /** Factor by which the cadences are lengthened to stay within the quota; 1 when the quota suffices. */
  readonly stretch: number;
  /** Requests per day at the configured cadences. */
  readonly forecast: number;
}

/** How often a resource that the token may not read is tried again: roles change. One request each. */
const FORBIDDEN_RETRY = HOUR;

/** How often the API's record count is compared with ours, to notice deletions early. One request each. */
export const COUNT_EVERY = 30 * MINUTE;

/** Minimum time between a sweep and an early one: a count that never matches must not use up the quota. */
const MIN_EARLY_SWEEP_INTERVAL = HOUR;

/** Time between two reads of a list that does not show as many records as the API counts, before the baseline. */
const INCOMPLETE_RETRY = 5 * MINUTE;

/** Upper limit of `stretch`. Beyond it scans would be too rare to be useful; the budget still protects the reserve. */
const MAX_STRETCH = 24;

export function planScans(
  resources: readonly PlannedResource[],
  quota: Quota | null,
  reserve: number,
  now: Instant,
  everything = false,
): Plan {
  const forecast = forecastRequests(resources);
  const usable = quota === null ? Number.POSITIVE_INFINITY : usableQuota(quota, reserve);
  const stretch = computeStretch(forecast, usable, quota, now);
  const due = resources.flatMap((planned) => {
    const kinds = everything ? (['sweep'] as const) : kindsDue(planned, stretch, now);
    return kinds.map((kind) => ({ ...planned, kind }));
  });
  return {
    due: due.sort(byUrgency).map(({ resource, kind }) => ({ resource, kind })),
    budget: Math.max(0, usable),
    stretch,
    forecast,
  };
}

/** Requests that a scan of this kind is likely to take. */
function estimateRequests({ cost, count }: ScanState, kind: ScanKind): number {
  // Before the first sweep: pages start at 500 rows and double up to a few thousand.
  return cost[kind] ?? (kind === 'sweep' ? 2 + Math.ceil((count ?? 0) / 4000) : 1);
}

/** Requests per day for all resources, and for the token's person and role. */
export function forecastRequests(resources: readonly PlannedResource[]): number {
  const scans = resources.reduce((sum, planned) => sum + forecastResourceRequests(planned), 0);
  return resources.length === 0 ? 0 : Math.ceil(scans + DAY / IDENTITY_EVERY);
}

/** Requests per day for one resource. */
export function forecastResourceRequests({ resource, cadence, state }: PlannedResource): number {
  if (state.forbiddenAt !== null) return DAY / FORBIDDEN_RETRY;
  const light = lightKind(resource);
  if (light === 'sweep') return (DAY / cadence.every) * estimateRequests(state, 'sweep');
  const counting = resource.modifiedSince ? DAY / COUNT_EVERY : 0;
  return (
    (DAY / cadence.every) * estimateRequests(state, light) +
    (DAY / cadence.sweep) * estimateRequests(state, 'sweep') +
    counting
  );
}

/** The kind of scan that looks for changes: not every resource can be read in part. */
export function lightKind(resource: PolledResource): ScanKind {
  return resource.modifiedSince ? 'delta' : resource.listsOpen === true ? 'open' : 'sweep';
}

/** From this many requests on, a sweep takes so long that a light scan that is due goes first. */
const LONG_SWEEP_REQUESTS = 10;

/**
 * A sweep shows all that a light scan shows. Where it is likely to fail or to take long, a light scan that is due goes
 * first; where a sweep fails for the first time, the light scan follows at once.
 */
function kindsDue(planned: PlannedResource, stretch: number, now: Instant): readonly ScanKind[] {
  const kind = kindDue(planned, stretch, now);
  if (kind === undefined) return [];
  const { state, resource } = planned;
  const isRisky = state.failedSweeps != null || estimateRequests(state, 'sweep') >= LONG_SWEEP_REQUESTS;
  return kind === 'sweep' && isRisky && isLightDue(planned, stretch, now) ? [lightKind(resource), kind] : [kind];
}

/** Whether a scan that reads only a part of the records is due and possible. */
export function isLightDue(planned: PlannedResource, stretch: number, now: Instant): boolean {
  const { resource, cadence, state } = planned;
  if (state.baselinedAt === null || state.forbiddenAt !== null || lightKind(resource) === 'sweep') return false;
  if (lightKind(resource) === 'delta' && state.cursor === null) return false;
  const { lastGoodScanAt } = state;
  const isTime = lastGoodScanAt === null || between(lastGoodScanAt, now) >= cadence.every * stretch;
  return isTime || needsConfirmation(planned);
}

function kindDue(planned: PlannedResource, stretch: number, now: Instant): ScanKind | undefined {
  const { resource, cadence, state } = planned;
  const since = (instant: Instant | null) => (instant === null ? Number.POSITIVE_INFINITY : between(instant, now));
  if (state.forbiddenAt !== null) return since(state.lastTriedAt) >= FORBIDDEN_RETRY ? 'sweep' : undefined;
  if (state.failures > 0 && since(state.lastTriedAt) < backoff(state.failures)) return undefined;
  if (state.baselinedAt === null && state.progress === null && state.incompleteBaseline != null) {
    return since(state.lastTriedAt) >= INCOMPLETE_RETRY ? 'sweep' : undefined;
  }
  const light = lightKind(resource);
  if (state.baselinedAt === null) return 'sweep';
  const isSweepNeeded = light === 'delta' && state.cursor === null;
  if (state.failedSweeps != null) {
    if (since(state.failedSweeps.triedAt) >= sweepBackoff(state.failedSweeps.count)) return 'sweep';
    return isLightDue(planned, stretch, now) ? light : undefined;
  }
  if (isSweepNeeded) return 'sweep';
  if (needsConfirmation(planned)) return state.sweepSoon ? 'sweep' : light;
  if (state.progress !== null) return 'sweep';
  const sweepEvery = (light === 'sweep' ? cadence.every : cadence.sweep) * stretch;
  if (since(state.lastSweepAt) >= sweepEvery) return 'sweep';
  if (state.sweepSoon && since(state.lastSweepAt) >= MIN_EARLY_SWEEP_INTERVAL) return 'sweep';
  if (hasProvableDeletion(state, now)) return 'sweep';
  if (light === 'sweep') return undefined;
  return since(state.lastGoodScanAt) >= cadence.every * stretch ? light : undefined;
}

/**
 * A time-driven change is committed only after its record was read again after the moment. A scan is brought forward before,
 * so that other changes come first and a task is reported as overdue minutes after midnight. If records seem to be deleted, only a sweep shows which.
 * A scan that did not confirm the records is repeated at its usual time. A scan that a person asked for is brought forward too.
 */
function needsConfirmation({ state, moments, requestedAt }: PlannedResource): boolean {
  const scannedAt = state.sweepSoon ? state.lastSweepAt : state.lastGoodScanAt;
  const latest = moments?.latest ?? null;
  const isRequested = requestedAt !== undefined && (state.lastGoodScanAt ?? '') < requestedAt;
  return isRequested || (latest !== null && (scannedAt === null || confirmableUntil(scannedAt) < latest));
}

/**
 * Whether the records whose moments have come are to be read directly: once after the moment, and again while some of them
 * could not be read.
 */
export function needsDueRead({ state, moments }: PlannedResource, now: Instant): boolean {
  const latest = moments?.latest ?? null;
  if (latest === null || state.baselinedAt === null || state.forbiddenAt !== null) return false;
  const { dueRead = null } = state;
  if (dueRead === null || confirmableUntil(dueRead.at) < latest) return true;
  return dueRead.pending > 0 && between(dueRead.at, now) >= dueReadBackoff(dueRead.attempts);
}

/** Delay after a direct read that left records pending: 2 minutes, doubling up to an hour. */
function dueReadBackoff(attempts: number): Duration {
  return Math.min(2 * MINUTE * 2 ** Math.min(attempts - 1, 5), HOUR);
}

/** Whether a record that answered 404 is to be requested once more: by now the answer proves its deletion. */
function hasProvableDeletion({ unlisted = {}, lastSweepAt }: ScanState, now: Instant): boolean {
  const isProvable = ({ answer, askAt }: UnlistedRecord) =>
    answer === 'absent' && askAt <= now && (lastSweepAt === null || lastSweepAt < askAt);
  return Object.values(unlisted).some(isProvable);
}

/** Delay after failed scans: 30 seconds, doubling up to 5 minutes. */
function backoff(failures: number): Duration {
  return Math.min(30 * SECOND * 2 ** Math.min(failures - 1, 4), 5 * MINUTE);
}

/** Delay after failed sweeps, which cost more requests: 30 seconds, doubling up to half an hour. */
function sweepBackoff(failures: number): Duration {
  return Math.min(30 * SECOND * 2 ** Math.min(failures - 1, 6), 30 * MINUTE);
}

/** The earliest time of the next scan; null: now, because the resource was never scanned. */
export function nextDueAt({ resource, cadence, state }: PlannedResource, stretch: number): Instant | null {
  if (state.forbiddenAt !== null) return state.lastTriedAt === null ? null : plus(state.lastTriedAt, FORBIDDEN_RETRY);
  const isRead = state.baselinedAt === null && state.progress === null && state.incompleteBaseline != null;
  const delay = Math.max(state.failures > 0 ? backoff(state.failures) : 0, isRead ? INCOMPLETE_RETRY : 0);
  const retryAt = delay > 0 && state.lastTriedAt !== null ? plus(state.lastTriedAt, delay) : null;
  const planned = nextByCadence({ resource, cadence, state }, stretch);
  return retryAt !== null && (planned === null || planned < retryAt) ? retryAt : planned;
}

function nextByCadence({ resource, cadence, state }: PlannedResource, stretch: number): Instant | null {
  if (state.lastGoodScanAt === null) return null;
  const light = plus(state.lastGoodScanAt, cadence.every * stretch);
  if (lightKind(resource) === 'sweep' || state.lastSweepAt === null) return light;
  const { failedSweeps } = state;
  const sweep =
    failedSweeps == null
      ? plus(state.lastSweepAt, cadence.sweep * stretch)
      : plus(failedSweeps.triedAt, sweepBackoff(failedSweeps.count));
  return light < sweep ? light : sweep;
}

/**
 * Light scans first: they are cheap and bring most events. Projects come before the sweeps of tasks and invoices, whose
 * deletions show the client that the project has now.
 */
function byUrgency(a: DueScan, b: DueScan): number {
  return urgencyRank(a) - urgencyRank(b);
}

function urgencyRank({ resource, kind }: DueScan): number {
  if (kind === 'sweep') return lightKind(resource) === 'sweep' ? 2 : 3;
  return kind === 'delta' ? 0 : 1;
}

/** Remaining requests outside the reserve. */
export function usableQuota({ limit, used }: Quota, reserve: number): number {
  return Math.max(0, Math.floor(limit * (1 - reserve)) - used);
}

function computeStretch(forecast: number, usable: number, quota: Quota | null, now: Instant): number {
  if (quota === null || usable <= 0) return 1;
  const left = quota.resetsAt === null ? DAY : Math.min(DAY, Math.max(HOUR, between(now, quota.resetsAt)));
  return Math.min(MAX_STRETCH, Math.max(1, (forecast * left) / DAY / usable));
}
