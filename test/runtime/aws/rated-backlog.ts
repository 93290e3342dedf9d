/**
 * Delivers a backlog to one receiver with a rate, as deployed: tick every minute, batches of ten, concurrent functions. Time
 * is simulated in steps of a second. Returns what it took; the caller opens the stores.
 */

import { Logger } from '@aws-lambda-powertools/logger';
import type { SQSRecord } from 'aws-lambda';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { encodeJob } from '../../../adapters/sqs/job.ts';
import { createLanes } from '../../../core/delivery/lanes.ts';
import { openDelivery, QUEUE_AHEAD } from '../../../core/model/delivery.ts';
import type { Rate } from '../../../core/model/subscription.ts';
import { between, type Duration, type Instant, plus, SECOND } from '../../../core/model/time.ts';
import { jobFor, type NewJob, type Queue } from '../../../core/ports/queue.ts';
import type { RateLimiter } from '../../../core/ports/rate-limiter.ts';
import { type DeliverBatchPorts, deliverBatch } from '../../../runtime/aws/deliver.ts';
import type { Invocation } from '../../../runtime/aws/lambda-handler.ts';
import { tickAll } from '../../../runtime/aws/tick.ts';
import { event, NOON, subscription } from '../../samples.ts';
import { seededRandom } from '../../truth/seeded-random.ts';

export interface BacklogPorts
  extends Pick<
    DeliverBatchPorts,
    | 'events'
    | 'deliveries'
    | 'agenda'
    | 'subscriptions'
    | 'threads'
    | 'leases'
    | 'snapshots'
    | 'scanStates'
    | 'documents'
  > {
  readonly rateLimiter: RateLimiter;
}

export interface BacklogOptions {
  readonly count: number;
  /** The rate, which may change with time. */
  readonly rate: (now: Instant) => Rate;
  /** Called when the backlog is recorded and queued. @default - nothing */
  readonly onQueued?: () => void;
  /** Called before every step, with the seconds since the start. @default - nothing */
  readonly onStep?: (seconds: number) => unknown;
  /** Whether `deliver` does not run at this second. @default - it always runs */
  readonly isAway?: (seconds: number) => boolean;
}

/** Batch size of the queue, and functions that run at once. */
const BATCH_SIZE = 10;
const FUNCTIONS = 4;

/** Enough for an attempt, but not for waiting: every delivery takes the same way, whatever its place in the backlog. */
const TIME_LEFT: Duration = 35 * SECOND + 5;

const MAX_SECONDS = 100_000;

export async function deliverBacklog(stores: BacklogPorts, options: BacklogOptions) {
  const { count, rate, onQueued, onStep, isAway = () => false } = options;
  let now = NOON;
  const clock = { now: () => now };
  const sentAt: Duration[] = [];
  const { queue, receive, sent } = memoryQueue();
  const call: Invocation = {
    id: 'test',
    log: new Logger({ logLevel: 'SILENT' }),
    count: () => {},
    timeLeft: () => TIME_LEFT,
    stopBefore: () => new AbortController().signal,
  };
  const limits = () => ({ concurrency: 8, rate: rate(now) });
  const ports = {
    ...stores,
    queue,
    clock,
    channels: channelRegistry,
    channelFor: () => ({
      send: async () => {
        sentAt.push(between(NOON, now));
        return { status: 204 };
      },
    }),
    random: seededRandom(1).unit,
    zoneOf: async () => 'UTC',
    limits,
    lanes: createLanes(() => ({ concurrency: 8 })),
  };
  await stores.subscriptions.save(subscription('ops', { declared: false }));
  const ids = Array.from({ length: count }, (_, n) => String(n).padStart(6, '0'));
  for (let at = 0; at < count; at += 100) {
    const some = ids
      .slice(at, at + 100)
      .map((id) => ({ event: event(id), deliveries: [openDelivery(event(id), 'ops', now)] }));
    await stores.events.record(some);
    await queue.send(
      some.flatMap(({ deliveries }) => deliveries.map((delivery) => jobFor(delivery))),
      now,
    );
  }
  onQueued?.();
  for (let seconds = 0; sentAt.length < count && seconds < MAX_SECONDS; seconds++) {
    now = plus(NOON, seconds * SECOND);
    await onStep?.(seconds);
    if (seconds % 60 === 0) await tickAll({ ...ports, ahead: QUEUE_AHEAD, openDigests: async () => {} }, call);
    while (!isAway(seconds)) {
      const batches = Array.from({ length: FUNCTIONS }, () => receive(now)).filter((batch) => batch.length > 0);
      if (batches.length === 0) break;
      await Promise.all(batches.map((batch) => deliverBatch(ports, batch, call)));
    }
  }
  return { jobs: sent(), sentAt: sentAt as readonly Duration[] };
}

/** Delays are whole seconds, as in SQS. Every job is received once. */
function memoryQueue() {
  const waiting: { readonly record: SQSRecord; readonly visibleAt: Instant }[] = [];
  let sent = 0;
  const send = async (jobs: readonly NewJob[], now: Instant): Promise<void> => {
    for (const { notBefore = now, ...job } of jobs) {
      const delay = Math.max(0, Math.ceil(between(now, notBefore) / SECOND)) * SECOND;
      const record = { messageId: `message-${++sent}`, body: encodeJob(job) } as SQSRecord;
      waiting.push({ record, visibleAt: plus(now, delay) });
    }
  };
  const queue: Queue = { send, receive: async () => [], acknowledge: async () => {} };
  const receive = (now: Instant): readonly SQSRecord[] => {
    const batch: SQSRecord[] = [];
    for (let at = 0; at < waiting.length && batch.length < BATCH_SIZE; ) {
      const job = waiting[at];
      if (job === undefined || job.visibleAt > now) at += 1;
      else batch.push(...waiting.splice(at, 1).map(({ record }) => record));
    }
    return batch;
  };
  return { queue, receive, sent: () => sent };
}
