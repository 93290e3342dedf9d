/** The load that every contender gets: messages at a pace, or as fast as they are accepted, with the times of each call. */

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { steadyNow } from '../sink.ts';

export interface Load {
  readonly messages: number;
  /** @default - as fast as they are accepted */
  readonly perSecond?: number;
}

/** A message that was accepted. The times are those of `steadyNow`. */
export interface Accepted {
  /** As the receiver gets it in a header. */
  readonly id: string;
  /** At a pace, when the call was due: a process that is late with the call itself gains nothing. */
  readonly calledAt: number;
  readonly acceptedAt: number;
}

/** Calls in flight at a time, the same for all. */
export const CALLS_IN_FLIGHT = 32;

/** @param accept resolves with the id when the message is stored */
export async function runLoad(
  { messages, perSecond }: Load,
  accept: (number: number) => Promise<string>,
): Promise<readonly Accepted[]> {
  const accepted: Accepted[] = [];
  const call = async (number: number, calledAt = steadyNow()) => {
    const id = await accept(number);
    accepted.push({ id, calledAt, acceptedAt: steadyNow() });
  };
  if (perSecond !== undefined) {
    const start = steadyNow();
    const calls: Promise<void>[] = [];
    for (let number = 0; number < messages; number++) {
      const dueAt = start + (number * 1000) / perSecond;
      await sleep(Math.max(0, dueAt - steadyNow()));
      // A slow call must not delay the next one.
      calls.push(call(number, dueAt));
    }
    await Promise.all(calls);
    return accepted;
  }
  let next = 0;
  const callOn = async () => {
    for (let number = next++; number < messages; number = next++) {
      await call(number);
      // Calls over a network end in turns of their own. A commit in the process would not, and nothing else would run.
      await nextTurn();
    }
  };
  await Promise.all(Array.from({ length: CALLS_IN_FLIGHT }, callOn));
  return accepted;
}
