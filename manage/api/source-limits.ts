/** How many sources may be added, and how many are checked at a time. What a check does is in runtime/inspect. */

import type { SourceStore } from '../../core/ports/source-store.ts';
import { Problem } from './http/problem.ts';

/** Every process reads all of them. Those of the config do not count. */
const MAX_SOURCES = 1000;

/** A check makes a dozen requests and waits up to 26 s for a server of the caller's choice. */
const MAX_CHECKS = 4;

/** Throws 403 if there are as many sources as may be added. */
export async function assertRoom(storedSources: Pick<SourceStore, 'list'>): Promise<void> {
  if ((await storedSources.list()).length < MAX_SOURCES) return;
  const detail = `${MAX_SOURCES} sources were added, as many as there may be: remove one first`;
  throw new Problem(403, 'TIDINGS_API_QUOTA', { detail });
}

/** By installation. In the memory of this process: the functions in AWS run one request at a time anyway. */
const running = new WeakMap<object, number>();

/** Runs a check unless too many run. Throws 429 then. */
export async function oneOfFew<T>(installation: object, check: () => Promise<T>): Promise<T> {
  const before = running.get(installation) ?? 0;
  if (before >= MAX_CHECKS) {
    const detail = `${MAX_CHECKS} sources are being checked: wait for one of them`;
    throw new Problem(429, 'TIDINGS_API_BUDGET', { detail, headers: { 'retry-after': '5' } });
  }
  running.set(installation, before + 1);
  try {
    return await check();
  } finally {
    running.set(installation, (running.get(installation) ?? 1) - 1);
  }
}
