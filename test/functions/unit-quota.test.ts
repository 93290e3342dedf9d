/**
 * What the requests of a key may consume of DynamoDB. Each has an execution of its own, as Lambda gives it, so that only the table knows what
 * the others consumed.
 */

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { dynamoUnitMeter } from '../../adapters/dynamodb/unit-meter.ts';
import type { KeyQuotas, Scope } from '../../core/model/api-key.ts';
import { type Delivery, openDelivery } from '../../core/model/delivery.ts';
import { HOUR, MINUTE, SECOND } from '../../core/model/time.ts';
import { createKey } from '../../manage/api/keys.ts';
import { startReceiver } from '../manage/api-world.ts';
import { event, subscription } from '../samples.ts';
import { drainDue } from './drain.ts';
import { captureOutput } from './lambda-call.ts';
import { openFunctions, startWorld, type World } from './world.ts';

const HOST = 'tidings.example.com';
const ANN = { kind: 'iam', id: 'arn:aws:iam::123456789012:user/ann', scopes: ['admin'] } as const;

/** Of one minute. A request that sees none of the events reads more than that. */
const UNITS = 300;
const SMALL: KeyQuotas = { units: { count: UNITS, per: MINUTE } };
const EVENTS = 600;

let world: World;
let receiver: Awaited<ReturnType<typeof startReceiver>>;

beforeAll(async () => {
  receiver = await startReceiver();
  const manage = { url: `https://${HOST}`, secret: '${OPS}', api: { auth: 'keys' } };
  const ops = { name: 'ops', events: ['task.*'], to: { http: { url: receiver.url, secret: '${OPS}' } } };
  world = await startWorld({ config: { manage, subscriptions: [ops] } });
  captureOutput();
  await world.functions.setup();
  for (let first = 0; first < EVENTS; first += 100) {
    const some = Array.from({ length: 100 }, (_, n) => event(`many-${first + n}`, { time: world.clock.now() }));
    await world.stores.events.record(some.map((one) => ({ event: one, deliveries: [] })));
  }
  world.clock.advance(SECOND);
});

afterAll(async () => {
  vi.restoreAllMocks();
  await world.stop();
  await receiver.stop();
});

const keyWith = async (scopes: readonly Scope[], quotas: KeyQuotas = SMALL, events?: readonly string[]) =>
  createKey({ ...world.stores, clock: world.clock, randomBytes }, ANN, {
    name: 'test',
    scopes,
    quotas: Object.fromEntries(Object.entries(quotas).map(([name, { count }]) => [name, `${count}/m`])),
    ...(events === undefined ? {} : { events }),
  });

async function ask(key: string, method: string, path: string, body?: unknown, headers = {}) {
  const [pathname = '', rawQueryString = ''] = path.split('?');
  const rawPath = `/v1${pathname}`;
  const sent = {
    ...{ version: '2.0', rawPath, rawQueryString, isBase64Encoded: false },
    headers: { host: HOST, authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    requestContext: { http: { method, path: rawPath, sourceIp: '::1', userAgent: '' }, domainName: HOST },
  };
  const { manage } = openFunctions(world.options);
  let units = 0;
  const use = {
    beforeRead: () => {},
    count: async (more: number) => {
      units += more;
    },
  };
  // What the request consumes that is not charged to its key.
  const answer = await dynamoUnitMeter.run(use, () => manage(sent as unknown as Parameters<typeof manage>[0]));
  const { statusCode: status, ...rest } = answer as {
    readonly statusCode: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  return { status, headers: rest.headers, body: rest.body === '' ? undefined : JSON.parse(rest.body), units };
}

const usedBy = async ({ id }: { readonly id: string }, units = UNITS) =>
  world.stores.requestLimiter.used(
    `${id} units`,
    { burst: units, interval: MINUTE / units, debt: 10 * units },
    world.clock.now(),
  );

/** Finds nothing in all events. */
const SEARCH = { events: ['task.closed'], where: { id: ['none'] }, since: '30d' };

describe('a key that reads large pages', () => {
  it('is stopped at its units, whatever it reads, until they are paid back', async () => {
    const key = await keyWith(['read'], SMALL, ['person.*']);
    const { status, body, headers } = await ask(key.token, 'GET', '/events?limit=200');
    expect([status, body.code]).toEqual([429, 'TIDINGS_API_QUOTA']);
    // It stops one read after the units are used up.
    const debt = (await usedBy(key)) - UNITS;
    expect(debt).toBeGreaterThan(0);
    expect(debt).toBeLessThan(300);
    const wait = Number(headers['retry-after']);
    // The debt, and all units of a minute: the request takes more than it got. In steps: what it may not see is read as well.
    expect(wait).toBe(15 * Math.ceil(((debt * MINUTE) / UNITS / SECOND + 60) / 15));
    const refused = await ask(key.token, 'GET', '/me');
    expect([refused.status, refused.body.code]).toEqual([429, 'TIDINGS_API_QUOTA']);
    // The key and its two buckets.
    expect(refused.units).toBeLessThanOrEqual(10);
    world.clock.advance(wait * SECOND);
    const { body: me } = await ask(key.token, 'GET', '/me');
    expect(me.quotas.units).toMatchObject({ limit: UNITS, per: '1m', burst: UNITS });
    expect(me.quotas.units.used).toBe(0);
  });

  it('leaves others alone: their requests are answered, and their deliveries are made', async () => {
    const [key, other] = [await keyWith(['read']), await keyWith(['read'])];
    for (let n = 0; n < 3; n++) await ask(key.token, 'POST', '/filters/test', SEARCH);
    expect((await ask(key.token, 'GET', '/events?limit=1')).status).toBe(429);
    expect((await ask(other.token, 'GET', '/events?limit=1')).status).toBe(200);
    const closed = event('after-the-flood', { time: world.clock.now() });
    await world.stores.events.record([{ event: closed, deliveries: [openDelivery(closed, 'ops', world.clock.now())] }]);
    await drainDue(world, world.functions);
    expect(receiver.received.map(({ body }) => JSON.parse(body).id)).toContain(closed.id);
  });

  it('may not have more of them with requests at the same time', async () => {
    const key = await keyWith(['read']);
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(key.token, 'POST', '/filters/test', SEARCH)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]));
    // Each stops after its next read, of 100 events.
    expect(await usedBy(key)).toBeLessThan(UNITS + 8 * 200);
    const begun = await usedBy(key);
    world.clock.advance(MINUTE);
    expect(begun - (await usedBy(key))).toBeCloseTo(UNITS, -1);
  });
});

describe('a change that a key has no units for', () => {
  const seed = async (name: string, owner: string, count: number, status: Delivery['status']) => {
    await world.stores.subscriptions.save(subscription(name, { owner, declared: false }));
    const all = Array.from({ length: count }, (_, n) => event(`${name}-${n}`)).map((one) => ({
      event: one,
      deliveries: [{ ...openDelivery(one, name, world.clock.now()), status, dueAt: null }],
    }));
    await world.stores.events.record(all);
  };
  const countOf = async (name: string, status: 'held' | 'pending' | 'failed') =>
    (await world.stores.deliveries.listIds({ status, subscription: name })).length;

  it('is finished once it has begun, and goes on when it is repeated', async () => {
    const key = await keyWith(['subscribe'], { units: { count: 3 * UNITS, per: MINUTE } });
    await seed('failed', key.id, 450, 'failed');
    const statuses: number[] = [];
    let count = 0;
    for (let position: number | null = 0; position !== null && statuses.length < 30; ) {
      const request = { subscription: 'failed', position };
      const { status, headers, body } = await ask(key.token, 'POST', '/deliveries/retry', request);
      statuses.push(status);
      if (status === 429) world.clock.advance(Number(headers['retry-after']) * SECOND);
      else [count, position] = [count + body.count, body.next];
    }
    // Each did something, and what it began it finished, with a debt that the next one waited for.
    expect(statuses.slice(0, 2)).toEqual([202, 429]);
    expect(count).toBe(450);
    expect(await countOf('failed', 'failed')).toBe(0);
  });

  it('makes nothing, and is made once when it is repeated with its Idempotency-Key', async () => {
    const key = await keyWith(['subscribe']);
    const since = world.clock.now();
    await world.stores.subscriptions.save(subscription('again', { owner: key.id, declared: false }));
    const events = Array.from({ length: 350 }, (_, n) => event(`again-${n}`, { time: since }));
    await world.stores.events.record(events.map((one) => ({ event: one, deliveries: [] })));
    world.clock.advance(SECOND);
    const replay = () =>
      ask(key.token, 'POST', '/subscriptions/again/replay', { since }, { 'idempotency-key': 'again-1' });
    const refused = await replay();
    expect([refused.status, refused.body.code]).toEqual([429, 'TIDINGS_API_QUOTA']);
    expect(await countOf('again', 'pending')).toBe(0);
    // A larger quota: the period alone takes more than one minute's.
    const { apiKeys } = world.stores;
    const stored = await apiKeys.get(key.id);
    if (stored === undefined) throw new Error('no key');
    await apiKeys.save({ ...stored, quotas: { units: { count: 10_000, per: MINUTE } } });
    world.clock.advance(HOUR);
    const made = await replay();
    expect([made.status, made.body.count]).toEqual([202, 350]);
    world.clock.advance(MINUTE);
    expect((await replay()).body).toEqual(made.body);
    expect(await countOf('again', 'pending')).toBe(350);
  });
});

describe('a key with the usual units', () => {
  it('meets no refusal when it reads and changes at its rate', async () => {
    const key = await createKey({ ...world.stores, clock: world.clock, randomBytes }, ANN, {
      name: 'usual',
      scopes: ['read', 'subscribe'],
    });
    const statuses: number[] = [];
    for (let n = 0; n < 120; n++) {
      const { status } = await (n % 4 === 0
        ? ask(key.token, 'GET', '/deliveries?limit=100')
        : ask(key.token, 'GET', '/events?limit=100&order=newest'));
      statuses.push(status);
      world.clock.advance(MINUTE / 600);
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
    // A fifth of a minute's requests.
    expect(await usedBy(key, 120_000)).toBeLessThan(120_000 / 5);
  });
});
