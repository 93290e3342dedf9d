/** The type of a simulated user action, and how an action picks a record. The actions are in the files `*-actions.ts`. */

import type { Account } from '../account/account.ts';
import type { Random } from './random.ts';

/** Returns false if there was nothing to do. */
export type Action = (account: Account, random: Random) => boolean;

/** Picks a slot that passes the test, preferring recent ones, because people work on recent records. */
export function pickRecent(random: Random, slots: number, test: (slot: number) => boolean): number | undefined {
  for (let tries = 0; tries < 40; tries++) {
    const slot = Math.floor(slots * (1 - random.unit() ** 2));
    if (slot < slots && test(slot)) return slot;
  }
  return undefined;
}
