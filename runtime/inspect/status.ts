/** Reports the state of sources and subscriptions. Reads the stores only; makes no requests to the API or receivers. */

import { pauseOf } from '../../core/delivery/receivers/health.ts';
import type { HealthState } from '../../core/delivery/receivers/health-state.ts';
import { readHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { SOURCE_RESOURCE } from '../../core/model/event.ts';
import type { Fields } from '../../core/model/record.ts';
import type { ScanState } from '../../core/model/scan.ts';
import { initialScanState } from '../../core/model/scan.ts';
import type { Instant } from '../../core/model/time.ts';
import type { ScanStateStore } from '../../core/ports/scan-state-store.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import type { SubscriptionStore } from '../../core/ports/subscription-store.ts';
import {
  describeAccount,
  normalizeBaseUrl,
  readAccount,
  type SourceAccount,
} from '../../core/source/account/account.ts';
import { type ResolvedZone, storedZone } from '../../core/source/account/time-zone.ts';
import { correctFutureInstants, isClockMovedBack } from '../../core/source/clock-moved.ts';
import { OTHER_ACCOUNT_STATE } from '../../core/source/health.ts';
import {
  forecastRequests,
  forecastResourceRequests,
  nextDueAt,
  type PlannedResource,
  planScans,
} from '../../core/source/plan.ts';
import type { Config, SourceConfig } from '../config/config.ts';

export interface ResourceStatus {
  readonly resource: string;
  readonly count: number | null;
  readonly lastGoodScanAt: Instant | null;
  readonly lastSweepAt: Instant | null;
  /** null: as soon as possible. */
  readonly nextScanAt: Instant | null;
  readonly failures: number;
  readonly lastError: ScanState['lastError'];
  readonly forbidden: boolean;
  /** Records that are missing from the list but not yet reported as deleted. */
  readonly held: number;
  /** Failed sweeps since the last complete one, while lighter scans go on. */
  readonly failedSweeps: ScanState['failedSweeps'];
  /** Rows of the last sweep that could not be read. */
  readonly skipped: number;
  /** Records that the API counts but did not list in the last sweep. */
  readonly unlisted: number;
  readonly requestsADay: number;
}

export interface SourceStatus {
  readonly source: string;
  /** Declared in the config, or kept in the data. */
  readonly origin: 'config' | 'stored';
  /** Null for a caller who may not see it. */
  readonly baseUrl: string | null;
  /** `new` until the first cycle. */
  readonly state: string;
  readonly reason: string | null;
  /** The account of the stored records; null before the first poll. */
  readonly account: SourceAccount | null;
  /** The last scan is in the future, because the clock was put back: everything is due now. */
  readonly clockMovedBack: boolean;
  /** How many minutes our clock is ahead of the API's; negative: behind. null while they agree. */
  readonly clockAhead: number | null;
  /** null: not known yet; no time-driven events until then. */
  readonly timeZone: string | null;
  /** `config`, or `user`: the token's user. */
  readonly timeZoneFrom: ResolvedZone['from'];
  readonly quota: ScanState['quota'];
  readonly quotaState: string;
  readonly requestsADay: number;
  /** The share of the daily quota that is left to others. */
  readonly reserve: number;
  /** The factor by which cadences are lengthened to stay within the quota. */
  readonly stretch: number;
  readonly resources: readonly ResourceStatus[];
}

export interface StatusPorts {
  readonly scanStates: ScanStateStore;
  readonly snapshots: SnapshotStore;
}

export async function getSourceStatuses(
  ports: StatusPorts,
  config: Pick<Config, 'sources'>,
  now: Instant,
): Promise<readonly SourceStatus[]> {
  return Promise.all(config.sources.map((source) => sourceStatus(ports, source, now)));
}

export interface SubscriptionStatus {
  readonly name: string;
  readonly state: HealthState;
  readonly reason: string | null;
  readonly since: Instant | null;
  /** Until when the receiver is not tried, after it asked for a delay or failed several times; null: it is tried. */
  readonly pausedUntil: Instant | null;
  /** Addresses of readers who unsubscribed. */
  readonly unsubscribed: readonly string[];
}

export interface SubscriptionStatusPorts {
  readonly subscriptions: SubscriptionStore;
  readonly snapshots: SnapshotStore;
}

export async function getSubscriptionStatuses(
  ports: SubscriptionStatusPorts,
  now: Instant,
): Promise<readonly SubscriptionStatus[]> {
  return Promise.all(
    (await ports.subscriptions.list()).map(async ({ name }) => {
      const health = await readHealth(ports, name);
      const { state, reason, fullReason = reason, disabledAt, failingSince } = health;
      return {
        name,
        state,
        reason: fullReason,
        since: disabledAt ?? failingSince,
        pausedUntil: pauseOf(health, now)?.until ?? null,
        unsubscribed: health.muted,
      };
    }),
  );
}

async function sourceStatus(
  { scanStates, snapshots }: StatusPorts,
  config: SourceConfig,
  now: Instant,
): Promise<SourceStatus> {
  const source = config.name;
  const states = await Promise.all(
    config.resources.map(
      async ({ resource: { name } }) => (await scanStates.get(source, name)) ?? initialScanState(source, name),
    ),
  );
  const planned: PlannedResource[] = config.resources.map((one, index) => ({
    ...one,
    state: correctFutureInstants(states[index] ?? initialScanState(source, one.resource.name), now),
  }));
  const health: Fields = (await snapshots.get({ source, resource: SOURCE_RESOURCE, id: source }))?.record ?? {};
  const zone = storedZone(health);
  const readings = planned.flatMap(({ state: { quota } }) => quota ?? []);
  const quota = readings.toSorted((a, b) => (a.readAt < b.readAt ? 1 : -1))[0] ?? null;
  const { stretch } = planScans(planned, quota, config.quota.reserve, now);
  const { account = null } = await readAccount(snapshots, source);
  const isElsewhere = account !== null && account.baseUrl !== normalizeBaseUrl(config.baseUrl);
  const readText = (field: string) => (typeof health[field] === 'string' ? health[field] : null);
  return {
    source,
    origin: config.stored === undefined ? 'config' : 'stored',
    baseUrl: config.baseUrl,
    state: isElsewhere ? OTHER_ACCOUNT_STATE : (readText('state') ?? 'new'),
    reason: isElsewhere ? sayOtherAddress(source, config.baseUrl, account) : readText('reason'),
    account,
    clockMovedBack: states.some((state) => isClockMovedBack(state, now)),
    clockAhead: typeof health.clockAhead === 'number' ? health.clockAhead : null,
    timeZone: config.timeZone ?? zone.timeZone,
    timeZoneFrom: config.timeZone === undefined ? zone.from : 'config',
    quota,
    quotaState: readText('quota') ?? 'ok',
    requestsADay: forecastRequests(planned),
    reserve: config.quota.reserve,
    stretch,
    resources: planned.map((one) => resourceStatus(one, stretch)),
  };
}

/** Without a request it is not known whether the API at the new address shows the same account. */
function sayOtherAddress(source: string, baseUrl: string, account: SourceAccount): string {
  return (
    `the config names ${baseUrl}, the stored records are of ${describeAccount(account)}; ` +
    `if it is the same account, the next poll adopts the new address. Find out with: tidings check. Start over with: tidings sources forget ${source}`
  );
}

function resourceStatus(planned: PlannedResource, stretch: number): ResourceStatus {
  const { resource, state } = planned;
  return {
    resource: resource.name,
    count: state.count,
    lastGoodScanAt: state.lastGoodScanAt,
    lastSweepAt: state.lastSweepAt,
    nextScanAt: nextDueAt(planned, stretch),
    failures: state.failures,
    lastError: state.lastError,
    forbidden: state.forbiddenAt !== null,
    held: state.held?.count ?? 0,
    failedSweeps: state.failedSweeps ?? null,
    skipped: state.skipped ?? 0,
    unlisted: state.incompleteBaseline?.unlisted ?? 0,
    requestsADay: Math.ceil(forecastResourceRequests(planned)),
  };
}
