/**
 * One cycle of a source: reads the quota, plans what is due, runs the scans and writes down how it went.
 * Derives nothing and tells nobody: the commits are the news, the feed carries them on.
 */

import { errorMessage, RetryLater } from '../model/errors.ts';
import { initialScanState, type ScanKind, type ScanState } from '../model/scan.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { ScanLedger } from '../ports/ledger.ts';
import type { Quota } from '../ports/source-api.ts';
import type { Resource } from '../resources/resource.ts';
import type { StageRules } from '../snapshot/stage.ts';
import { limitRequests } from './budget.ts';
import { type CycleFacts, hasReportableChange, nextHealth, SOURCE_RESOURCE } from './health.ts';
import { type Cadence, type DueScan, type Plan, type PlannedResource, planScans } from './plan.ts';
import { errorCode, runScan } from './run-scan.ts';
import type { ScanOptions, ScanReport } from './scan.ts';
import type { ScanPorts } from './scan-list.ts';
import { acquireSourceLease, isLeaseLost, type SourceLease } from './source-lease.ts';
import { DEFAULT_TIME_ZONE, fetchTimeZone, restageAll, stageRulesHash, storedTimeZone } from './stage-rules.ts';

export interface PollPorts extends ScanPorts {
  readonly ledger: ScanLedger;
  /** Names this process among pollers; a lease belongs to one holder. */
  readonly holder: string;
}

export interface PollOptions {
  readonly source: string;
  readonly resources: readonly { readonly resource: Resource; readonly cadence: Cadence }[];
  readonly rules: StageRules;
  /** The zone in which the account's days are reckoned. @default - that of the token's own person, else UTC */
  readonly timeZone?: string;
  /** Whether what is overdue or due soon at the baseline is told. @default false */
  readonly announceExisting?: boolean;
  /** Whether the people behind changes of tasks are looked for. @default false */
  readonly attribution?: boolean;
  /** Share of the daily quota that is left to people, 0 to 1. */
  readonly reserve: number;
  /** Sweep all of them, due or not. @default false */
  readonly everything?: boolean;
  /** Rows of every page. For an API that chokes on large ones. @default - grows with how the API answers */
  readonly pageSize?: number;
  /** Told after each page, for people who wait. */
  readonly onProgress?: (resource: string, seen: number, total: number | null) => void;
  readonly signal?: AbortSignal;
}

export interface FailedScan {
  readonly source: string;
  readonly resource: string;
  readonly kind: ScanKind;
  readonly code: string;
  readonly message: string;
}

export interface PollReport {
  readonly scans: readonly ScanReport[];
  readonly failed: readonly FailedScan[];
  /** Something was due, and another poller is at it. @default false */
  readonly leftToAnother?: boolean;
}

const NOTHING: PollReport = { scans: [], failed: [] };
const LEFT_TO_ANOTHER: PollReport = { ...NOTHING, leftToAnother: true };

/** Errors that meet every resource alike: the rest of the cycle is not tried. */
const ENDS_CYCLE = [
  'TIDINGS_SOURCE_LEASE_LOST',
  'TIDINGS_SOURCE_UNREACHABLE',
  'TIDINGS_SOURCE_UNAUTHORIZED',
  'TIDINGS_SOURCE_UNPAID',
  'TIDINGS_SOURCE_BANNED',
  'TIDINGS_SOURCE_TOO_FAST',
  'TIDINGS_SOURCE_QUOTA_EXHAUSTED',
  'TIDINGS_SOURCE_QUOTA_RESERVED',
];

/** What is due of a source. One poller at a time: a second one leaves everything to the first, and asks nothing. */
export async function poll(ports: PollPorts, order: PollOptions): Promise<PollReport> {
  const resources = await Promise.all(order.resources.map((one) => withState(ports, order, one)));
  const { due } = planScans(resources, null, order.reserve, ports.clock.now(), order.everything);
  // Most times nothing is due: found out without asking anybody.
  if (due.length === 0) return NOTHING;
  const hold = await acquireSourceLease(ports, order.source);
  if (hold === undefined) return LEFT_TO_ANOTHER;
  try {
    // Read again under the lease: another poller may just have finished.
    const isDue = ({ resource }: PlannedResource) => due.some((next) => next.resource === resource);
    const planned = await Promise.all(resources.map((one) => (isDue(one) ? withState(ports, order, one) : one)));
    return await pollHeld(ports, order, hold, planned);
  } catch (error) {
    // The other one will say how it went.
    if (isLeaseLost(error)) return LEFT_TO_ANOTHER;
    throw error;
  } finally {
    await hold.release();
  }
}

async function withState(
  { ledger }: PollPorts,
  { source }: PollOptions,
  { resource, cadence }: PollOptions['resources'][number],
): Promise<PlannedResource> {
  const state = await ledger.scanState(source, resource.name);
  return { resource, cadence, state: state ?? initialScanState(source, resource.name) };
}

async function pollHeld(
  ports: PollPorts,
  order: PollOptions,
  hold: SourceLease,
  planned: PlannedResource[],
): Promise<PollReport> {
  const { clock } = ports;
  const planFor = (quota: Quota | null) => planScans(planned, quota, order.reserve, clock.now(), order.everything);
  if (planFor(null).due.length === 0) return NOTHING;
  const quota = await ports.api.quota(order.signal).catch(() => null);
  const plan = planFor(quota);
  for (const [at, one] of planned.entries()) {
    if (quota !== null) planned[at] = { ...one, state: { ...one.state, quota: { ...quota, readAt: clock.now() } } };
  }
  const health = await ports.snapshots.get({ source: order.source, resource: SOURCE_RESOURCE, id: order.source });
  const budgetedPorts = { ...ports, api: limitRequests(ports.api, plan.budget) };
  const timeZone =
    order.timeZone ?? storedTimeZone(health?.record) ?? (await fetchTimeZone(budgetedPorts.api, order.signal));
  const reckoning = stageRulesHash(timeZone, order.rules);
  if (health !== undefined && health.record.reckoning !== reckoning) {
    await restageAll(ports.snapshots, {
      source: order.source,
      resources: planned.map(({ resource }) => resource.name),
      zone: timeZone,
      rules: order.rules,
      now: clock.now(),
      mayGoOn: hold.renew,
      ...(order.signal === undefined ? {} : { signal: order.signal }),
    });
  }
  const cycle = await runCycle(budgetedPorts, { ...order, timeZone }, hold, planned, plan);
  // Where nothing was tried there is nothing to say, and where another poller took over it will say how it went.
  const ran = cycle.scans.length + cycle.failed.length > 0 && !cycle.failed.some(isLost);
  if (ran && order.signal?.aborted !== true) {
    await saveHealth(ports, health, {
      source: order.source,
      resources: planned,
      ...outcomeOf(cycle),
      quota,
      reserve: order.reserve,
      stretch: plan.stretch,
      timeZone,
      reckoning,
      now: clock.now(),
    });
  }
  return cycle;
}

/** Runs what is due, one after the other, and leaves the new states in `planned`. */
async function runCycle(
  ports: PollPorts,
  order: PollOptions,
  hold: SourceLease,
  planned: PlannedResource[],
  { due, budget }: Plan,
): Promise<PollReport> {
  const scans: ScanReport[] = [];
  const failed: FailedScan[] = [];
  for (const next of due) {
    const at = planned.findIndex(({ resource }) => resource === next.resource);
    const found = planned[at];
    if (found === undefined || order.signal?.aborted === true) continue;
    if (budget === 0) {
      failed.push(failure(order, next, outOfBudget()));
      break;
    }
    const result = await runScan(ports, scanOrder(order, next, found.state, hold));
    planned[at] = { ...found, state: result.state };
    if (result.report !== undefined) scans.push(result.report);
    if (result.error === undefined) continue;
    failed.push(failure(order, next, result.error));
    if (ENDS_CYCLE.includes(errorCode(result.error))) break;
  }
  return { scans, failed };
}

function scanOrder(
  {
    source,
    rules,
    timeZone,
    announceExisting = false,
    attribution = false,
    pageSize,
    onProgress: tell,
    signal,
  }: PollOptions,
  { resource, kind }: DueScan,
  state: ScanState,
  hold: SourceLease,
): Omit<ScanOptions, 'save'> {
  const look = {
    source,
    resource,
    kind,
    rules,
    timeZone: timeZone ?? DEFAULT_TIME_ZONE,
    announceExisting,
    attribution,
  };
  return {
    ...look,
    state,
    assertLeaseHeld: hold.renew,
    ...(pageSize === undefined ? {} : { pageSize }),
    ...(tell === undefined ? {} : { tell: (seen, total) => tell(resource.name, seen, total) }),
    ...(signal === undefined ? {} : { signal }),
  };
}

/**
 * What a role may not read is a fact of its own, not a failure of the cycle. Nor is what went wrong on our side, in our
 * stores or with our secrets, a fault of the source: it is reported, and when it lasts the source becomes stale.
 */
function outcomeOf({ scans, failed }: PollReport): Pick<CycleFacts, 'goodScans' | 'failedScans' | 'error'> {
  const unforeseen = failed.filter(({ code }) => code.startsWith('TIDINGS_SOURCE_') && code !== FORBIDDEN);
  return { goodScans: scans.length, failedScans: unforeseen.length, error: unforeseen.at(-1) ?? null };
}

const FORBIDDEN = 'TIDINGS_SOURCE_FORBIDDEN';
const isLost = ({ code }: FailedScan) => code === 'TIDINGS_SOURCE_LEASE_LOST';

async function saveHealth({ snapshots }: PollPorts, before: Snapshot | undefined, facts: CycleFacts): Promise<void> {
  const record = nextHealth(before?.record, facts);
  if (!hasReportableChange(before?.record, record)) return;
  const { source, now } = facts;
  const version = (before?.version ?? 0) + 1;
  const key = { source, resource: SOURCE_RESOURCE, id: source };
  const occurred = { after: before?.committedAt ?? null, before: now };
  const rest = { stage: {}, deletedAt: null, cause: 'poll', nextMoment: null } as const;
  await snapshots.commit([
    { expected: version - 1, snapshot: { key, version, record, committedAt: now, occurred, ...rest } },
  ]);
}

function failure({ source }: PollOptions, { resource, kind }: DueScan, error: unknown): FailedScan {
  return { source, resource: resource.name, kind, code: errorCode(error), message: errorMessage(error) };
}

function outOfBudget(): RetryLater {
  return new RetryLater('TIDINGS_SOURCE_QUOTA_RESERVED', "the rest of today's quota is kept for people");
}
