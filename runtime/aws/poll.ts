/** Polls every source of the config once, side by side, and tells the log and the metrics how it went. */

import type { PollPorts } from '../../core/source/poll.ts';
import type { Watcher } from '../embedded/pipeline.ts';
import { type PollWiring, pollCycle } from '../poll-cycle.ts';
import type { AwsContext } from './context.ts';
import { describeError, type Invocation } from './lambda-handler.ts';
import { logCommits } from './log-commits.ts';

/** Throws the first failure that no scan explains, after every source had its turn. */
export async function pollAll(
  { config }: Pick<AwsContext, 'config'>,
  sources: PollWiring['sources'],
  call: Pick<Invocation, 'log' | 'count' | 'id'>,
  signal: AbortSignal,
): Promise<void> {
  const { log, count, id: cycle } = call;
  for (const metric of ['scans', 'failedScans', 'changes'] as const) count(metric, 0);
  const told = new Map([...sources].map(([name, ports]) => [name, observePorts(ports, call)]));
  const outcomes = await Promise.allSettled(
    config.sources.map((source) => pollCycle({ config, sources: told }, source, createWatcher(call), { signal })),
  );
  for (const [at, outcome] of outcomes.entries()) {
    const source = config.sources[at]?.name;
    if (outcome.status === 'rejected')
      log.error('poll failed', { cycle, source, error: describeError(outcome.reason) });
  }
  if (signal.aborted) log.info('time is over; the next poll goes on from here', { cycle });
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function createWatcher({ log, count, id: cycle }: Pick<Invocation, 'log' | 'count' | 'id'>): Watcher {
  return {
    scanned(report) {
      log.info('scanned', { cycle, ...report });
      count('scans', 1);
      // A baseline is no news, however much there is.
      count('changes', report.baseline ? 0 : report.created + report.changed + report.deleted);
    },
    leftToAnother: (source) => log.info('another poll is at this source; left to it', { cycle, source }),
    scanFailed({ code, message, ...scan }) {
      log.warn('scan failed', { cycle, ...scan, error: { code, message } });
      count('failedScans', 1);
    },
  };
}

/** Tells of what is committed, and of the quota, which every cycle reads anyway. */
function observePorts(ports: PollPorts, call: Pick<Invocation, 'log' | 'count' | 'id'>): PollPorts {
  const { api } = ports;
  return {
    ...ports,
    snapshots: logCommits(ports.snapshots, call),
    api: {
      ...api,
      async quota(signal) {
        const quota = await api.quota(signal);
        call.count('quotaLeft', Math.max(0, quota.limit - quota.used));
        return quota;
      },
    },
  };
}
