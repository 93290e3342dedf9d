/**
 * The metrics of a running service in the text format of Prometheus. Counters are fed by the pipeline; gauges are read from
 * the stores at each request, as long as these answer. Labels have few values: sources, resources, event types and channels, never records,
 * subscriptions or receivers. In AWS the functions publish CloudWatch metrics instead.
 */

import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { between, type Duration, type Instant, SECOND, toMillis } from '../../core/model/time.ts';
import { getSourceStatuses, getSubscriptionStatuses, type ResourceStatus } from '../inspect/status.ts';
import { createTimedRead } from '../timed-read.ts';
import type { Embedded } from './embedded.ts';
import type { Watcher } from './pipeline.ts';

export interface ServiceMetrics {
  readonly watcher: Required<Pick<Watcher, 'scanned' | 'scanFailed' | 'announced' | 'delivered' | 'unattempted'>>;
  countReload(outcome: 'applied' | 'rejected'): void;
  /** The generation whose stores the gauges are read from. */
  use(embedded: Embedded): void;
  /** Within a second. With `unavailable`, the stores do not answer: the gauges are those of the last read. */
  render(): Promise<{
    readonly contentType: string;
    readonly text: string;
    readonly unavailable?: { readonly ms: number; readonly reason?: string };
  }>;
}

export interface ServiceMetricsOptions {
  readonly version: string;
  /** The data directory, whose file system is measured. @default - it is not measured */
  readonly data?: string;
  /** Adds the metrics of the process: memory, CPU, event loop. @default true */
  readonly process?: boolean;
  /** For how many milliseconds the same text is returned. @default 0 */
  readonly freshMs?: number;
}

/** Every measurement of the lag wakes the process: at the default of 10 ms that is half of the CPU time of an idle service. */
const EVENT_LOOP_INTERVAL_MS = 100;

/** An attempt ends after 15 s, a mail after 30 s. */
const ATTEMPT_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];

/** Webhooks are sent at once, digests wait up to a day. */
const LATENCY_BUCKETS = [1, 5, 15, 60, 300, 900, 3600, 21_600, 86_400];

export function openServiceMetrics({
  version,
  data,
  process = true,
  freshMs = 0,
}: ServiceMetricsOptions): ServiceMetrics {
  const registry = new Registry();
  const registers = [registry];
  if (process) collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_INTERVAL_MS });
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter<L>({ name: `tidings_${name}`, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge<L>({ name: `tidings_${name}`, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, labelNames: readonly L[], buckets: number[]) =>
    new Histogram<L>({ name: `tidings_${name}`, help, labelNames, buckets, registers });

  gauge('build_info', 'Constant 1, with the version as label.', ['version']).set({ version }, 1);
  const scans = counter('scans_total', 'Scans of a resource.', ['source', 'resource', 'kind', 'outcome']);
  const requests = counter('api_requests_total', 'Requests of successful scans to the API.', ['source', 'resource']);
  const changes = counter('records_changed_total', 'Records found changed since the first sync.', [
    'source',
    'resource',
    'change',
  ]);
  const events = counter('events_total', 'Events announced.', ['type']);
  const attempts = counter('delivery_attempts_total', 'Attempts at deliveries.', ['channel', 'outcome']);
  const attemptTime = histogram('delivery_attempt_seconds', 'Duration of an attempt.', ['channel'], ATTEMPT_BUCKETS);
  const latency = histogram(
    'delivery_latency_seconds',
    'From the announcement of an event to its acceptance, waiting for a digest included.',
    ['channel'],
    LATENCY_BUCKETS,
  );
  const postponed = counter('deliveries_postponed_total', 'Attempts that were put off before they were made.', [
    'because',
  ]);
  const reloads = counter('config_reloads_total', 'Reloads of the config.', ['outcome']);
  // Present from the start, so that the first rejection is a visible step.
  for (const outcome of ['applied', 'rejected']) reloads.inc({ outcome }, 0);

  const sourceUp = gauge('source_up', '1 while the source can be read, else 0.', ['source']);
  const quotaLimit = gauge('quota_limit_requests', 'Daily quota of the API.', ['source']);
  const quotaUsed = gauge('quota_used_requests', 'Requests of today, by all users of the quota.', ['source']);
  const stretch = gauge('cadence_stretch_ratio', 'Factor by which cadences are lengthened to fit the quota.', [
    'source',
  ]);
  const records = gauge('records', 'Known records.', ['source', 'resource']);
  const scanLag = gauge('scan_lag_seconds', 'How long a scan has been due; 0 on time.', ['source', 'resource']);
  const lastScan = gauge('last_scan_timestamp_seconds', 'Start of the last good scan.', ['source', 'resource']);
  const failures = gauge('scan_failures_in_a_row', 'Failed scans since the last good one.', ['source', 'resource']);
  const subscriptions = gauge('subscriptions', 'Subscriptions by health.', ['state']);
  const deliveries = gauge('deliveries', 'Deliveries that are not finished, and failed ones.', ['status']);
  const queued = gauge('queue_jobs', 'Jobs on the queue, those in flight included.');
  const unannounced = gauge('unannounced_changes', 'Changes that are not announced yet.');
  const agenda = gauge('agenda_entries', 'Records and deliveries with a moment ahead.', ['kind']);
  const deliveryLag = gauge('delivery_lag_seconds', 'How long the oldest delivery has been due without being queued.');
  const dataBytes = gauge('data_bytes', 'Size of the files in the data directory.');
  const freeBytes = gauge('disk_free_bytes', 'Free space of the file system that has the data directory.');

  let embedded: Embedded | undefined;
  let latest: { readonly result: ReturnType<ServiceMetrics['render']>; readonly at: number } | undefined;
  const readTimed = createTimedRead(async () => {
    if (embedded !== undefined) await readGauges(embedded);
  });

  async function readGauges({ clock, config, ...ports }: Embedded): Promise<void> {
    const now = clock.now();
    const sources = await getSourceStatuses(ports, config, now);
    const health = await getSubscriptionStatuses(ports, now);
    const [oldest] = await ports.agenda.due(now, 1);
    const workload = await ports.workload();
    const disk = data === undefined ? undefined : await readDisk(data);
    // From here on without a wait: another request must not see half of it.
    for (const one of [sourceUp, quotaLimit, quotaUsed, stretch, records, scanLag, lastScan, failures, subscriptions])
      one.reset();
    for (const { source, state, quota, stretch: factor, resources } of sources) {
      sourceUp.set({ source }, state === 'ok' || state === 'new' ? 1 : 0);
      stretch.set({ source }, factor);
      if (quota !== null) {
        quotaLimit.set({ source }, quota.limit);
        quotaUsed.set({ source }, quota.used);
      }
      for (const resource of resources) readResource(source, resource, now);
    }
    for (const { state, pausedUntil } of health)
      subscriptions.inc({ state: state === 'ok' && pausedUntil !== null ? 'paused' : state });
    queued.set(workload.queued);
    unannounced.set(workload.unannounced);
    for (const [status, count] of Object.entries(workload.deliveries)) deliveries.set({ status }, count);
    agenda.set({ kind: 'record' }, workload.moments);
    agenda.set({ kind: 'delivery' }, workload.scheduled);
    if (disk !== undefined) {
      dataBytes.set(disk.used);
      freeBytes.set(disk.free);
    }
    deliveryLag.set(oldest === undefined ? 0 : seconds(between(oldest.at, now)));
  }

  function readResource(source: string, status: ResourceStatus, now: Instant): void {
    const labels = { source, resource: status.resource };
    failures.set(labels, status.failures);
    if (status.count !== null) records.set(labels, status.count);
    if (status.lastGoodScanAt !== null) lastScan.set(labels, seconds(toMillis(status.lastGoodScanAt)));
    scanLag.set(labels, status.nextScanAt === null ? 0 : Math.max(0, seconds(between(status.nextScanAt, now))));
  }

  return {
    use(next) {
      embedded = next;
    },
    countReload: (outcome) => reloads.inc({ outcome }),
    watcher: {
      scanned({ source, resource, kind, baseline, created, changed, deleted, requests: count }) {
        scans.inc({ source, resource, kind, outcome: 'ok' });
        requests.inc({ source, resource }, count);
        if (baseline) return;
        for (const [change, records] of Object.entries({ created, changed, deleted }))
          changes.inc({ source, resource, change }, records);
      },
      scanFailed: ({ source, resource, kind }) => scans.inc({ source, resource, kind, outcome: 'failed' }),
      announced(all) {
        for (const { type } of all) events.inc({ type });
      },
      delivered({ delivery, attempt, channel = 'unknown' }) {
        attempts.inc({ channel, outcome: attempt.outcome });
        if (attempt.outcome === 'skipped') return;
        attemptTime.observe({ channel }, attempt.ms / SECOND);
        if (attempt.outcome === 'accepted')
          latency.observe({ channel }, seconds(between(delivery.createdAt, attempt.at)));
      },
      unattempted(_, outcome) {
        if (outcome.kind === 'postponed') postponed.inc({ because: outcome.because });
      },
    },
    async render() {
      if (latest !== undefined && performance.now() - latest.at < freshMs) return latest.result;
      latest = { result: renderNow(), at: performance.now() };
      return latest.result;
    },
  };

  async function renderNow(): ReturnType<ServiceMetrics['render']> {
    const known = embedded?.unavailable();
    const { waitingMs } = known === undefined ? await readTimed() : {};
    const unavailable = known ?? (waitingMs === undefined ? undefined : { ms: waitingMs, ...embedded?.unavailable() });
    return { contentType: registry.contentType, text: await registry.metrics(), unavailable };
  }
}

/** Undefined if the directory cannot be read: the stores then say why. */
async function readDisk(directory: string): Promise<{ readonly used: number; readonly free: number } | undefined> {
  try {
    const { bavail, bsize } = await statfs(directory);
    const entries = await readdir(directory, { withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const sizes = await Promise.all(files.map(async ({ name }) => (await stat(join(directory, name))).size));
    return { used: sizes.reduce((sum, size) => sum + size, 0), free: bavail * bsize };
  } catch {
    return undefined;
  }
}

const seconds = (duration: Duration) => Math.max(0, duration) / SECOND;
