/**
 * Replaces a running service without a gap: the next generation is opened while the old one runs, then the old one finishes
 * what it has begun, and the next one continues. If the next one cannot be opened, the old one goes on.
 */

import type { Signal } from './signal.ts';

export interface Generation {
  /** Runs until the signal aborts, then finishes what is in flight. */
  run(signal: AbortSignal): Promise<void>;
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
  let current: G | undefined = options.first;
  while (current !== undefined) {
    const { run, close }: G = current;
    const [replaced, ended] = [new AbortController(), new AbortController()];
    const running = run(AbortSignal.any([stop, replaced.signal])).finally(() => ended.abort());
    // Handled below: until then, a failure must not count as unhandled.
    running.catch(() => {});
    const opened = await openAfterReload(options, ended.signal);
    const next: G | undefined = ended.signal.aborted || stop.aborted ? undefined : opened;
    if (next !== undefined) onReplaced(next);
    replaced.abort();
    try {
      await running;
    } catch (error) {
      await opened?.close();
      throw error;
    } finally {
      await close();
    }
    if (next === undefined) await opened?.close();
    current = next;
  }
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
