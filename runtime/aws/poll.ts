/** Polls every source of the config once, concurrently, and reports the results to log and metrics. */

import { memoize } from '../../core/model/memoize.ts';
import { OTHER_ACCOUNT } from '../../core/source/account/account.ts';
import type { PollPorts } from '../../core/source/poll.ts';
import { isManagedOverHttp } from '../config/serves-api.ts';
import type { Watcher } from '../embedded/pipeline.ts';
import { type PollWiring, pollCycle } from '../poll-cycle.ts';
import type { AwsContext } from './context.ts';
import { describeError, type Invocation } from './lambda-handler.ts';
import { logCommits } from './log-commits.ts';
import { shareDueReads } from './share-due-reads.ts';
import { countConditions } from './source-metrics.ts';

/** After all sources are done, throws the first failure that is not a failed scan. */
export async function pollAll(
  { config, environment }: Pick<AwsContext, 'config' | 'environment'>,
  sources: PollWiring['sources'],
  call: Pick<Invocation, 'log' | 'count' | 'countSource' | 'id' | 'tracer'>,
  signal: AbortSignal,
): Promise<void> {
  const { log, count, id: cycle } = call;
  for (const metric of ['scans', 'failedScans', 'changes'] as const) count(metric, 0);
  const shared = memoize(shareDueReads);
  const observed = new Map(
    [...sources].map(([name, ports]) => [name, observePorts({ ...ports, snapshots: shared(ports.snapshots) }, call)]),
  );
  const readsRequests = isManagedOverHttp(config);
  const outcomes = await Promise.allSettled(
    config.sources.map((source) =>
      pollCycle({ config, sources: observed }, source, createWatcher(call), { signal, readsRequests }),
    ),
  );
  const conditions = outcomes.map((one, at) => ({
    source: config.sources[at]?.name ?? '',
    isFailing: one.status === 'rejected' || one.value.isFailing === true,
    isLagging: one.status === 'fulfilled' && one.value.isLagging === true,
  }));
  countConditions({ environment }, conditions, call);
  for (const [at, outcome] of outcomes.entries()) {
    const source = config.sources[at]?.name;
    if (outcome.status === 'rejected')
      log.error('poll failed', { cycle, source, error: describeError(outcome.reason) });
  }
  if (signal.aborted) log.info('time limit reached; the next poll continues', { cycle });
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function createWatcher({ log, count, id: cycle }: Pick<Invocation, 'log' | 'count' | 'id'>): Watcher {
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
function observePorts(ports: PollPorts, call: Pick<Invocation, 'log' | 'count' | 'id' | 'tracer'>): PollPorts {
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
