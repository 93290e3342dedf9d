/**
 * `latency`: from the commit of a snapshot to the bytes at the receiver, p99, in the loops of a real `serve` at 200
 * events a second, each for one of 100 endpoints.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Snapshot } from '../core/model/snapshot.ts';
import { serve } from '../runtime/embedded/serve.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { startAccount } from './account.ts';
import { type Benchmark, millis, percentile } from './bench.ts';
import { endpointsOf } from './deliver.ts';
import { openPostOffice, type PostOffice } from './post-office.ts';
import { startSink, steadyNow } from './sink.ts';

const EVENTS = 2_000;
const PER_SECOND = 200;
const BOUND_MS = 250;

/** A new task that one endpoint subscribes to. */
export function newTask(number: number, endpoints: number): Snapshot {
  const now = systemClock.now();
  const id = String(1_000_000 + number);
  return {
    key: { source: 'main', resource: 'task', id },
    version: 1,
    record: { id, title: `Task ${id}`, projectid: String(number % endpoints), description: 'word '.repeat(118) },
    stage: { closed: false },
    deletedAt: null,
    committedAt: now,
    cause: 'poll',
    occurred: { after: null, before: now },
    nextMoment: null,
  };
}

async function baselined({ scanStates }: PostOffice['embedded']): Promise<void> {
  for (let scan = await scanStates.get('main', 'task'); scan?.lastSweepAt == null; ) {
    await sleep(50);
    scan = await scanStates.get('main', 'task');
  }
}

/** Commits one task per interval. Returns the time of each commit by subject. */
async function commitAll({ snapshots }: PostOffice['embedded'], endpoints: number): Promise<Map<string, number>> {
  const committedAt = new Map<string, number>();
  const start = performance.now();
  for (let number = 0; number < EVENTS; number++) {
    await sleep(Math.max(0, start + (number * 1000) / PER_SECOND - performance.now()));
    const snapshot = newTask(number, endpoints);
    await snapshots.commit([{ snapshot, expected: 0 }]);
    committedAt.set(`task/${snapshot.key.id}`, steadyNow());
  }
  return committedAt;
}

export const latency: Benchmark = async () => {
  const [account, sink] = await Promise.all([startAccount(50), startSink()]);
  const endpoints = endpointsOf(sink);
  const office = await openPostOffice({ endpoints, source: account });
  const stop = new AbortController();
  const subjects = new Map<string, string>();
  const announced = (events: readonly { readonly id: string; readonly subject: string }[]) => {
    for (const { id, subject } of events) subjects.set(id, subject);
  };
  const serving = serve(office.embedded, { announced }, stop.signal);
  try {
    await baselined(office.embedded);
    const committedAt = await commitAll(office.embedded, endpoints.length);
    const waits: number[] = [];
    while (waits.length < EVENTS) {
      await sleep(100);
      for (const [id, at] of await sink.arrivals()) waits.push(at - (committedAt.get(subjects.get(id) ?? '') ?? 0));
    }
    const p99 = percentile(waits, 0.99);
    return [
      {
        name: 'latency',
        ours: `p99 of ${EVENTS.toLocaleString('en')} events, ${PER_SECOND} a second: ${millis(p99)} (median ${millis(percentile(waits, 0.5))})`,
        floor: `bound: ${BOUND_MS} ms`,
        ratio: p99 / BOUND_MS,
        aim: 1,
      },
    ];
  } finally {
    stop.abort();
    await serving;
    await Promise.all([office.close(), sink.stop(), account.stop()]);
  }
};
