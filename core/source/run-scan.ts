/**
 * Runs one scan and keeps its state: where it has come to, how it ended, what went wrong. Every save is made on the state
 * before it. Knows nothing of other resources, leases or plans.
 */

import { errorMessage, GiveUp, TidingsError } from '../model/errors.ts';
import type { ScanState } from '../model/scan.ts';
import { between, type Instant } from '../model/time.ts';
import type { ScanLedger } from '../ports/ledger.ts';
import { COUNT_EVERY } from './plan.ts';
import { type ScanOptions, type ScanReport, scan } from './scan.ts';
import type { ScanPorts } from './scan-list.ts';
import { isLeaseLost, leaseLostError } from './source-lease.ts';

export interface RunPorts extends ScanPorts {
  readonly ledger: Pick<ScanLedger, 'saveScanState'>;
}

export interface ScanResult {
  /** As it was saved last. */
  readonly state: ScanState;
  readonly report?: ScanReport;
  readonly error?: unknown;
}

/** Not the source's fault, and not a failure of its scan. */
const NO_FAILURE = ['TIDINGS_SOURCE_QUOTA_EXHAUSTED', 'TIDINGS_SOURCE_QUOTA_RESERVED'];

/** Throws when a failure cannot be written down; any other error is in the result. */
export async function runScan(ports: RunPorts, order: Omit<ScanOptions, 'save'>): Promise<ScanResult> {
  const { ledger, clock } = ports;
  let kept = order.state;
  const save = async (change: ScanState): Promise<boolean> => {
    const next = { ...change, version: kept.version + 1 };
    const isSaved = await ledger.saveScanState(next);
    if (isSaved) kept = next;
    return isSaved;
  };
  const saveOrStop = async (change: ScanState): Promise<void> => {
    if (!(await save(change))) throw leaseLostError(`${order.source} ${order.resource.name}`);
  };
  try {
    const { state, report } = await scan(ports, { ...order, save: (progress) => saveOrStop({ ...kept, progress }) });
    const counted = await checkCount(ports, order, state);
    await order.assertLeaseHeld();
    await saveOrStop(counted);
    return { report, state: kept };
  } catch (error) {
    // One that was overtaken has nothing more to say: what stands is the other's.
    if (isLeaseLost(error) || order.signal?.aborted === true) return { state: kept, error };
    try {
      await order.assertLeaseHeld();
    } catch (lost) {
      return { state: kept, error: lost };
    }
    // Refused, the save that failed took effect after all.
    await save(afterFailure(kept, error, clock.now()));
    return { state: kept, error };
  }
}

/**
 * A delta never shows what was deleted. Now and then the API is asked how many there are: one request. The delta is
 * good whether or not that is answered; then it is asked again with the next.
 */
async function checkCount(
  { api, clock }: ScanPorts,
  { resource, kind, signal }: Omit<ScanOptions, 'save'>,
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

function afterFailure(state: ScanState, error: unknown, now: Instant): ScanState {
  const lastError = { code: errorCode(error), message: errorMessage(error) };
  if (NO_FAILURE.includes(lastError.code)) return { ...state, lastError };
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
