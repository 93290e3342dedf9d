import { describe, expect, it } from 'vitest';
import { createSignal } from '../../../runtime/embedded/signal.ts';

const HOUR = 3_600_000;

describe('createSignal', () => {
  it('wakes the waiting loop', async () => {
    const bell = createSignal();
    const waiting = bell.wait(HOUR);
    bell.notify();
    await waiting;
  });

  it('ends the next wait at once when notified without a waiting loop', async () => {
    const bell = createSignal();
    bell.notify();
    bell.notify();
    await bell.wait(HOUR);
    let ended = false;
    const second = bell.wait().then(() => {
      ended = true;
    });
    await new Promise((later) => setTimeout(later, 20));
    expect(ended).toBe(false);
    bell.notify();
    await second;
  });

  it('ends a wait after the timeout and on abort', async () => {
    const bell = createSignal();
    await bell.wait(1);
    const stop = new AbortController();
    const waiting = bell.wait(HOUR, stop.signal);
    stop.abort();
    await waiting;
    await bell.wait(HOUR, stop.signal);
  });

  it('ends a wait with a past timeout at once, without a warning of Node', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error) => warnings.push(name);
    process.on('warning', note);
    await createSignal().wait(-5);
    await new Promise((later) => setTimeout(later, 5));
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });
});
