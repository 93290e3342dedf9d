/** The load that every contender gets: messages at a pace, or as fast as they are accepted, with the times of each call. */

import { setTimeout as sleep } from 'node:timers/promises';
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
  const call = async (number: number) => {
    const calledAt = steadyNow();
    const id = await accept(number);
    accepted.push({ id, calledAt, acceptedAt: steadyNow() });
  };
  if (perSecond !== undefined) {
    const start = performance.now();
    const calls: Promise<void>[] = [];
    for (let number = 0; number < messages; number++) {
      await sleep(Math.max(0, start + (number * 1000) / perSecond - performance.now()));
      // A slow call must not delay the next one.
      calls.push(call(number));
    }
    await Promise.all(calls);
    return accepted;
  }
  let next = 0;
  const callOn = async () => {
    for (let number = next++; number < messages; number = next++) await call(number);
  };
  await Promise.all(Array.from({ length: CALLS_IN_FLIGHT }, callOn));
  return accepted;
}
