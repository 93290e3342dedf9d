/**
 * Runs work of the app that reads much, such as the preview of a query over the events of a week: one at a time, in slices. In `serve` it
 * runs in the thread that delivers, and many at a time would fill the memory.
 */

import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import type { Pace } from '../../core/model/pace.ts';

/**
 * Runs the work when no other runs. It must not wait for Slack: others wait for it.
 * @param person who has it done. Whose work took the least time lately is next. @default - the app itself
 */
export type TakeTurn = <T>(work: (pace: Pace) => Promise<T>, person?: string) => Promise<T>;

const SLICE_MS = 4;

/** For all work together, also for parts of it that run at the same time: one of them continues in each turn of the event loop. */
function createPace(): Pace {
  let sliceFrom = performance.now();
  let turn: Promise<void> = Promise.resolve();
  return async () => {
    if (performance.now() - sliceFrom < SLICE_MS) return;
    turn = turn.then(async () => {
      await nextEventLoopTurn();
      sliceFrom = performance.now();
    });
    await turn;
  };
}

/** Work of this many milliseconds is forgotten after as many times ten. */
const FORGOTTEN_SHARE = 0.1;

/** How long the work of each person took lately. */
function createUsage() {
  const used = new Map<string, { readonly ms: number; readonly at: number }>();
  const of = (person: string, now: number): number => {
    const { ms, at } = used.get(person) ?? { ms: 0, at: 0 };
    return Math.max(0, ms - (now - at) * FORGOTTEN_SHARE);
  };
  const add = (person: string, ms: number, now: number) => {
    for (const one of used.keys()) if (of(one, now) === 0) used.delete(one);
    used.set(person, { ms: of(person, now) + ms, at: now });
  };
  return { of, add };
}

export function createTurns(): TakeTurn {
  const pace = createPace();
  const usage = createUsage();
  const waiting: { readonly person: string; readonly begin: () => Promise<void> }[] = [];
  let isBusy = false;
  const serve = async () => {
    isBusy = true;
    while (waiting.length > 0) {
      const from = performance.now();
      const used = waiting.map(({ person }) => usage.of(person, from));
      const [next] = waiting.splice(used.indexOf(Math.min(...used)), 1);
      if (next === undefined) break;
      await next.begin();
      const now = performance.now();
      usage.add(next.person, now - from, now);
    }
    isBusy = false;
  };
  return <T>(work: (pace: Pace) => Promise<T>, person = '') =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ person, begin: () => work(pace).then(resolve, reject) });
      if (!isBusy) void serve();
    });
}
