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
  it('opens the next generation, lets the old one end its loops, and only then runs the next', async () => {
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

  /** Has an attempt in flight until it is told to end. */
  function draining(name: string, { generation, log }: Pick<ReturnType<typeof world>, 'generation' | 'log'>) {
    const attempt = Promise.withResolvers<void>();
    const run: Generation['run'] = async (signal, onDraining) => {
      if (!signal.aborted) await new Promise<void>((end) => signal.addEventListener('abort', () => end()));
      onDraining();
      await attempt.promise;
      log.push(`${name} ended`);
    };
    return { ...generation(name, { run }), attempt };
  }

  it('runs the next generation while attempts of the old one are in flight', async () => {
    const { stop, reloads, seen, ...rest } = world();
    const { log, generation, start } = rest;
    const one = draining('one', rest);
    const running = start(one, async () => generation('two'));
    reloads.notify();
    await seen('two runs');
    expect(log).toEqual(['two in force', 'two runs']);
    one.attempt.resolve();
    await seen('one closed');
    stop.abort();
    await running;
    expect(log.slice(2)).toEqual(['one ended', 'one closed', 'two ended', 'two closed']);
  });

  it('opens no third generation while attempts of the first are in flight', async () => {
    const { stop, reloads, seen, ...rest } = world();
    const { log, generation, start } = rest;
    const one = draining('one', rest);
    const names = ['two', 'three'];
    const running = start(one, async () => generation(names.shift() ?? ''));
    reloads.notify();
    await seen('two runs');
    reloads.notify();
    await new Promise((later) => setTimeout(later, 20));
    expect(names).toEqual(['three']);
    one.attempt.resolve();
    await seen('three runs');
    stop.abort();
    await running;
    expect(log.filter((line) => line.endsWith('closed')).toSorted()).toEqual([
      'one closed',
      'three closed',
      'two closed',
    ]);
  });

  it('ends with the error of a generation that fails after it was replaced', async () => {
    const { reloads, seen, ...rest } = world();
    const { log, generation, start } = rest;
    const one = draining('one', rest);
    const running = start(one, async () => generation('two'));
    reloads.notify();
    await seen('two runs');
    one.attempt.reject(new Error('disk full'));
    await expect(running).rejects.toThrow('disk full');
    expect(log).toContain('two closed');
  });

  it('waits for attempts of both when it is stopped', async () => {
    const { stop, reloads, seen, ...rest } = world();
    const { log, generation, start } = rest;
    const one = draining('one', rest);
    const running = start(one, async () => generation('two'));
    reloads.notify();
    await seen('two runs');
    stop.abort();
    await seen('two closed');
    one.attempt.resolve();
    await running;
    expect(log.at(-1)).toBe('one closed');
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
