/**
 * What there is to say about a source itself, as a record with a snapshot of its own: its transitions are the
 * `source.*` events. Pure. Silence must be explained, and each thing is said once.
 */

import type { Fields } from '../model/record.ts';
import { between, type Instant } from '../model/time.ts';
import type { Quota } from '../ports/source-api.ts';
import { type PlannedResource, usableQuota } from './plan.ts';

/** The resource under which the health of sources is kept. */
export const SOURCE_RESOURCE = 'source';

export interface CycleFacts {
  readonly source: string;
  /** With the states after the cycle. */
  readonly resources: readonly PlannedResource[];
  readonly goodScans: number;
  readonly failedScans: number;
  /** What went wrong last in this cycle; null when nothing did. */
  readonly error: { readonly code: string; readonly message: string } | null;
  /** null when it could not be read. */
  readonly quota: Quota | null;
  readonly reserve: number;
  readonly stretch: number;
  readonly timeZone: string;
  /** See reckoningKey. */
  readonly reckoning: string;
  readonly now: Instant;
}

/** Failed cycles in a row after which a source counts as unreachable: one or two are the weather. */
const UNREACHABLE = 3;

/** A resource is stale when no scan has completed for this many intervals. */
const STALE_INTERVALS = 3;

/** From this share of what is ours on, the quota is called low. */
const LOW = 0.9;

const REFUSED = ['TIDINGS_SOURCE_UNAUTHORIZED', 'TIDINGS_SOURCE_UNPAID', 'TIDINGS_SOURCE_BANNED'];
const OUT_OF_QUOTA = ['TIDINGS_SOURCE_QUOTA_EXHAUSTED', 'TIDINGS_SOURCE_QUOTA_RESERVED'];

/** The health after a cycle, given the one before it; undefined: there was none. */
export function nextHealth(before: Fields | undefined, facts: CycleFacts): Fields {
  const { source, resources, goodScans, failedScans, error } = facts;
  const outOfQuota = error !== null && OUT_OF_QUOTA.includes(error.code);
  const refused = error !== null && REFUSED.includes(error.code);
  const failedBefore = typeof before?.failedCycles === 'number' ? before.failedCycles : 0;
  const failed = failedScans > 0 && goodScans === 0 && !outOfQuota;
  const failedCycles = goodScans > 0 ? 0 : failed ? Math.min(failedBefore + 1, UNREACHABLE) : failedBefore;
  const stateBefore = typeof before?.state === 'string' ? before.state : 'ok';
  const state = refused
    ? 'unauthorized'
    : goodScans > 0
      ? 'ok'
      : stateBefore === 'ok' && failedCycles >= UNREACHABLE
        ? 'unreachable'
        : stateBefore;
  const quota = quotaState(before, facts, outOfQuota);
  const readable = resources.filter((planned) => planned.state.forbiddenAt === null);
  const explained = state !== 'ok' || quota === 'exhausted';
  return {
    id: source,
    name: source,
    timeZone: facts.timeZone,
    reckoning: facts.reckoning,
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
    held: Object.fromEntries(
      resources.flatMap(({ resource, state: { held } }) => (held === null ? [] : [[resource.name, held.count]])),
    ),
  };
}

/** Counts move with every scan: they are told with the next thing worth telling, and are no reason to tell. */
export function hasReportableChange(before: Fields | undefined, after: Fields): boolean {
  if (before === undefined) return true;
  const told = ({ counts: _, reason: __, ...rest }: Fields) => JSON.stringify(rest);
  return told(before) !== told(after);
}

const nameOf = ({ resource }: PlannedResource) => resource.name;
const isBaselined = ({ state }: PlannedResource) => state.baselinedAt !== null;

function isStale({ cadence, state }: PlannedResource, { stretch, now }: CycleFacts): boolean {
  const { failures, lastTriedAt, lastGoodScanAt } = state;
  if (lastGoodScanAt === null) return false;
  // A scan that left a row to the next one has completed all the same.
  const completedAt = failures === 0 && lastTriedAt !== null ? lastTriedAt : lastGoodScanAt;
  return between(completedAt, now) > STALE_INTERVALS * cadence.every * stretch;
}

function quotaState(before: Fields | undefined, { quota, reserve }: CycleFacts, outOfQuota: boolean): string {
  if (outOfQuota) return 'exhausted';
  if (quota === null) return typeof before?.quota === 'string' ? before.quota : 'ok';
  const usable = usableQuota(quota, reserve);
  if (usable <= 0) return 'exhausted';
  return usable <= quota.limit * (1 - reserve) * (1 - LOW) ? 'low' : 'ok';
}
