/** The embedded mode, forever: loops on one set of stores, each woken by what the one before it wrote. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { prune } from '../../core/events/retention.ts';
import { type Duration, HOUR, SECOND } from '../../core/model/time.ts';
import { TICK_BATCH, tick } from '../../core/snapshot/tick.ts';
import type { SourceConfig } from '../config/config.ts';
import { pollCycle } from '../poll-cycle.ts';
import type { Embedded } from './embedded.ts';
import { announceAll, deliverAll, type Watcher } from './pipeline.ts';
import { createSignal } from './signal.ts';

/** How often each loop looks by itself: another process may have written to the same file. */
const LOOK: Duration = SECOND;

/** After a failure the planner waits longer by itself; this keeps it from asking for the quota every second. */
const LOOK_AFTER_FAILURE: Duration = 15 * SECOND;

/** How often what is too old is let go of. */
const PRUNE_EVERY: Duration = HOUR;

/** Runs until the signal; then finishes the attempts in hand. What was not finished is taken up at the next start. */
export async function serve(embedded: Embedded, watcher: Watcher, stop: AbortSignal): Promise<void> {
  // One loop that breaks ends them all: half a service that looks alive is worse than none.
  const broken = new AbortController();
  const signal = AbortSignal.any([stop, broken.signal]);
  const { changed, queued } = embedded.signals;

  const pollLoop = async (source: SourceConfig) => {
    while (!signal.aborted) {
      const { failed } = await pollCycle(embedded, source, watcher, { signal });
      await createSignal().wait(failed.length > 0 ? LOOK_AFTER_FAILURE : LOOK, signal);
    }
  };

  const tickLoop = async () => {
    while (!signal.aborted) {
      const due = await tick(embedded);
      // A full batch: there is more, and the others get their turn in between.
      await (due < TICK_BATCH ? createSignal().wait(LOOK, signal) : nextTurn());
    }
  };

  const announceLoop = async () => {
    while (!signal.aborted) {
      await announceAll(embedded, watcher, signal);
      await changed.wait(LOOK, signal);
    }
  };

  const pruneLoop = async () => {
    while (!signal.aborted) {
      await prune(embedded, embedded.config.retention);
      await createSignal().wait(PRUNE_EVERY, signal);
    }
  };

  const deliverLoop = () => deliverAll(embedded, watcher, { signal, more: () => queued.wait(LOOK, signal) });

  const loops = [...embedded.config.sources.map(pollLoop), tickLoop(), announceLoop(), deliverLoop(), pruneLoop()];
  const outcomes = await Promise.allSettled(loops.map((loop) => loop.catch(breakAll)));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;

  function breakAll(error: unknown): never {
    broken.abort();
    throw error;
  }
}
