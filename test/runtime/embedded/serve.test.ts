/** The loops of `serve` on a real file: woken by what they write themselves, and finding what others write. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { openDelivery } from '../../../core/model/delivery.ts';
import { HOUR, MINUTE, plus } from '../../../core/model/time.ts';
import type { ReceivedJob } from '../../../core/ports/queue.ts';
import { parseConfig } from '../../../runtime/config/load.ts';
import { type Embedded, openEmbedded } from '../../../runtime/embedded/embedded.ts';
import { CONCURRENCY, deliverAll } from '../../../runtime/embedded/pipeline.ts';
import { serve } from '../../../runtime/embedded/serve.ts';
import { systemClock } from '../../../runtime/system-clock.ts';
import { type Receiver, startReceiver } from '../../e2e/receiver.ts';
import { event, SECRET, snapshot } from '../../samples.ts';

let folder: string;
let receiver: Receiver;
let embedded: Embedded;
const file = () => join(folder, 'tidings.db');

/** Subscriptions by name, with what each says besides. */
async function open(subscriptions: Readonly<Record<string, object>>): Promise<Embedded> {
  const config = {
    // Nobody listens there: polls fail, and nothing else is touched by that.
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

/** An event as its schema wants it. */
const told = (number: number) => event(String(number), { id: `evt_${String(number).padStart(32, '0')}` });

/** Records deliveries for a subscription and puts them on the queue, through these stores. */
async function queueDeliveries(
  { events, queue }: Pick<Embedded, 'events' | 'queue'>,
  subscription: string,
  count: number,
): Promise<void> {
  const now = systemClock.now();
  const announcements = Array.from({ length: count }, (_, n) => {
    const one = told(n + 1);
    return { event: one, deliveries: [openDelivery(one, subscription, now)] };
  });
  await events.record(announcements);
  await queue.send(
    announcements.flatMap(({ deliveries }) =>
      deliveries.map(({ id }) => ({ delivery: id, attempt: 1, group: subscription })),
    ),
    now,
  );
}

const created = (id: string) => ({ snapshot: snapshot(id, { committedAt: systemClock.now() }), expected: 0 });

describe('the signals of the embedded mode', () => {
  it('notify of a commit and of a job after it was written', async () => {
    embedded = await open({ ops: {} });
    const { signals, snapshots, feed, queue } = embedded;
    // Far longer than any test runs: only the signal ends these.
    const heard = Promise.all([signals.changed.wait(3_600_000), signals.queued.wait(3_600_000)]);
    await snapshots.commit([created('1')]);
    await queue.send([{ delivery: 'dlv_1', attempt: 1, group: 'ops' }], systemClock.now());
    await heard;
    expect(await feed.read('test', 9)).toHaveLength(1);
  });
});

describe('serve', () => {
  it('delivers a commit of its own without waiting for the next look, one after the other', async () => {
    embedded = await open({ ops: {} });
    const stop = new AbortController();
    const serving = serve(embedded, {}, stop.signal);
    const start = performance.now();
    // Ten looks would take ten seconds.
    for (let n = 1; n <= 10; n++) {
      await embedded.snapshots.commit([created(String(n))]);
      await vi.waitFor(() => expect(receiver.events).toHaveLength(n), { timeout: 10_000, interval: 5 });
    }
    expect(performance.now() - start).toBeLessThan(9_000);
    stop.abort();
    await serving;
  });

  it('finds what another process committed, queued or put on the agenda', async () => {
    embedded = await open({ ops: {} });
    const stop = new AbortController();
    const serving = serve(embedded, {}, stop.signal);
    const database = openDatabase(file());
    const stores = sqliteStores(database);
    await sqliteSnapshotStore(database).commit([created('1')]);
    await vi.waitFor(() => expect(receiver.events).toHaveLength(1), { timeout: 10_000 });
    await queueDeliveries(stores, 'ops', 1);
    await vi.waitFor(() => expect(receiver.events).toHaveLength(2), { timeout: 10_000 });
    const late = told(99);
    const delivery = { ...openDelivery(late, 'ops', systemClock.now()), dueAt: systemClock.now() };
    await stores.events.record([{ event: late, deliveries: [delivery] }]);
    await vi.waitFor(() => expect(receiver.events).toHaveLength(3), { timeout: 10_000 });
    database.close();
    stop.abort();
    await serving;
  });
});

describe('deliverAll', () => {
  it('settles a backlog with only so many in hand, and each lane within its limit', async () => {
    // Together they would take more than there are attempts to make.
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
        // Longer than a busy machine takes to begin all of them: else the first are done before the last begin.
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

  it('keeps to a rate, and ends by itself when the queue is dry', async () => {
    embedded = await open({ ops: { rate: '20/s' } });
    await queueDeliveries(embedded, 'ops', 6);
    const start = performance.now();
    expect(await deliverAll(embedded, {})).toBe(6);
    // Five waits of 50 ms, less what a timer may be early.
    expect(performance.now() - start).toBeGreaterThan(240);
    expect(receiver.events).toHaveLength(6);
  });

  it('does not take a queue for dry that it looked at while a full lane hid the rest', async () => {
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
      // Looks at once and answers late: by then the slow one, which kept its lane full, is done.
      receive: async (...asked: Parameters<typeof embedded.queue.receive>) => {
        const received = await embedded.queue.receive(...asked);
        await pause(100);
        return received;
      },
    };
    expect(await deliverAll({ ...embedded, queue, channelFor }, {})).toBe(3);
  });

  it('tells of a fault of the store, and finishes what is in hand first', async () => {
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

  it('finishes what is in hand before it tells that the queue cannot be asked', async () => {
    embedded = await open({ ops: {} });
    await queueDeliveries(embedded, 'ops', 5);
    let isTaken = false;
    const queue = {
      ...embedded.queue,
      receive: async (...asked: Parameters<typeof embedded.queue.receive>) => {
        if (isTaken) throw new Error('disk full');
        isTaken = true;
        return embedded.queue.receive(...asked);
      },
    };
    await expect(deliverAll({ ...embedded, queue }, {})).rejects.toThrow('disk full');
    // Else what it told would be told again.
    const settled = await embedded.deliveries.list({ status: 'settled', limit: 9 });
    expect(settled.length).toBeGreaterThan(0);
    expect(settled.length).toBe(receiver.events.length);
  });

  it('acknowledges each job once: with its outcome, or by itself where nothing was attempted', async () => {
    embedded = await open({ ops: {} });
    await queueDeliveries(embedded, 'ops', 3);
    const stale = { delivery: 'dlv_gone', attempt: 1, group: 'ops' };
    await embedded.queue.send([stale], embedded.clock.now());
    const acknowledged: string[] = [];
    const queue = {
      ...embedded.queue,
      acknowledge: async (received: ReceivedJob) => {
        acknowledged.push(received.job.delivery);
        await embedded.queue.acknowledge(received);
      },
    };
    expect(await deliverAll({ ...embedded, queue }, {})).toBe(4);
    expect(acknowledged).toEqual([stale.delivery]);
    expect(receiver.events).toHaveLength(3);
    const anyTime = plus(embedded.clock.now(), HOUR);
    expect(await embedded.queue.receive({ limit: 9, visibility: MINUTE }, anyTime)).toEqual([]);
  });

  it('acknowledges a job in the write of its outcome, and by itself where nothing was attempted', async () => {
    embedded = await open({ ops: {} });
    await queueDeliveries(embedded, 'ops', 3);
    await embedded.queue.send([{ delivery: 'dlv_unknown', attempt: 1, group: 'ops' }], systemClock.now());
    const acknowledged: string[] = [];
    const queue = {
      ...embedded.queue,
      acknowledge: async (received: ReceivedJob) => {
        acknowledged.push(received.job.delivery);
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
