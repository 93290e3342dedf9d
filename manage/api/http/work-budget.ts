/**
 * Limits what the requests of one caller may cost: the work of one request, and that of all its requests together. Long
 * work runs in slices of a few milliseconds, one request of a caller at a time, so that it delays others hardly at all.
 * In the memory of this process: the functions in AWS run one request at a time anyway.
 *
 * Work is CPU time of this thread. A caller is not refused because the machine is busy or a store responds slowly; what may be
 * waited for is the second, wide limit.
 */

import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import { threadCpuMillis } from '../../../adapters/thread-cpu.ts';
import type { Pace } from '../../../core/model/pace.ts';
import type { Steps } from '../../../core/model/steps.ts';
import { SECOND } from '../../../core/model/time.ts';
import type { ApiPorts, WorkLimits } from './api-ports.ts';
import type { Caller } from './caller.ts';
import { Problem } from './problem.ts';
import { bucketNameOf } from './quotas.ts';
import { createWorkLine, type WorkLine } from './work-line.ts';

const WORK_LIMITS: WorkLimits = { request: 5 * SECOND, perMinute: 15 * SECOND, waiting: 20 };

type BudgetPorts = Pick<ApiPorts, 'config' | 'workLimits' | 'beginLong' | 'assertUnitsLeft'>;

const MAX_ELAPSED_MS = 25 * SECOND;

const SLICE_MS = 4;

/** What takes longer in one go waits for its turn before it goes on. */
const LONG_SLICE_MS = 20;

/** A request that goes on after this time is a long one. Few do. */
const LONG_AFTER_MS = SECOND;

interface Account {
  /** Milliseconds of work at `at`. A minute takes off as much as a minute may use. */
  used: number;
  at: number;
  /** Requests with long work, the running one included. */
  open: number;
  /** Settles when the last of them has ended. */
  last: Promise<unknown>;
}

interface Accounts {
  /** By caller. */
  readonly accounts: Map<string, Account>;
  readonly line: WorkLine;
}

const installations = new WeakMap<object, Accounts>();
const MAX_ACCOUNTS = 1000;

const recoveredPerMs = ({ perMinute }: WorkLimits) => perMinute / (60 * SECOND);

function accountsOf({ config }: BudgetPorts): Accounts {
  const known = installations.get(config) ?? { accounts: new Map<string, Account>(), line: createWorkLine() };
  installations.set(config, known);
  return known;
}

function accountOf(api: BudgetPorts, caller: Caller): Account {
  const { workLimits = WORK_LIMITS } = api;
  const { accounts } = accountsOf(api);
  const name = bucketNameOf(caller);
  const now = performance.now();
  const known = accounts.get(name);
  if (known !== undefined) {
    known.used = Math.max(0, known.used - (now - known.at) * recoveredPerMs(workLimits));
    known.at = now;
    return known;
  }
  if (accounts.size >= MAX_ACCOUNTS) {
    for (const [key, { open, at }] of accounts) if (open === 0 && now - at > 60 * SECOND) accounts.delete(key);
  }
  const account: Account = { used: 0, at: now, open: 0, last: Promise.resolve() };
  accounts.set(name, account);
  return account;
}

/** Throws 429 while the caller has used up its time. */
export function assertWorkLeft(api: BudgetPorts, caller: Caller): void {
  const { workLimits = WORK_LIMITS } = api;
  const missing = accountOf(api, caller).used - workLimits.perMinute;
  if (missing <= 0) return;
  throw tooMuchWork(
    `the requests of this key took more than ${workLimits.perMinute / SECOND} s of work within a minute`,
    Math.ceil(missing / recoveredPerMs(workLimits) / SECOND),
  );
}

/** Runs work that cannot be cut into slices, in its turn. Throws 429 if the caller has used up its time meanwhile. */
export const workInTurn = <T>(api: BudgetPorts, caller: Caller, work: () => T): Promise<Awaited<T>> =>
  workInSteps(api, caller, inOneStep(work));

// biome-ignore lint/correctness/useYield: a generator of one step
function* inOneStep<T>(work: () => T): Steps<T> {
  return work();
}

/** The same for work in steps: that of others has its turn in between. */
export async function workInSteps<T>(api: BudgetPorts, caller: Caller, steps: Steps<T>): Promise<Awaited<T>> {
  const since = performance.now();
  let own = 0;
  const enter = () => enterLine(api, caller, since, () => own);
  let end = await enter();
  try {
    assertWorkLeft(api, caller);
    for (let sliceFrom = performance.now(); ; ) {
      if (performance.now() - since > MAX_ELAPSED_MS) throw waitedTooLong();
      const from = threadCpuMillis();
      const { done, value } = countWork(api, caller, () => steps.next());
      if (done === true) return await value;
      own += threadCpuMillis() - from;
      if (performance.now() - sliceFrom < SLICE_MS) continue;
      end();
      end = () => {};
      end = await enter();
      sliceFrom = performance.now();
    }
  } finally {
    end();
  }
}

const enterLine = (api: BudgetPorts, caller: Caller, since: number, own: () => number) =>
  accountsOf(api).line.enter({ used: () => Math.max(accountOf(api, caller).used, own()), own, since });

function waitedTooLong(): Problem {
  return new Problem(429, 'TIDINGS_API_BUDGET', {
    detail: 'the requests of others use the time: wait 1 s',
    headers: { 'retry-after': '1' },
  });
}

/** Runs work that cannot be cut into slices, and counts its CPU time. */
export function countWork<T>(api: BudgetPorts, caller: Caller, work: () => T): T {
  const from = threadCpuMillis();
  try {
    return work();
  } finally {
    accountOf(api, caller).used += threadCpuMillis() - from;
  }
}

export interface BudgetOptions {
  /** Whether any number of requests may wait for their turn: such work is short, and a caller asks for many at once. @default false */
  readonly mayWait?: boolean;
  /** Whether it goes on to its end when it takes too long, because it changes things: it counts, so that later requests of a key wait. @default false */
  readonly mayTakeLong?: boolean;
  /** Whether it is the second part of a change that is stored already: it is not refused any more. @default false */
  readonly hasBegun?: boolean;
}

/** Runs long work in slices, after that of the caller's earlier requests. Throws a problem when it takes too long. */
export async function runWithinBudget<T>(
  api: BudgetPorts,
  caller: Caller,
  work: (pace: Pace) => Promise<T>,
  { mayWait = false, mayTakeLong = false, hasBegun = false }: BudgetOptions = {},
): Promise<T> {
  const { waiting } = api.workLimits ?? WORK_LIMITS;
  const account = accountOf(api, caller);
  if (account.open >= waiting && !mayWait) {
    throw tooMuchWork(`${waiting} requests of this key are being worked on`, 1);
  }
  const before = account.last;
  const { promise, resolve: end } = Promise.withResolvers<void>();
  account.last = promise;
  account.open += 1;
  const pace = createPace(api, caller, mayTakeLong);
  try {
    await before;
    if (!hasBegun && (!mayTakeLong || caller.kind === 'key')) assertWorkLeft(api, caller);
    return await work(pace);
  } finally {
    account.open -= 1;
    end();
  }
}

function createPace(api: BudgetPorts, caller: Caller, mayTakeLong: boolean): Pace {
  const { request, elapsed = MAX_ELAPSED_MS } = api.workLimits ?? WORK_LIMITS;
  const begun = performance.now();
  let used = 0;
  let sliceFrom = begun;
  let workedFrom = threadCpuMillis();
  return async () => {
    if (!mayTakeLong) api.assertUnitsLeft?.();
    if (performance.now() - sliceFrom < SLICE_MS) return;
    // No more than the wall time: a store may have let other requests of this thread work meanwhile.
    const slice = Math.min(threadCpuMillis() - workedFrom, performance.now() - sliceFrom);
    used += slice;
    // A person who resumes a large backlog can look at it afterwards.
    if (!mayTakeLong || caller.kind === 'key') accountOf(api, caller).used += slice;
    const isLate = performance.now() - begun > elapsed;
    if (!mayTakeLong && (used > request || isLate)) {
      const limit = isLate ? `${elapsed / SECOND} s` : `${request / SECOND} s of work`;
      const detail = `the request took more than ${limit}: ask for a shorter period, or use a simpler filter`;
      throw new Problem(422, 'TIDINGS_API_BUDGET', { detail });
    }
    await nextEventLoopTurn();
    // One event may take long to compare. The turn ends with that of the event loop: work that waits for something else keeps nobody waiting.
    if (slice >= LONG_SLICE_MS) setImmediate(await enterLine(api, caller, begun, () => used));
    if (!mayTakeLong && performance.now() - begun > LONG_AFTER_MS) await api.beginLong?.();
    sliceFrom = performance.now();
    workedFrom = threadCpuMillis();
  };
}

function tooMuchWork(what: string, seconds: number): Problem {
  const retryAfter = String(Math.max(1, seconds));
  const detail = `${what}: wait ${retryAfter} s, and ask for shorter periods or use simpler filters and templates`;
  return new Problem(429, 'TIDINGS_API_BUDGET', { detail, headers: { 'retry-after': retryAfter } });
}
