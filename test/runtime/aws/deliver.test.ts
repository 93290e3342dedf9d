/** A queue batch that runs out of time: attempts in flight end in time, and the rest stays on the agenda. */

import { Logger } from '@aws-lambda-powertools/logger';
import type { SQSRecord } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { dynamoRateLimiter } from '../../../adapters/dynamodb/rate-limiter.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { TASK_PREFIX, taskGroup } from '../../../adapters/stored-job.ts';
import { createLanes } from '../../../core/delivery/lanes.ts';
import { QUEUE_GRACE } from '../../../core/model/delivery.ts';
import { RetryLater } from '../../../core/model/errors.ts';
import type { Limits } from '../../../core/model/subscription.ts';
import { between, plus, SECOND } from '../../../core/model/time.ts';
import type { OutboundMessage } from '../../../core/ports/channel.ts';
import { deliverBatch } from '../../../runtime/aws/deliver.ts';
import type { DeliveryLimits } from '../../../runtime/aws/delivery-limits.ts';
import type { Invocation } from '../../../runtime/aws/lambda-handler.ts';
import { type LocalTables, startLocalTables } from '../../adapters/dynamodb/local-tables.ts';
import { delivery, event, NOON, subscription } from '../../samples.ts';

/** The time reserved for an attempt and for saving it: nothing starts with less time left. */
const MARGIN = 35 * SECOND;

let tables: LocalTables;
beforeAll(async () => {
  tables = await startLocalTables();
});
afterAll(async () => tables.stop());

let world: Awaited<ReturnType<typeof setUp>>;
async function setUp() {
  const startedAt = performance.now();
  const db = openDatabase(':memory:');
  const sent: string[] = [];
  const self = {
    sent,
    answer: async (_parcel: OutboundMessage, _signal?: AbortSignal): Promise<object> => ({ status: 204 }),
  };
  const ports = {
    ...sqliteStores(db),
    snapshots: sqliteSnapshotStore(db),
    // Real time, starting at noon, because slots are waited for.
    clock: { now: () => plus(NOON, Math.floor(performance.now() - startedAt)) },
    rateLimiter: dynamoRateLimiter({ client: tables.client, table: (await tables.create()).ledger }),
    random: () => 0.5,
    zoneOf: async () => 'UTC',
    channels: channelRegistry,
    channelFor: () => ({
      send: (message: OutboundMessage, signal?: AbortSignal) => {
        sent.push(message.events[0].id);
        return self.answer(message, signal);
      },
    }),
  };
  return { ...ports, self };
}

beforeEach(async () => {
  world = await setUp();
  await world.subscriptions.applyDeclared(['ops', 'slow'].map((name) => subscription(name)));
});

/** An invocation in which attempts may start for this many milliseconds. */
function callFor(time: number): Invocation {
  const endsAt = performance.now() + MARGIN + time;
  const timeLeft = () => endsAt - performance.now();
  return {
    log: new Logger({ logLevel: 'SILENT' }),
    count: () => {},
    id: 'call',
    timeLeft,
    stopBefore: (margin) => AbortSignal.timeout(Math.max(0, Math.floor(timeLeft() - margin))),
  };
}

/** The same, but time passes only when the test spends it. */
function callWithOwnTime(time: number) {
  let left = time;
  return {
    ...callFor(time),
    timeLeft: () => MARGIN + left,
    stopBefore: () => new AbortController().signal,
    spend: (millis: number) => {
      left -= millis;
    },
  };
}

async function owe(name: string, ...ids: readonly string[]): Promise<SQSRecord[]> {
  const open = (id: string) => delivery(id, name);
  await world.events.record(ids.map((id) => ({ event: event(id), deliveries: [open(id)] })));
  return ids.map((id) => {
    const body = JSON.stringify({ delivery: open(id).id, attempt: 1, group: name });
    return { messageId: id, body } as SQSRecord;
  });
}

const run = (records: readonly SQSRecord[], limits: Limits, call: Invocation) =>
  deliverBatch({ ...world, ...paceOf(limits) }, records, call);

const paceOf = (limits: Limits): DeliveryLimits => ({
  limits: () => limits,
  lanes: createLanes(() => ({ concurrency: limits.concurrency })),
});

const dueIn = async (name: string) =>
  (await world.agenda.due('9999', 99))
    .filter((moment) => moment.subscription === name)
    .map(({ at }) => between(NOON, at));

describe('a batch with a slow rate', () => {
  const rate = (count: number, per: number): Limits => ({ concurrency: 8, rate: { count, per } });

  it('ends when its time is up, not when the lane opens', async () => {
    const start = performance.now();
    const answer = await run(await owe('slow', 'a', 'b'), rate(1, 60 * SECOND), callFor(2_000));
    expect(performance.now() - start).toBeLessThan(20 * SECOND);
    expect(answer).toEqual({ batchItemFailures: [] });
    expect(world.self.sent).toEqual(['evt_a']);
  });

  it('reschedules the rest, each for its own slot', async () => {
    await run(await owe('slow', 'a', 'b', 'c', 'd'), rate(1, 3600 * SECOND), callFor(5_000));
    const waits = await dueIn('slow');
    expect(waits.map((wait) => Math.round(wait / SECOND / 10))).toEqual([360, 720, 1080]);
  });

  it('waits for slots while there is time', async () => {
    await run(await owe('slow', 'a', 'b', 'c', 'd', 'e', 'f'), rate(1, 800), callFor(2_000));
    expect(world.self.sent.slice(0, 3)).toEqual(['evt_a', 'evt_b', 'evt_c']);
    expect(world.self.sent.length).toBeLessThan(6);
    expect(await dueIn('slow')).toHaveLength(6 - world.self.sent.length);
  });

  it('fails the message when rescheduling fails, and leaves the agenda unchanged', async () => {
    const records = await owe('slow', 'a', 'b');
    const update = async () => Promise.reject(new Error('away'));
    const broken = { ...world, deliveries: { ...world.deliveries, update } };
    const pace = paceOf(rate(1, 3600 * SECOND));
    const answer = await deliverBatch({ ...world, ...broken, ...pace }, records, callFor(5_000));
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'b' }] });
    expect(await dueIn('slow')).toEqual([QUEUE_GRACE]);
  });

  it('does not reschedule a delivery that another process has attempted meanwhile', async () => {
    const records = await owe('slow', 'a', 'b');
    world.self.answer = async () => {
      const attempts = [{ number: 1, at: NOON, ms: 1, outcome: 'retry' as const }];
      await world.deliveries.saveAttempt({ ...delivery('b', 'slow'), attempts, dueAt: plus(NOON, SECOND) });
      return { status: 204 };
    };
    await run(records, rate(1, 3600 * SECOND), callFor(5_000));
    expect(await dueIn('slow')).toEqual([SECOND]);
  });
});

describe('a batch that runs out of time', () => {
  it('aborts attempts in flight in time to save them as retries', async () => {
    world.self.answer = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new RetryLater('TIDINGS_HTTP_UNREACHABLE', 'stopped')));
      });
    const call = callFor(0);
    let margin = 0;
    const stopBefore = (requested: number) => {
      margin = requested;
      return AbortSignal.timeout(100);
    };
    await run(await owe('ops', 'a'), { concurrency: 8 }, { ...call, timeLeft: () => MARGIN + 1000, stopBefore });
    expect(margin).toBe(5 * SECOND);
    const [attempt] = (await world.deliveries.get(delivery('a', 'ops').id))?.attempts ?? [];
    expect(attempt).toMatchObject({ outcome: 'retry', message: 'stopped' });
  });

  it('gives the work of people back to the queue: it is on no agenda', async () => {
    const call = callWithOwnTime(100);
    const runTask = async () => call.spend(300);
    const records = ['a', 'b'].map((task) => {
      const job = { delivery: `${TASK_PREFIX}${task}`, attempt: 1, group: taskGroup('C1', 'UANN') };
      return { messageId: task, body: JSON.stringify(job) } as SQSRecord;
    });
    const answer = await deliverBatch({ ...world, ...paceOf({ concurrency: 1 }), runTask }, records, call);
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'b' }] });
  });

  it('starts no attempt without enough time after a slow one, and leaves the agenda unchanged', async () => {
    const call = callWithOwnTime(400);
    world.self.answer = async () => {
      call.spend(300);
      return { status: 204 };
    };
    await run(await owe('ops', 'a', 'b', 'c'), { concurrency: 1 }, call);
    expect(world.self.sent).toEqual(['evt_a', 'evt_b']);
    expect(await dueIn('ops')).toEqual([QUEUE_GRACE]);
  });

  it('stops waiting for a lane when no attempt may start any more', async () => {
    const { promise: freed, resolve: free } = Promise.withResolvers<object>();
    world.self.answer = (message) => (message.subscription.name === 'slow' ? freed : Promise.resolve({ status: 204 }));
    const records = [...(await owe('slow', 'a', 'b')), ...(await owe('ops', 'c'))];
    // The lane opens only after the time in which attempts may start.
    setTimeout(() => free({ status: 204 }), 3_500);
    await run(records, { concurrency: 1 }, callFor(2_500));
    expect(world.self.sent).toEqual(['evt_a', 'evt_c']);
    expect(await dueIn('slow')).toEqual([QUEUE_GRACE]);
  });
});

describe('a batch with the same job twice', () => {
  it('makes one attempt, and fails only one message', async () => {
    const [one] = await owe('ops', 'a');
    const twin = { ...one, messageId: 'twin' } as SQSRecord;
    const broken = {
      ...world,
      deliveries: { ...world.deliveries, saveAttempt: async () => Promise.reject(new Error('away')) },
    };
    const pace = paceOf({ concurrency: 8 });
    const answer = await deliverBatch({ ...world, ...broken, ...pace }, [one as SQSRecord, twin], callFor(1000));
    expect(world.self.sent).toEqual(['evt_a']);
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'a' }] });
  });

  it('makes two different attempts of one delivery', async () => {
    const [one] = await owe('ops', 'a');
    const second = {
      messageId: 'second',
      body: JSON.stringify({ delivery: delivery('a', 'ops').id, attempt: 2, group: 'ops' }),
    } as SQSRecord;
    world.self.answer = async () => {
      if (world.self.sent.length === 1) throw new RetryLater('TIDINGS_HTTP_STATUS', 'answered 503');
      return { status: 204 };
    };
    await run([one as SQSRecord, second], { concurrency: 1 }, callFor(1000));
    expect((await world.deliveries.get(delivery('a', 'ops').id))?.attempts.map(({ outcome }) => outcome)).toEqual([
      'retry',
      'accepted',
    ]);
  });
});
