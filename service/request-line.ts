/** Requests that have arrived and wait for their turn: thousands may arrive in one turn of the event loop. */

import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import { createEventLoopPace } from '../adapters/event-loop-pace.ts';
import type { Pace } from '../core/model/pace.ts';

/**
 * Begins requests in the order in which they came. The loop turns in between, so that other lines are served, and new connections accepted.
 * @param pace @default - the loop turns after some milliseconds of work
 */
export function createRequestLine(pace: Pace = createEventLoopPace()): (begin: () => void) => void {
  const line: (() => void)[] = [];
  let isServing = false;
  const serve = async () => {
    isServing = true;
    for (let begin = line.shift(); begin !== undefined; begin = line.shift()) {
      begin();
      await pace();
    }
    isServing = false;
  };
  return (begin) => {
    line.push(begin);
    if (!isServing) void serve();
  };
}

/** Of a request body, usually 64 KB each: to read one lets the system hand over two more. */
const PIECES_PER_TURN = 4;

/** A line of pieces of request bodies. What they cost is spent elsewhere, where they arrive, so that they are counted. */
export function createPieceLine(): (read: () => void) => void {
  let left = PIECES_PER_TURN;
  return createRequestLine(async () => {
    left -= 1;
    if (left > 0) return;
    await nextEventLoopTurn();
    left = PIECES_PER_TURN;
  });
}
