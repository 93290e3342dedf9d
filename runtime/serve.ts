/** The embedded mode, forever: three loops on one set of stores, each woken by the one before it. */

import { type Duration, MINUTE, SECOND } from '../core/model/time.ts';
import { tick } from '../core/snapshot/tick.ts';
import { isScanDue } from '../core/source/poll.ts';
import { createBell } from './bell.ts';
import type { SourceConfig } from './config/config.ts';
import type { Embedded } from './embedded.ts';
import { announceAll, deliverAll, pollOne, type Watcher } from './work.ts';

/** How often each loop looks by itself: another process may have written to the same file. */
const LOOK: Duration = SECOND;

/** Runs until the signal; then finishes the attempts in hand. What was not finished is taken up at the next start. */
export async function serve(embedded: Embedded, watcher: Watcher, stop: AbortSignal): Promise<void> {
  // One loop that breaks ends them all: half a service that looks alive is worse than none.
  const broken = new AbortController();
  const signal = AbortSignal.any([stop, broken.signal]);
  const changed = createBell();
  const queued = createBell();

  const pollLoop = async (source: SourceConfig) => {
    for (let failures = 0; !signal.aborted; ) {
      const state = await embedded.ledger.scanState(source.name, 'task');
      if (isScanDue(state, source.resources.task.every, embedded.clock.now())) {
        const report = await pollOne(embedded, source, watcher, signal);
        failures = report === undefined ? failures + 1 : 0;
        changed.ring();
      }
      await createBell().wait(failures === 0 ? LOOK : pollBackoff(failures), signal);
    }
  };

  const announceLoop = async () => {
    while (!signal.aborted) {
      const ticked = await tick(embedded);
      const announced = await announceAll(embedded, watcher, signal);
      if (ticked + announced > 0) queued.ring();
      await changed.wait(LOOK, signal);
    }
  };

  const deliverLoop = () => deliverAll(embedded, watcher, { signal, more: () => queued.wait(LOOK, signal) });

  const loops = [...embedded.config.sources.map(pollLoop), announceLoop(), deliverLoop()];
  const outcomes = await Promise.allSettled(loops.map((loop) => loop.catch(breakAll)));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;

  function breakAll(error: unknown): never {
    broken.abort();
    throw error;
  }
}

/** A source that fails is asked again soon, then less and less often, at last once in five minutes. */
function pollBackoff(failures: number): Duration {
  return Math.min(5 * SECOND * 2 ** (failures - 1), 5 * MINUTE);
}
