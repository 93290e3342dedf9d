/** The deliver function: concurrency, limits, logs, metrics and failed messages. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { SQSRecord } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dynamoRateLimiter } from '../../adapters/dynamodb/rate-limiter.ts';
import { readHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { HOUR, MINUTE, plus, SECOND } from '../../core/model/time.ts';
import { type Receiver, startReceiver } from '../e2e/receiver.ts';
import { delivery, event, NOON, SECRET, subscription } from '../samples.ts';
import { type CapturedOutput, captureOutput } from './lambda-call.ts';
import { OPS, openFunctions, startWorld, type World } from './world.ts';

let world: World;
let output: CapturedOutput;
let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver(SECRET);
  const http = { url: receiver.url, secret: '${OPS}' };
  world = await startWorld({
    config: {
      mail: { from: 'Tidings <tidings@example.com>' },
      subscriptions: [
        { name: 'ops', events: ['task.*'], to: { http }, concurrency: 2 },
        { name: 'slow', events: ['task.*'], to: { http }, rate: '5/s' },
        { name: 'rare', events: ['task.*'], to: { http }, rate: '1/m' },
        { name: 'narrow', events: ['task.*'], to: { http }, concurrency: 1 },
        { name: 'team', events: ['task.*'], to: { email: { to: ['ann@example.com'] } } },
        // The role may use the buses of the config.
        { name: 'bus', events: ['task.*'], to: { bus: { name: 'tidings' } } },
      ],
    },
  });
  output = captureOutput();
  await world.functions.setup();
  output.clear();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await world.stop();
  await receiver.close().catch(() => {});
});

/** Records a delivery for each id, and returns the messages of their first attempts. */
async function owe(subscription: string, ...ids: readonly string[]): Promise<readonly SQSRecord[]> {
  const open = (id: string) => delivery(id, subscription, { createdAt: world.clock.now(), dueAt: world.clock.now() });
  await world.stores.events.record(ids.map((id) => ({ event: event(id), deliveries: [open(id)] })));
  return ids.map((id) => messageOf(`message-${id}`, { delivery: open(id).id, attempt: 1, group: subscription }));
}

function messageOf(messageId: string, body: unknown): SQSRecord {
  return { messageId, body: typeof body === 'string' ? body : JSON.stringify(body) } as SQSRecord;
}

describe('deliver', () => {
  it('logs delivery, events, subscription and outcome of each attempt', async () => {
    await world.functions.deliver(await owe('ops', '1'));
    expect(output.lines('accepted')).toMatchObject([
      { delivery: delivery('1', 'ops').id, events: ['evt_1'], subscription: 'ops', attempt: 1, status: 204 },
    ]);
    receiver.status = 500;
    await world.functions.deliver(await owe('ops', '2'));
    expect(output.lines('retry')).toMatchObject([
      {
        level: 'WARN',
        delivery: delivery('2', 'ops').id,
        events: ['evt_2'],
        subscription: 'ops',
        status: 500,
        dueAt: expect.any(String),
        problem: { code: expect.stringMatching(/^TIDINGS_/) },
      },
    ]);
  });

  it('leaves no connection open while Lambda freezes the process', async () => {
    await world.functions.deliver(await owe('ops', '1', '2'));
    await expect.poll(() => receiver.countConnections()).toBe(0);
    await world.functions.deliver(await owe('ops', '3'));
    expect(receiver.events).toHaveLength(3);
  });

  it('publishes the numbers of accepted, retried and given-up deliveries, and the latency', async () => {
    await world.functions.deliver(await owe('ops', '1'));
    receiver.status = 500;
    await world.functions.deliver(await owe('ops', '2'));
    const pruned = delivery('3', 'ops', { events: ['evt_pruned'], dueAt: world.clock.now() });
    await world.stores.events.record([{ event: event('3'), deliveries: [pruned] }]);
    await world.functions.deliver([messageOf('message-3', { delivery: pruned.id, attempt: 1, group: 'ops' })]);
    expect(output.metric('DeliveriesAccepted')).toEqual([1, 0, 0]);
    expect(output.metric('DeliveriesRetried')).toEqual([0, 1, 0]);
    expect(output.metric('DeliveriesGivenUp')).toEqual([0, 0, 1]);
    expect(output.metric('DeliveryLatency')).toHaveLength(1);
    expect(new Set(output.dimensions().map((one) => JSON.stringify(one)))).toEqual(
      new Set(['{"service":"tidings","function":"deliver"}']),
    );
  });

  it('logs the deliveries of a subscription that was removed as nothing to act on, and causes no alarm', async () => {
    await world.functions.deliver(await owe('removed', '1', '2'));
    expect(output.metric('DeliveriesGivenUp')).toEqual([0, 0]);
    const line = { level: 'INFO', problem: { code: 'TIDINGS_DELIVERY_SUBSCRIPTION_GONE' } };
    expect(output.lines('gave-up')).toMatchObject([line, line]);
  });

  it('causes no alarm with what a key decides: its own receivers, and tests', async () => {
    const to = { channel: 'http', settings: { url: 'http://10.0.0.1/', secret: OPS } };
    await world.stores.subscriptions.save(subscription('partner', { events: ['task.*'], to, owner: 'k1' }));
    await world.functions.deliver(await owe('partner', '1'));
    receiver.status = 500;
    const test = delivery('2', 'ops', { mark: 'test', dueAt: world.clock.now() });
    await world.stores.events.record([{ event: event('2'), deliveries: [test] }]);
    await world.functions.deliver([messageOf('message-2', { delivery: test.id, attempt: 1, group: 'ops' })]);
    const failed = await world.stores.deliveries.list({ status: 'failed', limit: 10 });
    expect(failed.map((one) => one.subscription).sort()).toEqual(['ops', 'partner']);
    expect(output.metric('DeliveriesGivenUp')).toEqual([0, 0]);
  });

  it('reads all subscriptions once a minute for the deliveries of one that was removed', async () => {
    let lists = 0;
    world.options.clients?.dynamodb?.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === 'QueryCommand' && JSON.stringify(args.input).includes('"subscriptions"')) lists += 1;
          return next(args);
        },
      { step: 'initialize' },
    );
    await world.functions.deliver(await owe('ops', '0'));
    lists = 0;
    await world.functions.deliver(await owe('removed', '1', '2', '3', '4'));
    await world.functions.deliver(await owe('removed', '5', '6'));
    expect(lists).toBe(1);
    expect(output.lines('gave-up')).toHaveLength(6);
    world.clock.advance(MINUTE);
    await world.functions.deliver(await owe('removed', '7'));
    expect(lists).toBe(2);
    // It is back under another name.
    await world.stores.subscriptions.save(
      subscription('renamed', {
        renamedFrom: 'lost',
        declared: false,
        to: { channel: 'http', settings: { url: receiver.url, secret: OPS } },
      }),
    );
    await world.functions.deliver(await owe('lost', '8'));
    expect(receiver.events).toHaveLength(2);
    // A key may have removed a thousand: those of a batch share their lists, and each is read after its subscription was not found.
    lists = 0;
    const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'lost'];
    const owed = await Promise.all(many.map((name, n) => owe(name, String(10 + n))));
    await world.functions.deliver(owed.flat());
    expect(lists).toBeLessThanOrEqual(2);
    expect(receiver.events).toHaveLength(3);
  });

  it('announces a failure, but not of a key that has announced many', async () => {
    receiver.status = 410;
    const hook = (name: string, owner: string) =>
      subscription(name, {
        owner,
        declared: false,
        to: { channel: 'http', settings: { url: receiver.url, secret: OPS } },
      });
    for (const one of [hook('first', 'key_1'), hook('next', 'key_1'), hook('other', 'key_2')])
      await world.stores.subscriptions.save(one);
    // All but one.
    await world.stores.requestLimiter.take(
      'key_1 announced',
      { burst: 100 / 99, interval: (HOUR / 100) * 99 },
      world.clock.now(),
    );
    for (const name of ['first', 'next', 'other']) await world.functions.deliver(await owe(name, name));
    const states = await Promise.all(['first', 'next', 'other'].map((name) => readHealth(world.stores, name)));
    expect(states.map(({ state, unannounced }) => [state, unannounced])).toEqual([
      ['disabled', undefined],
      ['disabled', 'disabled'],
      ['disabled', undefined],
    ]);
  });

  it('respects the concurrency of a subscription, and makes all attempts', async () => {
    const records = await owe('ops', ...'abcdefgh');
    receiver.delay = 100;
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, receiver.inHand);
    }, 2);
    await world.functions.deliver(records);
    clearInterval(watch);
    expect(receiver.events).toHaveLength(8);
    expect(most).toBe(2);
  });

  it.each([
    ['narrow', 1],
    ['ops', 2],
  ])('respects the concurrency of %s in all executions together', async (name, concurrency) => {
    const sandboxes = [world.functions, openFunctions(world.options), openFunctions(world.options)];
    const batches = await Promise.all(sandboxes.map((_, n) => owe(name, `${n}a`, `${n}b`, `${n}c`)));
    receiver.delay = 50;
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, receiver.inHand);
    }, 2);
    await Promise.all(sandboxes.map(({ deliver }, n) => deliver(batches[n] ?? [])));
    clearInterval(watch);
    expect(receiver.events).toHaveLength(9);
    expect(most).toBe(concurrency);
  });

  it('leaves a job on the agenda if others keep the receiver busy, and goes on after one that was killed', async () => {
    const { leases, clock } = { ...world.stores, clock: world.clock };
    await leases.acquire('attempt/narrow/0', 'killed', clock.now(), MINUTE);
    const records = await owe('narrow', 'a');
    await world.functions.deliver(records, { time: 36_000 });
    expect(receiver.events).toHaveLength(0);
    expect(await world.stores.agenda.due(clock.now(), 10)).toHaveLength(1);
    clock.advance(MINUTE + SECOND);
    await world.functions.deliver(records);
    expect(receiver.events).toHaveLength(1);
  });

  it('respects the rate of a subscription, within a batch and across batches', async () => {
    const records = await owe('slow', ...'abcd');
    const start = performance.now();
    await world.functions.deliver(records.slice(0, 2));
    await world.functions.deliver(records.slice(2));
    expect(receiver.events).toHaveLength(4);
    expect(performance.now() - start).toBeGreaterThan(3 * 200 - 20);
  });

  it('does not delay other receivers because of one that hangs', async () => {
    const [slow, quick] = [await owe('ops', 'a', 'b', 'c'), await owe('slow', 'd')];
    receiver.delay = 400;
    await world.functions.deliver([...slow, ...quick]);
    expect(receiver.events.map(({ id }) => id).indexOf('evt_d')).toBeLessThan(3);
  });

  it('leaves jobs on the agenda when there is no time, and completes their messages', async () => {
    const records = await owe('ops', 'a', 'b');
    expect(await world.functions.deliver(records, { time: 20 * SECOND })).toEqual({ batchItemFailures: [] });
    expect(receiver.events).toEqual([]);
    await world.functions.tick();
    expect(world.queues.waiting()).toHaveLength(2);
    await world.functions.deliver(await world.queues.receive());
    expect(receiver.events).toHaveLength(2);
  });

  it('reschedules attempts with a slot after its time, each for its own slot', async () => {
    const records = await owe('rare', 'a', 'b', 'c');
    const start = performance.now();
    const before = Date.now();
    expect(await world.functions.deliver(records)).toEqual({ batchItemFailures: [] });
    expect(performance.now() - start).toBeLessThan(20 * SECOND);
    expect(receiver.events.map(({ id }) => id)).toEqual(['evt_a']);
    const due = await world.stores.agenda.due('9999', 9);
    expect(due.map(({ delivery: id, attempt }) => [id, attempt])).toEqual(
      ['b', 'c'].map((id) => [delivery(id, 'rare').id, 1]),
    );
    for (const [turns, { at }] of due.entries()) {
      const wait = Date.parse(at) - before;
      expect(wait).toBeGreaterThanOrEqual((turns + 1) * MINUTE);
      expect(wait).toBeLessThan((turns + 1) * MINUTE + 10 * SECOND);
    }
    expect(output.lines('rate limit reached, attempt rescheduled')).toMatchObject(
      due.map(({ delivery: id, at }) => ({ delivery: id, subscription: 'rare', until: at })),
    );
    // At its slot, to the second.
    await world.functions.tick();
    expect(world.queues.waiting()).toEqual([]);
    const [wait = 0, ...others] = world.queues.later();
    expect(others).toEqual([]);
    expect(wait).toBeGreaterThan(30);
    expect(wait).toBeLessThanOrEqual(61);
  });

  it('shares the rate with all other executions, and reserves a slot only for what is sent', async () => {
    const others = [1, 2].map(() => openFunctions(world.options));
    const records = await owe('slow', ...'abcdef');
    const start = performance.now();
    await Promise.all(others.map(({ deliver }, n) => deliver(records.slice(3 * n, 3 * n + 3))));
    expect(receiver.events).toHaveLength(6);
    expect(performance.now() - start).toBeGreaterThan(5 * 200 - 20);
    // All of them again, which are stale, and one a minute later that is not.
    const stale = await owe('rare', 'g');
    await world.functions.deliver(stale);
    world.clock.advance(MINUTE);
    const [last] = await owe('rare', 'h');
    for (const { deliver } of others) await deliver([...stale, ...stale]);
    await world.functions.deliver([...stale, last as SQSRecord]);
    expect(receiver.events.map(({ id }) => id).slice(6)).toEqual(['evt_g', 'evt_h']);
  });

  it('books the slots of a changed rate again in parts, the rest with the next attempt', async () => {
    const BOOKED = 1250;
    const minutely = { interval: MINUTE, until: world.clock.now(), from: plus(world.clock.now(), MINUTE) };
    const rateLimiter = dynamoRateLimiter({ client: world.tables.client, table: world.names.ledger });
    const settings = { url: receiver.url, secret: OPS };
    const save = (count: number) =>
      world.stores.subscriptions.save(
        subscription('own', {
          declared: false,
          owner: 'key_a',
          rate: { count, per: MINUTE },
          to: { channel: 'http', settings },
        }),
      );
    for (let slot = 0; slot < 3; slot++) await rateLimiter.book('own', minutely, world.clock.now());
    const booked = Array.from({ length: BOOKED }, (_, index) => {
      const at = plus(world.clock.now(), (index + 5) * MINUTE);
      return delivery(`booked-${index}`, 'own', { createdAt: NOON, dueAt: at, slot: { at, interval: MINUTE } });
    });
    await world.stores.events.record([{ event: event('booked'), deliveries: booked }]);
    await save(6000);
    const countBooked = async () => {
      const stored = await Promise.all(booked.map(({ id }) => world.stores.deliveries.get(id, true)));
      return stored.filter((one) => one?.slot !== undefined).length;
    };
    const attempt = async (id: string) => world.functions.deliver(await owe('own', id));
    await attempt('a');
    expect(await countBooked()).toBe(BOOKED - 1000);
    await attempt('b');
    expect(await countBooked()).toBe(0);
    const isReset = async () =>
      (await rateLimiter.book('own', { ...minutely, interval: 10 }, world.clock.now()))?.reset;
    expect(await isReset()).toBeUndefined();
    expect(receiver.events.map(({ id }) => id)).toEqual(['evt_a', 'evt_b']);
  });

  it('waits for a slot within its time', async () => {
    const records = await owe('slow', ...'abc');
    await world.functions.deliver(records, { time: 45 * SECOND });
    expect(receiver.events).toHaveLength(3);
  });

  it('starts no attempt when time runs out within a batch, and loses nothing', async () => {
    const records = await owe('narrow', ...'abcdef');
    receiver.delay = 800;
    // 35 s are reserved for an attempt: attempts can start for two seconds.
    expect(await world.functions.deliver(records, { time: 37 * SECOND })).toEqual({ batchItemFailures: [] });
    const first = receiver.events.map(({ id }) => id);
    expect(first.length).toBeGreaterThan(0);
    expect(first.length).toBeLessThan(6);
    const left = await world.stores.agenda.due('9999', 9);
    expect(left).toHaveLength(6 - first.length);
    receiver.delay = 0;
    world.clock.advance(2 * MINUTE);
    await world.functions.tick();
    await world.functions.deliver(await world.queues.receive());
    const ids = receiver.events.map(({ id }) => id);
    expect(ids.toSorted()).toEqual([...'abcdef'].map((id) => `evt_${id}`));
    const kept = await Promise.all([...'abcdef'].map((id) => world.stores.deliveries.get(delivery(id, 'narrow').id)));
    expect(kept.map((one) => [one?.status, one?.attempts.length])).toEqual(kept.map(() => ['settled', 1]));
  });

  it('makes one attempt when the batch contains its job twice', async () => {
    const [one] = await owe('ops', 'a');
    receiver.delay = 50;
    const again = { ...one, messageId: 'message-again' } as SQSRecord;
    expect(await world.functions.deliver([one as SQSRecord, again])).toEqual({ batchItemFailures: [] });
    expect(receiver.events).toHaveLength(1);
    expect((await world.stores.deliveries.get(delivery('a', 'ops').id))?.attempts).toHaveLength(1);
  });

  it('fails the message when the store fails, and continues with the others', async () => {
    const [broken, good] = await owe('ops', 'a', 'b');
    const client = world.tables.connect();
    client.middlewareStack.add(
      (next) => (args) => {
        const key = JSON.stringify(args.input);
        if (key.includes(delivery('a', 'ops').id) && key.includes('UpdateExpression')) throw new Error('away');
        return next(args);
      },
      { step: 'initialize' },
    );
    const shaky = openFunctions({ ...world.options, clients: { ...world.options.clients, dynamodb: client } });
    const answer = await shaky.deliver([broken, good] as SQSRecord[]);
    client.destroy();
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'message-a' }] });
    expect((await world.stores.deliveries.get(delivery('b', 'ops').id))?.status).toBe('settled');
    expect(output.lines('message failed, will be received again')).toMatchObject([
      { messageId: 'message-a', delivery: delivery('a', 'ops').id, subscription: 'ops' },
    ]);
  });

  it('fails messages that are not jobs, but not stale jobs', async () => {
    const stale = messageOf('stale', { delivery: 'dlv_unknown', attempt: 1, group: 'ops' });
    const bodies = ['', 'null', '[]', '{}', '{"delivery":1,"attempt":1,"group":"ops"}', 'x'.repeat(10_000)];
    const poisoned = bodies.map((body, n) => messageOf(`poisoned-${n}`, body));
    const { batchItemFailures } = await world.functions.deliver([...poisoned, stale, ...(await owe('ops', 'a'))]);
    expect(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)).toEqual(poisoned.map((one) => one.messageId));
    expect(receiver.events).toHaveLength(1);
  });

  it('writes only JSON, even without metrics', async () => {
    output.clear();
    await world.functions.deliver([messageOf('stale', { delivery: 'dlv_unknown', attempt: 1, group: 'ops' })]);
    await world.functions.deliver([messageOf('poisoned', 'not a job')]);
    const lines = output.text().trimEnd().split('\n');
    expect(lines.filter((line) => !line.startsWith('{'))).toEqual([]);
    expect(output.lines('message failed, will be received again')).toHaveLength(1);
  });

  it('sends mail through SES, and events to a bus through EventBridge', async () => {
    const sent: { path: string | undefined; target: unknown; body: string }[] = [];
    const server = createServer(async (request, response) => {
      sent.push({ path: request.url, target: request.headers['x-amz-target'], body: await text(request) });
      response.setHeader('content-type', 'application/json');
      response.end('{"MessageId":"ses-1","FailedEntryCount":0,"Entries":[{"EventId":"bus-1"}]}');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const settings = { ...world.options.clientSettings?.secrets, endpoint };
    const clientSettings = { ...world.options.clientSettings, mail: settings, bus: settings };
    const { deliver } = openFunctions({ ...world.options, clientSettings });
    await deliver([...(await owe('team', '1')), ...(await owe('bus', '2'))]);
    server.close();
    server.closeAllConnections();
    expect(sent.map(({ path, target }) => target ?? path).toSorted()).toEqual([
      '/v2/email/outbound-emails',
      'AWSEvents.PutEvents',
    ]);
    expect(sent.find(({ target }) => target !== undefined)?.body).toContain('evt_2');
    const accepted = output.lines('accepted').map(({ subscription, events }) => [subscription, events]);
    expect(accepted.toSorted()).toEqual([
      ['bus', ['evt_2']],
      ['team', ['evt_1']],
    ]);
  });

  it('pauses a subscription whose template stays slow, with the reason', async () => {
    const loops =
      '{% for i in (1..900) %}{% for j in (1..900) %}{% assign x = j | plus: 1 | minus: i %}{% endfor %}{% endfor %}x';
    const to = { channel: 'http', settings: { url: receiver.url, secret: OPS } };
    const stored = subscription('templated', { declared: false, to, template: { body: { text: loops } } });
    await world.stores.subscriptions.save(stored);
    for (const id of ['1', '2', '3']) {
      await world.functions.deliver(await owe('templated', id));
      world.clock.advance(11 * MINUTE);
    }
    expect(await readHealth(world, 'templated')).toMatchObject({
      state: 'paused',
      reason: expect.stringContaining('its template keeps taking longer than 250 ms'),
    });
    const { entries } = await world.stores.audit.page({ limit: 9 });
    expect(entries).toMatchObject([
      { action: 'subscription.paused', target: 'subscription/templated', by: { kind: 'service', id: 'tidings' } },
    ]);
  });
});
