/**
 * Runs one scan and saves its state: progress, outcome and errors. Each save is conditional on the state before it.
 * Knows nothing of other resources, leases or plans.
 */

import { type ErrorCode, isFailedScan, isForbidden, mayNeedSmallerPage } from '../../model/error-codes.ts';
import { errorMessage, GiveUp, TidingsError } from '../../model/errors.ts';
import type { ScanState } from '../../model/scan.ts';
import { between, type Instant } from '../../model/time.ts';
import type { ScanStateStore } from '../../ports/scan-state-store.ts';
import type { SourceApi } from '../../ports/source-api.ts';
import { restageDue } from '../../snapshot/restage.ts';
import { isTimeDriven } from '../../snapshot/stage.ts';
import { momentsAfter } from '../due-moments.ts';
import { COUNT_EVERY, lightKind } from '../plan.ts';
import { isLeaseLost, leaseLostError } from '../source-lease.ts';
import { FIRST_LIMIT, smallerLimit } from './page-size.ts';
import { WHOLE_LIST } from './paging.ts';
import { confirmableUntil } from './replica-lag.ts';
import { scan } from './scan.ts';
import { clockFields, type ScanContext } from './scan-context.ts';
import type { ScanPorts } from './scan-list.ts';
import type { ScanReport } from './scan-report.ts';

export interface RunPorts extends ScanPorts {
  readonly scanStates: ScanStateStore;
}

export interface ScanResult {
  /** As last saved. */
  readonly state: ScanState;
  readonly report?: ScanReport;
  /** All changes before the start of the scan are committed. @default false */
  readonly confirms?: boolean;
  readonly error?: unknown;
}

/** Throws when a failure cannot be saved; any other error is in the result. */
export async function runScan(ports: RunPorts, context: ScanContext): Promise<ScanResult> {
  const { scanStates, clock } = ports;
  let saved = context.state;
  const { api, requested } = noteLimit(ports.api);
  const save = async (change: ScanState): Promise<boolean> => {
    const learned = context.resource.name === 'task' ? context.closedStatuses.memory() : {};
    const identity = change.identity ?? context.identity.current();
    const next = { ...change, ...learned, ...clockFields(context), identity, version: saved.version + 1 };
    const isSaved = await scanStates.save(next);
    if (isSaved) saved = next;
    return isSaved;
  };
  const saveOrStop = async (change: ScanState): Promise<void> => {
    if (!(await save(change))) throw leaseLostError(`${context.source} ${context.resource.name}`);
  };
  try {
    const { state, report, confirms } = await scan({ ...ports, api }, context, (progress) =>
      saveOrStop({ ...saved, progress }),
    );
    const counted = await checkCount(ports, context, state);
    // Before the state is saved: after a crash the next scan finds the same moments.
    const settled = confirms ? await settleMoments(ports, context, counted) : counted;
    await context.assertLeaseHeld();
    await saveOrStop(settled);
    return { report, confirms, state: saved };
  } catch (error) {
    // After a lost lease the stored state belongs to the other poller.
    if (isLeaseLost(error) || context.signal?.aborted === true) return { state: saved, error };
    try {
      await context.assertLeaseHeld();
    } catch (lost) {
      return { state: saved, error: lost };
    }
    // A conflict here means that the previous save did succeed.
    await save(recordFailure(limitPages(saved, context, error, requested()), context, error, clock.now()));
    return { state: saved, error };
  }
}

/**
 * A delta never shows deletions, so the record count is compared with the API's from time to time: one request. If that
 * request fails, the delta still counts and the next one asks again.
 */
async function checkCount(
  { api, clock }: ScanPorts,
  { resource, kind, moments, signal }: ScanContext,
  state: ScanState,
): Promise<ScanState> {
  const now = clock.now();
  const isCounted = state.countedAt !== null && between(state.countedAt, now) < COUNT_EVERY;
  // A deletion is noticed before what is due is read.
  const latest = moments?.latest ?? null;
  const isCountedSince = latest === null || (state.countedAt !== null && latest <= confirmableUntil(state.countedAt));
  if (kind !== 'delta' || (isCounted && isCountedSince)) return state;
  try {
    const page = await api.list(resource.name, { offset: 0, limit: 1, filters: {} }, signal);
    // The API also counts the records that it does not list, and rows that cannot be read.
    const expected = (state.count ?? 0) + (state.skipped ?? 0) + (state.incompleteBaseline?.unlisted ?? 0);
    return { ...state, countedAt: now, sweepSoon: state.sweepSoon || page.content().listCount !== expected };
  } catch {
    return state;
  }
}

/**
 * Settles the moments before a scan that confirms the records. A sweep confirms by itself the records that it shows; after any
 * other scan the due records are read directly (see readDue).
 */
async function settleMoments(ports: ScanPorts, context: ScanContext, state: ScanState): Promise<ScanState> {
  const { source, resource, timeZone, closedStatuses, assertLeaseHeld, moments } = context;
  const startedAt = context.apiClock.earlierOf(context.startedAt);
  const isBaseline = context.cause === 'baseline';
  if (state.sweepSoon || !isTimeDriven(resource.name)) return state;
  // Without a zone no day is known. Once it is, the records are staged as of the baseline.
  if (timeZone === null) return isBaseline ? settleUntil(state, startedAt, ports.clock.now()) : state;
  // Usually there are none: that costs no read.
  if (moments?.latest === null) {
    const until = moments.isLaterDue ? confirmableUntil(moments.readAt) : moments.readAt;
    return settleUntil(state, until, ports.clock.now());
  }
  if (context.kind !== 'sweep') return state;
  // A baseline stages all records as of its start.
  const until = isBaseline ? startedAt : confirmableUntil(startedAt);
  const range = { source, resource: resource.name, after: momentsAfter(state, startedAt), until };
  const skipped = await findUnconfirmed(ports, context, state);
  await restageDue(ports, range, { timeZone, rules: closedStatuses.rules() }, assertLeaseHeld, skipped);
  const isRead = moments !== undefined && !isBaseline && moments.latest !== null && moments.latest <= until;
  const settled = settleUntil(state, moments?.isLaterDue === false ? startedAt : until, ports.clock.now());
  return isRead ? { ...settled, dueRead: { at: startedAt, pending: 0, since: null, attempts: 0 } } : settled;
}

/**
 * Records that the scan did not show and that may be deleted or out of sight. If they are listed again, their moments
 * are committed then.
 */
async function findUnconfirmed(
  { manifests }: ScanPorts,
  { source, resource, kind }: ScanContext,
  { unlisted = {} }: ScanState,
): Promise<ReadonlySet<string>> {
  // After a sweep, dirty records are those that it did not show as they are.
  const head = kind === 'sweep' ? await manifests.head({ source, resource: resource.name, scope: 'all' }) : undefined;
  const ids = [...Object.keys(unlisted), ...(head?.dirty ?? [])];
  return new Set(ids.filter((id) => unlisted[id]?.answer !== 'exists'));
}

/** A light scan may have settled more while a sweep was interrupted. An instant in the future is due to a wrong clock. */
function settleUntil(state: ScanState, until: Instant, now: Instant): ScanState {
  const { settledUntil } = state;
  const isSettled = settledUntil !== null && settledUntil > until && settledUntil <= now;
  return isSettled ? state : { ...state, settledUntil: until };
}

/** Remembers the size of the last page that was requested: after a failure it may have been too large. */
function noteLimit(api: SourceApi): { readonly api: SourceApi; readonly requested: () => number | undefined } {
  let limit: number | undefined;
  const noted: SourceApi = {
    traits: api.traits,
    list: (resource, query, signal) => {
      limit = query.limit;
      return api.list(resource, query, signal);
    },
    get: (...query) => api.get(...query),
    quota: (signal) => api.quota(signal),
    requests: () => api.requests(),
  };
  return { api: noted, requested: () => limit };
}

function limitPages(state: ScanState, { kind }: ScanContext, error: unknown, requested = 0): ScanState {
  // A single failure is noise.
  const isFirst = state.failures === 0 && state.failedSweeps == null;
  if (isFirst || requested === 0 || !mayNeedSmallerPage(errorCode(error))) return state;
  const size = requested === WHOLE_LIST ? (state.count ?? FIRST_LIMIT) : requested;
  return { ...state, pageLimits: { ...state.pageLimits, [kind]: smallerLimit(size) } };
}

/** A sweep that fails beside lighter scans has a count of its own: they go on as planned. */
function recordFailure(state: ScanState, { kind, resource }: ScanContext, error: unknown, now: Instant): ScanState {
  const code = errorCode(error);
  const isOwn = kind === 'sweep' && state.baselinedAt !== null && lightKind(resource) !== 'sweep';
  if (!isOwn || !isFailedScan(code) || isForbidden(code)) {
    return recordScanFailure(state, error, now);
  }
  const { count, since } = state.failedSweeps ?? { count: 0, since: now };
  return { ...state, failedSweeps: { count: count + 1, since, triedAt: now, message: errorMessage(error) } };
}

function recordScanFailure(state: ScanState, error: unknown, now: Instant): ScanState {
  const lastError = { code: errorCode(error), message: errorMessage(error) };
  if (!isFailedScan(lastError.code)) return { ...state, lastError };
  const forbidden = error instanceof GiveUp && isForbidden(error.code);
  return {
    ...state,
    lastTriedAt: now,
    firstTriedAt: state.baselinedAt === null ? (state.firstTriedAt ?? now) : null,
    lastError,
    ...(forbidden ? { forbiddenAt: state.forbiddenAt ?? now, failures: 0 } : { failures: state.failures + 1 }),
  };
}

export function errorCode(error: unknown): ErrorCode {
  return error instanceof TidingsError ? error.code : 'TIDINGS_UNEXPECTED';
}
