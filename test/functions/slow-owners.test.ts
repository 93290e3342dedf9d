/** What one key can occupy with slow receivers: a part of the executions of `deliver`. Each batch has an execution of its own, as Lambda gives it. */

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSRecord } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeLate } from '../../adapters/sqs/late-job.ts';
import { readHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { SECOND } from '../../core/model/time.ts';
import { MAX_EXECUTIONS } from '../../runtime/aws/environment.ts';
import { delivery, event, subscription } from '../samples.ts';
import { type CapturedOutput, captureOutput } from './lambda-call.ts';
import { OPS, openFunctions, recordOf, startWorld, type World } from './world.ts';

/** Of these a key may have two for long. */
const EXECUTIONS = 8;
const SHARE = 2;

let world: World;
let output: CapturedOutput;
let endpoint: Awaited<ReturnType<typeof startSilentEndpoint>>;

beforeEach(async () => {
  endpoint = await startSilentEndpoint();
  world = await startWorld({
    config: { manage: { url: 'https://tidings.example.com', secret: '${OPS}', api: {} }, subscriptions: [] },
    environment: { [MAX_EXECUTIONS]: String(EXECUTIONS) },
  });
  output = captureOutput();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await endpoint.stop();
  await world.stop();
});

/** Answers when the test says so. */
async function startSilentEndpoint() {
  const waiting: ServerResponse[] = [];
  const seenAt = new Map<string, number>();
  let isSilent = true;
  const server = createServer((request, response) => {
    request.resume();
    seenAt.set(String(request.headers['webhook-id']), performance.now());
    if (isSilent) waiting.push(response);
    else response.end('seen');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    waiting,
    /** When each event came. */
    seenAt,
    answerAtOnce: () => {
      isSilent = false;
    },
    answer: () => {
      for (const response of waiting.splice(0)) response.end('seen');
    },
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function subscribe(name: string, more: Parameters<typeof subscription>[1] = {}): Promise<void> {
  const settings = { url: endpoint.url, secret: OPS };
  const to = { channel: 'http', settings } as const;
  await world.stores.subscriptions.save(subscription(name, { declared: false, to, ...more }));
}

async function owe(name: string, ...ids: readonly string[]): Promise<readonly SQSRecord[]> {
  const now = world.clock.now();
  const open = (id: string) => delivery(id, name, { createdAt: now, dueAt: now });
  await world.stores.events.record(ids.map((id) => ({ event: event(id), deliveries: [open(id)] })));
  return ids.map((id) => recordOf(id, JSON.stringify({ delivery: open(id).id, attempt: 1, group: name })));
}

/** Runs each batch in an execution of its own. Returns how many have ended so far. */
function deliverAll(batches: readonly (readonly SQSRecord[])[]) {
  let ended = 0;
  const all = batches.map(async (batch) => {
    const result = await openFunctions(world.options).deliver(batch);
    ended += 1;
    return result;
  });
  return { ended: () => ended, all: Promise.all(all) };
}

describe('a key whose receivers do not answer', () => {
  it('leaves all but its share of the executions to others after seconds', async () => {
    const names = Array.from({ length: EXECUTIONS }, (_, n) => `slow-${n}`);
    for (const name of names) await subscribe(name, { owner: 'key_slow' });
    const batches = await Promise.all(names.map((name) => owe(name, name)));
    const running = deliverAll(batches);
    await vi.waitFor(() => expect(running.ended()).toBe(EXECUTIONS - SHARE), 13 * SECOND);
    endpoint.answer();
    await running.all;
    const outcomes = output.metric('DeliveriesAccepted');
    expect(outcomes.reduce((sum, one) => sum + one, 0)).toBe(SHARE);
    // The others are retried, and the attempt says why it ended.
    expect(output.lines('retry')).toHaveLength(EXECUTIONS - SHARE);
    expect(output.text()).toContain('slow requests of this key, or of all keys, were taking as many executions');
    // And is no failure of the receiver, which might have answered in time.
    const states = await Promise.all(names.map((name) => readHealth(world.stores, name)));
    expect(states.map(({ failingSince, circuit }) => [failingSince, circuit])).toEqual(names.map(() => [null, null]));
    // The places are free again.
    const next = deliverAll([await owe('slow-0', 'again')]);
    await sleep(3.5 * SECOND);
    endpoint.answer();
    await next.all;
    expect((await world.stores.deliveries.get(delivery('again', 'slow-0').id))?.status).toBe('settled');
  });

  it('leaves a quarter of the executions to others, however many such keys there are', async () => {
    const names = Array.from({ length: EXECUTIONS }, (_, n) => `slow-${n}`);
    for (const [n, name] of names.entries()) await subscribe(name, { owner: `key_${Math.floor(n / SHARE)}` });
    const batches = await Promise.all(names.map((name) => owe(name, name)));
    const running = deliverAll(batches);
    await vi.waitFor(() => expect(running.ended()).toBe(EXECUTIONS / 4), 13 * SECOND);
    await sleep(SECOND);
    expect(running.ended()).toBe(EXECUTIONS / 4);
    endpoint.answer();
    await running.all;
    // All places are free again.
    const next = deliverAll(await Promise.all(names.slice(0, 6).map((name) => owe(name, `again-${name}`))));
    await vi.waitFor(() => expect(endpoint.waiting).toHaveLength(6));
    await sleep(3.5 * SECOND);
    expect(next.ended()).toBe(0);
    endpoint.answer();
    await next.all;
  });

  it('waits no longer for the concurrency and the rate of its subscriptions, and loses nothing', async () => {
    await subscribe('slow', { owner: 'key_slow' });
    await subscribe('narrow', { owner: 'key_slow', concurrency: 1 });
    await subscribe('rare', { owner: 'key_slow', rate: { count: 1, per: 20 * SECOND } });
    const holders = deliverAll([await owe('slow', 'a'), await owe('slow', 'b')]);
    await vi.waitFor(() => expect(endpoint.waiting).toHaveLength(2));
    await world.stores.leases.acquire('attempt/narrow/0', 'another', world.clock.now(), 60 * SECOND);
    await sleep(3.5 * SECOND);
    const waiting = deliverAll([await owe('narrow', 'c'), await owe('rare', 'd', 'e')]);
    await vi.waitFor(() => expect(waiting.ended()).toBe(2), 13 * SECOND);
    endpoint.answer();
    await Promise.all([holders.all, waiting.all]);
    for (const [id, name] of [
      ['c', 'narrow'],
      ['e', 'rare'],
    ] as const)
      expect((await world.stores.deliveries.get(delivery(id, name).id))?.dueAt).not.toBeNull();
  });

  it('does not take up the time of an execution with deliveries to open', async () => {
    await subscribe('slow', { owner: 'key_slow' });
    await world.stores.events.record([{ event: event('1'), deliveries: [] }]);
    for (let n = 0; n < SHARE; n++)
      await world.stores.leases.acquire(`execution/key_slow/${n}`, 'another', world.clock.now(), 60 * SECOND);
    const { dynamodb } = world.options.clients ?? {};
    // As slow as a table that is throttled, or a thousand deliveries.
    dynamodb?.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === 'PutItemCommand') await sleep(SECOND);
          return next(args);
        },
      { step: 'initialize' },
    );
    const late = { event: event('1').id, owner: 'key_slow', subscriptions: ['slow'] };
    const records = Array.from({ length: 10 }, (_, n) => recordOf(`late-${n}`, encodeLate(late)));
    const startedAt = performance.now();
    const result = await world.functions.deliver(records);
    expect(result).toEqual({ batchItemFailures: [] });
    expect(performance.now() - startedAt).toBeLessThan(9 * SECOND);
    expect(world.queues.waiting().filter((body) => body === encodeLate(late)).length).toBeGreaterThan(5);
  });
});

describe('a key with templates that take long', () => {
  it('delays no attempt of others in the same batch by more than a few of them', async () => {
    const LOOPS = '{% for a in (1..900) %}{% for b in (1..900) %}{% endfor %}{% endfor %}';
    const names = Array.from({ length: 9 }, (_, n) => `slow-${n}`);
    for (const name of names)
      await subscribe(name, { owner: 'key_slow', template: { body: { text: `${name}${LOOPS}` } } });
    await subscribe('quiet', { owner: 'key_quiet' });
    const slow = await Promise.all(names.map((name) => owe(name, name)));
    const batch = [...slow.flat(), ...(await owe('quiet', 'quiet'))];
    endpoint.answerAtOnce();
    const startedAt = performance.now();
    await world.functions.deliver(batch);
    // Each of the others takes half a second until it is given up, 4.5 s in all.
    expect(endpoint.seenAt.get('evt_quiet')).toBeLessThan(startedAt + 2.5 * SECOND);
    expect(endpoint.seenAt.size).toBe(10);
  });
});
