/** What a third attacker with a key tried: to fill the disk, to get around the quotas, and to learn what lengths and ids show. */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { CHANNELS } from '../../adapters/channels/index.ts';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { readHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { announceFeed } from '../../core/events/announce-feed.ts';
import { openDelivery } from '../../core/model/delivery.ts';
import { DAY, HOUR, plus, SECOND } from '../../core/model/time.ts';
import { storedBytesOf } from '../../core/subscriptions/storable.ts';
import { event } from '../samples.ts';
import { type ApiWorld, type ApiWorldOptions, askWhilePumping, startApiWorld, taskEvent } from './api-world.ts';

let world: ApiWorld;

async function start(options: ApiWorldOptions = {}): Promise<void> {
  const manage = { url: 'https://tidings.example.com', secret: '${MASTER}', api: { rate: '100000/s' } };
  world = await startApiWorld({ ...options, config: { manage, ...options.config } });
}

afterEach(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
});

const once = (key: string, value = 'once') => ({ key, headers: { 'idempotency-key': value } });

describe('responses that are kept for an Idempotency-Key', () => {
  it('are those of changes: a filter test and a preview keep none', async () => {
    const database = openDatabase(':memory:');
    await start({ database });
    const { token } = await world.makeKey(['subscribe']);
    const made = { name: 'own', url: world.receiver.url, events: ['task.closed'] };
    await world.ask('POST', '/subscriptions', made, { key: token });
    for (const [path, body] of [
      ['/filters/test', { events: ['task.*'] }],
      ['/subscriptions/own/preview', {}],
    ] as const) {
      expect((await world.ask('POST', path, body, once(token))).status).toBe(200);
    }
    const count = () => database.row('SELECT count(*) FROM idempotent_requests')?.[0];
    expect(count()).toBe(0);
    expect((await world.ask('POST', '/subscriptions/own/pause', undefined, once(token))).status).toBe(200);
    expect(count()).toBe(1);
  });

  it('take a limited amount: then such requests wait, and others do not', async () => {
    await start();
    const [{ id, token }, { token: other }] = [await world.makeKey(['subscribe']), await world.makeKey(['subscribe'])];
    const body = (name: string) => ({ name, url: world.receiver.url, events: ['task.closed'] });
    expect((await world.ask('POST', '/subscriptions', body('first'), once(token))).status).toBe(201);
    // All that a key may keep at once, but what it has kept.
    const rest = 9_999;
    await world.api.requestLimiter.take(
      `${id} kept`,
      { interval: (DAY / 50_000) * rest, burst: 10_000 / rest },
      world.clock.now(),
    );
    const refused = await world.ask('POST', '/subscriptions', body('second'), once(token, 'another'));
    expect(refused).toMatchObject({ status: 429, body: { code: 'TIDINGS_API_QUOTA' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // What was kept is returned, and a request without the header is made.
    expect((await world.ask('POST', '/subscriptions', body('first'), once(token))).status).toBe(201);
    expect((await world.ask('POST', '/subscriptions', body('third'), { key: token })).status).toBe(201);
    expect((await world.ask('POST', '/subscriptions', body('second'), once(other))).status).toBe(201);
    world.advance(HOUR);
    expect((await world.ask('POST', '/subscriptions', body('second'), once(token, 'another'))).status).toBe(201);
  });

  it('are none of a request that was refused by a quota, which may be repeated', async () => {
    const ids: string[] = [];
    await start({
      wrap: (api) => {
        const begin: typeof api.idempotency.begin = (id, ...rest) => {
          ids.push(id);
          return api.idempotency.begin(id, ...rest);
        };
        return { ...api, idempotency: { ...api.idempotency, begin } };
      },
    });
    const { body: key } = await world.ask('POST', '/keys', {
      ...{ name: 'few', scopes: ['subscribe'], quotas: { changes: '1/h' } },
    });
    const make = (name: string, once: string) => {
      const made = { name, url: world.receiver.url, events: ['task.closed'] };
      return world.ask('POST', '/subscriptions', made, { key: key.token, headers: { 'idempotency-key': once } });
    };
    expect((await make('first', 'a')).status).toBe(201);
    for (const once of ['b', 'b', 'c']) expect((await make('second', once)).status).toBe(429);
    const times = { staleBefore: world.clock.now(), expiresAt: plus(world.clock.now(), HOUR) };
    const request = { fingerprint: 'f', startedAt: world.clock.now() };
    const stored = ids.slice(-3).map(async (id) => (await world.api.idempotency.begin(id, request, times)).isNew);
    expect(await Promise.all(stored)).toEqual([true, false, true]);
    world.advance(HOUR);
    expect((await make('second', 'd')).status).toBe(201);
  });
});

describe('the quotas of a key', () => {
  it('count each delivery of a replay', async () => {
    await start();
    const announcements = Array.from({ length: 2500 }, (_, index) => ({
      event: taskEvent(`evt_${index}`),
      deliveries: [],
    }));
    await world.api.events.record(announcements);
    const { token } = await world.makeKey(['subscribe']);
    const made = { name: 'own', url: world.receiver.url, events: ['task.closed'] };
    await world.ask('POST', '/subscriptions', made, { key: token });
    const used = async () => (await world.ask('GET', '/me', undefined, { key: token })).body.quotas.deliveries.used;
    const replay = (body: object) => world.ask('POST', '/subscriptions/own/replay', body, { key: token });
    expect((await replay({ since: '30d', dryRun: true })).body.count).toBe(2500);
    expect(await used()).toBe(0);
    expect((await replay({ since: '30d' })).status).toBe(202);
    expect(await used()).toBe(2500);
    expect((await replay({ event: 'evt_evt_1' })).status).toBe(202);
    expect(await used()).toBe(2501);
  });

  it('hold when the same subscription is removed or changed by many requests at once', async () => {
    await start({
      wrap: (api) => {
        const get: typeof api.subscriptions.get = async (name) => {
          const found = await api.subscriptions.get(name);
          // Another process may write in between.
          await sleep(5);
          return found;
        };
        return { ...api, subscriptions: { ...api.subscriptions, get } };
      },
    });
    const { id, token } = await world.makeKey(['subscribe']);
    const body = (name: string, title: string) => ({
      ...{ name, url: world.receiver.url, events: ['task.closed'] },
      where: { data: { record: { title: [title] } } },
    });
    for (const name of ['kept', 'removed']) {
      expect((await world.ask('POST', '/subscriptions', body(name, 'x'.repeat(500)), { key: token })).status).toBe(201);
    }
    const remove = () => world.ask('DELETE', '/subscriptions/removed', undefined, { key: token });
    const shrink = () => world.ask('PATCH', '/subscriptions/kept', { where: null }, { key: token });
    await Promise.all(Array.from({ length: 6 }, remove));
    await Promise.all(Array.from({ length: 6 }, shrink));
    const own = (await world.api.subscriptions.list()).filter(({ owner }) => owner === id);
    expect(await world.api.keyUsage.get(id)).toMatchObject({
      subscriptions: 1,
      bytes: own.reduce((sum, one) => sum + storedBytesOf(one), 0),
    });
  });
});

describe('a key that resumes its subscription again and again', () => {
  it('causes a few events an hour about it, after which it is as announced', async () => {
    await start();
    const { token: key } = await world.makeKey(['subscribe']);
    const made = { url: world.receiver.url, events: ['task.closed'] };
    const { name } = (await world.ask('POST', '/subscriptions', made, { key })).body;
    await world.record(taskEvent('evt'));
    await world.ask('POST', `/subscriptions/${name}/replay`, { event: 'evt_evt' }, { key });
    const state = async () => (await world.ask('GET', `/subscriptions/${name}`, undefined, { key })).body.state;
    world.receiver.status = 410;
    for (let index = 0; index < 20; index++) {
      await world.pump();
      expect(await state()).toBe('disabled');
      if (index < 19) await world.ask('POST', `/subscriptions/${name}/resume`, undefined, { key });
      world.advance(SECOND);
    }
    while ((await announceFeed({ ...world.embedded, customEvents: [], zoneOf: async () => 'UTC' })) !== undefined);
    const events = async () => {
      const { events } = await world.api.events.list({ subject: `subscription/${name}`, limit: 200 });
      return events.map(({ type }) => type);
    };
    expect(await events()).toEqual(Array(3).fill('subscription.disabled'));
    // A success is announced.
    world.receiver.status = 200;
    await askWhilePumping(world, 'POST', `/subscriptions/${name}/test`, undefined, { key });
    expect(await state()).toBe('ok');
    while ((await announceFeed({ ...world.embedded, customEvents: [], zoneOf: async () => 'UTC' })) !== undefined);
    expect((await events()).at(-1)).toBe('subscription.recovered');
  });
});

describe('a key that makes and removes subscriptions again and again', () => {
  it('causes a limited number of events about them, whatever their names', async () => {
    const quotas = { replays: '100000/s' };
    const manage = { url: 'https://tidings.example.com', secret: '${MASTER}', api: { rate: '100000/s', quotas } };
    await start({ config: { manage } });
    const [{ token: key }, { token: other }] = [await world.makeKey(['subscribe']), await world.makeKey(['subscribe'])];
    await world.record(taskEvent('evt'));
    const fail = async (by: string) => {
      world.receiver.status = 200;
      const made = { url: world.receiver.url, events: ['task.closed'] };
      const { name } = (await world.ask('POST', '/subscriptions', made, { key: by })).body;
      await world.ask('POST', `/subscriptions/${name}/replay`, { event: 'evt_evt' }, { key: by });
      world.receiver.status = 410;
      await world.pump();
      return String(name);
    };
    for (let count = 0; count < 105; count++) {
      const name = await fail(key);
      expect((await readHealth(world.api, name)).state).toBe('disabled');
      await world.ask('DELETE', `/subscriptions/${name}`, undefined, { key });
    }
    const silent = await fail(key);
    await fail(other);
    const announced = async () => {
      while ((await announceFeed({ ...world.embedded, customEvents: [], zoneOf: async () => 'UTC' })) !== undefined);
      const { events } = await world.api.events.list({ limit: 1000 });
      return events.filter(({ type }) => type.startsWith('subscription.')).map(({ type }) => type);
    };
    expect(await announced()).toEqual(Array(101).fill('subscription.disabled'));
    // Nobody knows that it failed.
    world.receiver.status = 200;
    await askWhilePumping(world, 'POST', `/subscriptions/${silent}/test`, undefined, { key });
    expect((await readHealth(world.api, silent)).state).toBe('ok');
    expect(await announced()).toHaveLength(101);
    world.advance(HOUR / 100);
    await fail(key);
    expect(await announced()).toHaveLength(102);
  }, 30_000);

  it.each([
    { by: 'its key', types: [] },
    { by: 'an operator', types: ['subscription.removed'] },
  ])('sends people no message about what it drops itself: removed by $by', async ({ by, types }) => {
    await start();
    const { token: key } = await world.makeKey(['subscribe']);
    const made = { url: world.receiver.url, events: ['task.closed'], active: false };
    const { name } = (await world.ask('POST', '/subscriptions', made, { key })).body;
    await world.record(taskEvent('unsent'));
    await world.ask('POST', `/subscriptions/${name}/replay`, { event: 'evt_unsent' }, { key });
    await world.pump();
    expect((await world.api.deliveries.list({ status: 'held', limit: 9 })).length).toBe(1);
    await world.ask('DELETE', `/subscriptions/${name}`, undefined, by === 'its key' ? { key } : {});
    while ((await announceFeed({ ...world.embedded, customEvents: [], zoneOf: async () => 'UTC' })) !== undefined);
    const { events } = await world.api.events.list({ subject: `subscription/${name}`, limit: 9 });
    expect(events.map(({ type }) => type)).toEqual(types);
    const [entry] = (await world.ask('GET', '/audit?limit=1')).body.data;
    expect(entry).toMatchObject({ action: 'subscription.removed', details: { unsent: 1 } });
  });
});

describe('what a key with event types learns', () => {
  it('is not how many digits a position has', async () => {
    await start();
    for (let index = 0; index < 12; index++) await world.record(event(`paid-${index}`, { type: 'invoice.paid' }));
    const { token: key } = await world.makeKey(['read'], ['invoice.*']);
    const lengths = new Set<number>();
    for (let [after, index] = ['', 0]; index < 12; index++) {
      const { body } = await world.ask('GET', `/events?limit=1${after}`, undefined, { key });
      lengths.add(body.next.length);
      after = `&after=${body.next}`;
    }
    expect(lengths.size).toBe(1);
  });

  it.each([0, 3, 120])(
    'is not how many deliveries of its subscription it may not see: %i between two',
    async (hidden) => {
      await start();
      const { token: key } = await world.makeKey(['operate'], ['invoice.*']);
      const body = { url: world.receiver.url, events: ['invoice.*'] };
      const { name } = (await world.ask('POST', '/subscriptions', body, { key })).body;
      const tasks = (from: number) =>
        Array.from({ length: hidden }, (_, index) => taskEvent(`hidden-${from}-${index}`));
      const paid = (id: string) => event(id, { type: 'invoice.paid' });
      const recorded = [...tasks(0), paid('first'), ...tasks(1), paid('second'), ...tasks(2)];
      // The subscription had other event types before.
      await world.api.events.record(
        recorded.map((one) => ({ event: one, deliveries: [openDelivery(one, name, world.clock.now())] })),
      );
      const pages: unknown[] = [];
      for (let after = ''; pages.length < 10; ) {
        const { status, body } = await world.ask(
          'GET',
          `/subscriptions/${name}/deliveries?limit=1${after}`,
          undefined,
          { key },
        );
        pages.push([status, body.data.flatMap((one: { events: readonly string[] }) => one.events)]);
        if (body.next === null) break;
        after = `&after=${body.next}`;
      }
      expect(pages).toEqual([
        [200, ['evt_second']],
        [200, ['evt_first']],
      ]);
    },
  );
});

describe('a body with the key __proto__', () => {
  it.each(['{"__proto__":{}}', '{"headers":{"__proto__":"x"}}', '{"template":{"body":{"\\u005f_proto__":"x"}}}'])(
    'is refused: %s',
    async (text) => {
      await start();
      const { token: key } = await world.makeKey(['subscribe']);
      const made = { name: 'own', url: world.receiver.url, events: ['task.closed'] };
      await world.ask('POST', '/subscriptions', made, { key });
      const { status, body } = await world.ask('PATCH', '/subscriptions/own', text, { key });
      expect({ status, detail: body.detail }).toEqual({ status: 400, detail: "expected no key '__proto__'" });
    },
  );
});

describe('a channel that the key may not name', () => {
  it('is refused before anything is said of what it needs', async () => {
    await start();
    const { token: key } = await world.makeKey(['subscribe'], ['task.*']);
    for (const { name } of CHANNELS.filter(({ name }) => name !== 'http')) {
      for (const settings of [{}, { to: 'assignees' }, { channel: '#ops', nonsense: true }]) {
        const body = { to: { [name]: settings }, events: ['task.closed'] };
        const { status, body: problem } = await world.ask('POST', '/subscriptions', body, { key });
        expect([name, status, problem.detail]).toEqual([
          name,
          403,
          `expected url or to.http: ${name} needs a key with the scope operate`,
        ]);
      }
    }
  });
});
