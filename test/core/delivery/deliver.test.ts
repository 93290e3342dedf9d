import { beforeEach, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteQueue } from '../../../adapters/sqlite/queue.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import type { DeliverPorts } from '../../../core/delivery/deliver.ts';
import { tick } from '../../../core/delivery/tick.ts';
import { announce } from '../../../core/events/announce.ts';
import type { Delivery } from '../../../core/model/delivery.ts';
import { openDelivery } from '../../../core/model/delivery.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { fixedClock, HOUR, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import type { Channel, OutboundMessage } from '../../../core/ports/channel.ts';
import type { DatabaseStores } from '../../../core/ports/database-stores.ts';
import type { Queue } from '../../../core/ports/queue.ts';
import type { SnapshotStore } from '../../../core/ports/snapshot-store.ts';
import type { ThreadStore } from '../../../core/ports/thread-store.ts';
import { defaultRules } from '../../../core/snapshot/stage.ts';
import { deliverJob } from '../../deliver-job.ts';
import { NOON, snapshot, subscription } from '../../samples.ts';

let snapshots: SnapshotStore;
let stores: DatabaseStores;
let queue: Queue;

/** A channel with scripted responses that records its messages. */
function scripted(answer: () => Promise<object>): Channel & { readonly messages: OutboundMessage[] } {
  const messages: OutboundMessage[] = [];
  return {
    messages,
    send: async (message) => {
      messages.push(message);
      return answer();
    },
  };
}

const zoneOf = async () => 'UTC';

const ports = (channel: Channel, now = NOON): DeliverPorts => ({
  ...stores,
  snapshots,
  zoneOf,
  channels: channelRegistry,
  channelFor: () => channel,
  clock: fixedClock(now),
  random: () => 0.5,
});

const timePorts = () => ({ ...stores, snapshots, queue, rules: defaultRules, zoneOf });

const accept = () => scripted(async () => ({ status: 204 }));

/** A task that gets the status Closed. */
function closing() {
  const before = snapshot('1');
  const after = snapshot('1', {
    version: 2,
    record: { ...before.record, status: 'Closed' },
    stage: { closed: true },
  });
  return { before, after };
}

/** Announces one closed task and returns its job. */
async function announceOne(now = NOON) {
  return (await receiveOne(now)).job;
}

async function receiveOne(now = NOON) {
  await announce({ channels: channelRegistry, customEvents: [], zoneOf, ...stores, queue, clock: fixedClock(now) }, [
    closing(),
  ]);
  const [received] = await queue.receive({ limit: 1, visibility: MINUTE }, now);
  if (received === undefined) throw new Error('nothing was queued');
  return received;
}

beforeEach(async () => {
  const db = openDatabase(':memory:');
  snapshots = sqliteSnapshotStore(db);
  stores = sqliteStores(db);
  queue = sqliteQueue(db);
  await stores.subscriptions.applyDeclared([subscription('ops')]);
});

describe('announce', () => {
  it('records an event and its delivery once when it is repeated', async () => {
    await announceOne();
    await announce(
      { channels: channelRegistry, customEvents: [], zoneOf, ...stores, queue, clock: fixedClock(plus(NOON, HOUR)) },
      [closing()],
    );
    expect((await stores.events.list({ limit: 9 })).events).toHaveLength(1);
    expect(await stores.deliveries.list({ limit: 9 })).toMatchObject([{ createdAt: NOON, status: 'pending' }]);
  });

  it('records an event without subscriptions', async () => {
    await stores.subscriptions.applyDeclared([subscription('ops', { events: ['task.created'] })]);
    const events = await announce(
      { channels: channelRegistry, customEvents: [], zoneOf, ...stores, queue, clock: fixedClock(NOON) },
      [closing()],
    );
    expect(events).toMatchObject([{ type: 'task.closed' }]);
    expect(await stores.deliveries.list({ limit: 9 })).toEqual([]);
    expect(await queue.receive({ limit: 1, visibility: MINUTE }, NOON)).toEqual([]);
  });
});

describe('deliver', () => {
  it('settles a delivery that the receiver accepts', async () => {
    const channel = accept();
    const delivered = await deliverJob(ports(channel), await announceOne());
    expect(channel.messages).toMatchObject([
      { events: [{ type: 'task.closed' }], subscription: { name: 'ops' }, at: NOON },
    ]);
    expect(delivered?.attempt).toMatchObject({ number: 1, outcome: 'accepted', status: 204 });
    expect(await stores.deliveries.list({ limit: 9 })).toMatchObject([
      { status: 'settled', settledAt: NOON, dueAt: null },
    ]);
  });

  it('saves its outcome with saveOutcome, and does not acknowledge the job', async () => {
    const received = await receiveOne();
    const finished: Delivery[] = [];
    const saveOutcome = async (next: Delivery) => {
      finished.push(next);
      return stores.deliveries.saveAttempt(next);
    };
    const refuse = scripted(async () => {
      throw new RetryLater('TIDINGS_HTTP_STATUS', 'answered 500');
    });
    const delivered = await deliverJob({ ...ports(refuse), saveOutcome }, received.job);
    expect(finished).toEqual([delivered?.delivery]);
    expect(await stores.deliveries.list({ limit: 9 })).toMatchObject([
      { status: 'pending', attempts: [{ number: 1 }] },
    ]);
    expect(await queue.receive({ limit: 1, visibility: MINUTE }, plus(NOON, HOUR))).toHaveLength(1);
  });

  it('returns undefined when the outcome was already recorded', async () => {
    const { job } = await receiveOne();
    expect(await deliverJob({ ...ports(accept()), saveOutcome: async () => false }, job)).toBeUndefined();
  });

  it('reads the zone for a webhook only if it has a template', async () => {
    const asked: string[] = [];
    const zoneOf = async (source: string) => {
      asked.push(source);
      return 'Europe/Berlin';
    };
    const plain = accept();
    await deliverJob({ ...ports(plain), zoneOf }, await announceOne());
    expect([asked, plain.messages[0]?.timeZone]).toEqual([[], 'UTC']);
    await stores.subscriptions.applyDeclared([subscription('words', { template: { body: { text: '{{ title }}' } } })]);
    const worded = accept();
    const [event] = (await stores.events.list({ limit: 1 })).events;
    if (event === undefined) throw new Error('no event');
    const delivery = openDelivery(event, 'words', NOON);
    await stores.events.record([{ event, deliveries: [delivery] }]);
    await deliverJob(
      { ...ports(worded), zoneOf },
      { kind: 'attempt', delivery: delivery.id, attempt: 1, group: 'words' },
    );
    expect([asked, worded.messages[0]?.timeZone]).toEqual([['main'], 'Europe/Berlin']);
  });

  it('makes an attempt once when its job is received twice', async () => {
    const channel = accept();
    const job = await announceOne();
    await deliverJob(ports(channel), job);
    expect(await deliverJob(ports(channel), job)).toBeUndefined();
    expect(channel.messages).toHaveLength(1);
  });

  it('schedules a retry and stores the response', async () => {
    const channel = scripted(async () => {
      throw new RetryLater('TIDINGS_HTTP_STATUS', 'answered 500', { evidence: { status: 500, body: 'oops' } });
    });
    const delivered = await deliverJob(ports(channel), await announceOne());
    expect(delivered?.delivery).toMatchObject({ status: 'pending', dueAt: plus(NOON, 5 * SECOND) });
    expect(delivered?.attempt).toMatchObject({
      outcome: 'retry',
      code: 'TIDINGS_HTTP_STATUS',
      status: 500,
      body: 'oops',
    });
  });

  it('waits as long as the receiver asked', async () => {
    const channel = scripted(async () => {
      throw new RetryLater('TIDINGS_HTTP_STATUS', 'slow down', { after: HOUR });
    });
    const delivered = await deliverJob(ports(channel), await announceOne());
    expect(delivered?.delivery.dueAt).toBe(plus(NOON, HOUR));
  });

  it('fails without a retry after a permanent error', async () => {
    const channel = scripted(async () => {
      throw new GiveUp('TIDINGS_HTTP_GONE', 'gone');
    });
    const delivered = await deliverJob(ports(channel), await announceOne());
    expect(delivered?.delivery).toMatchObject({ status: 'failed', dueAt: null });
  });

  it('retries after an unexpected error', async () => {
    const channel = scripted(async () => {
      throw new TypeError('undefined is not a function');
    });
    const delivered = await deliverJob(ports(channel), await announceOne());
    expect(delivered?.delivery.status).toBe('pending');
    expect(delivered?.attempt).toMatchObject({ outcome: 'retry', code: 'TIDINGS_DELIVERY_UNEXPECTED' });
  });

  it('does not resend a message when saving its thread fails', async () => {
    await stores.subscriptions.applyDeclared([
      subscription('ops', { to: { channel: 'slack', settings: { token: '${BOT}', channel: '#ops' } }, gather: 0 }),
    ]);
    const job = await announceOne();
    const threads: ThreadStore = {
      ...stores.threads,
      save: async () => Promise.reject(new RetryLater('TIDINGS_STORE_FAILED', 'throttled')),
    };
    const channel = scripted(async () => ({ status: 200, thread: '1.5' }));
    const delivered = await deliverJob({ ...ports(channel), threads }, job);
    expect(delivered?.delivery.status).toBe('settled');
    expect(delivered?.attempt).toMatchObject({
      outcome: 'accepted',
      message: 'delivered, but saving the thread id failed: throttled',
    });
    expect(await stores.agenda.due('9999', 1)).toEqual([]);
  });

  it('gives up when the subscription was removed', async () => {
    const job = await announceOne();
    await stores.subscriptions.applyDeclared([]);
    const delivered = await deliverJob(ports(accept()), job);
    expect(delivered).toMatchObject({
      delivery: { status: 'failed' },
      attempt: { code: 'TIDINGS_DELIVERY_SUBSCRIPTION_GONE' },
    });
  });

  it('makes ten attempts over three days, records all of them and gives up', async () => {
    const channel = scripted(async () => {
      throw new RetryLater('TIDINGS_HTTP_STATUS', 'answered 500');
    });
    await announceOne();
    // Ticks more often than needed: no attempt may be made twice or early.
    for (let now = NOON; now < plus(NOON, 90 * HOUR); now = plus(now, 30 * SECOND)) {
      await tick({ ...timePorts(), clock: fixedClock(now) });
      for (const received of await queue.receive({ limit: 10, visibility: MINUTE }, now)) {
        await deliverJob(ports(channel, now), received.job);
        await queue.acknowledge(received);
      }
    }
    const [delivery] = await stores.deliveries.list({ limit: 9 });
    expect(delivery?.status).toBe('failed');
    expect(delivery?.attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(channel.messages).toHaveLength(10);
    expect(new Set(channel.messages.map(({ events: [event] }) => event.id)).size).toBe(1);
  });
});

describe('tick', () => {
  it('queues a delivery that was recorded but not queued because the process died', async () => {
    const queued = queue;
    queue = { ...queue, send: async () => Promise.reject(new Error('killed')) };
    await expect(announceOne()).rejects.toThrow('killed');
    queue = queued;
    expect(await tick({ ...timePorts(), clock: fixedClock(NOON) })).toBe(0);
    expect(await tick({ ...timePorts(), clock: fixedClock(plus(NOON, 2 * MINUTE)) })).toBe(1);
    const [received] = await queue.receive({ limit: 1, visibility: MINUTE }, plus(NOON, 2 * MINUTE));
    expect(received?.job).toMatchObject({ attempt: 1, group: 'ops' });
  });

  it('does not queue a delivery again within the grace period', async () => {
    await announceOne();
    const due = plus(NOON, 2 * MINUTE);
    expect(await tick({ ...timePorts(), clock: fixedClock(due) })).toBe(1);
    expect(await tick({ ...timePorts(), clock: fixedClock(due) })).toBe(0);
  });
});
