/** Runs one complete cycle: polls what is due, then ticks, announces and delivers until nothing more is due. */

import { bringForward, hasFutureDeliveries } from '../../core/delivery/clock-back.ts';
import type { DeliveryResult } from '../../core/delivery/deliver.ts';
import { createDigestOpener } from '../../core/delivery/open-digest.ts';
import { tick } from '../../core/delivery/tick.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { Instant } from '../../core/model/time.ts';
import type { FailedScan } from '../../core/source/poll-ports.ts';
import type { ScanReport } from '../../core/source/scan/scan-report.ts';
import { cleanUp } from '../../core/subscriptions/clean-up.ts';
import { pollCycle } from '../poll-cycle.ts';
import { type Embedded, sourceNames } from './embedded.ts';
import { announceAll, deliverAll, type Watcher } from './pipeline.ts';

export interface OnceOptions {
  /** Sweeps all resources, whether due or not. @default false */
  readonly sweep?: boolean;
  readonly watcher?: Watcher;
  readonly signal?: AbortSignal;
}

export interface OnceReport {
  readonly at: Instant;
  readonly scans: readonly ScanReport[];
  readonly failedScans: readonly FailedScan[];
  /** Sources that were due but skipped, because another process holds their lease. */
  readonly leftToAnother: readonly string[];
  readonly events: readonly TidingsEvent[];
  readonly deliveries: readonly DeliveryResult[];
  /**
   * Deliveries that this cycle opened and did not try: they wait for their time (`waiting`), for a receiver that failed
   * (`pending`), or their subscription is paused or disabled (`held`).
   */
  readonly untried: Readonly<Record<UntriedStatus, number>>;
}

export async function once(embedded: Embedded, options: OnceOptions = {}): Promise<OnceReport> {
  const { sweep = false, watcher = {}, signal } = options;
  const report = collect(watcher);
  const at = embedded.clock.now();
  let isClockBack = await hasFutureDeliveries(embedded);
  for (const source of embedded.config.sources) {
    const { clockMovedBack } = await pollCycle(embedded, source, report.watcher, { everything: sweep, signal });
    isClockBack ||= clockMovedBack === true;
  }
  if (isClockBack) await bringForward(embedded);
  await createDigestOpener(embedded, sourceNames(embedded))();
  while (signal?.aborted !== true) {
    // The process ends before a gather window would. A window of 0 sends the events of this cycle together, now.
    const ticked = await tick(embedded);
    const announced = await announceAll({ ...embedded, window: 0 }, report.watcher, signal);
    const delivered = await deliverAll(embedded, report.watcher, { signal });
    if (ticked + announced + delivered === 0) break;
  }
  await cleanUp(embedded, embedded.config.retention);
  return { at, ...report.collected, untried: await countUntried(embedded, at) };
}

/** More are not counted: `tidings subscriptions` shows them. */
const MAX_COUNTED = 1000;

const UNTRIED = ['waiting', 'pending', 'held'] as const;
type UntriedStatus = (typeof UNTRIED)[number];

async function countUntried(
  { deliveries }: Pick<Embedded, 'deliveries'>,
  since: Instant,
): Promise<OnceReport['untried']> {
  const counts = UNTRIED.map(async (status) => {
    const listed = await deliveries.list({ status, limit: MAX_COUNTED });
    return [status, listed.filter((one) => one.createdAt >= since && one.attempts.length === 0).length] as const;
  });
  return Object.fromEntries(await Promise.all(counts)) as OnceReport['untried'];
}

/** Forwards all results to the watcher, and collects them for the report. */
function collect(watcher: Watcher) {
  const collected = {
    scans: [] as ScanReport[],
    failedScans: [] as FailedScan[],
    leftToAnother: [] as string[],
    events: [] as TidingsEvent[],
    deliveries: [] as DeliveryResult[],
  };
  const collecting: Watcher = {
    progress: (...progress) => watcher.progress?.(...progress),
    scanned: (scan) => {
      collected.scans.push(scan);
      watcher.scanned?.(scan);
    },
    scanFailed: (failed) => {
      collected.failedScans.push(failed);
      watcher.scanFailed?.(failed);
    },
    clockMovedBack: (source) => watcher.clockMovedBack?.(source),
    zoneUnknown: (source) => watcher.zoneUnknown?.(source),
    leftToAnother: (source) => {
      collected.leftToAnother.push(source);
      watcher.leftToAnother?.(source);
    },
    announced: (events) => {
      collected.events.push(...events);
      watcher.announced?.(events);
    },
    delivered: (delivered) => {
      collected.deliveries.push(delivered);
      watcher.delivered?.(delivered);
    },
    unattempted: (job, outcome) => watcher.unattempted?.(job, outcome),
  };
  return { collected, watcher: collecting };
}
