/**
 * `latency`: from the commit of a snapshot to the bytes at the receiver, p99, in the loops of a real `serve` at 200
 * events a second, each for one of 100 endpoints: with nothing else to do, and during the first sync of 100,000 tasks.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Snapshot } from '../core/model/snapshot.ts';
import { serve } from '../runtime/embedded/serve.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { startAccount } from './account.ts';
import { type Benchmark, type Figure, millis, percentile } from './bench.ts';
import { endpointsOf } from './deliver.ts';
import { openPostOffice, type PostOffice } from './post-office.ts';
import { startSink, steadyNow } from './sink.ts';

const EVENTS = 2_000;
const PER_SECOND = 200;
const BOUND_MS = 250;

/** The second figure: the same during the first sync of a large account, from when the commit was due. */
const SYNCED_TASKS = 100_000;
const SYNC_BOUND_MS = 50;

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

interface Moments {
  /** When the commit was due: a blocked event loop makes it late. */
  readonly dueAt: number;
  readonly committedAt: number;
}

/** Commits one task per interval, as long as there is a next one. Returns the moments by subject. */
async function commitAll(
  { snapshots }: PostOffice['embedded'],
  endpoints: number,
  hasNext: (number: number) => boolean,
): Promise<Map<string, Moments>> {
  const moments = new Map<string, Moments>();
  const start = steadyNow();
  const commits: Promise<void>[] = [];
  const commit = async (number: number, dueAt: number) => {
    const snapshot = newTask(number, endpoints);
    await snapshots.commit([{ snapshot, expected: 0 }]);
    moments.set(`task/${snapshot.key.id}`, { dueAt, committedAt: steadyNow() });
  };
  for (let number = 0; hasNext(number); number++) {
    const dueAt = start + (number * 1000) / PER_SECOND;
    // A late one, or one that waits for its turn, does not delay the next.
    const early = dueAt - steadyNow();
    if (early > 0) await sleep(early);
    commits.push(commit(number, dueAt));
  }
  await Promise.all(commits);
  return moments;
}

interface Course {
  readonly tasks: number;
  /** Which commits there are, and when they begin. */
  readonly commit: (embedded: PostOffice['embedded'], endpoints: number) => Promise<Map<string, Moments>>;
  /** The moment from which the wait counts. */
  readonly from: keyof Moments;
}

/** The waits until the bytes are at the receiver. */
async function measureWaits({ tasks, commit, from }: Course): Promise<readonly number[]> {
  const [account, sink] = await Promise.all([startAccount(tasks), startSink()]);
  const endpoints = endpointsOf(sink);
  const office = await openPostOffice({ endpoints, source: account });
  const stop = new AbortController();
  const subjects = new Map<string, string>();
  const announced = (events: readonly { readonly id: string; readonly subject: string }[]) => {
    for (const { id, subject } of events) subjects.set(id, subject);
  };
  const serving = serve(office.embedded, { announced }, stop.signal);
  try {
    const moments = await commit(office.embedded, endpoints.length);
    const waits: number[] = [];
    while (waits.length < moments.size) {
      await sleep(100);
      for (const [id, at] of await sink.arrivals()) waits.push(at - (moments.get(subjects.get(id) ?? '')?.[from] ?? 0));
    }
    return waits;
  } finally {
    stop.abort();
    await serving;
    await Promise.all([office.close(), sink.stop(), account.stop()]);
  }
}

function figureOf(name: string, waits: readonly number[], bound: number): Figure {
  const p99 = percentile(waits, 0.99);
  return {
    name,
    ours: `p99 of ${waits.length.toLocaleString('en')} events, ${PER_SECOND} a second: ${millis(p99)} (median ${millis(percentile(waits, 0.5))})`,
    floor: `bound: ${bound} ms`,
    ratio: p99 / bound,
    aim: 1,
  };
}

export const latency: Benchmark = async () => {
  const calm = await measureWaits({
    tasks: 50,
    from: 'committedAt',
    async commit(embedded, endpoints) {
      await baselined(embedded);
      return commitAll(embedded, endpoints, (number) => number < EVENTS);
    },
  });
  const busy = await measureWaits({
    tasks: SYNCED_TASKS,
    from: 'dueAt',
    async commit(embedded, endpoints) {
      let isSyncing = true;
      const synced = baselined(embedded).then(() => {
        isSyncing = false;
      });
      const moments = await commitAll(embedded, endpoints, () => isSyncing);
      await synced;
      return moments;
    },
  });
  return [figureOf('latency', calm, BOUND_MS), figureOf('latency (first sync of 100,000 tasks)', busy, SYNC_BOUND_MS)];
};
