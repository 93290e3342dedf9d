/**
 * Notices that a source was added, changed or removed, by this process or another one, so that the service opens its next
 * generation. Several changes within a moment make one.
 */

import { type Duration, SECOND } from '../core/model/time.ts';
import type { SourceStore } from '../core/ports/source-store.ts';
import { createSignal } from '../runtime/embedded/signal.ts';

/** One read of a number in memory. */
const WATCH_INTERVAL: Duration = SECOND;

/** A revision that other changes follow at once is waited for at most this often. */
const MAX_WAITS = 5;

export interface SourceWatchOptions {
  /** The store of the running generation. */
  readonly store: () => Pick<SourceStore, 'revision'>;
  /** The revision that the service was opened with. */
  readonly from: number;
  readonly onChange: () => void;
  readonly stop: AbortSignal;
}

/** Runs until `stop` aborts. A store that cannot be read is asked again. */
export async function watchSources({ store, from, onChange, stop }: SourceWatchOptions): Promise<void> {
  const wait = () => createSignal().wait(WATCH_INTERVAL, stop);
  const read = async (): Promise<number | undefined> =>
    store()
      .revision()
      .catch(() => undefined);
  let known = from;
  while (!stop.aborted) {
    await wait();
    const revision = await read();
    if (revision === undefined || revision === known) continue;
    known = revision;
    for (let waits = 0; waits < MAX_WAITS && !stop.aborted; waits++) {
      await wait();
      const next = (await read()) ?? known;
      if (next === known) break;
      known = next;
    }
    if (!stop.aborted) onChange();
  }
}
