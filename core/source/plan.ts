/**
 * Decides which scans are due, from cadences, what happened before, and how much of the quota is left.
 * Pure: asks no clock and no API.
 */

import type { ScanKind, ScanState } from '../model/scan.ts';
import { between, DAY, type Duration, HOUR, type Instant, MINUTE, plus, SECOND } from '../model/time.ts';
import type { Quota } from '../ports/source-api.ts';
import type { Resource } from '../resources/resource.ts';

export interface Cadence {
  /** How often to look for changes. */
  readonly every: Duration;
  /** How often to read everything, where `every` does not do so anyway. */
  readonly sweep: Duration;
}

export interface PlannedResource {
  readonly resource: Resource;
  readonly cadence: Cadence;
  readonly state: ScanState;
}

export interface DueScan {
  readonly resource: Resource;
  readonly kind: ScanKind;
}

export interface Plan {
  /** Most urgent first. */
  readonly due: readonly DueScan[];
  /** Requests this cycle may make: never beyond the reserve. */
  readonly budget: number;
  /** By how much cadences are lengthened to make the quota last; 1 when it lasts anyway. */
  readonly stretch: number;
  /** Requests a day at the cadences as configured. */
  readonly forecast: number;
}

/** A resource the token may not read is tried again this often: roles change. */
const FORBIDDEN_RETRY = DAY;

/** How often the API's count is held against ours, to find out about deletions early. One request each. */
export const COUNT_EVERY = 30 * MINUTE;

/** A sweep brought forward comes no sooner than this after the last: a count that never adds up must not eat the quota. */
const SWEEP_SOON_AFTER = HOUR;

/** Stretching has an end: past it, the reserve is the smaller evil, and the budget still guards it. */
const LONGEST_STRETCH = 24;

export function planScans(
  resources: readonly PlannedResource[],
  quota: Quota | null,
  reserve: number,
  now: Instant,
  everything = false,
): Plan {
  const forecast = forecastRequests(resources);
  const usable = quota === null ? Number.POSITIVE_INFINITY : usableQuota(quota, reserve);
  const stretch = stretchOf(forecast, usable, quota, now);
  const due = resources.flatMap((planned) => {
    const kind = everything ? 'sweep' : kindDue(planned, stretch, now);
    return kind === undefined ? [] : [{ ...planned, kind }];
  });
  return {
    due: due.sort(byUrgency).map(({ resource, kind }) => ({ resource, kind })),
    budget: Math.max(0, usable),
    stretch,
    forecast,
  };
}

/** What a scan of this kind is likely to cost. */
export function estimateCost({ cost, count }: ScanState, kind: ScanKind): number {
  // Pages start at 500 and double: about two and a sixteenth of every thousand, before the first was counted.
  return cost[kind] ?? (kind === 'sweep' ? 2 + Math.ceil((count ?? 0) / 4000) : 1);
}

/** Requests a day, per resource and in all. */
export function forecastRequests(resources: readonly PlannedResource[]): number {
  return Math.ceil(resources.reduce((sum, planned) => sum + forecastResourceRequests(planned), 0));
}

export function forecastResourceRequests({ resource, cadence, state }: PlannedResource): number {
  if (state.forbiddenAt !== null) return 1;
  const light = lightKind(resource);
  if (light === 'sweep') return (DAY / cadence.every) * estimateCost(state, 'sweep');
  const counting = resource.modifiedSince ? DAY / COUNT_EVERY : 0;
  return (
    (DAY / cadence.every) * estimateCost(state, light) + (DAY / cadence.sweep) * estimateCost(state, 'sweep') + counting
  );
}

/** What looking for changes means for a resource: only some can be asked for less than everything. */
export function lightKind(resource: Resource): ScanKind {
  return resource.modifiedSince ? 'delta' : resource.openFilter !== undefined ? 'open' : 'sweep';
}

function kindDue({ resource, cadence, state }: PlannedResource, stretch: number, now: Instant): ScanKind | undefined {
  const since = (instant: Instant | null) => (instant === null ? Number.POSITIVE_INFINITY : between(instant, now));
  if (state.forbiddenAt !== null) return since(state.lastTriedAt) >= FORBIDDEN_RETRY ? 'sweep' : undefined;
  if (state.failures > 0 && since(state.lastTriedAt) < backoff(state.failures)) return undefined;
  if (state.baselinedAt === null || state.progress !== null) return 'sweep';
  const light = lightKind(resource);
  const sweepEvery = (light === 'sweep' ? cadence.every : cadence.sweep) * stretch;
  if (since(state.lastSweepAt) >= sweepEvery) return 'sweep';
  if (state.sweepSoon && since(state.lastSweepAt) >= SWEEP_SOON_AFTER) return 'sweep';
  if (light === 'sweep') return undefined;
  return since(state.lastGoodScanAt) >= cadence.every * stretch ? light : undefined;
}

/** A scan that failed is tried again soon, then less and less often, at last once in five minutes. */
function backoff(failures: number): Duration {
  return Math.min(30 * SECOND * 2 ** Math.min(failures - 1, 4), 5 * MINUTE);
}

/** When the next scan will be due at the earliest: now for one that was never tried. */
export function nextDueAt({ resource, cadence, state }: PlannedResource, stretch: number): Instant | null {
  if (state.forbiddenAt !== null) return state.lastTriedAt === null ? null : plus(state.lastTriedAt, FORBIDDEN_RETRY);
  const again =
    state.failures > 0 && state.lastTriedAt !== null ? plus(state.lastTriedAt, backoff(state.failures)) : null;
  const planned = byCadence({ resource, cadence, state }, stretch);
  return again !== null && (planned === null || planned < again) ? again : planned;
}

function byCadence({ resource, cadence, state }: PlannedResource, stretch: number): Instant | null {
  if (state.lastGoodScanAt === null) return null;
  const light = plus(state.lastGoodScanAt, cadence.every * stretch);
  if (lightKind(resource) === 'sweep' || state.lastSweepAt === null) return light;
  const sweep = plus(state.lastSweepAt, cadence.sweep * stretch);
  return light < sweep ? light : sweep;
}

/** Light scans first: they keep people up to date, and are cheap. */
function byUrgency(a: { kind: ScanKind }, b: { kind: ScanKind }): number {
  const rank = { delta: 0, open: 1, sweep: 2 };
  return rank[a.kind] - rank[b.kind];
}

/** The share of people is not ours, whatever happens. */
export function usableQuota({ limit, used }: Quota, reserve: number): number {
  return Math.max(0, Math.floor(limit * (1 - reserve)) - used);
}

function stretchOf(forecast: number, usable: number, quota: Quota | null, now: Instant): number {
  if (quota === null || usable <= 0) return 1;
  const left = quota.resetsAt === null ? DAY : Math.min(DAY, Math.max(HOUR, between(now, quota.resetsAt)));
  return Math.min(LONGEST_STRETCH, Math.max(1, (forecast * left) / DAY / usable));
}
