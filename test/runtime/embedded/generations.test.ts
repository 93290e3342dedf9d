import { describe, expect, it, vi } from 'vitest';
import { type Generation, runGenerations } from '../../../runtime/embedded/generations.ts';
import { createSignal } from '../../../runtime/embedded/signal.ts';

/** A log of what happens, and generations that write to it. */
function world() {
  const log: string[] = [];
  const stop = new AbortController();
  const reloads = createSignal();
  const generation = (name: string, work: Partial<Generation> = {}): Generation & { name: string } => ({
    name,
    run: async (signal) => {
      log.push(`${name} runs`);
      if (!signal.aborted) await new Promise<void>((end) => signal.addEventListener('abort', () => end()));
      // Attempts in flight.
      await new Promise((later) => setTimeout(later, 5));
      log.push(`${name} ended`);
    },
    close: async () => {
      log.push(`${name} closed`);
    },
    ...work,
  });
  type Named = ReturnType<typeof generation>;
  const start = (first: Named, openNext: () => Promise<Named>) =>
    runGenerations<Named>({
      first,
      openNext,
      reloads,
      stop: stop.signal,
      onReplaced: ({ name }) => log.push(`${name} in force`),
      onRejected: (error) => log.push(`refused: ${String(error)}`),
    });
  const seen = (line: string) => vi.waitFor(() => expect(log).toContain(line));
  return { log, stop, reloads, generation, start, seen };
}

describe('runGenerations', () => {
  it('opens the next generation, lets the old one finish, and only then runs the next', async () => {
    const { log, stop, reloads, generation, start, seen } = world();
    const running = start(generation('one'), async () => generation('two'));
    reloads.notify();
    await seen('two runs');
    stop.abort();
    await running;
    expect(log).toEqual([
      ...['one runs', 'two in force', 'one ended', 'one closed'],
      ...['two runs', 'two ended', 'two closed'],
    ]);
  });

  it('keeps the running generation if the next cannot be opened, and tries again when asked', async () => {
    const { log, stop, reloads, generation, start, seen } = world();
    let tries = 0;
    const running = start(generation('one'), async () => {
      tries += 1;
      if (tries === 1) throw new Error('no token');
      return generation('two');
    });
    reloads.notify();
    await seen('refused: Error: no token');
    expect(log).not.toContain('one ended');
    reloads.notify();
    await seen('two runs');
    stop.abort();
    await running;
  });

  it('closes a generation that was opened while the service was stopped, and never runs it', async () => {
    const { log, stop, reloads, generation, start } = world();
    const opening = Promise.withResolvers<ReturnType<typeof generation>>();
    let isAsked = false;
    const running = start(generation('one'), () => {
      isAsked = true;
      return opening.promise;
    });
    reloads.notify();
    await vi.waitFor(() => expect(isAsked).toBe(true));
    stop.abort();
    opening.resolve(generation('two'));
    await running;
    expect(log).toEqual(['one runs', 'one ended', 'one closed', 'two closed']);
  });

  it('ends with the error of a generation', async () => {
    const { log, generation, start } = world();
    const failing = generation('one', { run: () => Promise.reject(new Error('disk full')) });
    await expect(start(failing, async () => generation('two'))).rejects.toThrow('disk full');
    expect(log).toEqual(['one closed']);
  });

  it('ends with the error of a generation that fails while the next is opened', async () => {
    const { log, reloads, generation, start } = world();
    const broken = Promise.withResolvers<void>();
    const failing = generation('one', { run: () => broken.promise });
    const running = start(failing, async () => {
      broken.reject(new Error('disk full'));
      await new Promise((later) => setTimeout(later, 5));
      return generation('two');
    });
    reloads.notify();
    await expect(running).rejects.toThrow('disk full');
    expect(log.toSorted()).toEqual(['one closed', 'two closed']);
  });
});
