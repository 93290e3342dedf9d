/** The places of requests that the API and the console answer at a time: neither a stranger nor one key takes them all. */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Hono } from 'hono';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { makeLogInLink } from '../../console/log-in-link.ts';
import { createKey } from '../../manage/api/keys.ts';
import { parseTree } from '../../runtime/config/load.ts';
import { packConfig } from '../../runtime/config/packed.ts';
import { openData } from '../../runtime/embedded/data-directory.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { type ThreadedAppOptions, threadedApp } from '../../service/threaded-app.ts';
import { listenInThread } from '../../service/threaded-server.ts';

const BASE = 'http://127.0.0.1:4020';
const PATIENCE = { timeout: 60_000, interval: 50 };
/** Half of the places. */
const SHARE = 128;
const REQUESTS = 150;
const OWNER = { kind: 'command', id: 'ann', scopes: ['admin'] } as const;

let folder: string;
let silent: Server;
let noisy: string;
let quiet: string;
let link: string;
let data: ThreadedAppOptions['data'];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-places-'));
  silent = createServer((request) => request.resume());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const database = openData(join(folder, 'data'));
  const ports = { ...sqliteStores(database), clock: systemClock, randomBytes };
  noisy = (await createKey(ports, OWNER, { name: 'noisy', scopes: ['subscribe'] })).token;
  quiet = (await createKey(ports, OWNER, { name: 'quiet', scopes: ['subscribe'] })).token;
  link = await makeLogInLink(ports, OWNER, BASE);
  database.close();
  const config = parseTree(
    'test',
    {
      source: { baseUrl: 'http://127.0.0.1:9/api', token: 'none', timeZone: 'UTC' },
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
      manage: { url: BASE, secret: 'a secret of the links, long enough', api: { rate: '1000/s' }, console: 'on' },
    },
    {},
  );
  data = { config: packConfig(config), environment: {}, data: join(folder, 'data') };
});

afterAll(async () => {
  silent.closeAllConnections();
  await new Promise((resolve) => silent.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

function open(options: Partial<ThreadedAppOptions> = {}) {
  const threaded = threadedApp({ data, written: () => {}, warn: () => {}, report: () => {}, ...options });
  const app = new Hono().route('/v1', threaded.app).route('/console', threaded.app);
  const ask = (key: string, path: string, body?: string) =>
    app.request(`${BASE}/v1${path}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body }),
    });
  return { app, ask, close: threaded.close };
}

/** A body that never ends. */
const slowBody = () => new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('{')) });

it('are not taken by strangers who send their bodies slowly, and bodies do not fill the memory', async () => {
  const { app, close } = open();
  const server = await listenInThread({ fetch: app.fetch, port: 0, warn: () => {}, maxReading: 3 });
  const ask = (key: string, path: string, body?: string | ReadableStream) =>
    fetch(`${server.url}/v1${path}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body, duplex: 'half' }),
    } as RequestInit);
  const slow = Array.from({ length: 5 }, () => ask('', '/subscriptions', slowBody()));
  const gaveWay: (number | string | null)[][] = [];
  const ended = slow.map((one) =>
    one.then(
      ({ status, headers }) => gaveWay.push([status, headers.get('retry-after')]),
      () => 'closed',
    ),
  );
  // As many as there are too many.
  const refused = [503, '1'];
  await vi.waitFor(() => expect(gaveWay).toEqual([refused, refused]), PATIENCE);
  await vi.waitFor(async () => expect((await ask(quiet, '/me')).status).toBe(200), PATIENCE);
  expect((await fetch(`${server.url}/console/log-in`)).status).toBe(200);
  expect((await ask(quiet, '/filters/test', JSON.stringify({ events: ['task.*'] }))).status).toBe(200);
  await server.close();
  await Promise.all(ended);
  await close();
}, 120_000);

it('are not taken by large bodies, which would fill the memory of each thread while they wait', async () => {
  const { promise: answered, resolve: answerAll } = Promise.withResolvers<void>();
  const answer = async ({ method }: Request) => {
    if (method === 'POST') await answered;
    return new Response('works');
  };
  const server = await listenInThread({ fetch: answer, port: 0, warn: () => {}, maxReading: 200 });
  const large = 'x'.repeat(256 * 1024);
  const statuses: number[] = [];
  const ask = async () => {
    const response = await fetch(server.url, { method: 'POST', body: large });
    await response.text();
    statuses.push(response.status);
  };
  const asked = Array.from({ length: 200 }, ask);
  // 32 MB wait.
  await vi.waitFor(() => expect(statuses).toEqual(Array(200 - 128).fill(503)), PATIENCE);
  expect((await fetch(server.url)).status).toBe(200);
  answerAll();
  await Promise.all(asked);
  expect(statuses.filter((status) => status === 200)).toHaveLength(128);
  await ask();
  expect(statuses.at(-1)).toBe(200);
  await server.close();
}, 120_000);

it('are not taken by a key whose requests wait for its receiver', async () => {
  const { app, ask, close } = open();
  await vi.waitFor(async () => expect((await ask(quiet, '/me')).status).toBe(200), PATIENCE);
  let asked = 0;
  silent.on('request', () => {
    asked += 1;
  });
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  const requests = Array.from({ length: REQUESTS }, (_, n) =>
    ask(noisy, '/subscriptions', JSON.stringify({ name: `waits-${n}`, url, events: ['task.closed'] })),
  );
  await vi.waitFor(() => expect(asked).toBe(SHARE), PATIENCE);
  const { status } = await ask(quiet, '/me');
  const page = await app.request(`${BASE}/console/log-in`);
  const token = new URL(link).searchParams.get('token') ?? '';
  const session = await app.request(`${BASE}/console/log-in`, { method: 'POST', body: new URLSearchParams({ token }) });
  const cookie = (session.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const now = await app.request(`${BASE}/console`, { headers: { cookie } });
  expect([status, page.status, session.status, now.status]).toEqual([200, 200, 303, 200]);
  silent.closeAllConnections();
  const answers = await Promise.all(requests.map(async (one) => (await one).json() as Promise<{ code: string }>));
  const refused = answers.filter(({ code }) => code === 'TIDINGS_API_RATE' || code === 'TIDINGS_API_UNAVAILABLE');
  expect(refused).toHaveLength(REQUESTS - SHARE);
  await close();
}, 120_000);

it('are answered while the thread loads the code of its parts, however long that takes', async () => {
  const warnings: string[] = [];
  // The code of each part takes longer than a piece of work may.
  const { app, ask, close } = open({ maxBlockedMs: 400, warn: (message) => warnings.push(message) });
  expect((await ask(quiet, '/me')).status).toBe(200);
  expect((await app.request(`${BASE}/console/log-in`)).status).toBe(200);
  await close();
  expect(warnings).toEqual([]);
});

it('are answered after the service itself stood still, as on a machine that slept', async () => {
  const warnings: string[] = [];
  const { ask, close } = open({ maxBlockedMs: 2000, warn: (message) => warnings.push(message) });
  await vi.waitFor(async () => expect((await ask(quiet, '/me')).status).toBe(200), PATIENCE);
  const receiver = createServer();
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const pinged = once(receiver, 'request') as Promise<[unknown, ServerResponse]>;
  const subscribe = () => ask(quiet, '/subscriptions', JSON.stringify({ url, events: ['*'] }));
  let subscribing = subscribe();
  let ping: [unknown, ServerResponse] | undefined;
  while (ping === undefined) {
    const first = await Promise.race([pinged, subscribing]);
    // A busy machine may have ended the thread before the request came to its endpoint.
    if (first instanceof Response) subscribing = subscribe();
    else ping = first;
  }
  const [, response] = ping;
  warnings.splice(0);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5000);
  await pause(300);
  response.end();
  expect((await subscribing).status).toBe(201);
  receiver.close();
  await close();
  expect(warnings).toEqual([]);
});
