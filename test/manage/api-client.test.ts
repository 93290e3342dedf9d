/** `tidings/client` against a real server: every operation, retries, errors and iterators. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type FetchLike, TidingsApiError, TidingsClient } from '../../kit/client.ts';
import { routes } from '../../manage/api/routes.ts';
import { type ApiWorld, startApiWorld, taskEvent } from './api-world.ts';

let world: ApiWorld;
let url: string;
let stop: () => void;
beforeAll(async () => {
  world = await startApiWorld();
  url = await new Promise<string>((resolve) => {
    const server = serve({ fetch: world.app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
      resolve(`http://127.0.0.1:${port}`),
    );
    stop = () => server.close();
  });
});
afterEach(() => expect(world.errors).toEqual([]));
afterAll(async () => {
  stop();
  await world.stop();
});

const problemOf = async (call: Promise<unknown>): Promise<TidingsApiError> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof TidingsApiError) return error;
  throw error ?? new Error('it succeeded');
};

/** Makes attempts while the call waits for one. */
async function pumping<Result>(call: Promise<Result>): Promise<Result> {
  let isOver = false;
  const ended = call.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await world.pump();
    await new Promise((later) => setImmediate(later));
  }
  return ended;
}

describe('the client', () => {
  it('has a working method for every operation of the API', async () => {
    const called = new Set<string>();
    const client = new Proxy(new TidingsClient({ url: `${url}/v1/`, key: world.admin }), {
      get(target, name: keyof TidingsClient) {
        called.add(name);
        const method = target[name] as (...argv: unknown[]) => unknown;
        return method.bind(target);
      },
    });
    await world.record(taskEvent('1'), taskEvent('2'));

    expect((await client.listEventTypes()).data.map(({ type }) => type)).toContain('task.closed');
    const { data: events, next, more } = await client.listEvents({ type: 'task.*', limit: 1 });
    expect([events.length, typeof next, more]).toEqual([1, 'string', true]);
    const id = events[0]?.id ?? '';
    expect((await client.getEvent(id)).event.id).toBe(id);
    expect((await client.countEvents({ hours: 2 })).data.at(-1)?.count).toBe(2);
    expect((await client.forecastEvents({ until: '2d' })).data).toEqual([]);
    expect((await client.countWaiting()).count).toBe(0);
    expect((await problemOf(client.getRecord('task', '999'))).code).toBe('TIDINGS_API_NOT_FOUND');
    expect((await client.listFilterFields({ events: 'task.*' })).data[0]?.key).toBe('project');
    expect((await client.testFilter({ events: ['task.*'], since: '2d' })).matched).toBe(2);

    const made = await client.createSubscription({ name: 'mine', url: world.receiver.url, events: ['task.*'] });
    expect(made.secret).toMatch(/^whsec_/);
    expect((await client.listSubscriptions({ url: world.receiver.url })).data.map(({ name }) => name)).toContain(
      'mine',
    );
    const put = await client.putSubscription('declared-by-us', { url: world.receiver.url, events: ['task.closed'] });
    expect('secret' in put && put.secret).toMatch(/^whsec_/);
    const read = await client.getSubscription('mine');
    expect(read.events).toEqual(['task.*']);
    const changed = await client.patchSubscription('mine', { events: ['task.closed'] }, { ifMatch: read.etag });
    expect(changed.events).toEqual(['task.closed']);
    const tested = await pumping(client.testSubscription('mine'));
    expect(tested.delivery.attempts[0]?.status).toBe(200);
    expect((await client.pauseSubscription('mine')).state).toBe('paused');
    expect((await client.resumeSubscription('mine')).active).toBe(true);
    const rotated = await client.rotateSubscription('mine');
    expect(rotated.secret).not.toBe(made.secret);
    // The name of version 1.0.0 stays beside the one that a subscription has.
    expect(rotated.bothUntil).toBe(rotated.bothSecretsUntil);
    expect((await client.getSubscription('mine')).bothSecretsUntil).toBe(rotated.bothSecretsUntil);
    await expect(client.resubscribeReader('mine', { address: 'ann@example.com' })).rejects.toMatchObject({
      status: 409,
    });
    expect((await client.previewSubscription('mine')).events).toEqual([]);
    world.receiver.status = 500;
    expect(await client.replaySubscription('mine', { since: '2d' })).toEqual({ count: 2, messages: 2, dryRun: false });
    await world.pump();
    world.receiver.status = 200;
    const { data: deliveries } = await client.listSubscriptionDeliveries('mine', { limit: 5 });
    expect(deliveries.length).toBeGreaterThan(1);
    expect((await client.listDeliveries()).data.length).toBeGreaterThan(1);
    const failed = deliveries.find(({ status }) => status === 'pending')?.id ?? '';
    expect((await client.getDelivery(failed)).attempts[0]?.status).toBe(500);
    expect((await client.retryDelivery(failed)).status).toBe('pending');
    const retried = await client.retryDeliveries({ subscription: 'mine', since: '1d', dryRun: true });
    expect(retried.dryRun).toBe(true);

    expect((await client.listSources()).data[0]?.source).toBe('main');
    expect((await client.getSource('main')).state).toBe('new');
    expect((await client.scanSource('main')).source).toBe('main');
    const east = { name: 'main', baseUrl: 'https://east.example.com', token: 'x' };
    expect((await problemOf(client.createSource(east))).code).toBe('TIDINGS_SOURCE_DECLARED');
    expect((await problemOf(client.getSourceSettings('main'))).code).toBe('TIDINGS_SOURCE_DECLARED');
    expect((await problemOf(client.patchSource('main', { attribution: true }))).code).toBe('TIDINGS_SOURCE_DECLARED');
    expect((await problemOf(client.deleteSource('east'))).code).toBe('TIDINGS_API_NOT_FOUND');
    const key = await client.createKey({ name: 'reader', scopes: ['read'] });
    expect((await client.listKeys()).data.map((one) => one.id)).toContain(key.id);
    expect(await client.deleteKeySubscriptions(key.id)).toEqual({ removed: [] });
    // A channel of Slack owns subscriptions, too.
    const refused = await client.deleteKeySubscriptions('slack:C1').catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 404 });
    expect(await client.deleteKey(key.id)).toBeUndefined();
    expect((await client.getMe()).quotas.requests.limit).toBeGreaterThan(0);
    expect((await client.listAudit({ limit: 1 })).data[0]?.action).toBe('key.removed');
    expect(await client.deleteSubscription('mine')).toBeUndefined();
    await client.deleteSubscription('declared-by-us');

    expect(routes.map(({ operation }) => operation).filter((name) => !called.has(name))).toEqual([]);
  });

  it('iterates over the items of all pages', async () => {
    const client = new TidingsClient({ url, key: world.admin, fetch: globalThis.fetch });
    const names = ['page-a', 'page-b', 'page-c'];
    for (const name of names) await client.createSubscription({ name, url: world.receiver.url, events: ['task.*'] });
    const found: string[] = [];
    for await (const { name } of client.iterateSubscriptions({ limit: 1 })) found.push(name);
    expect(found).toEqual(expect.arrayContaining(names));
    expect(new Set(found).size).toBe(found.length);
    await world.record(taskEvent('11'), taskEvent('12'));
    const events: string[] = [];
    // The cursor of events never ends; the iterator ends with what is recorded.
    for await (const { id } of client.iterateEvents({ limit: 1 })) events.push(id);
    expect(events).toEqual(expect.arrayContaining([taskEvent('11').id, taskEvent('12').id]));
  });

  it('throws problems with their code and a pointer for each wrong field', async () => {
    const client = new TidingsClient({ url, key: world.admin });
    const error = await problemOf(client.createSubscription({ url: 'ftp://example.com', events: ['nope.*'] }));
    expect([error.status, error.code]).toEqual([422, 'TIDINGS_API_INVALID']);
    expect(error.errors.map(({ pointer }) => pointer).sort()).toEqual(['/events/0', '/url']);
    const { etag } = await client.createSubscription({ name: 'tag', url: world.receiver.url, events: ['task.*'] });
    await client.patchSubscription('tag', { rate: '30/m' });
    expect((await problemOf(client.patchSubscription('tag', { rate: '40/m' }, { ifMatch: etag }))).status).toBe(412);
    const wrong = new TidingsClient({ url, key: 'tdk_wrong' });
    expect((await problemOf(wrong.listSources())).code).toBe('TIDINGS_API_UNAUTHORIZED');
    expect((await problemOf(wrong.listSources())).message).not.toContain('tdk_wrong');
  });

  it('encodes values in paths and queries, and refuses an empty one', async () => {
    const client = new TidingsClient({ url, key: world.admin });
    expect((await problemOf(client.getEvent('a/b?c#d'))).message).toBe("event 'a/b?c#d' not found");
    expect((await client.listEvents({ subject: 'task/1&limit=0' })).data).toEqual([]);
    await expect(client.getSubscription('..')).rejects.toThrow(TypeError);
    await expect(client.deleteSubscription('')).rejects.toThrow(TypeError);
  });

  it('sends any value of a path or a query as it is', async () => {
    const value = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text !== '.' && text !== '..');
    await fc.assert(
      fc.asyncProperty(value, value, async (id, subject) => {
        let seen: URL | undefined;
        const read: FetchLike = async (address) => {
          seen = new URL(address);
          return { status: 204, headers: new Headers(), text: async () => '' };
        };
        const client = new TidingsClient({ url: 'https://tidings.example.com/prefix/v1/', key: 'tdk_x', fetch: read });
        await client.getEvent(id);
        expect(seen?.pathname.split('/').map(decodeURIComponent)).toEqual(['', 'prefix', 'v1', 'events', id]);
        await client.listEvents({ subject, limit: 7 });
        expect([...(seen?.searchParams ?? [])]).toEqual([
          ['subject', subject],
          ['limit', '7'],
        ]);
      }),
    );
  });

  it('acts once if only the response was lost', async () => {
    let lost = 0;
    const fetchAndLose: FetchLike = async (path, { method, headers, body = null }) => {
      const response = await world.app.request(path, { method, headers, body });
      lost += 1;
      if (lost === 1) throw new TypeError('fetch failed', { cause: new Error('socket hang up') });
      return response;
    };
    const client = new TidingsClient({ url: '', key: world.admin, fetch: fetchAndLose, sleep: async () => {} });
    const { name } = await client.createSubscription({ url: world.receiver.url, events: ['task.*'] });
    const { data } = await world.ask('GET', '/audit?limit=2').then(({ body }) => body);
    expect(data[0].target).toBe(`subscription/${name}`);
    expect(data[1].target).not.toBe(data[0].target);
    expect(lost).toBe(2);
  });
});

describe('a request that is refused for a time', () => {
  const respond = (status: number, headers: Record<string, string> = {}, body = '') => ({
    status,
    headers: new Headers(headers),
    text: async () => body,
  });
  const setUp = (...responses: ReturnType<typeof respond>[]) => {
    const waits: number[] = [];
    const keys: (string | undefined)[] = [];
    const client = new TidingsClient({
      url: 'https://tidings.example.com',
      key: 'tdk_x',
      fetch: async (_, { headers }) => {
        keys.push(headers['idempotency-key']);
        return responses.shift() ?? respond(200, {}, '{"data":[]}');
      },
      sleep: async (ms) => {
        waits.push(ms);
      },
    });
    return { client, waits, keys };
  };

  it('is repeated after Retry-After, with the same Idempotency-Key', async () => {
    const { client, waits, keys } = setUp(respond(429, { 'retry-after': '7' }), respond(503));
    await client.pauseSubscription('a');
    expect(waits).toEqual([7000, 1000]);
    expect(keys[0]).toMatch(/^[\w-]{20,}$/);
    expect(new Set(keys).size).toBe(1);
  });

  it('fails after three repetitions, or at once if the wait is too long', async () => {
    const busy = setUp(...Array.from({ length: 9 }, () => respond(503)));
    expect((await problemOf(busy.client.listSources())).status).toBe(503);
    expect(busy.keys).toHaveLength(4);
    const long = setUp(respond(429, { 'retry-after': '3600' }));
    expect((await problemOf(long.client.listSources())).retryAfter).toBe(3600);
    expect(long.keys).toHaveLength(1);
  });

  it('is not repeated after another error', async () => {
    const { client, keys } = setUp(respond(500, {}, '<h1>Oops</h1>'));
    const { code, message } = await problemOf(client.listSources());
    expect([code, message]).toEqual([
      'TIDINGS_API_RESPONSE',
      'expected a response of the Tidings API, got 500: <h1>Oops</h1>',
    ]);
    expect(keys).toHaveLength(1);
  });

  it('ends when its signal aborts, and when there is no server', async () => {
    const stopper = new AbortController();
    const { client } = setUp();
    stopper.abort(new Error('enough'));
    await expect(client.listSources({ signal: stopper.signal })).rejects.toThrow('enough');
    const free = createServer();
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    const gone = new TidingsClient({ url: `http://127.0.0.1:${port}`, key: 'tdk_x', maxRetries: 0 });
    const { status, code, message } = await problemOf(gone.listSources());
    expect([status, code]).toEqual([0, 'TIDINGS_API_UNREACHABLE']);
    expect(message).toContain('ECONNREFUSED');
  });

  it('ends when no response comes in time', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const client = new TidingsClient({ url: `http://127.0.0.1:${port}`, key: 'k', maxRetries: 0, timeoutMs: 20 });
    expect((await problemOf(client.listSources())).message).toContain('no response within 20 ms');
    silent.closeAllConnections();
    silent.close();
  });
});
