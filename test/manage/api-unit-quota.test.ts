/**
 * What the requests of a key may take of the database, with a meter that counts the calls of stores: in AWS it counts what DynamoDB charges
 * (test/functions/unit-quota.test.ts).
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDelivery } from '../../core/model/delivery.ts';
import { HOUR, MINUTE, plus, SECOND } from '../../core/model/time.ts';
import type { UnitMeter, UnitUse } from '../../core/ports/unit-meter.ts';
import type { ApiPorts } from '../../manage/api/http/api-ports.ts';
import { NOON } from '../samples.ts';
import { type ApiWorld, startApiWorld, taskEvent } from './api-world.ts';

const UNITS_PER_MINUTE = 1000;

let world: ApiWorld;
/** Units of each call of the stores of events, deliveries and subscriptions. */
let unitsPerCall: number;
/** Units of the call that adds a subscription. */
let unitsToAdd: number;
/** How many charges fail. */
let failures: number;

beforeEach(async () => {
  unitsPerCall = 1;
  unitsToAdd = 1;
  failures = 0;
  const api = { quotas: { units: `${UNITS_PER_MINUTE}/m`, previews: '60/m', changes: '3000/h' } };
  const manage = { url: 'https://tidings.example.com', secret: '${MASTER}', api };
  world = await startApiWorld({ config: { manage }, wrap: meterCalls });
});

afterEach(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
});

function meterCalls(api: ApiPorts): ApiPorts {
  const using = new AsyncLocalStorage<UnitUse>();
  const unitMeter: UnitMeter = { run: (use, work) => using.run(use, work) };
  const counted = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const call: unknown = Reflect.get(target, name);
        if (typeof call !== 'function') return call;
        return (...argv: readonly unknown[]) => {
          const use = using.getStore();
          const isRead = /^(get|list|ids|find)/.test(String(name));
          if (isRead) use?.beforeRead();
          const result: unknown = call.apply(target, argv);
          return result instanceof Promise
            ? result.then(async (value) => {
                await use?.count(name === 'add' ? unitsToAdd : unitsPerCall);
                return value;
              })
            : result;
        };
      },
    });
  const requestLimiter: ApiPorts['requestLimiter'] = {
    ...api.requestLimiter,
    async charge(...argv) {
      failures -= 1;
      if (failures >= 0) throw new Error('the table is throttled');
      return api.requestLimiter.charge(...argv);
    },
  };
  const [events, deliveries, subscriptions] = [
    counted(api.events),
    counted(api.deliveries),
    counted(api.subscriptions),
  ];
  return { ...api, unitMeter, requestLimiter, events, deliveries, subscriptions };
}

const ask = (key: string, method: string, path: string, body?: object, headers = {}) =>
  world.ask(method, path, body, { key, headers });
const unitsOf = async (key: string) => (await ask(key, 'GET', '/me')).body.quotas.units;
const subscribe = (key: string, name: string) =>
  ask(key, 'POST', '/subscriptions', { name, url: world.receiver.url, events: ['task.*'] });

describe('the units of a key', () => {
  it('are in GET /me, with those of the key itself', async () => {
    const { token: usual } = await world.makeKey(['read']);
    const quotas = { units: '5000/h' };
    const { body: large } = await world.ask('POST', '/keys', { name: 'large', scopes: ['read'], quotas });
    expect(large.quotas).toEqual(quotas);
    expect(await unitsOf(usual)).toEqual({ limit: 1000, per: '1m', burst: 1000, used: 0 });
    expect(await unitsOf(large.token)).toEqual({ limit: 5000, per: '1h', burst: 5000, used: 0 });
  });

  it('are used up by large requests, refused until they are paid back, and no matter of another key', async () => {
    const [{ token: key }, { token: other }] = [await world.makeKey(['read']), await world.makeKey(['read'])];
    unitsPerCall = 600;
    const read = () => ask(key, 'GET', '/events');
    expect([(await read()).status, (await read()).status]).toEqual([200, 200]);
    const { status, headers, body } = await read();
    expect([status, body.code]).toEqual([429, 'TIDINGS_API_QUOTA']);
    expect(body.detail).toMatch(/^the requests of this key may take 1000\/m units of the database: wait 18 s/);
    // 200 beyond the quota, and a tenth of the quota to begin with.
    expect(headers.get('retry-after')).toBe('18');
    expect((await ask(other, 'GET', '/events')).status).toBe(200);
    world.advance(11 * SECOND);
    expect((await read()).status).toBe(429);
    world.advance(7 * SECOND);
    expect((await read()).status).toBe(200);
    expect((await read()).status).toBe(429);
    world.advance(5 * MINUTE);
    expect((await unitsOf(key)).used).toBe(0);
  });

  it('are no matter of 600 small requests a minute', async () => {
    const { token: key } = await world.makeKey(['read', 'subscribe']);
    const statuses = new Set<number>();
    for (let n = 0; n < 600; n++) {
      statuses.add((await ask(key, 'GET', '/events?limit=1')).status);
      world.advance(MINUTE / 600);
    }
    expect([...statuses]).toEqual([200]);
    expect((await unitsOf(key)).used).toBeLessThan(UNITS_PER_MINUTE / 2);
  });

  it('are charged once the limiter can be reached', async () => {
    const { token: key } = await world.makeKey(['read']);
    unitsPerCall = 600;
    failures = 1;
    expect((await ask(key, 'GET', '/events')).status).toBe(200);
    expect((await ask(key, 'GET', '/events')).status).toBe(200);
    expect((await ask(key, 'GET', '/events')).status).toBe(429);
  });
});

describe('a request that uses up the units', () => {
  /** So many events, one in a minute: an hour has 60. */
  const recordEvents = async (count: number) => {
    for (let n = 0; n < count; n++) {
      const time = plus(NOON, -(n + 1) * MINUTE);
      await world.record({ ...taskEvent(`old-${n}`), time });
    }
  };

  it('stops while it searches, and is given back what else it was charged', async () => {
    await recordEvents(50);
    unitsPerCall = 1100;
    const { token: tester } = await world.makeKey(['read']);
    const test = { events: ['task.*'], since: '30d' };
    expect((await ask(tester, 'POST', '/filters/test', test)).status).toBe(429);
    unitsPerCall = 0;
    world.advance(20 * SECOND);
    expect((await ask(tester, 'GET', '/me')).body.quotas.previews.used).toBe(0);
  });

  it('finishes what it has begun to change', async () => {
    const { id, token: key } = await world.makeKey(['subscribe']);
    const own = async () =>
      (await world.api.subscriptions.list(true)).filter(({ owner }) => owner === id).map(({ name }) => name);
    // The check before the change takes all of them: nothing is changed.
    unitsPerCall = 600;
    const refused = await subscribe(key, 'too-much');
    expect([refused.status, refused.body.code]).toEqual([429, 'TIDINGS_API_QUOTA']);
    expect(await own()).toEqual([]);
    world.advance(HOUR);
    // The change itself takes them.
    unitsPerCall = 100;
    unitsToAdd = 900;
    const made = await subscribe(key, 'made');
    expect(made.status).toBe(201);
    expect(await own()).toEqual([made.body.name]);
    expect((await ask(key, 'GET', '/me')).status).toBe(429);
  });

  it('is made once when it is repeated with its Idempotency-Key', async () => {
    const { token: key } = await world.makeKey(['operate']);
    expect((await subscribe(key, 'ops')).status).toBe(201);
    await recordEvents(50);
    const replay = () =>
      ask(key, 'POST', '/subscriptions/ops/replay', { since: '1h' }, { 'idempotency-key': 'replay-1' });
    unitsPerCall = 600;
    const refused = await replay();
    expect([refused.status, refused.body.code]).toEqual([429, 'TIDINGS_API_QUOTA']);
    const opened = async () => (await world.api.deliveries.list({ subscription: 'ops', limit: 200 })).length;
    expect(await opened()).toBe(0);
    world.advance(10 * MINUTE);
    unitsPerCall = 1;
    const { body } = await replay();
    expect(body.count).toBe(50);
    world.advance(10 * MINUTE);
    expect((await replay()).body).toEqual(body);
    expect(await opened()).toBe(50);
  });

  it('is told to wait until there are enough of them', async () => {
    await recordEvents(800);
    const { token: key } = await world.makeKey(['read']);
    unitsPerCall = 450;
    // Two pages of events: 900 units, of which there are 400 at first.
    const test = () => ask(key, 'POST', '/filters/test', { events: ['task.*'], since: '30d' });
    expect((await test()).status).toBe(200);
    world.advance(18 * SECOND);
    const waits: number[] = [];
    for (let answer = await test(); answer.status === 429; answer = await test()) {
      waits.push(Number(answer.headers.get('retry-after')));
      world.advance((waits.at(-1) ?? 0) * SECOND);
    }
    expect(waits.length).toBeGreaterThan(0);
    expect(waits.length).toBeLessThan(4);
  });

  it('says how far it came when it resumes a subscription, and goes on when it is repeated', async () => {
    const { token: key } = await world.makeKey(['operate']);
    await subscribe(key, 'held');
    await ask(key, 'POST', '/subscriptions/held/pause');
    const events = Array.from({ length: 450 }, (_, n) => taskEvent(`held-${n}`));
    const held = events.map((event) => ({
      event,
      deliveries: [{ ...openDelivery(event, 'held', NOON), status: 'held' as const, dueAt: null }],
    }));
    await world.api.events.record(held);
    const heldNow = async () =>
      (await world.api.deliveries.listIds({ status: 'held', subscription: 'held', limit: 1000 })).length;
    const statuses: number[] = [];
    unitsPerCall = 20;
    while ((await heldNow()) > 0 && statuses.length < 50) {
      const { status, headers } = await ask(key, 'POST', '/subscriptions/held/resume');
      statuses.push(status);
      world.advance(status === 429 ? Number(headers.get('retry-after')) * SECOND : 0);
    }
    expect(await heldNow()).toBe(0);
    expect(new Set(statuses)).toEqual(new Set([503, 429, 200]));
    expect(statuses.at(-1)).toBe(200);
  });
});
