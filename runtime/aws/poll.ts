/** Polls sources concurrently, and reports the results to log and metrics. */

import { memoize } from '../../core/model/memoize.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import { OTHER_ACCOUNT } from '../../core/source/account/account.ts';
import type { PollPorts, PollReport } from '../../core/source/poll-ports.ts';
import type { SourceConfig } from '../config/config.ts';
import type { Watcher } from '../embedded/pipeline.ts';
import { type PollWiring, pollCycle } from '../poll-cycle.ts';
import type { AwsContext } from './context.ts';
import { describeError, type Invocation } from './lambda-handler.ts';
import { logCommits } from './log-commits.ts';
import { type FoundMoments, shareDueReads } from './share-due-reads.ts';
import { countConditions } from './source-metrics.ts';

/** A source to poll. */
export interface SourceToPoll {
  readonly source: SourceConfig;
  /** The moments that the dispatcher has read. @default - they are read together with those of the other sources */
  readonly found?: FoundMoments;
}

type Call = Pick<Invocation, 'log' | 'count' | 'id' | 'tracer'>;

/** The counts that alarms compare: each minute has them, even if 0. */
export function countNothing({ count }: Pick<Call, 'count'>): void {
  for (const metric of ['scans', 'failedScans', 'changes'] as const) count(metric, 0);
}

/** Polls all sources of the config in this invocation. */
export async function pollAll(
  context: Pick<AwsContext, 'config' | 'environment'>,
  sources: PollWiring['sources'],
  call: Call & Pick<Invocation, 'countSource'>,
  signal: AbortSignal,
): Promise<void> {
  const outcomes = await pollConcurrently(context, sources, context.config.sources.map(toPoll), call, signal);
  const conditions = outcomes.map((one, at) => ({
    source: context.config.sources[at]?.name ?? '',
    isFailing: one.status === 'rejected' || one.value.isFailing === true,
    isLagging: one.status === 'fulfilled' && one.value.isLagging === true,
  }));
  countConditions(context, conditions, call);
  throwFirst(outcomes);
}

const toPoll = (source: SourceConfig): SourceToPoll => ({ source });

/** Polls these sources. What is failing, the dispatcher counts. */
export async function pollSome(
  context: Pick<AwsContext, 'config'>,
  sources: PollWiring['sources'],
  due: readonly SourceToPoll[],
  call: Call,
  signal: AbortSignal,
): Promise<void> {
  throwFirst(await pollConcurrently(context, sources, due, call, signal));
}

type Outcome = PromiseSettledResult<PollReport>;

async function pollConcurrently(
  { config }: Pick<AwsContext, 'config'>,
  sources: PollWiring['sources'],
  due: readonly SourceToPoll[],
  call: Call,
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  const { log, id: cycle } = call;
  countNothing(call);
  const shared = memoize((snapshots: SnapshotStore) => shareDueReads(snapshots));
  const observed = due.flatMap(({ source: { name }, found }) => {
    const ports = sources.get(name);
    if (ports === undefined) return [];
    const { snapshots } = found === undefined ? shared(ports.snapshots) : shareDueReads(ports.snapshots, found);
    return [[name, observePorts({ ...ports, snapshots }, call)] as const];
  });
  const wiring = { config, sources: new Map(observed) };
  const outcomes = await Promise.allSettled(
    due.map(({ source }) => pollCycle(wiring, source, createWatcher(call), { signal })),
  );
  for (const [at, outcome] of outcomes.entries()) {
    const source = due[at]?.source.name;
    if (outcome.status === 'rejected')
      log.error('poll failed', { cycle, source, error: describeError(outcome.reason) });
  }
  if (signal.aborted) log.info('time limit reached; the next poll continues', { cycle });
  return outcomes;
}

/** After all sources are done, throws the first failure that is not a failed scan. */
function throwFirst(outcomes: readonly Outcome[]): void {
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function createWatcher({ log, count, id: cycle }: Call): Watcher {
  return {
    scanned(report) {
      log.info('scanned', { cycle, ...report });
      count('scans', 1);
      // A baseline sends no events, however many records it has.
      count('changes', report.baseline ? 0 : report.created + report.changed + report.deleted);
    },
    zoneUnknown: (source) =>
      log.warn('no time zone known, so no time-driven events: set timeZone in the config', { cycle, source }),
    clockMovedBack: (source) => log.warn('the clock was put back since the last scan', { cycle, source }),
    leftToAnother: (source) => log.info('another poll holds the lease of this source; skipped', { cycle, source }),
    scanFailed({ code, message, ...scan }) {
      const entry = { cycle, ...scan, error: { code, message } };
      // A person has to act: it does not pass by itself.
      if (code === OTHER_ACCOUNT) log.error('scan failed', entry);
      else log.warn('scan failed', entry);
      count('failedScans', 1);
    },
  };
}

/** Logs commits, and publishes the quota that every cycle reads anyway. */
function observePorts(ports: PollPorts, call: Call): PollPorts {
  const { api } = ports;
  return {
    ...ports,
    snapshots: logCommits(ports.snapshots, call),
    api: {
      ...api,
      async quota(signal) {
        const quota = await api.quota(signal);
        if (quota !== null) call.count('quotaLeft', Math.max(0, quota.limit - quota.used));
        return quota;
      },
    },
  };
}
