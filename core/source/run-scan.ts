/**
 * Runs one scan and saves its state: progress, outcome and errors. Each save is conditional on the state before it.
 * Knows nothing of other resources, leases or plans.
 */

import { errorMessage, GiveUp, TidingsError } from '../model/errors.ts';
import type { ScanState } from '../model/scan.ts';
import { between, type Instant } from '../model/time.ts';
import type { ScanStateStore } from '../ports/scan-state-store.ts';
import { COUNT_EVERY } from './plan.ts';
import { type ScanReport, scan } from './scan.ts';
import type { ScanContext } from './scan-context.ts';
import type { ScanPorts } from './scan-list.ts';
import { isLeaseLost, leaseLostError } from './source-lease.ts';

export interface RunPorts extends ScanPorts {
  readonly scanStates: ScanStateStore;
}

export interface ScanResult {
  /** As last saved. */
  readonly state: ScanState;
  readonly report?: ScanReport;
  readonly error?: unknown;
}

/** Running out of quota does not count as a failed scan. */
const NOT_A_FAILURE = ['TIDINGS_SOURCE_QUOTA_EXHAUSTED', 'TIDINGS_SOURCE_QUOTA_RESERVED'];

/** Throws when a failure cannot be saved; any other error is in the result. */
export async function runScan(ports: RunPorts, context: ScanContext): Promise<ScanResult> {
  const { scanStates, clock } = ports;
  let saved = context.state;
  const save = async (change: ScanState): Promise<boolean> => {
    const learned = context.resource.name === 'task' ? { closedStatusIds: context.closedStatuses.ids() } : {};
    const next = { ...change, ...learned, version: saved.version + 1 };
    const isSaved = await scanStates.save(next);
    if (isSaved) saved = next;
    return isSaved;
  };
  const saveOrStop = async (change: ScanState): Promise<void> => {
    if (!(await save(change))) throw leaseLostError(`${context.source} ${context.resource.name}`);
  };
  try {
    const { state, report } = await scan(ports, context, (progress) => saveOrStop({ ...saved, progress }));
    const counted = await checkCount(ports, context, state);
    await context.assertLeaseHeld();
    await saveOrStop(counted);
    return { report, state: saved };
  } catch (error) {
    // After a lost lease the stored state belongs to the other poller.
    if (isLeaseLost(error) || context.signal?.aborted === true) return { state: saved, error };
    try {
      await context.assertLeaseHeld();
    } catch (lost) {
      return { state: saved, error: lost };
    }
    // A conflict here means that the previous save did succeed.
    await save(recordFailure(saved, error, clock.now()));
    return { state: saved, error };
  }
}

/**
 * A delta never shows deletions, so the record count is compared with the API's from time to time: one request. If that
 * request fails, the delta still counts and the next one asks again.
 */
async function checkCount(
  { api, clock }: ScanPorts,
  { resource, kind, signal }: ScanContext,
  state: ScanState,
): Promise<ScanState> {
  const now = clock.now();
  if (kind !== 'delta' || (state.countedAt !== null && between(state.countedAt, now) < COUNT_EVERY)) return state;
  try {
    const page = await api.list(resource.name, { offset: 0, limit: 1, filters: {} }, signal);
    return { ...state, countedAt: now, sweepSoon: state.sweepSoon || page.content().listCount !== state.count };
  } catch {
    return state;
  }
}

function recordFailure(state: ScanState, error: unknown, now: Instant): ScanState {
  const lastError = { code: errorCode(error), message: errorMessage(error) };
  if (NOT_A_FAILURE.includes(lastError.code)) return { ...state, lastError };
  const forbidden = error instanceof GiveUp && error.code === 'TIDINGS_SOURCE_FORBIDDEN';
  return {
    ...state,
    lastTriedAt: now,
    lastError,
    ...(forbidden ? { forbiddenAt: state.forbiddenAt ?? now, failures: 0 } : { failures: state.failures + 1 }),
  };
}

export function errorCode(error: unknown): string {
  return error instanceof TidingsError ? error.code : 'TIDINGS_UNEXPECTED';
}
