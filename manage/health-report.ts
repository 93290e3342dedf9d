/**
 * The report of `/health`: failing when scans fail, when scans or deliveries are late, or when the stores do not answer. Reads the
 * stores only, and waits for them for half a second: a monitor must learn of a locked file or a full disk.
 */

import { initialScanState, type ScanState } from '../core/model/scan.ts';
import { between, type Clock, type Duration, formatDuration, HOUR, type Instant, MINUTE } from '../core/model/time.ts';
import type { Agenda } from '../core/ports/agenda.ts';
import type { ScanStateStore } from '../core/ports/scan-state-store.ts';
import { correctFutureInstants } from '../core/source/clock-moved.ts';
import { nextDueAt, type PlannedResource, planScans } from '../core/source/plan.ts';
import { createTimedRead } from '../runtime/timed-read.ts';
import { describeUnavailable, type Unavailable } from './unavailable.ts';

/** After this many failed scans in a row a source counts as failing. One or two are noise. */
const FAILING_SCANS = 3;

/** Twice as late as the slowest ordinary run. */
const MAX_SCAN_LAG: Duration = 15 * MINUTE;
/** While a source is swept, its other scans wait. */
const MAX_SCAN_LAG_DURING_SWEEP: Duration = HOUR;

/** Ticks run every minute or more often. */
const MAX_DELIVERY_LAG: Duration = 10 * MINUTE;

export interface HealthReportOptions {
  readonly scanStates: ScanStateStore;
  readonly agenda: Agenda;
  readonly clock: Clock;
  /** The sources whose scans are reported. */
  readonly sources: readonly {
    readonly name: string;
    readonly resources: readonly Omit<PlannedResource, 'state' | 'moments'>[];
    readonly quota: { readonly reserve: number };
  }[];
  /** Work that came due while the process was not running is late from its start. @default - from its due time */
  readonly startedAt?: Instant;
  /** Why the stores do not answer now. @default - learned by waiting for them */
  readonly unavailable?: () => Unavailable | undefined;
  /** The config that this process uses. @default - not reported: a process without reload */
  readonly configInForce?: () => ConfigInForce;
  /** For how many milliseconds the same report is returned. @default 0 */
  readonly freshMs?: number;
}

export interface ConfigInForce {
  readonly loadedAt: Instant;
  /** The last reload, if it was refused. The config of `loadedAt` stays in force, so this is no failure. */
  readonly rejected: { readonly at: Instant; readonly message: string } | null;
}

export interface HealthReport {
  readonly status: 'ok' | 'failing';
  /** When the stores were read. Earlier than now if they do not answer; null if they never did. */
  readonly readAt: Instant | null;
  /** Why the status is `failing`. */
  readonly reasons: readonly string[];
  readonly scans: readonly Pick<ScanState, 'source' | 'resource' | 'lastGoodScanAt' | 'failures' | 'lastError'>[];
  /** When the oldest delivery that is not queued yet was due. */
  readonly oldestDueDelivery: Instant | null;
  readonly config?: ConfigInForce;
}

/** Returns a function that reports within half a second. If the stores do not answer, it reports that, with what it last read. */
export function createHealthReporter(options: HealthReportOptions): () => Promise<HealthReport> {
  const read = createTimedRead(() => buildHealthReport(options), { freshMs: options.freshMs });
  let latest: HealthReport | undefined;
  return async () => {
    const known = options.unavailable?.();
    const { value, waitingMs } = known === undefined ? await read() : { value: latest };
    latest = value;
    const unavailable = known ?? options.unavailable?.() ?? (waitingMs === undefined ? undefined : { ms: waitingMs });
    if (unavailable === undefined && value !== undefined) return value;
    const { reasons = [], ...rest } = value ?? { readAt: null, scans: [], oldestDueDelivery: null };
    const { configInForce } = options;
    return {
      ...rest,
      status: 'failing',
      reasons: [describeUnavailable(unavailable ?? { ms: 0 }), ...reasons],
      ...(configInForce === undefined ? {} : { config: configInForce() }),
    };
  };
}

async function buildHealthReport(options: HealthReportOptions): Promise<HealthReport> {
  const { agenda, clock, startedAt = '', configInForce } = options;
  const now = clock.now();
  const lagSince = (dueAt: Instant) => between(dueAt > startedAt ? dueAt : startedAt, now);
  const reasons: string[] = [];
  const scans: ScanState[] = [];
  for (const source of options.sources) {
    const { states, planned, stretch } = await readPlan(options, source, now);
    scans.push(...states);
    const isSweeping = states.some(({ progress }) => progress !== null);
    const maxLag = isSweeping ? MAX_SCAN_LAG_DURING_SWEEP : MAX_SCAN_LAG;
    for (const one of planned) {
      const { failures, lastTriedAt } = one.state;
      const name = `${source.name}/${one.resource.name}`;
      const dueAt = nextDueAt(one, stretch) ?? lastTriedAt ?? startedAt;
      if (failures >= FAILING_SCANS) reasons.push(`${name}: ${failures} scans failed in a row`);
      else if (dueAt !== '' && lagSince(dueAt) > maxLag)
        reasons.push(`${name}: scan is ${describeLag(lagSince(dueAt))}`);
    }
  }
  const [oldest] = await agenda.due(now, 1);
  if (oldest !== undefined && lagSince(oldest.at) > MAX_DELIVERY_LAG) {
    reasons.push(`deliveries: the oldest is ${describeLag(lagSince(oldest.at))}`);
  }
  return {
    status: reasons.length === 0 ? 'ok' : 'failing',
    readAt: now,
    reasons,
    scans: scans.map(({ source, resource, lastGoodScanAt, failures, lastError }) => {
      return { source, resource, lastGoodScanAt, failures, lastError };
    }),
    oldestDueDelivery: oldest?.at ?? null,
    ...(configInForce === undefined ? {} : { config: configInForce() }),
  };
}

async function readPlan(
  { scanStates }: HealthReportOptions,
  { name, resources, quota }: HealthReportOptions['sources'][number],
  now: Instant,
) {
  const states = await Promise.all(
    resources.map(async ({ resource }) => {
      return (await scanStates.get(name, resource.name)) ?? initialScanState(name, resource.name);
    }),
  );
  const planned = resources.map((one, index): PlannedResource => {
    const state = states[index] ?? initialScanState(name, one.resource.name);
    return { ...one, state: correctFutureInstants(state, now) };
  });
  const readings = planned.flatMap(({ state }) => state.quota ?? []);
  const latest = readings.toSorted((a, b) => (a.readAt < b.readAt ? 1 : -1))[0] ?? null;
  const { stretch } = planScans(planned, latest, quota.reserve, now);
  return { states, planned, stretch };
}

const describeLag = (lag: Duration) => `${formatDuration(Math.floor(lag / MINUTE) * MINUTE)} late`;
