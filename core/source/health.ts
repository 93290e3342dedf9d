/**
 * The health of a source, kept as a record with a snapshot: its transitions are the `source.*` events. Pure.
 * Each reason why events may be missing is reported once.
 */

import { isOutOfQuota, refusesToken } from '../model/error-codes.ts';
import { isSameValue } from '../model/json.ts';
import type { Fields } from '../model/record.ts';
import type { TokenIdentity, UnlistedRecord } from '../model/scan.ts';
import { between, DAY, type Duration, HOUR, type Instant, MINUTE } from '../model/time.ts';
import type { Quota } from '../ports/source-api.ts';
import { OTHER_ACCOUNT } from './account/account.ts';
import { isZoneMissing, type ResolvedZone } from './account/time-zone.ts';
import { isSkewed, MAX_CLOCK_DIFFERENCE, SKEWED_AFTER_SCANS } from './api-clock.ts';
import { type PlannedResource, usableQuota } from './plan.ts';
import { countHidden } from './scan/out-of-sight.ts';

/** The state of a source whose API shows another account than the stored one. It is visible, and causes no event. */
export const OTHER_ACCOUNT_STATE = 'other_account';

export interface CycleFacts {
  readonly source: string;
  /** With their states after the cycle. */
  readonly resources: readonly PlannedResource[];
  readonly goodScans: number;
  readonly failedScans: number;
  /** The last error of the cycle; null when there was none. */
  readonly error: { readonly code: string; readonly message: string } | null;
  /** null when it could not be read. */
  readonly quota: Quota | null;
  readonly reserve: number;
  readonly stretch: number;
  readonly zone: ResolvedZone;
  /** See stageRulesHash. */
  readonly rulesHash: string;
  /** Undefined when the API does not say. */
  readonly identity?: TokenIdentity;
  /** How far our clock is ahead of the API's; negative: behind. Undefined when no response had a usable date. */
  readonly clockAhead?: Duration;
  readonly now: Instant;
}

/** Consecutive failed cycles after which a source is unreachable. One or two are noise. */
const UNREACHABLE_AFTER = 3;

/** A resource is stale when no scan has completed for this many intervals. */
const STALE_INTERVALS = 3;

/** A first sync that takes longer than this, and longer than the intervals above, is stale. */
const FIRST_SYNC_LIMIT = HOUR;

/** A resource whose sweeps have failed for this long is stale, even if lighter scans succeed. */
const SWEEP_FAILURE_LIMIT = DAY;

/** The quota is low once this share of the part outside the reserve is used. */
const LOW_QUOTA_SHARE = 0.9;

/** The health after a cycle. `before` is undefined in the first cycle. */
export function nextHealth(before: Fields | undefined, facts: CycleFacts): Fields {
  const { source, resources, goodScans, error } = facts;
  const failedCycles = countFailedCycles(before, facts);
  const state = nextState(before, facts, failedCycles);
  const quota = quotaState(before, facts);
  const readable = resources.filter((planned) => planned.state.forbiddenAt === null);
  // After the next failed cycles the source is unreachable, which explains more.
  const isFailing = goodScans === 0 && failedCycles > 0;
  const explained = state !== 'ok' || quota === 'exhausted' || isFailing;
  return {
    id: source,
    name: source,
    timeZone: facts.zone.timeZone,
    timeZoneFrom: facts.zone.from,
    timeZoneReadAt: facts.zone.readAt,
    // The stored name of the hash.
    reckoning: facts.rulesHash,
    state,
    reason: state === 'ok' ? null : (error?.message ?? before?.reason ?? null),
    failedCycles,
    quota,
    baselined: before?.baselined === true || (readable.length > 0 && readable.every(isBaselined)),
    counts: Object.fromEntries(readable.map((planned) => [planned.resource.name, planned.state.count])),
    forbidden: resources
      .filter((planned) => planned.state.forbiddenAt !== null)
      .map(nameOf)
      .sort(),
    stale: explained
      ? (before?.stale ?? [])
      : readable
          .filter((planned) => isStale(planned, facts))
          .map(nameOf)
          .sort(),
    incomplete: readable
      .filter(({ state: { baselinedAt, incompleteBaseline } }) => baselinedAt !== null && incompleteBaseline != null)
      .map(nameOf)
      .sort(),
    held: Object.fromEntries(
      resources.flatMap(({ resource, state: { held } }) => (held === null ? [] : [[resource.name, held.count]])),
    ),
    ...countUndecided(resources, facts.now),
    ...(explained ? keepUnconfirmed(before) : countUnconfirmed(readable, facts.now)),
    ...identityFields(before, facts),
    ...(quota === 'exhausted' && typeof facts.quota?.resetsAt === 'string'
      ? { quotaResetsAt: facts.quota.resetsAt }
      : {}),
    // Absent otherwise, so that health records of earlier versions stay the same.
    // A single failure is noise: after the first sync, the zone was asked for before.
    ...(isZoneMissing(facts.zone, goodScans > 0 && before?.baselined === true) ? { zoneUnknown: true } : {}),
    ...compareClocks(before, facts),
  };
}

/**
 * Consecutive ones. A cycle that only ran out of quota, or met another account, neither adds one nor ends the streak, and
 * neither does one that only repeated scans that fail alone.
 */
function countFailedCycles(before: Fields | undefined, facts: CycleFacts): number {
  const { goodScans, failedScans, error } = facts;
  if (goodScans > 0) return 0;
  const failedBefore = typeof before?.failedCycles === 'number' ? before.failedCycles : 0;
  if (failedScans === 0 || hasRunOut(error) || error?.code === OTHER_ACCOUNT) return failedBefore;
  return failsAlone(facts, failedBefore) ? failedBefore : Math.min(failedBefore + 1, UNREACHABLE_AFTER);
}

/**
 * Whether scans failed although the API answers: they had failed before others succeeded, or the API shows the quota and
 * no other scan is late. Such a resource becomes stale.
 */
function failsAlone({ resources, quota, stretch, now }: CycleFacts, failedBefore: number): boolean {
  const readable = resources.filter(({ state }) => state.forbiddenAt === null);
  const failing = readable.filter(({ state }) => state.failures > 0);
  const isInTime = ({ cadence, state }: PlannedResource) =>
    state.lastGoodScanAt !== null && between(state.lastGoodScanAt, now) <= cadence.every * stretch;
  const others = readable.filter(({ state }) => state.failures === 0);
  if (failing.length === 0 || others.length === 0) return false;
  return failing.every(({ state }) => state.failures > failedBefore + 1) || (quota !== null && others.every(isInTime));
}

function nextState(before: Fields | undefined, { goodScans, error }: CycleFacts, failedCycles: number): string {
  if (error !== null && refusesToken(error.code)) return 'unauthorized';
  if (error?.code === OTHER_ACCOUNT) return OTHER_ACCOUNT_STATE;
  if (goodScans > 0) return 'ok';
  const stateBefore = typeof before?.state === 'string' ? before.state : 'ok';
  return stateBefore === 'ok' && failedCycles >= UNREACHABLE_AFTER ? 'unreachable' : stateBefore;
}

const hasRunOut = (error: CycleFacts['error']) => error !== null && isOutOfQuota(error.code);

/** Counts change with every scan, and an API may name the reset as "in a day" each time, so they are saved with the next other change and cause no save of their own. */
export function hasReportableChange(before: Fields | undefined, after: Fields): boolean {
  if (before === undefined) return true;
  const reportable = ({ counts: _, reason: __, quotaResetsAt: ___, ...rest }: Fields) => rest;
  return !isSameValue(reportable(before), reportable(after));
}

/** Whether a resource has failed for so long that a person should look: one or two failures are noise. */
export function isFailing(resources: readonly PlannedResource[], now: Instant): boolean {
  return resources.some(({ state }) => state.failures >= UNREACHABLE_AFTER || hasFailingSweeps(state, now));
}

/** Where polls start once a minute, a shorter cadence is always a little late. */
const MIN_LAG = 5 * MINUTE;

/** Whether changes of a resource are found late, for whatever reason: no scan has completed for several intervals. */
export function isLagging(resources: readonly PlannedResource[], now: Instant): boolean {
  return resources.some((one) => {
    const cadence = { ...one.cadence, every: Math.max(one.cadence.every, MIN_LAG / STALE_INTERVALS) };
    return one.state.forbiddenAt === null && isStale({ ...one, cadence }, { stretch: 1, now });
  });
}

const hasFailingSweeps = ({ failedSweeps }: PlannedResource['state'], now: Instant) =>
  failedSweeps != null && between(failedSweeps.since, now) >= SWEEP_FAILURE_LIMIT;

const nameOf = ({ resource }: PlannedResource) => resource.name;
const isBaselined = ({ state }: PlannedResource) => state.baselinedAt !== null;

function isStale({ cadence, state }: PlannedResource, { stretch, now }: Pick<CycleFacts, 'stretch' | 'now'>): boolean {
  const { baselinedAt, failures, firstTriedAt, lastTriedAt, lastGoodScanAt } = state;
  const allowed = STALE_INTERVALS * cadence.every * stretch;
  if (baselinedAt === null)
    return firstTriedAt != null && between(firstTriedAt, now) > Math.max(allowed, FIRST_SYNC_LIMIT);
  if (hasFailingSweeps(state, now)) return true;
  if (lastGoodScanAt === null) return false;
  // A scan with conflicts has completed too, although it does not count as good.
  const completedAt = failures === 0 && lastTriedAt !== null ? lastTriedAt : lastGoodScanAt;
  return between(completedAt, now) > allowed;
}

/** A missing record that was requested for this long and is neither found nor deleted is reported. */
const UNDECIDED_AFTER = HOUR;

/** Absent when there are none, so that health records of earlier versions stay the same. */
function countUndecided(resources: readonly PlannedResource[], now: Instant): Fields {
  const counts = resources.flatMap(({ resource, state }) => {
    const isUndecided = ({ answer, since }: UnlistedRecord) =>
      answer !== 'exists' && answer !== 'absent' && between(since, now) >= UNDECIDED_AFTER;
    const count = Object.values(state.unlisted ?? {}).filter(isUndecided).length + countHidden(state, now);
    return count === 0 ? [] : [[resource.name, count] as const];
  });
  return counts.length === 0 ? {} : { undecided: Object.fromEntries(counts) };
}

/** Records that are due are reported when they could not be read for this long after their moment. A single miss is noise. */
const UNCONFIRMED_AFTER = 3 * MINUTE;

/** Absent when there are none, so that health records of earlier versions stay the same. */
function countUnconfirmed(resources: readonly PlannedResource[], now: Instant): Fields {
  const counts = resources.flatMap(({ resource, state: { dueRead } }) => {
    const isLong = dueRead != null && dueRead.since !== null && between(dueRead.since, now) >= UNCONFIRMED_AFTER;
    return isLong && dueRead.attempts > 1 ? [[resource.name, dueRead.pending] as const] : [];
  });
  return counts.length === 0 ? {} : { unconfirmed: Object.fromEntries(counts) };
}

/** `clockAhead` is in whole minutes. Absent while the clocks agree, so that health records of earlier versions stay the same. */
function compareClocks(before: Fields | undefined, { clockAhead: ahead, resources }: CycleFacts): Fields {
  const reported = typeof before?.clockAhead === 'number' ? before.clockAhead : undefined;
  if (ahead === undefined) return reported === undefined ? {} : { clockAhead: reported };
  const isLasting = resources.some(({ state }) => (state.skewedScans ?? 0) >= SKEWED_AFTER_SCANS);
  if (reported === undefined && !(isLasting && isSkewed(ahead))) return {};
  // Less than half ends it, so that it is not reported again and again.
  if (Math.abs(ahead) < MAX_CLOCK_DIFFERENCE / 2) return {};
  const minutes = Math.round(ahead / MINUTE);
  // A clock that drifts causes no save in every cycle.
  return { clockAhead: reported !== undefined && Math.abs(reported - minutes) <= 1 ? reported : minutes };
}

const keepUnconfirmed = (before: Fields | undefined): Fields =>
  before?.unconfirmed === undefined ? {} : { unconfirmed: before.unconfirmed };

/** Absent while not known, so that the first response is not a change. */
function identityFields(before: Fields | undefined, { identity }: CycleFacts): Fields {
  const person = identity?.person ?? before?.person ?? null;
  const role = identity?.role ?? before?.role ?? null;
  return { ...(person === null ? {} : { person }), ...(role === null ? {} : { role }) };
}

function quotaState(before: Fields | undefined, { quota, reserve, error }: CycleFacts): string {
  if (hasRunOut(error)) return 'exhausted';
  if (quota === null) return typeof before?.quota === 'string' ? before.quota : 'ok';
  const usable = usableQuota(quota, reserve);
  if (usable <= 0) return 'exhausted';
  return usable <= quota.limit * (1 - reserve) * (1 - LOW_QUOTA_SHARE) ? 'low' : 'ok';
}
