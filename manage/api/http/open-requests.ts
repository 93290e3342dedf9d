/**
 * Shares the requests that are answered at a time among their callers: requests that wait for receivers of the caller's choice
 * leave places to others. In the memory of this process: the functions in AWS run one request at a time anyway.
 */

import type { ApiPorts } from './api-ports.ts';
import type { Caller } from './caller.ts';
import { Problem } from './problem.ts';
import { bucketNameOf } from './quotas.ts';

/** A key may send its burst of 100 requests at once. */
const MAX_OPEN = 256;

interface OpenRequests {
  total: number;
  readonly byCaller: Map<string, number>;
}

/** By installation. The limiter is the same object as long as it is open. */
const installations = new WeakMap<object, OpenRequests>();

/** A caller may have as many requests at a time as it leaves to others. One that has none always gets in. */
export async function withinShare<T>(
  { requestLimiter }: Pick<ApiPorts, 'requestLimiter'>,
  caller: Caller,
  run: () => Promise<T>,
  maxOpen = MAX_OPEN,
): Promise<T> {
  const open = installations.get(requestLimiter) ?? { total: 0, byCaller: new Map<string, number>() };
  installations.set(requestLimiter, open);
  const name = bucketNameOf(caller);
  const count = (change: 1 | -1) => {
    const left = (open.byCaller.get(name) ?? 0) + change;
    open.total += change;
    if (left === 0) open.byCaller.delete(name);
    else open.byCaller.set(name, left);
  };
  const own = open.byCaller.get(name) ?? 0;
  if (own > 0 && own >= maxOpen - open.total) {
    throw new Problem(429, 'TIDINGS_API_RATE', {
      detail: `${own} requests of this caller are being answered: wait for some of them`,
      headers: { 'retry-after': '1' },
    });
  }
  count(1);
  try {
    return await run();
  } finally {
    count(-1);
  }
}
