/** Requests that change thousands of things in AWS: each ends in time, with what it has done, and continues when it is repeated. */

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Delivery, openDelivery } from '../../core/model/delivery.ts';
import { SECOND } from '../../core/model/time.ts';
import { createKey } from '../../manage/api/keys.ts';
import { event, subscription } from '../samples.ts';
import { captureOutput } from './lambda-call.ts';
import { openFunctions, startWorld, type World } from './world.ts';

const HOST = 'tidings.example.com';
const ANN = { kind: 'iam', id: 'arn:aws:iam::123456789012:user/ann', scopes: ['admin'] } as const;

/** Of `manage`. */
const TIMEOUT = 29 * SECOND;

/** How long a write takes, on a clock of the test that otherwise hardly moves: a slow machine changes nothing. */
const WRITE_MS = 100;

let world: World;
let token: string;
let owner: string;
let passed = 0;
/** How long the next batch of reads takes. */
let slowRead = 0;

beforeAll(async () => {
  const manage = { url: `https://${HOST}`, secret: '${OPS}', api: { auth: 'keys' } };
  world = await startWorld({ config: { manage, subscriptions: [] } });
  captureOutput();
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() / 100 + passed);
  world.options.clients?.dynamodb?.middlewareStack.add((next, { commandName = '' }) => async (args) => {
    if (/^(Put|Update|Delete)Item/.test(commandName)) passed += WRITE_MS;
    if (commandName === 'BatchGetItemCommand') [passed, slowRead] = [passed + slowRead, 0];
    return next(args);
  });
});

afterAll(async () => {
  vi.restoreAllMocks();
  await world.stop();
});

beforeEach(async () => {
  ({ token, id: owner } = await keyWith('subscribe'));
});

const keyWith = (scope: 'subscribe' | 'admin') =>
  createKey({ ...world.stores, clock: world.clock, randomBytes }, ANN, { name: 'test', scopes: [scope] });

/** In an execution of its own, which must not time out. */
async function ask(key: string, method: string, path: string, body?: unknown) {
  const rawPath = `/v1${path}`;
  const sent = {
    ...{ version: '2.0', rawPath, rawQueryString: '', isBase64Encoded: false },
    headers: { host: HOST, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    requestContext: { http: { method, path: rawPath, sourceIp: '::1', userAgent: '' }, domainName: HOST },
  };
  const { manage } = openFunctions(world.options);
  const begun = performance.now();
  const answer = (await manage(sent as unknown as Parameters<typeof manage>[0])) as {
    readonly statusCode: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  expect(performance.now() - begun).toBeLessThan(TIMEOUT);
  return { status: answer.statusCode, headers: answer.headers, body: JSON.parse(answer.body) };
}

async function seedSubscription(name: string, count: number, status: Delivery['status']): Promise<void> {
  await world.stores.subscriptions.save(subscription(name, { owner, declared: false }));
  const now = world.clock.now();
  const opened = Array.from({ length: count }, (_, n) => event(`${name}-${n}`)).map((one) => ({
    event: one,
    deliveries: [{ ...openDelivery(one, name, now), status, dueAt: null }],
  }));
  await world.stores.events.record(opened);
}

const countOf = async (name: string, status: 'held' | 'pending' | 'failed') =>
  (await world.stores.deliveries.listIds({ status, subscription: name })).length;

describe('a request that takes longer than the function may', () => {
  it('releases what was held in several requests', async () => {
    await seedSubscription('held', 450, 'held');
    expect((await ask(token, 'POST', '/subscriptions/held/pause')).status).toBe(200);
    const first = await ask(token, 'POST', '/subscriptions/held/resume');
    expect([first.status, first.headers['retry-after'], first.body.code]).toEqual([
      503,
      '1',
      'TIDINGS_API_UNAVAILABLE',
    ]);
    expect(first.body.detail).toMatch(
      /^it is active, and 200 held deliveries were released, and there are more: repeat/,
    );
    expect([await countOf('held', 'held'), await countOf('held', 'pending')]).toEqual([250, 200]);
    expect((await ask(token, 'POST', '/subscriptions/held/resume')).status).toBe(503);
    expect((await ask(token, 'POST', '/subscriptions/held/resume')).status).toBe(200);
    expect([await countOf('held', 'held'), await countOf('held', 'pending')]).toEqual([0, 450]);
  });

  it('retries what failed in several requests', async () => {
    await seedSubscription('failed', 450, 'failed');
    const first = await ask(token, 'POST', '/deliveries/retry', { subscription: 'failed' });
    expect([first.status, first.body]).toEqual([202, { count: 200, next: 200, dryRun: false }]);
    const retry = { subscription: 'failed', position: first.body.next };
    expect((await ask(token, 'POST', '/deliveries/retry', retry)).body.next).toBe(400);
    const last = await ask(token, 'POST', '/deliveries/retry', { ...retry, position: 400 });
    expect(last.body).toEqual({ count: 50, next: null, dryRun: false });
    expect(await countOf('failed', 'failed')).toBe(0);
  });

  it('removes the subscriptions of a key in several requests', async () => {
    const { token: admin } = await keyWith('admin');
    const names = Array.from({ length: 90 }, (_, n) => `own-${n}`);
    for (const name of names) await world.stores.subscriptions.save(subscription(name, { owner, declared: false }));
    const first = await ask(admin, 'DELETE', `/keys/${owner}/subscriptions`);
    expect([first.status, first.body.detail]).toEqual([
      503,
      expect.stringMatching(/^[3-8]0 of 90 subscriptions were removed, and there are more: repeat/),
    ]);
    const last = await ask(admin, 'DELETE', `/keys/${owner}/subscriptions`);
    expect([last.status, last.body.removed.length < 90]).toEqual([200, true]);
    const left = (await world.stores.subscriptions.list(true)).filter((one) => one.owner === owner);
    expect(left).toEqual([]);
  });
});

describe('a replay', () => {
  it('is refused if there is no time left after its events were found', async () => {
    await world.stores.subscriptions.save(subscription('late', { owner, declared: false }));
    const time = world.clock.now();
    const events = Array.from({ length: 500 }, (_, n) => event(`late-${n}`, { time }));
    await world.stores.events.record(events.map((one) => ({ event: one, deliveries: [] })));
    world.clock.advance(SECOND);
    // The charges of its units take a second on this clock.
    slowRead = 23.5 * SECOND;
    const { status, body } = await ask(token, 'POST', '/subscriptions/late/replay', { since: time });
    expect([status, body.code]).toEqual([422, 'TIDINGS_API_BUDGET']);
    expect(body.detail).toMatch(/no time left to send them: replay a shorter period$/);
    expect(await countOf('late', 'pending')).toBe(0);
  });

  it('of more events than the function has time for is refused before anything is sent', async () => {
    await world.stores.subscriptions.save(subscription('many', { owner, declared: false }));
    const time = world.clock.now();
    for (let n = 0; n < 2_001; n += 667) {
      const events = Array.from({ length: 667 }, (_, k) => event(`many-${n + k}`, { time }));
      await world.stores.events.record(events.map((one) => ({ event: one, deliveries: [] })));
    }
    world.clock.advance(SECOND);
    const { status, body } = await ask(token, 'POST', '/subscriptions/many/replay', { since: time });
    expect([status, body.errors]).toEqual([
      422,
      [
        {
          pointer: '/since',
          detail: expect.stringMatching(/^expected a period with at most 2000 matching events, got/),
        },
      ],
    ]);
    expect(await countOf('many', 'pending')).toBe(0);
  });
});
