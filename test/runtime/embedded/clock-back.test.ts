/** Deliveries that were recorded, retried or queued while the machine's clock ran ahead, after it was put back. */

import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { bringForward, correctDueAt } from '../../../core/delivery/clock-back.ts';
import { type Delivery, openDelivery } from '../../../core/model/delivery.ts';
import { DAY, fromMillis, HOUR, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import { parseConfig } from '../../../runtime/config/load.ts';
import { type Embedded, openEmbedded } from '../../../runtime/embedded/embedded.ts';
import { once } from '../../../runtime/embedded/once.ts';
import { deliverAll } from '../../../runtime/embedded/pipeline.ts';
import { serve } from '../../../runtime/embedded/serve.ts';
import { type Receiver, startReceiver } from '../../e2e/receiver.ts';
import { delivery, event, NOON, SECRET, subscription } from '../../samples.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

let receiver: Receiver;
let embedded: Embedded;
/** By how much the clock is ahead. */
let ahead = 0;
const clock = { now: () => fromMillis(Date.now() + ahead) };

beforeEach(async () => {
  ahead = 0;
  receiver = await startReceiver(SECRET);
  const config = {
    source: { baseUrl: 'http://127.0.0.1:9/api', token: 'none', timeZone: 'UTC' },
    network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    subscriptions: [{ name: 'ops', events: ['task.created'], to: { http: { url: receiver.url, secret: SECRET } } }],
  };
  const opened = await openEmbedded({
    config: parseConfig('test.json', JSON.stringify(config), {}),
    database: openDatabase(':memory:'),
    environment: {},
    clock,
    holder: 'test',
    random: () => 0.5,
  });
  // Without a source nothing is polled: the deliveries themselves show that the clock was put back.
  embedded = { ...opened, config: { ...opened.config, sources: [] } };
});
afterEach(async () => {
  await embedded.close();
  await receiver.close();
});

/** Records an event with its delivery, and queues it. */
async function record(number: number): Promise<void> {
  // Dated now: events expire.
  const one = event(String(number), { id: `evt_${String(number).padStart(32, '0')}`, time: clock.now() });
  const opened = openDelivery(one, 'ops', clock.now());
  await embedded.events.record([{ event: one, deliveries: [opened] }]);
  await embedded.queue.send([{ kind: 'attempt', delivery: opened.id, attempt: 1, group: 'ops' }], clock.now());
}

const settled = () => embedded.deliveries.list({ status: 'settled', limit: 9 });

describe('a clock that ran ahead and was put back', () => {
  it('has few deliveries in memory at a time, and those of a key wait for the others', async () => {
    await embedded.subscriptions.add(subscription('a-key', { declared: false, owner: '5c75c1a4f8fdc9c6' }));
    ahead = DAY;
    for (const name of ['a-key', 'ops']) {
      const due = plus(clock.now(), 2 * HOUR);
      const opened = Array.from({ length: 1000 }, (_, index) => event(`${name}${index}`)).map((one) => ({
        event: one,
        deliveries: [{ ...openDelivery(one, name, clock.now()), dueAt: due }],
      }));
      await embedded.events.record(opened);
    }
    ahead = 0;
    const read: WeakRef<Delivery>[] = [];
    const order: string[] = [];
    let inMemory = 0;
    const note = (deliveries: readonly Delivery[]) => read.push(...deliveries.map((one) => new WeakRef(one)));
    const deliveries: typeof embedded.deliveries = {
      ...embedded.deliveries,
      async get(id, isFresh) {
        const found = await embedded.deliveries.get(id, isFresh);
        note(found === undefined ? [] : [found]);
        return found;
      },
      async list(query) {
        const found = await embedded.deliveries.list(query);
        note(found);
        return found;
      },
      async update(before, next) {
        order.push(before.subscription);
        if (order.length % 500 === 0) {
          await pause(1);
          collectGarbage();
          inMemory = Math.max(inMemory, read.filter((one) => one.deref() !== undefined).length);
        }
        return embedded.deliveries.update(before, next);
      },
    };
    expect(await bringForward({ ...embedded, deliveries })).toBe(2000);
    expect(order).toEqual([...Array(1000).fill('ops'), ...Array(1000).fill('a-key')]);
    // A page, and one that an update has in hand.
    expect(inMemory).toBeLessThanOrEqual(250);
  });

  it.each([12 * HOUR, 2 * DAY])('by %i ms leaves no retry waiting', async (by) => {
    ahead = by;
    await record(1);
    receiver.status = 503;
    await deliverAll(embedded, {});
    expect((await embedded.deliveries.list({ limit: 1 }))[0]?.attempts).toHaveLength(1);
    ahead = 0;
    receiver.status = 204;
    await once(embedded);
    expect(receiver.events).toHaveLength(1);
    expect(await settled()).toHaveLength(1);
  });

  it.each([12 * HOUR, 2 * DAY])('by %i ms leaves no queued job hidden', async (by) => {
    await record(1);
    ahead = by;
    await embedded.queue.receive({ limit: 1, visibility: MINUTE }, clock.now());
    ahead = 0;
    await deliverAll(embedded, {});
    expect(receiver.events).toHaveLength(1);
  });

  it('leaves a delivery of before the jump on its way, although it was attempted while the clock was ahead', async () => {
    await record(1);
    receiver.status = 503;
    ahead = 12 * HOUR;
    await deliverAll(embedded, {});
    ahead = 0;
    receiver.status = 204;
    const stop = new AbortController();
    ahead = 12 * HOUR;
    const serving = serve(embedded, {}, stop.signal);
    await pause(100);
    ahead = 0;
    await vi.waitFor(() => expect(receiver.events).toHaveLength(1), { timeout: 30_000, interval: 20 });
    stop.abort();
    await serving;
  });
});

describe('the due time of a delivery after the clock was put back', () => {
  const later = (millis: number) => plus(NOON, millis);
  const attempt = (number: number, at: string) => ({ number, at, ms: 1, outcome: 'retry' as const, status: 503 });

  it('stays if it follows the retry schedule', () => {
    const retried = delivery('1', 'ops', { attempts: [attempt(1, later(-HOUR)), attempt(5, later(-MINUTE))] });
    const onSchedule = { ...retried, dueAt: later(5 * HOUR) };
    expect(correctDueAt(onSchedule, NOON)).toBe(onSchedule.dueAt);
    expect(correctDueAt({ ...retried, dueAt: later(9 * HOUR) }, NOON)).toBe(NOON);
  });

  it('is now if the last attempt is in the future', () => {
    const retried = delivery('1', 'ops', { attempts: [attempt(1, later(12 * HOUR))] });
    expect(correctDueAt({ ...retried, dueAt: later(12 * HOUR + 5 * SECOND) }, NOON)).toBe(NOON);
  });

  it('keeps the window of a delivery that gathers', () => {
    const opened = delivery('1', 'ops', { status: 'waiting', createdAt: later(2 * DAY) });
    expect(correctDueAt({ ...opened, dueAt: later(2 * DAY + 30 * SECOND) }, NOON)).toBe(later(30 * SECOND));
  });

  it.each([-HOUR, 2 * DAY])('is no later than the next digest, whether created %i ms from now', (created) => {
    const opened = delivery('1', 'ops', { status: 'waiting', createdAt: later(created) });
    expect(correctDueAt({ ...opened, dueAt: later(3 * DAY) }, NOON, later(5 * DAY))).toBe(later(3 * DAY));
    expect(correctDueAt({ ...opened, dueAt: later(3 * DAY) }, NOON, later(20 * HOUR))).toBe(later(20 * HOUR));
  });

  it('keeps the day of an open digest, or else its time of day', () => {
    const standing = (day: string) => delivery('1', 'ops', { status: 'waiting', standing: [{ source: 'main', day }] });
    const correct = { ...standing('2026-11-16'), createdAt: later(-HOUR), dueAt: '2026-11-16T08:00:00.000Z' };
    expect(correctDueAt(correct, NOON, later(DAY))).toBe(correct.dueAt);
    const ahead = { ...standing('2026-11-18'), createdAt: later(2 * DAY), dueAt: '2026-11-18T08:00:00.000Z' };
    expect(correctDueAt(ahead, NOON, later(DAY))).toBe('2026-11-15T08:00:00.000Z');
  });

  it('is now for a delivery of before the jump that was postponed during it', () => {
    const postponed = delivery('1', 'ops', { status: 'waiting', createdAt: later(-HOUR), dueAt: later(3 * DAY) });
    expect(correctDueAt(postponed, NOON)).toBe(NOON);
  });
});
