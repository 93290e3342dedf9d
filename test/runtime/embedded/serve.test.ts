/** The loops of `serve` on a real file: woken by their own writes, and finding those of other processes. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { storedId } from '../../../adapters/stored-job.ts';
import type { Unattempted } from '../../../core/delivery/unattempted.ts';
import { openDelivery } from '../../../core/model/delivery.ts';
import { HOUR, MINUTE, plus } from '../../../core/model/time.ts';
import { type AttemptJob, jobFor, type ReceivedJob } from '../../../core/ports/queue.ts';
import { parseConfig } from '../../../runtime/config/load.ts';
import { CONCURRENCY, type Embedded, openEmbedded } from '../../../runtime/embedded/embedded.ts';
import { announceAll, deliverAll } from '../../../runtime/embedded/pipeline.ts';
import { serve } from '../../../runtime/embedded/serve.ts';
import { systemClock } from '../../../runtime/system-clock.ts';
import { type Receiver, startReceiver } from '../../e2e/receiver.ts';
import { event, SECRET, snapshot } from '../../samples.ts';

let folder: string;
let receiver: Receiver;
let embedded: Embedded;
const file = () => join(folder, 'tidings.db');

/** Subscriptions by name, with their other options. */
async function open(subscriptions: Readonly<Record<string, object>>): Promise<Embedded> {
  const config = {
    // Nothing listens there: polls fail, which affects nothing else.
    source: { baseUrl: 'http://127.0.0.1:9/api', token: 'none', timeZone: 'UTC' },
    network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    subscriptions: Object.entries(subscriptions).map(([name, more]) => ({
      name,
      events: ['task.created'],
      to: { http: { url: receiver.url, secret: SECRET } },
      ...more,
    })),
  };
  return openEmbedded({
    config: parseConfig('test.json', JSON.stringify(config), {}),
    database: openDatabase(file()),
    environment: {},
    clock: systemClock,
    holder: 'test',
    random: () => 0.5,
  });
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-loops-'));
  receiver = await startReceiver(SECRET);
});
afterEach(async () => {
  await embedded.close();
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An event with a valid id. */
const numberedEvent = (number: number) => event(String(number), { id: `evt_${String(number).padStart(32, '0')}` });

/** Records and queues deliveries of a subscription. */
async function queueDeliveries(
  { events, queue }: Pick<Embedded, 'events' | 'queue'>,
  subscription: string,
  count: number,
): Promise<void> {
  const now = systemClock.now();
  const announcements = Array.from({ length: count }, (_, n) => {
    const one = numberedEvent(n + 1);
    return { event: one, deliveries: [openDelivery(one, subscription, now)] };
  });
  await events.record(announcements);
  await queue.send(
    announcements.flatMap(({ deliveries }) =>
      deliveries.map(({ id }) => ({ kind: 'attempt', delivery: id, attempt: 1, group: subscription })),
    ),
    now,
  );
}

const created = (id: string) => ({ snapshot: snapshot(id, { committedAt: systemClock.now() }), expected: 0 });

describe('the signals of the embedded mode', () => {
  it('notify after a commit and after a job was written', async () => {
    embedded = await open({ ops: {} });
    const { signals, snapshots, feed, queue } = embedded;
    // Longer than any test: only the signal ends these waits.
    const heard = Promise.all([signals.changed.wait(3_600_000), signals.queued.wait(3_600_000)]);
    await snapshots.commit([created('1')]);
    await queue.send([{ kind: 'attempt', delivery: 'dlv_1', attempt: 1, group: 'ops' }], systemClock.now());
    await heard;
    expect(await feed.read('test', 9)).toHaveLength(1);
  });
});

describe('serve', () => {
  it('delivers its own commits without waiting for the next poll of the store', async () => {
    embedded = await open({ ops: {} });
    const stop = new AbortController();
    const serving = serve(embedded, {}, stop.signal);
    const start = performance.now();
    // Ten polls of the store would take ten seconds.
    for (let n = 1; n <= 10; n++) {
      await embedded.snapshots.commit([created(String(n))]);
      await vi.waitFor(() => expect(receiver.events).toHaveLength(n), { timeout: 30_000, interval: 5 });
    }
    expect(performance.now() - start).toBeLessThan(9_000);
    stop.abort();
    await serving;
  });

  it('finds commits, jobs and agenda entries of another process', async () => {
    embedded = await open({ ops: {} });
    const stop = new AbortController();
    const serving = serve(embedded, {}, stop.signal);
    const database = openDatabase(file());
    const stores = sqliteStores(database);
    await sqliteSnapshotStore(database).commit([created('1')]);
    await vi.waitFor(() => expect(receiver.events).toHaveLength(1), { timeout: 30_000 });
    await queueDeliveries(stores, 'ops', 1);
    await vi.waitFor(() => expect(receiver.events).toHaveLength(2), { timeout: 30_000 });
    const late = numberedEvent(99);
    const delivery = { ...openDelivery(late, 'ops', systemClock.now()), dueAt: systemClock.now() };
    await stores.events.record([{ event: late, deliveries: [delivery] }]);
    await vi.waitFor(() => expect(receiver.events).toHaveLength(3), { timeout: 30_000 });
    database.close();
    stop.abort();
    await serving;
  });
});

describe('fresh jobs', () => {
  /** Records `count` events for a group, of which the receiver takes what it has room for. Returns the numbers of those taken. */
  async function recordAndTake(group: string, numbers: readonly number[], limit = 9, room = 2) {
    const now = systemClock.now();
    const announcements = numbers.map((number) => {
      const one = numberedEvent(number);
      return { event: one, deliveries: [openDelivery(one, group, now)] };
    });
    const jobs = announcements.flatMap(({ deliveries }) => deliveries.map((delivery) => jobFor(delivery)));
    const take = { limit, visibility: MINUTE, room: () => room };
    const taken = await sqliteStores(database).recordAndTake(announcements, jobs, now, { take });
    return taken.map(({ job }) => numbers[jobs.findIndex(({ delivery }) => delivery === storedId(job))]);
  }

  let database: Database;
  beforeEach(async () => {
    embedded = await open({ ops: {}, other: {} });
    database = openDatabase(file());
  });
  afterEach(() => database.close());

  it('are taken in the write that queues them, as far as there is room', async () => {
    expect(await recordAndTake('ops', [1, 2, 3])).toEqual([1, 2]);
    expect(await recordAndTake('other', [4, 5], 1)).toEqual([4]);
    expect(await recordAndTake('third', [6], 9, 0)).toEqual([]);
  });

  it('are recorded together with the acknowledgement of the feed, or not at all', async () => {
    const { feed, snapshots, events } = embedded;
    await snapshots.commit([{ snapshot: { ...snapshot('7'), cause: 'poll' }, expected: 0 }]);
    const refuse = database.prepare(
      "CREATE TRIGGER refuse BEFORE INSERT ON events BEGIN SELECT raise(ABORT, 'no'); END",
    );
    refuse.run();
    await expect(announceAll(embedded, {})).rejects.toThrow('no');
    expect(await feed.read('announce', 9)).toHaveLength(1);
    database.prepare('DROP TRIGGER refuse').run();
    expect(await announceAll(embedded, {})).toBe(1);
    expect(await feed.read('announce', 9)).toEqual([]);
    expect((await events.list({ limit: 9 })).events).toHaveLength(1);
  });

  it('are announced with one read of the feed if the batch was not full', async () => {
    const { snapshots, feed } = embedded;
    let reads = 0;
    const counted: Embedded['feed'] = {
      ...feed,
      read: (consumer, limit) => {
        reads += 1;
        return feed.read(consumer, limit);
      },
    };
    await snapshots.commit([created('1'), created('2')]);
    expect([await announceAll({ ...embedded, feed: counted }, {}), reads]).toEqual([2, 1]);
    // A batch has 200: the third read finds the last one.
    await snapshots.commit(Array.from({ length: 401 }, (_, n) => created(String(n + 3))));
    expect([await announceAll({ ...embedded, feed: counted }, {}), reads]).toEqual([401, 4]);
  });

  it('do not overtake an earlier job of their group, queued or in flight', async () => {
    expect(await recordAndTake('ops', [1])).toEqual([1]);
    expect(await recordAndTake('ops', [2])).toEqual([]);
    expect(await recordAndTake('other', [3])).toEqual([3]);
  });

  it('are received again if the process that took them dies, and not before', async () => {
    await recordAndTake('ops', [1]);
    const receive = (now: string) => embedded.queue.receive({ limit: 9, visibility: MINUTE }, now);
    expect(await receive(systemClock.now())).toEqual([]);
    expect(await receive(plus(systemClock.now(), MINUTE))).toMatchObject([{ job: { group: 'ops' }, receives: 2 }]);
  });

  it('reach the deliver loop without the queue, and are acknowledged', async () => {
    const stop = new AbortController();
    const queue = { ...embedded.queue, receive: async () => [] };
    const more = () => new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()));
    const delivering = deliverAll({ ...embedded, queue }, {}, { signal: stop.signal, more });
    const now = systemClock.now();
    const one = numberedEvent(1);
    const opened = openDelivery(one, 'ops', now);
    await embedded.recordAndSend([{ event: one, deliveries: [opened] }], [jobFor(opened)], now);
    await vi.waitFor(() => expect(receiver.events).toHaveLength(1), { timeout: 30_000 });
    stop.abort();
    expect(await delivering).toBe(1);
    expect(await embedded.queue.receive({ limit: 9, visibility: MINUTE }, '9999-12-31T23:59:59.999Z')).toEqual([]);
    // Nobody reads the inbox any more.
    expect(embedded.inbox.options().limit).toBe(0);
  });

  it('are sent once, although they are recorded again after they were sent', async () => {
    const stop = new AbortController();
    const more = () => embedded.signals.queued.wait(MINUTE, stop.signal);
    const results: string[] = [];
    const delivering = deliverAll(
      embedded,
      { delivered: ({ delivery }) => void results.push(delivery.subscription) },
      { signal: stop.signal, more },
    );
    const now = systemClock.now();
    for (const [number, group] of ['ops', 'ops', 'other'].entries()) {
      const one = numberedEvent(number + 1);
      const opened = openDelivery(one, group, now);
      const record = () => embedded.recordAndSend([{ event: one, deliveries: [opened] }], [jobFor(opened)], now);
      await record();
      await record();
      await vi.waitFor(() => expect(results).toHaveLength(number + 1), { timeout: 30_000 });
      await record();
    }
    stop.abort();
    await delivering;
    expect(results).toEqual(['ops', 'ops', 'other']);
    expect(receiver.events).toHaveLength(3);
    expect(await embedded.queue.receive({ limit: 9, visibility: MINUTE }, '9999-12-31T23:59:59.999Z')).toEqual([]);
  });
});

describe('deliverAll', () => {
  it('receives the next job of a lane in the write that saves an outcome', async () => {
    embedded = await open({ narrow: { concurrency: 1 } });
    await queueDeliveries(embedded, 'narrow', 4);
    const log: string[] = [];
    const logged =
      <A extends readonly unknown[], R>(name: string, call: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        log.push(name);
        const result = await call(...args);
        log.push(`${name} ended`);
        return result;
      };
    const { queue, finishJob } = embedded;
    const watched = {
      ...embedded,
      finishJob: logged('finish', finishJob),
      queue: { ...queue, receive: logged('receive', queue.receive) },
    };
    expect(await deliverAll(watched, {})).toBe(4);
    expect(receiver.events).toHaveLength(4);
    const finishes = log.flatMap((name, index) => (name === 'finish' ? [log.slice(index, index + 2)] : []));
    expect(finishes).toEqual(Array(4).fill(['finish', 'receive']));
  });

  it('settles a backlog within the limits of all attempts and of each lane', async () => {
    // Together the lanes allow more attempts than the overall limit.
    const wide = Array.from({ length: 8 }, (_, n) => `wide-${n}`);
    const widely = Object.fromEntries(wide.map((name) => [name, { concurrency: 64 }]));
    embedded = await open({ ...widely, narrow: { concurrency: 2 } });
    for (const name of wide) await queueDeliveries(embedded, name, 400);
    await queueDeliveries(embedded, 'narrow', 60);
    const inFlight = new Map<string, number>();
    const most = new Map<string, number>();
    let all = 0;
    let mostOfAll = 0;
    const channelFor = () => ({
      send: async ({ subscription: { name } }: { subscription: { name: string } }) => {
        inFlight.set(name, (inFlight.get(name) ?? 0) + 1);
        most.set(name, Math.max(most.get(name) ?? 0, inFlight.get(name) ?? 0));
        mostOfAll = Math.max(mostOfAll, ++all);
        // Long enough for a busy machine to start all of them before the first ends.
        await new Promise((later) => setTimeout(later, 20));
        inFlight.set(name, (inFlight.get(name) ?? 0) - 1);
        all -= 1;
        return { status: 204 };
      },
    });
    expect(await deliverAll({ ...embedded, channelFor }, {})).toBe(3_260);
    expect(await embedded.deliveries.list({ status: 'settled', limit: 9_000 })).toHaveLength(3_260);
    expect(mostOfAll).toBe(CONCURRENCY);
    expect(most.get('narrow')).toBe(2);
    expect(Math.max(...wide.map((name) => most.get(name) ?? 0))).toBeLessThanOrEqual(64);
  });

  it('keeps the rate, and ends when the queue is empty', async () => {
    embedded = await open({ ops: { rate: '20/s' } });
    await queueDeliveries(embedded, 'ops', 6);
    const start = performance.now();
    expect(await deliverAll(embedded, {})).toBe(6);
    // Five waits of 50 ms, minus the inaccuracy of timers.
    expect(performance.now() - start).toBeGreaterThan(240);
    expect(receiver.events).toHaveLength(6);
  });

  it('does not treat the queue as empty while a full lane hides jobs', async () => {
    embedded = await open({ fast: {}, slow: { concurrency: 1 } });
    await queueDeliveries(embedded, 'fast', 1);
    await queueDeliveries(embedded, 'slow', 2);
    const pause = (millis: number) => new Promise<void>((later) => setTimeout(later, millis));
    const channelFor = () => ({
      send: async ({ subscription: { name } }: { subscription: { name: string } }) => {
        await pause(name === 'slow' ? 60 : 0);
        return { status: 204 };
      },
    });
    const queue = {
      ...embedded.queue,
      // Reads at once and returns late: by then the slow attempt that filled its lane has ended.
      receive: async (...args: Parameters<typeof embedded.queue.receive>) => {
        const received = await embedded.queue.receive(...args);
        await pause(100);
        return received;
      },
    };
    expect(await deliverAll({ ...embedded, queue, channelFor }, {})).toBe(3);
  });

  it('makes an attempt once, if its job becomes visible again while it is in flight', async () => {
    embedded = await open({ ops: {} });
    await queueDeliveries(embedded, 'ops', 1);
    let [received, sent] = [0, 0];
    const queue: Embedded['queue'] = {
      ...embedded.queue,
      // Every call is a day later, as after the machine slept.
      receive: (options, now) => embedded.queue.receive(options, plus(now, received++ * 24 * HOUR)),
    };
    const channelFor = () => ({
      send: async () => {
        sent += 1;
        await vi.waitFor(() => expect(received).toBeGreaterThan(1), { timeout: 20_000 });
        return { status: 204 };
      },
    });
    const stop = new AbortController();
    const more = () => new Promise<void>((resolve) => setTimeout(resolve, 10));
    const delivering = deliverAll({ ...embedded, queue, channelFor }, {}, { signal: stop.signal, more });
    await vi.waitFor(
      async () => expect(await embedded.deliveries.list({ status: 'settled', limit: 9 })).toHaveLength(1),
      { timeout: 20_000 },
    );
    stop.abort();
    await delivering;
    expect(sent).toBe(1);
  });

  it('throws an error of the store after finishing the attempts in flight', async () => {
    embedded = await open({ ops: {} });
    await queueDeliveries(embedded, 'ops', 5);
    let finished = 0;
    const finishJob = async () => {
      finished += 1;
      throw new Error('disk full');
    };
    await expect(deliverAll({ ...embedded, finishJob }, {})).rejects.toThrow('disk full');
    expect(finished).toBe(receiver.events.length);
    expect(finished).toBeLessThan(5);
  });

  it('throws an error of the queue after finishing the attempts in flight', async () => {
    embedded = await open({ ops: {} });
    await queueDeliveries(embedded, 'ops', 5);
    let isTaken = false;
    const queue = {
      ...embedded.queue,
      receive: async (...args: Parameters<typeof embedded.queue.receive>) => {
        if (isTaken) throw new Error('disk full');
        isTaken = true;
        return embedded.queue.receive(...args);
      },
    };
    await expect(deliverAll({ ...embedded, queue }, {})).rejects.toThrow('disk full');
    // Otherwise its events would be sent again.
    const settled = await embedded.deliveries.list({ status: 'settled', limit: 9 });
    expect(settled.length).toBeGreaterThan(0);
    expect(settled.length).toBe(receiver.events.length);
  });

  it('acknowledges each job once: with its outcome, or alone if nothing was attempted', async () => {
    embedded = await open({ ops: {} });
    await queueDeliveries(embedded, 'ops', 3);
    const stale = { kind: 'attempt' as const, delivery: 'dlv_gone', attempt: 1, group: 'ops' };
    await embedded.queue.send([stale], embedded.clock.now());
    const acknowledged: string[] = [];
    const queue = {
      ...embedded.queue,
      acknowledge: async (received: ReceivedJob) => {
        acknowledged.push(storedId(received.job));
        await embedded.queue.acknowledge(received);
      },
    };
    const outcomes: unknown[] = [];
    const unattempted = (job: AttemptJob, outcome: Unattempted) => void outcomes.push([job.delivery, outcome]);
    expect(await deliverAll({ ...embedded, queue }, { unattempted })).toBe(4);
    expect(acknowledged).toEqual([stale.delivery]);
    expect(outcomes).toEqual([[stale.delivery, { kind: 'stale', because: 'missing' }]]);
    expect(receiver.events).toHaveLength(3);
    const anyTime = plus(embedded.clock.now(), HOUR);
    expect(await embedded.queue.receive({ limit: 9, visibility: MINUTE }, anyTime)).toEqual([]);
  });

  it('acknowledges a job in the write of its outcome, or alone if nothing was attempted', async () => {
    embedded = await open({ ops: {} });
    await queueDeliveries(embedded, 'ops', 3);
    await embedded.queue.send(
      [{ kind: 'attempt', delivery: 'dlv_unknown', attempt: 1, group: 'ops' }],
      systemClock.now(),
    );
    const acknowledged: string[] = [];
    const queue = {
      ...embedded.queue,
      acknowledge: async (received: ReceivedJob) => {
        acknowledged.push(storedId(received.job));
        await embedded.queue.acknowledge(received);
      },
    };
    expect(await deliverAll({ ...embedded, queue }, {})).toBe(4);
    expect(acknowledged).toEqual(['dlv_unknown']);
    const settled = await embedded.deliveries.list({ status: 'settled', limit: 9 });
    expect(settled).toHaveLength(3);
    expect(await embedded.queue.receive({ limit: 9, visibility: MINUTE }, '9999-12-31T23:59:59.999Z')).toEqual([]);
  });
});
