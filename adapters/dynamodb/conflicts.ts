/**
 * How often a change is made again after another writer was faster, and when. Of writers that conflict one succeeds; the others
 * wait at random, so that a burst of changes of one item, which a caller of the API may send, is written one after the other.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { RetryLater } from '../../core/model/errors.ts';

/** Tries of one change. */
export const MAX_CHANGE_TRIES = 20;

const FIRST_PAUSE_MS = 20;

/** @param tries those before the one that conflicted */
export async function pauseAfterConflict(tries: number): Promise<void> {
  await sleep(Math.random() * FIRST_PAUSE_MS * (tries + 1));
}

/** @param what `subscription 'ops'` */
export function conflictError(what: string): RetryLater {
  return new RetryLater('TIDINGS_STORE_FAILED', `${what}: change conflicted ${MAX_CHANGE_TRIES} times`);
}
