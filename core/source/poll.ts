/**
 * One poll cycle of a source: reads the quota, plans the due scans, runs them and saves the outcome.
 * Derives no events and sends nothing: the change feed carries the committed snapshots on.
 */

import { isForbidden, isSourceError } from '../model/error-codes.ts';
import { SOURCE_RESOURCE } from '../model/event.ts';
import { offsetFrom, type Snapshot } from '../model/snapshot.ts';
import type { Quota } from '../ports/source-api.ts';
import { digestOwnChange } from '../snapshot/digest-change.ts';
import { type AccountGate, identifyToken, openAccount, refuseRequests } from './account/account-gate.ts';
import { completeClosedStatuses, withClosedStatusIds } from './account/closed-statuses.ts';
import { latestIdentity, shareLists, watchPerson } from './account/identity.ts';
import { restageAll, stageRulesHash } from './account/stage-rules.ts';
import { isZoneMissing, resolveTimeZone, storedZone } from './account/time-zone.ts';
import { storedAhead, watchClock } from './api-clock.ts';
import { limitRequests } from './budget.ts';
import { isAnyDue, readPlanned, readStates } from './check-due.ts';
import { withDueMoments } from './due-moments.ts';
import { type CycleFacts, hasReportableChange, isFailing, isLagging, nextHealth } from './health.ts';
import { lightKind, needsDueRead, type PlannedResource, planScans } from './plan.ts';
import type { FailedScan, PollOptions, PollPorts, PollReport } from './poll-ports.ts';
import { runCycle } from './run-cycle.ts';
import type { SourceContext } from './scan/scan-context.ts';
import { acquireSourceLease, isLeaseLost, type SourceLease } from './source-lease.ts';

const NOTHING_DUE: PollReport = { scans: [], failed: [] };
const LEFT_TO_ANOTHER: PollReport = { ...NOTHING_DUE, leftToAnother: true };

/** Runs the due scans of a source. Only the poller that holds the lease makes requests. */
export async function poll(ports: PollPorts, options: PollOptions): Promise<PollReport> {
  const { states, resources, clockMovedBack } = await readPlanned(ports, options);
  const noteFailing = (report: PollReport, after: readonly PlannedResource[]): PollReport => ({
    ...report,
    ...(isFailing(after, ports.clock.now()) ? { isFailing: true } : {}),
    ...(isLagging(after, ports.clock.now()) ? { isLagging: true } : {}),
  });
  // Usually nothing is due: that takes no lease and no request.
  if (!isAnyDue(options, resources, ports.clock.now())) return noteFailing(NOTHING_DUE, states);
  const lease = await acquireSourceLease(ports, options.source);
  if (lease === undefined) return noteFailing(LEFT_TO_ANOTHER, states);
  try {
    // Read the states again under the lease: another poller may just have finished.
    const { states: latest } = await readStates(ports, options, true);
    const planned = latest.map((one, at) => ({ ...resources[at], ...one }));
    const report = noteFailing(await pollWithLease(ports, options, lease, planned), planned);
    return clockMovedBack ? { ...report, clockMovedBack: true } : report;
  } catch (error) {
    // The poller that took over reports the outcome.
    if (isLeaseLost(error)) return LEFT_TO_ANOTHER;
    throw error;
  } finally {
    await lease.release();
  }
}

async function pollWithLease(
  ports: PollPorts,
  options: PollOptions,
  lease: SourceLease,
  planned: PlannedResource[],
): Promise<PollReport> {
  const { clock } = ports;
  const { source, reserve, everything, signal } = options;
  // Names of statuses decide only where the source does not say itself which tasks are closed.
  const { hasClosedStatusNames } = ports.api.traits;
  const rules = hasClosedStatusNames ? options.rules : { ...options.rules, closedStatuses: [] };
  const planFor = (quota: Quota | null) => planScans(planned, quota, reserve, clock.now(), everything);
  const isDueRead = planned.some((one) => needsDueRead(one, clock.now()));
  if (planFor(null).due.length === 0 && !isDueRead) return NOTHING_DUE;
  const quota = await ports.api.quota(signal).catch(() => null);
  const plan = planFor(quota);
  for (const [at, one] of planned.entries()) {
    if (quota !== null) planned[at] = { ...one, state: { ...one.state, quota: { ...quota, readAt: clock.now() } } };
  }
  const health = await ports.snapshots.get({ source, resource: SOURCE_RESOURCE, id: source });
  const limitedPorts = { ...ports, api: limitRequests(ports.api, plan.budget) };
  const identityApi = shareLists(limitedPorts.api, clock);
  const account = await openAccount(limitedPorts, options);
  // The last requests of the day are for scans; before a deletion the identity is confirmed all the same.
  const stretch = plan.budget < MIN_IDENTITY_BUDGET ? Number.POSITIVE_INFINITY : plan.stretch;
  const lastIdentity = latestIdentity(planned.map(({ state }) => state));
  const identityPorts = { api: identityApi, clock, account };
  const { identity, refusal } = await identifyToken(identityPorts, lastIdentity, stretch, signal);
  const api = refusal === undefined ? limitedPorts.api : refuseRequests(limitedPorts.api, refusal);
  const askedAt = clock.now();
  const zoneOptions = { api: identityApi, configured: options.timeZone, health: health?.record, now: askedAt, signal };
  const zone = refusal === undefined ? await resolveTimeZone(zoneOptions) : storedZone(health?.record);
  const { timeZone } = zone;
  for (const [at, one] of planned.entries()) {
    planned[at] = { ...one, state: await completeClosedStatuses(ports.snapshots, rules, one.state) };
  }
  const tasks = planned.find(({ resource }) => resource.name === 'task');
  const watched = watchClock(api, clock, storedAhead(planned.map(({ state }) => state)));
  const context: SourceContext = {
    ...options,
    traits: api.traits,
    identity,
    apiClock: watched.apiClock,
    forgottenVersion: account.forgottenVersion,
    versionOffset: account.versionOffset,
    restoredAt: account.restoredAt,
    rules: withClosedStatusIds(rules, tasks?.state.closedStatusIds),
    timeZone,
    assertLeaseHeld: lease.renew,
  };
  const storedHash = health?.record.reckoning;
  // Records of another account are not staged with the rules of this config.
  const rulesHash =
    refusal !== undefined && typeof storedHash === 'string' ? storedHash : stageRulesHash(timeZone, rules);
  if (health !== undefined && storedHash !== rulesHash) {
    const resources = planned.map(({ resource, state }) => ({ name: resource.name, settledUntil: state.settledUntil }));
    const isFirstZone = storedZone(health.record).timeZone === null;
    await restageAll(ports.snapshots, context, resources, clock.now(), isFirstZone);
    // The moments have changed.
    const restaged = await withDueMoments(ports.snapshots, source, planned, clock.now());
    planned.splice(0, planned.length, ...restaged);
  }
  const cycle = await runCycle({ ...limitedPorts, api: watchPerson(watched.api, identity) }, context, planned, plan);
  // A cycle that tried nothing has no outcome; after a lost lease the other poller reports it.
  const isTried = cycle.scans.length + cycle.failed.length > 0 || cycle.dueRead === true;
  const ran = isTried && !cycle.failed.some(hasLostLease);
  if (ran && signal?.aborted !== true) {
    await saveHealth({ ...ports, account }, health, {
      source,
      resources: planned,
      ...summarizeOutcome(cycle, planned),
      quota,
      reserve,
      stretch: plan.stretch,
      zone,
      rulesHash,
      identity: identity.current(),
      clockAhead: watched.apiClock.ahead(),
      now: clock.now(),
    });
  }
  const isUnanswered = zone.readAt === null && cycle.scans.length > 0 && health?.record.baselined === true;
  const isNews = isUnanswered ? health.record.zoneUnknown !== true : zone.readAt === askedAt;
  return isNews && isZoneMissing(zone, isUnanswered) ? { ...cycle, zoneUnknown: true } : cycle;
}

/** With fewer requests left, the token's person and role are not requested hourly. */
const MIN_IDENTITY_BUDGET = 20;

/**
 * A resource the token may not read does not fail the cycle. Errors of our own stores and secrets are not the source's
 * fault either: they are reported, and if they last the source becomes stale.
 */
function summarizeOutcome(
  { scans, failed }: PollReport,
  planned: readonly PlannedResource[],
): Pick<CycleFacts, 'goodScans' | 'failedScans' | 'error'> {
  const ofSource = failed.filter(({ code }) => isSourceError(code) && !isForbidden(code));
  const failedScans = ofSource.filter((scan) => showsReachability(scan, planned)).length;
  return { goodScans: scans.length, failedScans, error: ofSource.at(-1) ?? null };
}

/**
 * Whether a failed scan counts as a failed cycle. A sweep does not when lighter scans go on beside it, because they show
 * whether the API responds: those of its own resource or, before its baseline, those of the others.
 */
function showsReachability({ resource: name, kind }: FailedScan, planned: readonly PlannedResource[]): boolean {
  const own = planned.find(({ resource }) => resource.name === name);
  if (kind !== 'sweep' || own === undefined) return true;
  if (own.state.baselinedAt !== null) return lightKind(own.resource) === 'sweep';
  return planned.every(({ state }) => state.baselinedAt === null);
}

const hasLostLease = ({ code }: FailedScan) => code === 'TIDINGS_SOURCE_LEASE_LOST';

async function saveHealth(
  { snapshots, account }: PollPorts & { readonly account: AccountGate },
  before: Snapshot | undefined,
  facts: CycleFacts,
): Promise<void> {
  const record = nextHealth(before?.record, facts);
  if (!hasReportableChange(before?.record, record)) return;
  const { source, now } = facts;
  const version = (before?.version ?? account.forgottenVersion) + 1;
  const key = { source, resource: SOURCE_RESOURCE, id: source };
  const occurred = { after: before?.committedAt ?? null, before: now };
  const offset = offsetFrom(before ?? account);
  const rest = { ...offset, stage: {}, deletedAt: null, cause: 'poll', nextMoment: null } as const;
  const digest = digestOwnChange(before?.record, record);
  await snapshots.commit([
    { expected: before?.version ?? 0, snapshot: { key, version, record, committedAt: now, occurred, digest, ...rest } },
  ]);
}
