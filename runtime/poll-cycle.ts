/** One cycle of polling a source as the config has it, wherever its stores are. What is due is for the core to plan. */

import { type PollPorts, type PollReport, poll } from '../core/source/poll.ts';
import type { Config, SourceConfig } from './config/config.ts';
import type { Watcher } from './embedded/pipeline.ts';

/** What polling needs of a composition root. */
export interface PollWiring {
  readonly config: Pick<Config, 'rules'>;
  /** The poll ports of each source, by name. */
  readonly sources: ReadonlyMap<string, PollPorts>;
}

export interface CycleOptions {
  /** Sweep everything, due or not. @default false */
  readonly everything?: boolean;
  readonly signal?: AbortSignal;
}

/** Polls what is due of a source. */
export async function pollCycle(
  wiring: PollWiring,
  config: SourceConfig,
  watcher: Watcher,
  { everything = false, signal }: CycleOptions = {},
): Promise<PollReport> {
  const { name: source, resources, quota, timeZone, announceExisting, attribution } = config;
  const ports = wiring.sources.get(source);
  if (ports === undefined) throw new Error(`source '${source}' was not wired`);
  const report = await poll(ports, {
    source,
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
  // What we stopped ourselves did not fail.
  const failed = signal?.aborted === true ? [] : report.failed;
  for (const scan of report.scans) watcher.scanned?.(scan);
  for (const scan of failed) watcher.scanFailed?.(scan);
  if (report.leftToAnother === true) watcher.leftToAnother?.(source);
  return { ...report, failed };
}
