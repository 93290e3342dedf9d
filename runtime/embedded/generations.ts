/**
 * Replaces a running service without a gap: the next generation is opened while the old one runs, and runs while the old one
 * finishes its attempts: a receiver that hangs delays no others. If the next one cannot be opened, the old one goes on.
 */

import type { Signal } from './signal.ts';

export interface Generation {
  /**
   * Runs until the signal aborts, then finishes what is in flight.
   * @param onDraining called when nothing but attempts is in flight: the next one may run
   */
  run(signal: AbortSignal, onDraining: () => void): Promise<void>;
  close(): Promise<void>;
}

export interface GenerationsOptions<G extends Generation> {
  /** Closed at its end, like all others. */
  readonly first: G;
  readonly openNext: () => Promise<G>;
  /** Each notification asks for the next generation. Several at once count as one. */
  readonly reloads: Signal;
  readonly stop: AbortSignal;
  /** The next generation is open, and the old one about to end. */
  readonly onReplaced: (next: G) => void;
  /** The next generation could not be opened. */
  readonly onRejected: (error: unknown) => void;
}

/** Runs one generation after the other until `stop` aborts or one of them fails. */
export async function runGenerations<G extends Generation>(options: GenerationsOptions<G>): Promise<void> {
  const { stop, onReplaced } = options;
  /** Aborts if the generation before fails: then all ends. */
  const broken = new AbortController();
  /** The end of the generation before. */
  let former: Promise<void> = Promise.resolve();
  let current: G | undefined = options.first;
  while (current !== undefined) {
    const { run, close }: G = current;
    const [replaced, draining, ended] = [new AbortController(), new AbortController(), new AbortController()];
    const signal = AbortSignal.any([stop, replaced.signal, broken.signal]);
    const closed = run(signal, () => draining.abort())
      .finally(() => ended.abort())
      .finally(close);
    // Also handled below: until then, a failure must not count as unhandled.
    closed.catch(() => broken.abort());
    // Reloads wait for it, so that no more than two have attempts in flight.
    await settleOrAbort(former, ended.signal);
    const opened = await openAfterReload(options, ended.signal);
    const next: G | undefined = ended.signal.aborted || stop.aborted ? undefined : opened;
    if (next !== undefined) onReplaced(next);
    replaced.abort();
    if (next === undefined) {
      const outcomes = await Promise.allSettled([former, closed]);
      await opened?.close();
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    } else await settleOrAbort(closed, draining.signal);
    former = closed;
    current = next;
  }
}

async function settleOrAbort(work: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await Promise.race([work.catch(() => {}), aborted]);
}

/** Undefined when the running generation ended first. */
async function openAfterReload<G extends Generation>(
  { openNext, reloads, onRejected }: GenerationsOptions<G>,
  ended: AbortSignal,
): Promise<G | undefined> {
  while (!ended.aborted) {
    await reloads.wait(undefined, ended);
    if (ended.aborted) break;
    try {
      return await openNext();
    } catch (error) {
      onRejected(error);
    }
  }
  return undefined;
}
