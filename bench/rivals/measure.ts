/** Measures one contender: a burst of messages, then a steady pace, until the last one has arrived at the sink. */

import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../bench.ts';
import { type ProcessUsage, readUsage } from '../process-usage.ts';
import { type Arrival, type Sink, steadyNow } from '../sink.ts';
import type { Contender, OpenContender } from './contender.ts';
import type { Accepted, Load } from './load.ts';
import { BODY_BYTES } from './message.ts';

export interface Measured {
  readonly name: string;
  readonly accept: string;
  readonly endpoints: number;
  /** Deliveries per second of the burst, from the first call to the last arrival. */
  readonly deliveredPerSecond: number;
  /** Milliseconds from accept to arrival at the steady pace. Negative if a message arrives before the call returns. */
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds from the call to arrival at the steady pace. */
  readonly callP99: number;
  /** CPU seconds per 1,000 deliveries. Undefined if the processes are unknown. */
  readonly burstCpu: number | undefined;
  readonly steadyCpu: number | undefined;
  /** CPU seconds per minute without messages. Undefined if the processes are unknown. */
  readonly idleCpu: number | undefined;
  /** After the steady pace. Undefined if the processes are unknown. */
  readonly memory: Pick<ProcessUsage, 'rss' | 'pss'> | undefined;
}

export interface Loads {
  /** Fills caches and compiles code. Not measured. */
  readonly warmUp: Load;
  readonly burst: Load;
  readonly steady: Load;
  /**
   * Time for the outcomes of the last deliveries to be stored, in milliseconds, where the contender cannot say that they are.
   * Its CPU time counts.
   */
  readonly settle: number;
  /** Time without messages, in milliseconds. */
  readonly idle: number;
}

export const LOADS: Loads = {
  warmUp: { messages: 200 },
  burst: { messages: 5_000 },
  steady: { messages: 1_000, perSecond: 50 },
  settle: 1_000,
  idle: 10_000,
};

/** Without an arrival for this long, the rest is considered lost. */
const MAX_SILENCE_MS = 30_000;
const CHECK_EVERY_MS = 100;

export async function measure(
  { name, accept, open }: Contender,
  sink: Pick<Sink, 'url' | 'arrivals'>,
  endpoints: number,
  loads: Loads = LOADS,
): Promise<Measured> {
  const urls = Array.from({ length: endpoints }, (_, index) => `${sink.url}/endpoint/${index}`);
  await sink.arrivals();
  const contender = await open(urls);
  try {
    const run = (load: Load) => measureLoad(contender, { sink, endpoints, load, settle: loads.settle });
    await run(loads.warmUp);
    const burst = await run(loads.burst);
    const steady = await run(loads.steady);
    const memory = readUsage(contender.pids);
    const idleCpu = await measureIdle(contender, loads.idle);
    const firstCall = burst.accepted.reduce((first, { calledAt }) => Math.min(first, calledAt), Infinity);
    const lastArrival = burst.arrivals.reduce((last, [, at]) => Math.max(last, at), 0);
    const byId = new Map(steady.accepted.map((one) => [one.id, one]));
    const waits = (from: 'calledAt' | 'acceptedAt') =>
      steady.arrivals.map(([id, at]) => at - (byId.get(id)?.[from] ?? Number.NaN));
    return {
      name,
      accept,
      endpoints,
      deliveredPerSecond: (burst.arrivals.length * 1000) / (lastArrival - firstCall),
      p50: percentile(waits('acceptedAt'), 0.5),
      p99: percentile(waits('acceptedAt'), 0.99),
      callP99: percentile(waits('calledAt'), 0.99),
      burstCpu: burst.cpuPerThousand,
      steadyCpu: steady.cpuPerThousand,
      idleCpu,
      memory,
    };
  } catch (error) {
    throw error instanceof LostMessages ? new Error(`${name}: ${error.message}`) : error;
  } finally {
    await contender.close();
  }
}

interface MeasuredLoad {
  readonly accepted: readonly Accepted[];
  readonly arrivals: readonly Arrival[];
  readonly cpuPerThousand: number | undefined;
}

interface LoadOptions {
  readonly sink: Pick<Sink, 'arrivals'>;
  readonly endpoints: number;
  readonly load: Load;
  readonly settle: number;
}

async function measureLoad(contender: OpenContender, options: LoadOptions): Promise<MeasuredLoad> {
  const { run, pids } = contender;
  const { sink, endpoints, load, settle } = options;
  const before = readUsage(pids);
  const accepted = await run(load);
  const arrivals = await awaitArrivals(sink, new Set(accepted.map(({ id }) => id)), endpoints);
  await awaitSettled(contender, settle);
  const after = readUsage(pids);
  const cpu = before && after && after.cpuSeconds - before.cpuSeconds;
  return { accepted, arrivals, cpuPerThousand: cpu && (cpu * 1000) / arrivals.length };
}

async function measureIdle({ pids }: OpenContender, idle: number): Promise<number | undefined> {
  const before = readUsage(pids);
  await sleep(idle);
  const after = readUsage(pids);
  return before && after && ((after.cpuSeconds - before.cpuSeconds) * 60_000) / idle;
}

/** Waits until the outcomes are stored. They may arrive long after the last delivery if the contender falls behind. */
async function awaitSettled({ assertSettled }: OpenContender, settle: number): Promise<void> {
  if (assertSettled === undefined) return sleep(settle);
  for (const start = steadyNow(); ; ) {
    try {
      return await assertSettled();
    } catch (error) {
      if (steadyNow() - start > MAX_SILENCE_MS) throw error;
      await sleep(CHECK_EVERY_MS);
    }
  }
}

class LostMessages extends Error {}

/** Every message once at each endpoint. A message that is delivered again is not counted. */
async function awaitArrivals(
  sink: Pick<Sink, 'arrivals'>,
  ids: ReadonlySet<string>,
  endpoints: number,
): Promise<readonly Arrival[]> {
  const expected = ids.size * endpoints;
  const found: Arrival[] = [];
  const seen = new Set<string>();
  for (let lastAt = steadyNow(); found.length < expected; ) {
    const fresh = (await sink.arrivals()).filter(([id, , path]) => ids.has(id) && !seen.has(`${id} ${path}`));
    for (const one of fresh) {
      const [id, , path, bytes] = one;
      if (Math.abs(bytes - BODY_BYTES) > BODY_BYTES / 10) {
        throw new LostMessages(`expected bodies of about ${BODY_BYTES} bytes, got one of ${bytes}`);
      }
      seen.add(`${id} ${path}`);
      found.push(one);
    }
    if (fresh.length > 0) lastAt = steadyNow();
    else if (steadyNow() - lastAt > MAX_SILENCE_MS) {
      const details = `${found.length} of ${expected} messages arrived, and none in the last ${MAX_SILENCE_MS / 1000} s`;
      throw new LostMessages(`${details}; are loopback addresses allowed as endpoints? See docs/benchmarks.md`);
    }
    if (found.length < expected) await sleep(CHECK_EVERY_MS);
  }
  return found;
}
