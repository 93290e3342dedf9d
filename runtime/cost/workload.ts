/**
 * What a month of a config is made of: scans, requests, batches, calls. Takes the planner's own forecast of scans and
 * requests; knows units and seconds, and no prices.
 */

import { limitsOf } from '../../core/delivery/lanes.ts';
import { initialScanState } from '../../core/model/scan.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { DAY, HOUR, MINUTE } from '../../core/model/time.ts';
import { type Cadence, forecastResourceRequests, lightKind, type PlannedResource } from '../../core/source/plan.ts';
import { LOOKBACK } from '../../core/source/scan.ts';
import type { Config } from '../config/config.ts';
import { DEPLOYED } from './measured.ts';

/** As AWS's own examples reckon. */
export const DAYS_A_MONTH = 30;
export const HOURS_A_MONTH = (DAYS_A_MONTH * DAY) / HOUR;

/** How large the account is, and how much happens in it. */
export interface Account {
  /** Records by resource, of each source. */
  readonly records: Readonly<Record<string, number>>;
  /** Of every resource that `records` does not name. */
  readonly others: number;
  /** Records that change in a day, of all sources together; those that only time changes are among them. */
  readonly changesADay: number;
  /** Receivers of a change. */
  readonly deliveriesPerEvent: number;
}

/** One resource as it will be read. */
export interface PlannedScans {
  readonly source: string;
  readonly resource: string;
  readonly records: number;
  /** What looking for changes means for it. */
  readonly kind: 'delta' | 'open' | 'sweep';
  /** In a day. */
  readonly looks: number;
  /** Besides the looks, in a day: none where each look is one. */
  readonly sweeps: number;
  /** To the API in a day, as the planner foresees it. */
  readonly requests: number;
  /** Whether the config asks for more than AWS does: reckoned with as often as it polls. */
  readonly slowed: boolean;
}

/** All of a month, but `scans`, which are of a day. */
export interface Workload {
  readonly scans: readonly PlannedScans[];
  readonly records: number;
  readonly minutes: number;
  /** Reads of nothing but changes. */
  readonly deltas: number;
  /** Reads of a whole list. */
  readonly sweeps: number;
  /** Records in the lists that were read whole. */
  readonly sweptRecords: number;
  /** Requests to the API, the reading of the quota before each scan among them. */
  readonly requests: number;
  readonly changes: number;
  /** Changed records that a delta meets once more, because it looks back. */
  readonly rereads: number;
  readonly announceBatches: number;
  readonly deliveries: number;
  readonly deliverBatches: number;
  readonly mails: number;
  /** Attempts at receivers with a rate. */
  readonly turns: number;
}

export function workloadOf(config: Config, account: Account): Workload {
  const scans = config.sources.flatMap((source) => source.resources.map((one) => scansOf(source.name, one, account)));
  const a = (perDay: (scan: PlannedScans) => number) =>
    DAYS_A_MONTH * scans.reduce((sum, scan) => sum + perDay(scan), 0);
  const whole = ({ kind, looks, sweeps }: PlannedScans) => (kind === 'delta' ? sweeps : looks + sweeps);
  const deltas = a(({ kind, looks }) => (kind === 'delta' ? looks : 0));
  const sweeps = a(whole);
  const changes = DAYS_A_MONTH * account.changesADay;
  const deliveries = changes * account.deliveriesPerEvent;
  // Changes that one scan finds are announced together. Rarer than scans, each comes alone.
  const announceBatches = Math.max(Math.min(changes, deltas + sweeps), changes / DEPLOYED.streamBatch);
  return {
    scans,
    records: scans.reduce((sum, { records }) => sum + records, 0),
    minutes: (DAYS_A_MONTH * DAY) / MINUTE,
    deltas,
    sweeps,
    sweptRecords: a((scan) => whole(scan) * scan.records),
    requests: a(({ requests }) => requests) + deltas + sweeps + attributions(config, changes, deltas),
    changes,
    rereads: changes * lookbacks(scans),
    announceBatches,
    deliveries,
    deliverBatches: Math.max(Math.min(announceBatches, deliveries), deliveries / DEPLOYED.queueBatch),
    mails: messagesOf(config, deliveries, ({ to }) => ('email' in to ? to.email.to.length : 0)),
    turns: messagesOf(config, deliveries, (subscription) => (limitsOf(subscription).rate === undefined ? 0 : 1)),
  };
}

function scansOf(
  source: string,
  { resource, cadence: asked }: Omit<PlannedResource, 'state'>,
  account: Account,
): PlannedScans {
  const cadence = cadenceInAws(asked);
  const records = account.records[resource.name] ?? account.others;
  const kind = lightKind(resource);
  const planned = { resource, cadence, state: { ...initialScanState(source, resource.name), count: records } };
  return {
    source,
    resource: resource.name,
    records,
    kind,
    looks: DAY / cadence.every,
    sweeps: kind === 'sweep' ? 0 : DAY / cadence.sweep,
    requests: forecastResourceRequests(planned),
    slowed: cadence.every > asked.every || (kind !== 'sweep' && cadence.sweep > asked.sweep),
  };
}

/** What is due sooner than the next start of poll waits for it. */
export function cadenceInAws({ every, sweep }: Cadence): Cadence {
  return { every: Math.max(every, DEPLOYED.pollEvery), sweep: Math.max(sweep, DEPLOYED.pollEvery) };
}

/** Who is behind a change is one request more of a delta that finds one. */
function attributions({ sources }: Config, changes: number, deltas: number): number {
  return sources.some(({ attribution }) => attribution) ? Math.min(changes, deltas) : 0;
}

/** How many deltas meet a change again, where they come quickest. */
function lookbacks(scans: readonly PlannedScans[]): number {
  const quickest = Math.max(0, ...scans.filter(({ kind }) => kind === 'delta').map(({ looks }) => looks));
  return Math.ceil((LOOKBACK * quickest) / DAY);
}

/**
 * Every subscription gets its share of the deliveries, of which each counts as often as is said. A mail is counted for each
 * of its readers, as SES does; a digest is one a day at the most. What gathering saves is left out.
 */
function messagesOf(
  { subscriptions }: Config,
  deliveries: number,
  each: (subscription: Subscription) => number,
): number {
  const share = deliveries / Math.max(1, subscriptions.length);
  return subscriptions.reduce((sum, subscription) => {
    const messages = subscription.digest === undefined ? share : Math.min(share, DAYS_A_MONTH);
    return sum + each(subscription) * messages;
  }, 0);
}
