/**
 * Shares the requests that are answered at a time among their callers: requests that wait for receivers of the caller's choice
 * leave places to others, and callers take turns, so that a hundred requests of one delay those of others by one. One process counts all requests in its memory. In AWS each process answers one request, so those
 * that take long hold a lease, of which a caller has few: it cannot occupy the executions that others need.
 */

import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import { RetryLater } from '../../../core/model/errors.ts';
import { type Duration, SECOND } from '../../../core/model/time.ts';
import type { Lease } from '../../../core/ports/lease-store.ts';
import type { ApiPorts } from './api-ports.ts';
import type { Caller } from './caller.ts';
import { Problem } from './problem.ts';
import { bucketNameOf } from './quotas.ts';

/** A key may send its burst of 100 requests at once. */
const MAX_OPEN = 256;

/** Where processes share the long requests of a caller: how many it may have at a time. */
export const MAX_LONG_REQUESTS = 8;

/** As long as an execution of `manage` may take: one that was killed holds its lease until then. */
const LONG_REQUEST_LEASE: Duration = 30 * SECOND;

/** Of a request, from its start: `manage` has 29 s. */
const MAX_REQUEST_TIME: Duration = 28 * SECOND;

/** A page of deliveries may take seconds. */
const DEFAULT_REST: Duration = 10 * SECOND;

interface OpenRequests {
  total: number;
  readonly byCaller: Map<string, number>;
  /** Those that wait for their turn, by caller. The first caller is next, and goes to the end. */
  readonly lines: Map<string, (() => void)[]>;
  isServing: boolean;
}

const noRequests = (): OpenRequests => ({ total: 0, byCaller: new Map(), lines: new Map(), isServing: false });

/** By installation. The limiter is the same object as long as it is open. */
const installations = new WeakMap<object, OpenRequests>();

/**
 * A caller may have as many requests at a time as it leaves to others. One that has none always gets in.
 * @param run gets the ports of this request
 */
export async function withinShare<T>(api: ApiPorts, caller: Caller, run: (api: ApiPorts) => Promise<T>): Promise<T> {
  const open = installations.get(api.requestLimiter) ?? noRequests();
  installations.set(api.requestLimiter, open);
  const name = bucketNameOf(caller);
  const count = (change: 1 | -1) => {
    const left = (open.byCaller.get(name) ?? 0) + change;
    open.total += change;
    if (left === 0) open.byCaller.delete(name);
    else open.byCaller.set(name, left);
  };
  const own = open.byCaller.get(name) ?? 0;
  if (own > 0 && own >= MAX_OPEN - open.total) throw tooManyOpen(`${own} requests of this caller are being answered`);
  count(1);
  try {
    await takeTurn(open, name);
    return await withLease(api, name, run);
  } finally {
    count(-1);
  }
}

/** Most requests work in one go, some for a tenth of a second: one begins in each turn of the event loop. */
function takeTurn(open: OpenRequests, name: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const line = open.lines.get(name) ?? [];
  line.push(resolve);
  open.lines.set(name, line);
  void serveInTurn(open);
  return promise;
}

async function serveInTurn(open: OpenRequests): Promise<void> {
  if (open.isServing) return;
  open.isServing = true;
  while (open.lines.size > 0) {
    await nextEventLoopTurn();
    const [[name, line] = ['', []]] = open.lines;
    const begin = line.shift();
    open.lines.delete(name);
    if (line.length > 0) open.lines.set(name, line);
    begin?.();
  }
  open.isServing = false;
}

/** The request takes a lease when it begins to take long, and gives it back at its end. */
async function withLease<T>(api: ApiPorts, caller: string, run: (api: ApiPorts) => Promise<T>): Promise<T> {
  if (api.longRequests === undefined) return run(api);
  let taken: Promise<Lease> | undefined;
  const beginLong = async () => {
    taken ??= takeLease(api, caller);
    await taken;
  };
  const begun = performance.now();
  const mayGoOn = (rest = DEFAULT_REST) => performance.now() - begun + rest < MAX_REQUEST_TIME;
  try {
    return await run({ ...api, beginLong, mayGoOn });
  } finally {
    const lease = await taken?.catch(() => undefined);
    if (lease !== undefined) await release(api, lease);
  }
}

async function takeLease({ longRequests, clock, randomBytes }: ApiPorts, caller: string): Promise<Lease> {
  const holder = Buffer.from(randomBytes(9)).toString('hex');
  const [first = 0] = randomBytes(1);
  for (let n = 0; n < MAX_LONG_REQUESTS; n++) {
    const name = `request/${caller}/${(first + n) % MAX_LONG_REQUESTS}`;
    const lease = await longRequests?.acquire(name, holder, clock.now(), LONG_REQUEST_LEASE, { isTemporary: true });
    if (lease !== undefined) return lease;
  }
  throw tooManyOpen(`${MAX_LONG_REQUESTS} requests of this caller wait for endpoints or search events`);
}

/** Without it the lease ends by itself: what the request has done counts. */
async function release({ longRequests }: ApiPorts, lease: Lease): Promise<void> {
  try {
    await longRequests?.release(lease);
  } catch (error) {
    if (!(error instanceof RetryLater)) throw error;
  }
}

/** Of a request that was stopped in time. @param done what it has done */
export function unfinished(done: string): Problem {
  const detail = `${done}, and there are more: repeat the request until it succeeds`;
  return new Problem(503, 'TIDINGS_API_UNAVAILABLE', { detail, headers: { 'retry-after': '1' } });
}

function tooManyOpen(what: string): Problem {
  const detail = `${what}: wait for some of them`;
  return new Problem(429, 'TIDINGS_API_RATE', { detail, headers: { 'retry-after': '1' } });
}
