/**
 * One connection of the wire on Node's own modules, HTTP/1.1 or HTTP/2: what requests go over and what rests between them.
 * Which line a request takes is for the wire.
 */

import { setImmediate as turn } from 'node:timers/promises';
import type { AnswerSink, Cut, ExchangeOptions } from '../wire.ts';

export type Request = Pick<ExchangeOptions, 'url' | 'headers' | 'body'>;

/**
 * The receiver says that it has not even looked at the request. Called in place of the answer's end. `butOthers`: it has
 * looked at others over the same line, and takes no more of them.
 */
export type Refused = (why: Error | undefined, butOthers: boolean) => void;

export interface Line {
  /** Resolves once the receiver has said how much it takes at a time, or never will. @default - one at a time, as ever */
  readonly settled?: Promise<void>;
  /** Whether a request may go over it now. One that rested too long is let go of. */
  isFree(): boolean;
  send(request: Request, answer: AnswerSink, refused: Refused): Cut;
  /** Now or when it next rests. */
  letGo(): void;
  destroy(): void;
}

export interface LineOptions {
  /** Milliseconds on a clock that goes on while the process stands still. */
  readonly now: () => number;
  /** Called once, when nothing can go over it any more. */
  readonly gone: () => void;
}

/**
 * How long a connection may rest and be used again: shorter than what receivers and what stands before them put up with,
 * most of them 5 s and more. Lambda stops the process between two calls, so that a connection can have died long ago with
 * no event and no timer telling: hence it is counted by the clock on the wall, at the moment of use.
 */
export const RESTS_MS = 4_000;

/** What a receiver's own limit is shortened by: the request has to reach it before that. */
const MARGIN_MS = 1_000;

/** From a header such as `timeout=5, max=100`. */
export function restAllowed(keepAlive: string | string[] | undefined): number {
  const seconds = /(?:^|[,;\s])timeout\s*=\s*"?(\d{1,9})/i.exec(String(keepAlive ?? ''))?.[1];
  return seconds === undefined ? RESTS_MS : Math.min(RESTS_MS, Number(seconds) * 1000 - MARGIN_MS);
}

/**
 * Until the event loop has looked at every socket once. There are receivers that answer, say nothing of closing, and close
 * all the same: by then it is seen.
 */
export async function wholeTurn(): Promise<void> {
  await turn();
  await turn();
}
