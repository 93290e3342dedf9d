/** What a thing is that people do, and how they come upon what they do it to. The things themselves are in the files of acts. */

import type { Account } from '../account/account.ts';
import type { Random } from './random.ts';

/** Answers false when it found nothing to do. */
export type Action = (account: Account, random: Random) => boolean;

/** A slot that passes the test, more likely a young one: people work on what is new. */
export function pickRecent(random: Random, slots: number, test: (slot: number) => boolean): number | undefined {
  for (let tries = 0; tries < 40; tries++) {
    const slot = Math.floor(slots * (1 - random.unit() ** 2));
    if (slot < slots && test(slot)) return slot;
  }
  return undefined;
}
