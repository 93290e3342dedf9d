/** What `deliver` returns for each way a job can end. */

import { beforeEach, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { type DeliverPorts, deliver } from '../../../core/delivery/deliver.ts';
import { pause } from '../../../core/delivery/hold.ts';
import { changeSnooze, EVERYTHING } from '../../../core/delivery/receivers/snooze.ts';
import { changeHealth } from '../../../core/delivery/receivers/subscription-state.ts';
import { type Delivery, QUEUE_GRACE } from '../../../core/model/delivery.ts';
import { RetryLater } from '../../../core/model/errors.ts';
import { DAY, fixedClock, HOUR, MINUTE, plus } from '../../../core/model/time.ts';
import { jobFor } from '../../../core/ports/queue.ts';
import { delivery, event, NOON, subscription } from '../../samples.ts';

const chat = { channel: 'slack', settings: { webhook: '${HOOK}' } };
const people = { channel: 'email', settings: { to: 'assignees' } };

let ports: DeliverPorts;

beforeEach(async () => {
  ports = {
    ...sqliteStores(openDatabase(':memory:')),
    clock: { now: () => NOON },
    random: () => 0.5,
    zoneOf: async () => 'UTC',
    channels: channelRegistry,
    channelFor: () => ({ send: async () => ({ status: 204 }) }),
  };
  await ports.subscriptions.applyDeclared([
    subscription('ops'),
    subscription('chat', { to: chat }),
    subscription('quiet', { to: chat, quiet: { from: '11:00', until: '13:00' } }),
    subscription('people', { to: people, digest: { at: '12:00' } }),
  ]);
});

async function open(id: string, name: string, change: Partial<Delivery> = {}): Promise<Delivery> {
  const opened = delivery(id, name, change);
  await ports.events.record([{ event: event(id), deliveries: [opened] }]);
  return opened;
}

const run = (one: Delivery, change: Partial<DeliverPorts> = {}) => deliver({ ...ports, ...change }, jobFor(one));

const later = { waiting: { status: 'waiting', dueAt: NOON } } as const;

describe('deliver returns', () => {
  it('the attempt that it made', async () => {
    const one = await open('1', 'ops');
    expect(await run(one)).toMatchObject({
      kind: 'attempted',
      result: {
        delivery: { id: one.id, status: 'settled' },
        attempt: { number: 1, outcome: 'accepted', status: 204 },
        events: [{ id: 'evt_1' }],
        channel: 'http',
      },
    });
  });

  it('an attempt that failed', async () => {
    const channelFor = () => ({ send: () => Promise.reject(new RetryLater('TIDINGS_HTTP_STATUS', '503')) });
    const outcome = await run(await open('1', 'ops'), { channelFor });
    expect(outcome).toMatchObject({ kind: 'attempted', result: { attempt: { outcome: 'retry' } } });
  });

  it('an attempt with the start of a message that the receiver has made long', async () => {
    const message = `the names in its certificate do not fit: ${'name.example.com, '.repeat(5000)}`;
    const send = () => Promise.reject(new RetryLater('TIDINGS_HTTP_UNREACHABLE', message));
    const ended = await run(await open('1', 'ops'), { channelFor: () => ({ send }) });
    const recorded = ended.kind === 'attempted' ? ended.result.attempt.message : undefined;
    expect(recorded).toMatch(/^the names in its certificate do not fit: name\.example\.com, .*…$/);
    expect(recorded?.length).toBeLessThanOrEqual(1000);
  });

  it('duplicate, if another job recorded the attempt while this one sent', async () => {
    expect(await run(await open('1', 'ops'), { saveOutcome: async () => false })).toEqual({ kind: 'duplicate' });
  });

  it('held, while the subscription is paused', async () => {
    const one = await open('1', 'ops');
    await pause(ports, 'ops');
    expect(await run(one)).toEqual({ kind: 'held' });
    expect(await ports.deliveries.get(one.id)).toMatchObject({ status: 'held' });
  });

  it('split, for a digest that becomes one delivery for each person', async () => {
    const opened = delivery('1', 'people', {
      ...later.waiting,
      events: [],
      standing: [{ source: 'main', day: '2026-11-14' }],
    });
    const digest = await ports.deliveries.gather(opened, []);
    expect(await run(digest)).toEqual({ kind: 'split' });
  });
});

describe('a stale job', () => {
  it('is missing its delivery', async () => {
    expect(await run(delivery('1', 'ops'))).toEqual({ kind: 'stale', because: 'missing' });
  });

  it('is outdated after its attempt was made', async () => {
    const one = await open('1', 'ops');
    await run(one);
    expect(await run(one)).toEqual({ kind: 'stale', because: 'outdated' });
  });

  it('is outdated after the delivery was rescheduled', async () => {
    const one = await open('1', 'ops');
    await ports.deliveries.update(one, { ...one, dueAt: plus(NOON, HOUR) });
    expect(await run(one)).toEqual({ kind: 'stale', because: 'outdated' });
  });

  it('finds that another process has changed the delivery since it was read', async () => {
    const one = await open('1', 'chat');
    const agenda = { ...ports.agenda, postpone: async () => false };
    expect(await run(one, { agenda })).toEqual({ kind: 'stale', because: 'changed' });
  });

  it('leaves the delivery to the job that gathers', async () => {
    const one = await open('1', 'chat', later.waiting);
    await ports.leases.acquire('gather/chat', 'another job', NOON, MINUTE);
    expect(await run(one)).toEqual({ kind: 'stale', because: 'gathering' });
  });

  it('finds a group that was sent and carries the delivery', async () => {
    const [one, two] = [await open('1', 'chat', later.waiting), await open('2', 'chat', later.waiting)];
    expect(await run(one)).toMatchObject({ kind: 'attempted', result: { delivery: { events: ['evt_1', 'evt_2'] } } });
    // A process that died had marked neither of them.
    const deliveries = {
      ...ports.deliveries,
      get: async (id: string) => [one, two].find((member) => member.id === id) ?? ports.deliveries.get(id),
      list: async () => [one, two],
    };
    expect(await run(two, { deliveries })).toEqual({ kind: 'stale', because: 'gathered' });
  });
});

describe('a postponed attempt', () => {
  const end = plus(NOON, HOUR);

  it('waits for the end of the pause of its receiver', async () => {
    const circuit = { failures: 5, failedAt: NOON, pausedUntil: end, probe: null };
    await changeHealth(ports, 'ops', 'delivery', (health) => ({ ...health, circuit }));
    const one = await open('1', 'ops');
    expect(await run(one)).toEqual({ kind: 'postponed', until: end, because: 'receiver-paused' });
    expect(await ports.deliveries.get(one.id)).toMatchObject({ dueAt: end });
  });

  it('waits for the start of the day of its readers', async () => {
    const one = await open('1', 'chat', { ...later.waiting, notBefore: end });
    expect(await run(one)).toEqual({ kind: 'postponed', until: end, because: 'day-start' });
  });

  it('waits for the end of quiet hours', async () => {
    const one = await open('1', 'quiet');
    expect(await run(one)).toEqual({ kind: 'postponed', until: end, because: 'quiet-hours' });
  });

  it('waits for the start of the day first, if quiet hours are over later', async () => {
    const notBefore = plus(NOON, 30 * MINUTE);
    const one = await open('1', 'quiet', { ...later.waiting, notBefore });
    expect(await run(one)).toEqual({ kind: 'postponed', until: notBefore, because: 'day-start' });
  });

  it('waits for the end of a snooze', async () => {
    await changeHealth(ports, 'chat', 'person', (health) => changeSnooze(health, EVERYTHING, end, NOON));
    expect(await run(await open('1', 'chat'))).toEqual({ kind: 'postponed', until: end, because: 'snoozed' });
  });

  it('waits for its send slot', async () => {
    const waitForSlot = async () => ({ at: end, interval: MINUTE });
    const one = await open('1', 'ops');
    expect(await run(one, { waitForSlot })).toEqual({ kind: 'postponed', until: end, because: 'rate-limit' });
    expect(await ports.deliveries.get(one.id)).toMatchObject({ dueAt: end, slot: { at: end } });
  });

  it('fails without an attempt, if its rate does not allow to send it within 30 days', async () => {
    const waitForSlot = async () => 'too-late' as const;
    const one = await open('1', 'ops');
    expect(await run(one, { waitForSlot })).toEqual({ kind: 'too-late' });
    expect(await ports.deliveries.get(one.id)).toMatchObject({
      status: 'failed',
      dueAt: null,
      settledAt: NOON,
      attempts: [{ number: 1, ms: 0, outcome: 'gave-up', code: 'TIDINGS_DELIVERY_TOO_LATE' }],
    });
  });

  it('is sent after a month in which the process was not running', async () => {
    const monthLater = { clock: fixedClock(plus(NOON, 31 * DAY)) };
    expect(await run(await open('1', 'chat'), monthLater)).toMatchObject({ kind: 'attempted' });
  });

  it('is stale instead, if another process moved it at the same time', async () => {
    const one = await open('1', 'quiet');
    const deliveries = { ...ports.deliveries, update: async () => false };
    expect(await run(one, { deliveries })).toEqual({ kind: 'stale', because: 'changed' });
  });
});

describe('a delivery that was recorded just now', () => {
  it('is not read again, and neither are its events', async () => {
    const one = await open('1', 'ops');
    const refuse = () => Promise.reject(new Error('read'));
    const change = {
      deliveries: { ...ports.deliveries, get: refuse },
      events: { ...ports.events, getMany: refuse },
    };
    const recorded = { delivery: one, events: [event('1')] };
    const outcome = await deliver({ ...ports, ...change }, jobFor(one), { recorded });
    expect(outcome).toMatchObject({ kind: 'attempted', result: { attempt: { outcome: 'accepted' } } });
    expect(await ports.deliveries.get(one.id)).toMatchObject({ status: 'settled' });
    expect(one.dueAt).toBe(plus(NOON, QUEUE_GRACE));
  });
});
