/**
 * One cycle of a source: reads the quota, plans what is due, runs the scans and writes down how it went.
 * Derives nothing and tells nobody: the commits are the news, the feed carries them on.
 */

import { GiveUp, messageOf, RetryLater, TidingsError } from '../model/errors.ts';
import { type ScanKind, type ScanState, unscanned } from '../model/scan.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { between, type Duration, type Instant, MINUTE } from '../model/time.ts';
import type { Lease, ScanLedger } from '../ports/ledger.ts';
import type { Quota } from '../ports/source-api.ts';
import type { Resource } from '../resources/resource.ts';
import type { Rules } from '../snapshot/stage.ts';
import { budgeted } from './budget.ts';
import { type CycleFacts, isWorthTelling, nextHealth, SOURCE } from './health.ts';
import { type Cadence, COUNT_EVERY, type DueScan, type Plan, type PlannedResource, planScans } from './plan.ts';
import { DEFAULT_ZONE, findZone, reckoningKey, rememberedZone, restageAll } from './reckoning.ts';
import { type ScanReport, scan } from './scan.ts';
import type { ScanPorts } from './scan-list.ts';

export interface PollPorts extends ScanPorts {
  readonly ledger: ScanLedger;
  /** Names this process among pollers; a lease belongs to one holder. */
  readonly holder: string;
}

export interface PollOrder {
  readonly source: string;
  readonly resources: readonly { readonly resource: Resource; readonly cadence: Cadence }[];
  readonly rules: Rules;
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
  readonly tell?: (resource: string, seen: number, total: number | null) => void;
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
}

const NOTHING: PollReport = { scans: [], failed: [] };

/** Longer than a page takes; a poller that dies holds up the next one no longer than this. */
const LEASE: Duration = 2 * MINUTE;

/** Errors that meet every resource alike: the rest of the cycle is not tried. */
const ENDS_CYCLE = [
  'TIDINGS_SOURCE_UNREACHABLE',
  'TIDINGS_SOURCE_UNAUTHORIZED',
  'TIDINGS_SOURCE_UNPAID',
  'TIDINGS_SOURCE_BANNED',
  'TIDINGS_SOURCE_TOO_FAST',
  'TIDINGS_SOURCE_QUOTA_EXHAUSTED',
  'TIDINGS_SOURCE_QUOTA_RESERVED',
];

/** Not the source's fault, and not a failure of its scan. */
const NO_FAILURE = ['TIDINGS_SOURCE_LEASE_LOST', 'TIDINGS_SOURCE_QUOTA_EXHAUSTED', 'TIDINGS_SOURCE_QUOTA_RESERVED'];

export async function poll(ports: PollPorts, order: PollOrder): Promise<PollReport> {
  const { ledger, clock } = ports;
  const planned: PlannedResource[] = await Promise.all(
    order.resources.map(async (one) => ({
      ...one,
      state: (await ledger.scanState(order.source, one.resource.name)) ?? unscanned(order.source, one.resource.name),
    })),
  );
  const planFor = (quota: Quota | null) => planScans(planned, quota, order.reserve, clock.now(), order.everything);
  // Most times nothing is due: found out without asking anybody.
  if (planFor(null).due.length === 0) return NOTHING;

  const quota = await ports.api.quota(order.signal).catch(() => null);
  const plan = planFor(quota);
  for (const [at, one] of planned.entries()) {
    if (quota !== null) planned[at] = { ...one, state: { ...one.state, quota: { ...quota, readAt: clock.now() } } };
  }
  const health = await ports.snapshots.get({ source: order.source, resource: SOURCE, id: order.source });
  const budgetedPorts = { ...ports, api: budgeted(ports.api, plan.budget) };
  const timeZone =
    order.timeZone ?? rememberedZone(health?.record) ?? (await findZone(budgetedPorts.api, order.signal));
  const reckoning = reckoningKey(timeZone, order.rules);
  if (health !== undefined && health.record.reckoning !== reckoning) {
    const names = planned.map(({ resource }) => resource.name);
    await restageAll(ports.snapshots, order.source, names, timeZone, order.rules, clock.now());
  }
  const cycle = await runCycle(budgetedPorts, { ...order, timeZone }, planned, plan);
  // Where other pollers are at everything, they will say how it went.
  const ran = cycle.scans.length + cycle.failed.length > 0;
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
  order: PollOrder,
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
    const result = await leased(ports, order, next, found.state);
    if (result === undefined) continue;
    planned[at] = { ...found, state: result.state };
    if (result.report !== undefined) scans.push(result.report);
    if (result.error === undefined) continue;
    failed.push(failure(order, next, result.error));
    if (ENDS_CYCLE.includes(codeOf(result.error))) break;
  }
  return { scans, failed };
}

interface Result {
  readonly state: ScanState;
  readonly report?: ScanReport;
  readonly error?: unknown;
}

/** Runs one scan under its lease. Undefined when another poller is at it. */
async function leased(
  ports: PollPorts,
  order: PollOrder,
  next: DueScan,
  state: ScanState,
): Promise<Result | undefined> {
  const { ledger, clock, holder } = ports;
  const name = `poll/${order.source}/${next.resource.name}`;
  const lease = await ledger.acquireLease(name, holder, clock.now(), LEASE);
  if (lease === undefined) return undefined;
  try {
    // Read again under the lease: another poller may just have finished.
    const current = { ...((await ledger.scanState(order.source, next.resource.name)) ?? state), quota: state.quota };
    const result = await runScan(ports, order, next, current, lease);
    if (order.signal?.aborted !== true) await ledger.saveScanState(result.state);
    return result;
  } finally {
    await ledger.releaseLease(lease);
  }
}

async function runScan(
  ports: PollPorts,
  order: PollOrder,
  { resource, kind }: DueScan,
  state: ScanState,
  lease: Lease,
): Promise<Result> {
  const { ledger, clock } = ports;
  // What a broken-off sweep has come to is kept, whatever ends it.
  let latest = state;
  let heldAt = clock.now();
  try {
    const scanned = await scan(ports, {
      source: order.source,
      resource,
      kind,
      rules: order.rules,
      timeZone: order.timeZone ?? DEFAULT_ZONE,
      announceExisting: order.announceExisting ?? false,
      attribution: order.attribution ?? false,
      state,
      save: async (progress) => {
        latest = { ...latest, progress };
        await ledger.saveScanState(latest);
      },
      ...(order.pageSize === undefined ? {} : { pageSize: order.pageSize }),
      ...(order.tell === undefined ? {} : { tell: tellOf(order.tell, resource) }),
      mayGoOn: async () => {
        heldAt = await keepLease(ports, lease, heldAt);
      },
      ...(order.signal === undefined ? {} : { signal: order.signal }),
    });
    const counted = await checkCount(ports, resource, kind, scanned.state);
    return { report: scanned.report, state: counted };
  } catch (error) {
    return { state: afterFailure(latest, error, clock.now()), error };
  }
}

const tellOf = (tell: NonNullable<PollOrder['tell']>, resource: Resource) => (seen: number, total: number | null) =>
  tell(resource.name, seen, total);

/** Extends the lease when half of it is over: a page takes seconds, and a write a page would be a price. */
async function keepLease({ ledger, clock, holder }: PollPorts, lease: Lease, heldAt: Instant): Promise<Instant> {
  const now = clock.now();
  if (between(heldAt, now) < LEASE / 2) return heldAt;
  const kept = await ledger.acquireLease(lease.name, holder, now, LEASE);
  if (kept?.fence === lease.fence) return now;
  throw new RetryLater('TIDINGS_SOURCE_LEASE_LOST', `${lease.name}: another poller took over; this one stops`);
}

/** A delta never shows what was deleted. Now and then the API is asked how many there are: one request. */
async function checkCount(
  { api, clock }: PollPorts,
  resource: Resource,
  kind: ScanKind,
  state: ScanState,
): Promise<ScanState> {
  const now = clock.now();
  if (kind !== 'delta' || (state.countedAt !== null && between(state.countedAt, now) < COUNT_EVERY)) return state;
  const page = await api.list(resource.name, { offset: 0, limit: 1, filters: {} });
  return { ...state, countedAt: now, sweepSoon: state.sweepSoon || page.content().listCount !== state.count };
}

function afterFailure(state: ScanState, error: unknown, now: Instant): ScanState {
  const lastError = { code: codeOf(error), message: messageOf(error) };
  if (NO_FAILURE.includes(lastError.code)) return { ...state, lastError };
  const forbidden = error instanceof GiveUp && error.code === 'TIDINGS_SOURCE_FORBIDDEN';
  return {
    ...state,
    lastTriedAt: now,
    lastError,
    ...(forbidden ? { forbiddenAt: state.forbiddenAt ?? now, failures: 0 } : { failures: state.failures + 1 }),
  };
}

/** What a role may not read is a fact of its own, not a failure of the cycle. */
function outcomeOf({ scans, failed }: PollReport): Pick<CycleFacts, 'goodScans' | 'failedScans' | 'error'> {
  const unforeseen = failed.filter(({ code }) => code !== 'TIDINGS_SOURCE_FORBIDDEN');
  return { goodScans: scans.length, failedScans: unforeseen.length, error: unforeseen.at(-1) ?? null };
}

async function saveHealth({ snapshots }: PollPorts, before: Snapshot | undefined, facts: CycleFacts): Promise<void> {
  const record = nextHealth(before?.record, facts);
  if (!isWorthTelling(before?.record, record)) return;
  const { source, now } = facts;
  const version = (before?.version ?? 0) + 1;
  const key = { source, resource: SOURCE, id: source };
  const occurred = { after: before?.committedAt ?? null, before: now };
  const rest = { stage: {}, deletedAt: null, cause: 'poll', nextMoment: null } as const;
  await snapshots.commit([
    { expected: version - 1, snapshot: { key, version, record, committedAt: now, occurred, ...rest } },
  ]);
}

function failure({ source }: PollOrder, { resource, kind }: DueScan, error: unknown): FailedScan {
  return { source, resource: resource.name, kind, code: codeOf(error), message: messageOf(error) };
}

function outOfBudget(): RetryLater {
  return new RetryLater('TIDINGS_SOURCE_QUOTA_RESERVED', "the rest of today's quota is kept for people");
}

function codeOf(error: unknown): string {
  return error instanceof TidingsError ? error.code : 'TIDINGS_UNEXPECTED';
}
