/** Passes the results of the pipeline to several watchers, in order. */

import type { Watcher } from './pipeline.ts';

export function combineWatchers(...watchers: readonly Watcher[]): Required<Watcher> {
  const each = (pass: (watcher: Watcher) => void) => {
    for (const one of watchers) pass(one);
  };
  return {
    progress: (...args) => each((one) => one.progress?.(...args)),
    scanned: (report) => each((one) => one.scanned?.(report)),
    scanFailed: (failed) => each((one) => one.scanFailed?.(failed)),
    leftToAnother: (source) => each((one) => one.leftToAnother?.(source)),
    clockMovedBack: (source) => each((one) => one.clockMovedBack?.(source)),
    zoneUnknown: (source) => each((one) => one.zoneUnknown?.(source)),
    announced: (events) => each((one) => one.announced?.(events)),
    delivered: (result) => each((one) => one.delivered?.(result)),
    unattempted: (job, outcome) => each((one) => one.unattempted?.(job, outcome)),
  };
}
