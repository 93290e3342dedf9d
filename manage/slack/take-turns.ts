/**
 * Runs work of the app that reads much, such as the preview of a query over the events of a week: in turns between people, and in slices.
 * In `serve` it runs in the thread that delivers, and many at a time would fill the memory.
 */

import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import type { Pace } from '../../core/model/pace.ts';

/**
 * Runs the work when no other runs. It must not wait for Slack: others wait for it.
 * @param person who has it done. Whose work took the least time lately is next, also in the middle of longer work of others.
 * @default - the app itself
 */
export type TakeTurn = <T>(work: (pace: Pace) => Promise<T>, person?: string) => Promise<T>;

const SLICE_MS = 4;

/** Work that has had its turn for so long leaves it to others who wait. */
const TURN_MS = 40;

/** Work that was begun and waits for its next turn stays in memory. */
const MAX_BEGUN = 4;

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

interface Piece {
  readonly person: string;
  isBegun: boolean;
  /** Begins it, or goes on with it. */
  resume: () => void;
}

/** @param now milliseconds of a steady clock. @default - that of the process */
export function createTurns(now: () => number = () => performance.now()): TakeTurn {
  const usage = createUsage();
  const waiting: Piece[] = [];
  let begun = 0;
  let running: Piece | undefined;
  let since = 0;

  const findNext = (at: number): Piece | undefined => {
    const ready = waiting.filter(({ isBegun }) => isBegun || begun < MAX_BEGUN);
    const used = ready.map(({ person }) => usage.of(person, at));
    const least = ready[used.indexOf(Math.min(...used))];
    // What somebody has begun comes before the rest of their work: it stays in memory until it ends.
    return ready.find(({ person, isBegun }) => isBegun && person === least?.person) ?? least;
  };
  const charge = (person: string, at: number) => {
    usage.add(person, at - since, at);
    since = at;
  };
  const serve = () => {
    const at = now();
    running = findNext(at);
    if (running === undefined) return;
    waiting.splice(waiting.indexOf(running), 1);
    if (!running.isBegun) begun += 1;
    running.isBegun = true;
    since = at;
    running.resume();
  };

  /** Lets those go on who have used less, if the piece has had its turn for long enough. */
  const handOver = async (piece: Piece): Promise<void> => {
    const at = now();
    if (running !== piece || at - since < TURN_MS) return;
    charge(piece.person, at);
    const next = findNext(at);
    if (next === undefined || usage.of(next.person, at) >= usage.of(piece.person, at)) return;
    await new Promise<void>((resolve) => {
      piece.resume = resolve;
      waiting.push(piece);
      serve();
    });
  };

  /** For all parts of a piece that run at the same time: one of them continues in each turn of the event loop. */
  const createPace = (piece: Piece): Pace => {
    let sliceFrom = now();
    let turn: Promise<void> = Promise.resolve();
    return async () => {
      if (now() - sliceFrom < SLICE_MS) return;
      turn = turn.then(async () => {
        await nextEventLoopTurn();
        await handOver(piece);
        sliceFrom = now();
      });
      await turn;
    };
  };

  return <T>(work: (pace: Pace) => Promise<T>, person = '') =>
    new Promise<T>((resolve, reject) => {
      const piece: Piece = { person, isBegun: false, resume: () => void run() };
      const run = async () => {
        await work(createPace(piece)).then(resolve, reject);
        charge(person, now());
        begun -= 1;
        serve();
      };
      waiting.push(piece);
      if (running === undefined) serve();
    });
}
