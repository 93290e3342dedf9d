/** A running service while callers of the management API do their worst: it polls, delivers and answers monitors as before. */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { createKey } from '../../manage/api/keys.ts';
import { parseConfig } from '../../runtime/config/load.ts';
import { packConfig } from '../../runtime/config/packed.ts';
import { openData } from '../../runtime/embedded/data-directory.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { threadedApp } from '../../service/threaded-app.ts';
import { type CommandResult, runCommand } from '../cli/run-command.ts';
import { event } from '../samples.ts';

const PATIENCE = { timeout: 30_000, interval: 20 };
const EVENTS = 1500;

/** A busy machine delays everything; the requests below took seconds each on the loop that delivers. */
const MAX_DELAY_MS = 500;
/** A blocked loop would take as long as all requests; a busy machine may take seconds. */
const MAX_HEALTH_MS = 10_000;

let folder: string;
let serving: Promise<CommandResult>;
let url = '';
let token = '';
let operator = '';
let output = '';
const stop = new AbortController();
const priority = getPriority();

/** As many wildcards as a pattern may have, none of which matches. */
const title = Array.from({ length: 200 }, (_, index) => ({ wildcard: `*a*${index}*b*` }));
const hostile = { events: ['task.*'], where: { data: { record: { title } } } };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-hostile-'));
  const data = join(folder, 'data');
  const database = openData(data);
  const stores = sqliteStores(database);
  const now = systemClock.now();
  const sample = event('evt_0', { type: 'task.closed', time: now });
  const record = { ...sample.data.record, title: 'a'.repeat(3000) };
  const events = Array.from({ length: EVENTS }, (_, index) => ({
    event: { ...sample, id: `evt_${index}`, data: { ...sample.data, record } },
    deliveries: [],
  }));
  await stores.events.record(events);
  const owner = { kind: 'command', id: 'ann', scopes: ['admin'] } as const;
  const ports = { ...stores, clock: systemClock, randomBytes };
  ({ token } = await createKey(ports, owner, { name: 'hostile', scopes: ['read'] }));
  operator = (await createKey(ports, owner, { name: 'operator', scopes: ['operate'] })).token;
  database.close();
  const source = { baseUrl: 'http://127.0.0.1:9/api', token: 'none', timeZone: 'UTC' };
  const manage = { url: 'https://watch.example.com', secret: 'a secret of the links, long enough' };
  writeFileSync(join(folder, 'tidings.json'), JSON.stringify({ source, manage }));
  const argv = ['serve', '--config', join(folder, 'tidings.json'), '--data', data, '--port', '0'];
  serving = runCommand(argv, { stop: stop.signal, onWrite: (_, text) => (output += text) });
  await vi.waitFor(() => expect(output).toMatch(/health +\S+\/health/), PATIENCE);
  url = /health +(\S+)\/health/.exec(output)?.[1] ?? '';
});

afterAll(async () => {
  stop.abort();
  await serving;
  rmSync(folder, { recursive: true, force: true });
});

const ask = (path: string, body?: unknown) =>
  fetch(`${url}/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });

/**
 * The most CPU time that the thread of the service took in one turn of its loop, and how long `/health` took, while the requests are
 * answered. CPU time: on a busy machine a thread also waits for its turn.
 */
async function measure<T>(requests: Promise<T>) {
  let before = process.threadCpuUsage();
  let longest = 0;
  const probe = setInterval(() => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, now.user + now.system - before.user - before.system);
    before = now;
  }, 5);
  let isOver = false;
  const ended = requests.finally(() => {
    isOver = true;
  });
  let slowest = 0;
  while (!isOver) {
    const from = performance.now();
    await (await fetch(`${url}/health`)).text();
    slowest = Math.max(slowest, performance.now() - from);
    await pause(10);
  }
  clearInterval(probe);
  return { answers: await ended, blockedMs: longest / 1000, slowestHealthMs: slowest };
}

describe('requests of one caller', () => {
  it('do not block the loop that delivers, however costly they are', async () => {
    // The code of the API is loaded once.
    expect((await ask('/me/unknown')).status).toBe(404);
    const requests = Promise.all(Array.from({ length: 4 }, async () => (await ask('/filters/test', hostile)).status));
    const { answers, blockedMs, slowestHealthMs } = await measure(requests);
    // On a slow machine they may exceed their budget.
    for (const status of answers) expect([200, 422, 429]).toContain(status);
    expect(blockedMs).toBeLessThan(MAX_DELAY_MS);
    // The thread of the API has a lower one.
    expect(getPriority()).toBe(priority);
    expect(slowestHealthMs).toBeLessThan(MAX_HEALTH_MS);
  });

  it('cannot fill the log: one that is broken off is no error', async () => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const head = `POST /v1/subscriptions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 9000\r\n\r\n`;
    socket.write(`${head}{`);
    await pause(300);
    socket.destroy();
    await pause(300);
    expect((await ask('/me')).status).toBe(200);
    expect(output).not.toContain('request failed');
  });

  it('do not read the state of the service through a page whose name leads to this machine', async () => {
    const { port } = new URL(url);
    const askAs = async (path: string, host: string) => {
      const request = get(`${url}${path}`, { headers: { host } });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      return { status: response.statusCode, text: await text(response) };
    };
    for (const path of ['/health', '/metrics'])
      for (const host of [
        'evil.example',
        `evil.example:${port}`,
        '127.0.0.1.evil.example',
        `localhost.evil.example:${port}`,
      ]) {
        const refused = await askAs(path, host);
        expect([host, refused.status]).toEqual([host, 421]);
        expect(refused.text).not.toContain('main');
      }
    const own = ['localhost', `127.0.0.1:${port}`, `[::1]:${port}`, 'tidings:4020', 'a.localhost', 'watch.example.com'];
    for (const host of own) expect([host, (await askAs('/metrics', host)).status]).toEqual([host, 200]);
  });

  it('that block their thread for too long end it, and the next request is answered by another', async () => {
    const config = packConfig(parseConfig('test.json', readFileSync(join(folder, 'tidings.json'), 'utf8'), {}));
    const warnings: string[] = [];
    const threaded = threadedApp({
      data: { config, environment: {}, data: join(folder, 'data') },
      written: () => {},
      warn: (message) => warnings.push(message),
      report: () => {},
      maxBlockedMs: 300,
    });
    const app = new Hono().route('/v1', threaded.app);
    const headers = { authorization: `Bearer ${operator}`, 'content-type': 'application/json' };
    const get = async () => (await app.request('http://127.0.0.1/v1/events?limit=1', { headers })).status;
    await vi.waitFor(async () => expect(await get()).toBe(200), PATIENCE);
    const loop = '{% for a in (1..400) %}{% for b in (1..80) %}{% assign x = a | times: b %}{% endfor %}{% endfor %}x';
    const body = { url: 'https://example.com/', events: ['*'], template: { body: { text: loop } } };
    const blocked = await app.request('http://127.0.0.1/v1/subscriptions', {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(blocked.status).toBe(503);
    expect(await blocked.json()).toMatchObject({ code: 'TIDINGS_API_UNAVAILABLE' });
    expect(warnings).toContain('the thread of the management API was ended and starts again');
    await vi.waitFor(async () => expect(await get()).toBe(200), PATIENCE);
    await threaded.close();
    expect(await get()).toBe(503);
  });
});
