/**
 * Tests costly filters in a thread of their own, started at the first one, so that they take none of the time of polls and deliveries.
 * The thread gets each filter once.
 */

import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { TestFilters } from '../../core/filters/match.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { MINUTE } from '../../core/model/time.ts';
import { threadFile } from '../threads.ts';

export type ToFilterThread =
  | { readonly kind: 'filter'; readonly number: number; readonly where: Subscription['where'] }
  | {
      readonly kind: 'test';
      readonly id: number;
      readonly event: TidingsEvent;
      readonly numbers: readonly number[];
      /** Those of subscriptions that are no longer in use. */
      readonly forgotten: readonly number[];
    };

export interface FilterReply {
  readonly id: number;
  readonly matched: readonly boolean[];
}

export interface ThreadedFilters {
  readonly test: TestFilters;
  close(): Promise<void>;
}

/** Filters that are passed on in one turn of the event loop: each may have as many operators as a pattern may have. */
const FILTERS_PER_TURN = 10;

/** A thread that ends by itself lacks memory, for example. Until another is started, filters are tested where they are asked for. */
const RESTART_AFTER_MS = MINUTE;

interface Thread {
  readonly worker: Worker;
  /** The filters that it has got. */
  readonly numbers: WeakMap<Subscription, number>;
  readonly forgotten: number[];
  /** Settled with undefined if it ends. */
  readonly pending: Map<number, (matched: readonly boolean[] | undefined) => void>;
}

export function threadedFilters(): ThreadedFilters {
  let thread: Thread | undefined;
  let startsAt = 0;
  let last = 0;

  const start = (): Thread => {
    const { file, execArgv } = threadFile('filter-thread');
    const worker = new Worker(file, { execArgv, name: 'filters', env: {} });
    const started: Thread = { worker, numbers: new WeakMap(), forgotten: [], pending: new Map() };
    worker.on('message', ({ id, matched }: FilterReply) => {
      started.pending.get(id)?.(matched);
      started.pending.delete(id);
    });
    worker.on('error', () => {});
    worker.on('exit', () => {
      thread = undefined;
      startsAt = performance.now() + RESTART_AFTER_MS;
      for (const settle of started.pending.values()) settle(undefined);
      started.pending.clear();
    });
    worker.unref();
    return started;
  };

  const unused = new FinalizationRegistry(({ forgotten, number }: { forgotten: number[]; number: number }) => {
    forgotten.push(number);
  });

  const pass = async ({ worker, numbers, forgotten }: Thread, subscriptions: readonly Subscription[]) => {
    let passed = 0;
    for (const one of subscriptions) {
      if (numbers.has(one)) continue;
      last += 1;
      numbers.set(one, last);
      unused.register(one, { forgotten, number: last });
      worker.postMessage({ kind: 'filter', number: last, where: one.where } satisfies ToFilterThread);
      passed += 1;
      if (passed % FILTERS_PER_TURN === 0) await nextEventLoopTurn();
    }
  };

  const test: TestFilters = async (event, subscriptions) => {
    if (thread === undefined && performance.now() < startsAt) return undefined;
    thread ??= start();
    const asked = thread;
    await pass(asked, subscriptions);
    // It has ended meanwhile.
    if (thread !== asked) return undefined;
    last += 1;
    const id = last;
    const { promise, resolve } = Promise.withResolvers<readonly boolean[] | undefined>();
    asked.pending.set(id, resolve);
    const numbers = subscriptions.map((one) => asked.numbers.get(one) ?? 0);
    const forgotten = asked.forgotten.splice(0);
    asked.worker.postMessage({ kind: 'test', id, event, numbers, forgotten } satisfies ToFilterThread);
    return promise;
  };

  return {
    test,
    async close() {
      await thread?.worker.terminate();
    },
  };
}
