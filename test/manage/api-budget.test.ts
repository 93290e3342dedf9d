/** What the requests of one key may cost: the time of one, the time of all, and how many wait. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replay } from '../../core/delivery/replay.ts';
import { openDelivery } from '../../core/model/delivery.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { cpuMillis } from '../cpu-time.ts';
import { subscription } from '../samples.ts';
import { type ApiWorld, askWhilePumping, startApiWorld, taskEvent } from './api-world.ts';

let world: ApiWorld;

const workLimits = { request: 300, perMinute: 800, waiting: 20 };

beforeEach(async () => {
  world = await startApiWorld({ wrap: (api) => ({ ...api, workLimits }) });
});

afterEach(async () => {
  await world.stop();
});

/** As many and as costly operators as a pattern may have: all parts of them occur in the titles, but not together. */
const wildcards = Array.from({ length: 200 }, (_, index) => ({
  wildcard: `*${'a'.repeat(40)}b${'a'.repeat(9 + index)}*`,
}));
const costly = { events: ['task.*'], where: { data: { record: { title: wildcards } } } };

async function recordEvents(count: number, titleLength: number): Promise<void> {
  const sample = taskEvent('evt_0');
  const data = { ...sample.data, record: { ...sample.data.record, title: `${'a'.repeat(titleLength)}baaa` } };
  const events = Array.from({ length: count }, (_, index) => ({ ...sample, id: `evt_${index}`, data }));
  await world.record(...events);
}

describe('a request that takes too long', () => {
  it('is refused with its limit and what to do, and leaves the time of others to others', async () => {
    await recordEvents(200, 20_000);
    const { token } = await world.makeKey(['read']);
    const delays = monitorEventLoopDelay({ resolution: 5 });
    delays.enable();
    const { status, body } = await world.ask('POST', '/filters/test', costly, { key: token });
    delays.disable();
    expect({ status, code: body.code, detail: body.detail }).toEqual({
      status: 422,
      code: 'TIDINGS_API_BUDGET',
      detail: 'the request took more than 0.3 s of work: ask for a shorter period, or use a simpler filter',
    });
    // Other requests are answered between two slices.
    expect(delays.percentile(50) / 1e6).toBeLessThan(1000);
  });
});

describe('a key that resumes its subscriptions again and again', () => {
  const HELD = 400;

  const holdDeliveries = (names: readonly string[]) =>
    Promise.all(
      names.map(async (name) => {
        await world.api.subscriptions.save(subscription(name, { declared: false }));
        const events = Array.from({ length: HELD }, (_, index) => taskEvent(`evt_${name}_${index}`));
        const open = (one: TidingsEvent) => openDelivery(one, name, world.clock.now());
        const held = events.map((event) => ({ ...open(event), status: 'held', dueAt: null }) as const);
        await world.api.events.record(
          events.map((event, index) => ({ event, deliveries: held.slice(index, index + 1) })),
        );
      }),
    );

  it('has one resume worked on at a time, which comes to its end, and waits when they took too long', async () => {
    await world.stop();
    const released: string[] = [];
    world = await startApiWorld({
      wrap: (api) => {
        const update: typeof api.deliveries.update = (before, next) => {
          if (before.status === 'held' && next.status === 'pending') released.push(before.subscription);
          return api.deliveries.update(before, next);
        };
        const limits = { request: 0, perMinute: 1, waiting: 1 };
        return { ...api, workLimits: limits, deliveries: { ...api.deliveries, update } };
      },
    });
    const [{ token }, { token: other }] = [await world.makeKey(['operate']), await world.makeKey(['operate'])];
    const names = ['a', 'b', 'c'];
    await holdDeliveries(names);
    const resume = (name: string, key: string) =>
      world.ask('POST', `/subscriptions/${name}/resume`, undefined, { key });
    const [first, ...rest] = await Promise.all(names.map((name) => resume(name, token)));
    // More than the limit of a request.
    expect(first?.status).toBe(200);
    expect(released).toEqual(Array.from({ length: HELD }, () => 'a'));
    for (const one of rest) expect(one).toMatchObject({ status: 429, body: { code: 'TIDINGS_API_BUDGET' } });
    expect((await resume('b', other)).status).toBe(200);
    expect(released.filter((name) => name === 'b')).toHaveLength(HELD);
  });
});

describe('a key whose requests take too long together', () => {
  it('has to wait, and other keys do not', async () => {
    await recordEvents(200, 20_000);
    const [{ token: hostile }, { token: other }] = [await world.makeKey(['read']), await world.makeKey(['read'])];
    const ask = () => world.ask('POST', '/filters/test', costly, { key: hostile });
    const answers = await Promise.all(Array.from({ length: 10 }, ask));
    expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining([422, 429]));
    const { status, body, headers } = await world.ask('GET', '/events?limit=1', undefined, { key: hostile });
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'TIDINGS_API_BUDGET' });
    expect(body.detail).toMatch(/^the requests of this key took more than 0.8 s of work within a minute: wait \d+ s/);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await world.ask('GET', '/events?limit=1', undefined, { key: other })).toMatchObject({ status: 200 });
  });

  it('is not refused the rest of a change that is stored', async () => {
    await world.stop();
    const longer = { ...workLimits, request: 600, perMinute: 2400 };
    world = await startApiWorld({ wrap: (api) => ({ ...api, workLimits: longer }) });
    await recordEvents(200, 20_000);
    const { token: key } = await world.makeKey(['operate']);
    const { body: made } = await world.ask('POST', '/subscriptions', {
      url: world.receiver.url,
      events: ['task.*'],
      active: false,
    });
    const searching = Array.from({ length: 8 }, () => world.ask('POST', '/filters/test', costly, { key }));
    const patched = world.ask('PATCH', `/subscriptions/${made.name}`, { rate: '30/m', active: true }, { key });
    const statuses = (await Promise.all(searching)).map(({ status }) => status);
    expect(statuses).toEqual(expect.arrayContaining([422, 429]));
    expect(await patched).toMatchObject({ status: 200, body: { rate: '30/m', active: true } });
  });

  it('cannot queue more than a few requests', async () => {
    await world.stop();
    const patient = { request: 1e6, perMinute: 1e6, waiting: workLimits.waiting };
    world = await startApiWorld({ wrap: (api) => ({ ...api, workLimits: patient }) });
    await recordEvents(2, 6_000);
    const { token } = await world.makeKey(['read']);
    const ask = () => world.ask('POST', '/filters/test', costly, { key: token });
    const answers = await Promise.all(Array.from({ length: 2 * workLimits.waiting }, ask));
    const refused = answers.filter(({ status }) => status === 429);
    // Some have ended before the last ones were checked.
    expect(refused.length).toBeGreaterThan(5);
    expect(refused[0]?.body.detail).toMatch(/^20 requests of this key are being worked on: wait 1 s/);
  });
});

/** Event types that do not exist, each of which is compared with all that do. */
const misspelled = (count: number) => Array.from({ length: count }, (_, n) => `task.closd${'sed'.repeat(15)}${n}`);

describe('a list of event types', () => {
  it('that is longer than there are types is refused at once', async () => {
    const { token } = await world.makeKey(['subscribe']);
    const begun = cpuMillis();
    const { status, body } = await world.ask('POST', '/filters/test', { events: misspelled(4000) }, { key: token });
    expect(cpuMillis() - begun).toBeLessThan(400);
    expect([status, body.detail]).toEqual([422, expect.stringMatching(/^\/events: expected at most 500 event types/)]);
  });
});

describe('requests of one key whose bodies take long to check', () => {
  const slow = `{% if line${' and line'.repeat(3000)} %}{{ line }}{% endif %}`;
  const body = () => ({ url: world.receiver.url, events: ['task.*'], template: { body: { text: slow } } });

  it.each([
    ['templates', '/subscriptions', body],
    [
      'unknown keys',
      '/subscriptions',
      () => Object.fromEntries(Array.from({ length: 9000 }, (_, n) => [`evennt${n}`, n])),
    ],
    ['filters', '/filters/test', () => ({ events: misspelled(500) })],
  ])(
    'are checked one after the other, within the time of the key, and others are answered in between: %s',
    async (_, path, made) => {
      const [{ token: hostile }, { token: other }] = [
        await world.makeKey(['subscribe']),
        await world.makeKey(['read']),
      ];
      let answered = 0;
      const ask = async () => {
        const { status } = await world.ask('POST', path, made(), { key: hostile });
        answered += 1;
        return status;
      };
      const asking = Array.from({ length: 30 }, ask);
      expect(await world.ask('GET', '/me', undefined, { key: other })).toMatchObject({ status: 200 });
      expect(answered).toBeLessThan(10);
      const statuses = await Promise.all(asking);
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(5);
    },
  );
});

describe('bodies of several keys that take long to check', () => {
  it('do not add up for others', async () => {
    // Refused after about as long as the check of a template may take.
    const loop = `{% for n in (1..40000) %}{% assign x = n | times: 2 %}{% endfor %}`;
    const body = { url: world.receiver.url, events: ['*'], template: { body: { text: loop } } };
    const keys = await Promise.all(Array.from({ length: 4 }, () => world.makeKey(['subscribe'])));
    const { token: other } = await world.makeKey(['subscribe']);
    let answered = 0;
    const asking = keys.map(async ({ token: key }) => {
      const { status } = await world.ask('POST', '/subscriptions', body, { key });
      answered += 1;
      return status;
    });
    const ordinary = { url: world.receiver.url, events: ['task.closed'], template: { body: { text: '{{ line }}' } } };
    const posted = world.ask('POST', '/subscriptions', ordinary, { key: other });
    for (let n = 0; n < 3; n++)
      expect(await world.ask('GET', '/me', undefined, { key: other })).toMatchObject({ status: 200 });
    // Together they take eight seconds, of which six are for others. If others waited for all of them, all would be answered by now.
    expect(answered).toBeLessThan(keys.length);
    expect(await posted).toMatchObject({ status: 201 });
    expect(new Set(await Promise.all(asking))).toEqual(new Set([422]));
  });
});

describe('requests of one key at once', () => {
  it.each([
    ['GET', '/event-types', undefined],
    ['POST', '/deliveries/retry', Object.fromEntries(Array.from({ length: 9000 }, (_, n) => [`key${n}`, n]))],
  ])('delay those of others by one of them: %s %s', async (method, path, body) => {
    const [{ token: busy }, { token: other }] = [await world.makeKey(['subscribe']), await world.makeKey(['read'])];
    let answered = 0;
    const asking = Array.from({ length: 50 }, async () => {
      await world.ask(method, path, body, { key: busy });
      answered += 1;
    });
    expect(await world.ask('GET', '/me', undefined, { key: other })).toMatchObject({ status: 200 });
    expect(answered).toBeLessThan(10);
    await Promise.all(asking);
  });
});

describe('an event with what became of it', () => {
  const limits = { request: 1e6, perMinute: 1e6, waiting: 5 };

  beforeEach(async () => {
    await world.stop();
    world = await startApiWorld({ wrap: (api) => ({ ...api, workLimits: limits }) });
    for (let n = 0; n < 20; n++) {
      // One key may not have as many costly filters.
      const { token } = await world.makeKey(['subscribe']);
      const made = { name: `s${n}`, url: world.receiver.url, ...costly };
      expect(await world.ask('POST', '/subscriptions', made, { key: token })).toMatchObject({ status: 201 });
    }
  });

  it('is explained to as many requests at once as a key sends', async () => {
    Object.assign(limits, { request: 1e6, perMinute: 1e6 });
    await recordEvents(1, 20);
    const { token } = await world.makeKey(['read']);
    const ask = () => world.ask('GET', '/events/evt_0', undefined, { key: token });
    const answers = await Promise.all(Array.from({ length: 3 * limits.waiting }, ask));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('takes of the time of the key what the filters of others take', async () => {
    limits.request = 1;
    await recordEvents(1, 2_000);
    const { token } = await world.makeKey(['read']);
    const asked = await world.ask('GET', '/events/evt_0', undefined, { key: token });
    expect(asked).toMatchObject({ status: 422, body: { code: 'TIDINGS_API_BUDGET' } });
  });

  it('takes nothing for filters that the key may not see', async () => {
    limits.request = 1;
    await recordEvents(1, 2_000);
    const { token } = await world.makeKey(['read'], ['task.*']);
    const asked = await world.ask('GET', '/events/evt_0', undefined, { key: token });
    expect(asked).toMatchObject({ status: 200, body: { subscriptions: [] } });
  });
});

describe('a template', () => {
  it('that is slow with every event type is refused after a while', async () => {
    // Less than the limit of one rendering, with each of the examples.
    const loop =
      '{% for a in (1..400) %}{% for b in (1..80) %}{% assign x = a | times: b %}{% endfor %}{% endfor %}{{ line }}';
    const before = cpuMillis();
    const { status, body } = await world.ask('POST', '/subscriptions', {
      ...{ name: 'slow', url: world.receiver.url, events: ['*'] },
      template: { body: { text: loop } },
    });
    expect(status).toBe(422);
    expect(body.detail).toMatch(/^\/template[\w/]*: .*expected to render within \d+ ms/);
    expect(cpuMillis() - before).toBeLessThan(6_000);
  });
});

describe('the test of a subscription', () => {
  it('searches the newest events only, however many there are', async () => {
    const read: number[] = [];
    await world.stop();
    world = await startApiWorld({
      wrap: (api) => {
        const list: typeof api.events.list = async (query) => {
          const page = await api.events.list(query);
          read.push(page.events.length);
          return page;
        };
        return { ...api, events: { ...api.events, list } };
      },
    });
    await recordEvents(3000, 20);
    const { token } = await world.makeKey(['subscribe']);
    const where = { data: { record: { title: ['none has this title'] } } };
    const made = { name: 'own', url: world.receiver.url, events: ['task.closed'], where };
    expect(await world.ask('POST', '/subscriptions', made, { key: token })).toMatchObject({ status: 201 });
    read.length = 0;
    const tested = await askWhilePumping(world, 'POST', '/subscriptions/own/test', {}, { key: token });
    expect(tested).toMatchObject({ status: 200, body: { attempted: true } });
    expect(read.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(1000);
  });
});

describe('a subscription with a large backlog', () => {
  it('is changed by a key with event types within the budget of a request', async () => {
    await world.stop();
    const limits = { request: 1e6, perMinute: 1e6, waiting: 20 };
    world = await startApiWorld({ wrap: (api) => ({ ...api, workLimits: limits }) });
    const { token } = await world.makeKey(['subscribe'], ['task.*']);
    const made = { name: 'own', url: world.receiver.url, events: ['task.closed'], active: false };
    const { body } = await world.ask('POST', '/subscriptions', made, { key: token });
    const stored = await world.api.subscriptions.get(body.name);
    if (stored === undefined) throw new Error('it was not made');
    const events = Array.from({ length: 5000 }, (_, index) => taskEvent(`evt_${index}`));
    await replay(world.api, stored, events);
    limits.request = 5;
    const patched = await world.ask('PATCH', '/subscriptions/own', { events: ['task.*'] }, { key: token });
    expect(patched).toMatchObject({ status: 422, body: { code: 'TIDINGS_API_BUDGET' } });
    const counted = await world.ask(
      'POST',
      '/deliveries/retry',
      { subscription: 'own', status: 'pending', dryRun: true },
      { key: token },
    );
    expect(counted).toMatchObject({ status: 422, body: { code: 'TIDINGS_API_BUDGET' } });
  });
});
