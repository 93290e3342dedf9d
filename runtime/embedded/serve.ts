/** Runs the embedded mode until stopped: loops on one set of stores, each woken by the writes of the one before it. */

import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import { bringForward, hasFutureDeliveries } from '../../core/delivery/clock-back.ts';
import { createDigestOpener } from '../../core/delivery/open-digest.ts';
import { TICK_BATCH, tick } from '../../core/delivery/tick.ts';
import { type Duration, HOUR, SECOND } from '../../core/model/time.ts';
import { isFuture } from '../../core/source/clock-moved.ts';
import { cleanUp } from '../../core/subscriptions/clean-up.ts';
import type { SourceConfig } from '../config/config.ts';
import { pollCycle } from '../poll-cycle.ts';
import { type Embedded, sourceNames } from './embedded.ts';
import { announceAll, type DeliverOptions, deliverAll, type Watcher } from './pipeline.ts';
import { createSignal } from './signal.ts';

/** How often each loop polls without a signal: another process may have written to the same file. */
const POLL_INTERVAL: Duration = SECOND;

/** The planner already delays scans after a failure. This also keeps each cycle from requesting the quota every second. */
const INTERVAL_AFTER_FAILURE: Duration = 15 * SECOND;

/** How often old events are deleted. */
const PRUNE_EVERY: Duration = HOUR;

export interface ServeOptions extends Pick<DeliverOptions, 'runTask'> {
  /** Called when nothing but attempts is in flight: another may begin to serve. @default - none follows */
  readonly onDraining?: (() => void) | undefined;
}

/** Runs until `stop` aborts, then finishes the attempts in flight. Unfinished work resumes on the next start. */
export async function serve(
  embedded: Embedded,
  watcher: Watcher,
  stop: AbortSignal,
  { runTask, onDraining }: ServeOptions = {},
): Promise<void> {
  // A failing loop ends them all: half a service that looks alive is worse than none.
  const broken = new AbortController();
  const signal = AbortSignal.any([stop, broken.signal]);
  const { changed, queued } = embedded.signals;

  const pollLoop = async (source: SourceConfig) => {
    while (!signal.aborted) {
      const { failed, clockMovedBack } = await pollCycle(embedded, source, watcher, { signal });
      if (clockMovedBack === true) await bringForward(embedded);
      await createSignal().wait(failed.length > 0 ? INTERVAL_AFTER_FAILURE : POLL_INTERVAL, signal);
    }
  };

  /** Beside tick, which does not wait until all are brought forward. */
  const clockLoop = async () => {
    if (await hasFutureDeliveries(embedded)) await bringForward(embedded);
    for (let last = embedded.clock.now(); !signal.aborted; ) {
      const now = embedded.clock.now();
      if (isFuture(last, now)) await bringForward(embedded);
      last = now;
      await createSignal().wait(POLL_INTERVAL, signal);
    }
  };

  const tickLoop = async () => {
    const openDigests = createDigestOpener(embedded, sourceNames(embedded));
    while (!signal.aborted) {
      await openDigests();
      const due = await tick(embedded);
      // A full batch: there is more. Yield to the other loops in between.
      await (due < TICK_BATCH ? createSignal().wait(POLL_INTERVAL, signal) : nextEventLoopTurn());
    }
  };

  const announceLoop = async () => {
    while (!signal.aborted) {
      await announceAll(embedded, watcher, signal);
      await changed.wait(POLL_INTERVAL, signal);
    }
  };

  const pruneLoop = async () => {
    while (!signal.aborted) {
      await cleanUp(embedded, embedded.config.retention);
      await createSignal().wait(PRUNE_EVERY, signal);
    }
  };

  const more = () => queued.wait(POLL_INTERVAL, signal);
  const { promise: drains, resolve } = Promise.withResolvers<void>();
  const delivering = deliverAll(embedded, watcher, { signal, more, runTask, onDraining: resolve });

  const others = [clockLoop(), tickLoop(), announceLoop(), pruneLoop()];
  const loops = [...embedded.config.sources.map(pollLoop), ...others].map((loop) => loop.catch(breakAll));
  void Promise.allSettled([...loops, drains]).then(onDraining);
  const outcomes = await Promise.allSettled([...loops, delivering.catch(breakAll)]);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;

  function breakAll(error: unknown): never {
    broken.abort();
    throw error;
  }
}
