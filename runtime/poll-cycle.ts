/** Polls one source once with the options of its config, embedded or in AWS. The core plans which scans are due. */

import { poll } from '../core/source/poll.ts';
import type { PollPorts, PollReport } from '../core/source/poll-ports.ts';
import type { Config, SourceConfig } from './config/config.ts';
import type { Watcher } from './embedded/pipeline.ts';

/** The parts of a composition root that polling needs. */
export interface PollWiring {
  readonly config: Pick<Config, 'rules'>;
  /** The poll ports of each source, by name. */
  readonly sources: ReadonlyMap<string, PollPorts>;
}

export interface CycleOptions {
  /** Sweeps all resources, whether due or not. @default false */
  readonly everything?: boolean;
  readonly signal?: AbortSignal;
}

/** Runs the due scans of a source, and reports them to the watcher. */
export async function pollCycle(
  wiring: PollWiring,
  config: SourceConfig,
  watcher: Watcher,
  { everything = false, signal }: CycleOptions = {},
): Promise<PollReport> {
  const { name: source, baseUrl, resources, quota, timeZone, announceExisting, attribution } = config;
  const ports = wiring.sources.get(source);
  if (ports === undefined) throw new Error(`source '${source}' was not wired`);
  const report = await poll(ports, {
    source,
    baseUrl,
    resources,
    rules: wiring.config.rules,
    announceExisting,
    attribution,
    timeZone,
    reserve: quota.reserve,
    everything,
    onProgress: (resource, seen, total) => watcher.progress?.(source, resource, seen, total),
    signal,
  });
  // Scans aborted by the signal are not failures.
  const failed = signal?.aborted === true ? [] : report.failed;
  for (const scan of report.scans) watcher.scanned?.(scan);
  for (const scan of failed) watcher.scanFailed?.(scan);
  if (report.clockMovedBack === true) watcher.clockMovedBack?.(source);
  if (report.zoneUnknown === true) watcher.zoneUnknown?.(source);
  if (report.leftToAnother === true) watcher.leftToAnother?.(source);
  return { ...report, failed };
}
