/** What a request about a source may cost: long answers, slow servers, many checks and many sources. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { recognizeSource } from '../../runtime/inspect/check-new-source.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { type ConsoleWorld, startConsoleWorld } from '../console/console-world.ts';
import { startStill } from '../simulator/api-client.ts';

let simulator: Simulator;
let world: ConsoleWorld;
/** Takes its time for every request. */
let slow: Server;
let slowRequests = 0;
let slowUrl: string;

beforeAll(async () => {
  simulator = await startStill({ tasks: 3 });
  world = await startConsoleWorld();
  slow = createServer(async (_, response) => {
    slowRequests += 1;
    await pause(300);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
  slowUrl = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/a/b/c/d/e/f/g/h/i/j/k/l`;
});
afterAll(async () => {
  expect(world.errors).toEqual([]);
  slow.closeAllConnections();
  slow.close();
  await world.stop();
  await simulator.stop();
});

const source = () => ({ name: 'north', baseUrl: simulator.url, token: simulator.tokens.Administrator[0] ?? '' });

/** `xa`, `xb`, …: no resource has these names. */
const names = (count: number) =>
  Array.from({ length: count }, (_, n) => `x${String(n).replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(+digit))}`);

it('answers a request with thousands of mistakes in a few kilobytes', async () => {
  const resources = (count: number) => Object.fromEntries(names(count).map((name) => [name, {}]));
  const many = await world.ask('POST', '/sources', { ...source(), resources: resources(9000) });
  expect([many.status, many.body.detail]).toEqual([409, expect.stringContaining('expected at most 200 resources')]);
  const wrong = await world.ask('POST', '/sources', { ...source(), resources: resources(150) });
  expect([wrong.status, wrong.body.errors.length]).toEqual([409, 20]);
  expect(JSON.stringify(wrong.body).length).toBeLessThan(50_000);
  const { token: key } = await world.makeKey(['subscribe']);
  for (const path of ['/me', '/subscriptions']) {
    const { status, body } = await world.ask('GET', `${path}?${names(3000).join('=&')}=`, undefined, { key });
    expect([path, status, body.code]).toEqual([path, 400, 'TIDINGS_API_QUERY']);
    expect(JSON.stringify(body).length).toBeLessThan(50_000);
  }
  const long = await world.ask('GET', `/me?${'x'.repeat(14_000)}=`, undefined, { key });
  expect(JSON.stringify(long.body).length).toBeLessThan(6000);
});

it('looks for the kind of a slow server for a bounded time in all', async () => {
  const before = slowRequests;
  const network = { allowHttp: true, allow: ['127.0.0.0/8'] };
  expect(await recognizeSource(slowUrl, { network }, 700)).toBeUndefined();
  expect(slowRequests - before).toBeLessThanOrEqual(4);
});

it('checks four sources at a time', async () => {
  const silent = createServer((request) => request.resume());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  let asked = 0;
  silent.on('request', () => {
    asked += 1;
  });
  const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  const add = (n: number) => world.ask('POST', '/sources', { ...source(), name: `slow-${n}`, baseUrl });
  const first = [1, 2, 3, 4].map(add);
  await vi.waitFor(() => expect(asked).toBeGreaterThanOrEqual(4), { timeout: 20_000 });
  const refused = await add(5);
  expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
    429,
    'TIDINGS_API_BUDGET',
    '5',
  ]);
  silent.closeAllConnections();
  silent.close();
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([409, 409, 409, 409]);
  // A place is free again.
  expect((await world.ask('POST', '/sources', { ...source(), timeZone: 'Mars/Base' })).status).toBe(409);
}, 60_000);

it('refuses an address with characters that nobody sees', async () => {
  for (const hidden of ['\u0000', '\u001b[2J', '\u202e', '\u2066']) {
    const { status, body } = await world.ask('POST', '/sources', {
      ...source(),
      baseUrl: `${simulator.url}/${hidden}`,
    });
    expect([status, body.detail]).toEqual([409, '/baseUrl: expected a URL in visible characters']);
  }
  expect(await world.embedded.storedSources.list()).toEqual([]);
});

it('checks a change in the console as one over the API', async () => {
  expect((await world.ask('POST', '/sources', source())).status).toBe(201);
  const before = await world.embedded.storedSources.get('north');
  const browser = await world.logInAs();
  const form = { csrf: await browser.csrf(), baseUrl: simulator.url, token: '', timeZone: '' };
  for (const [field, text] of [
    ['token', 'file:/etc/passwd'],
    ['token', '${MASTER}'],
    ['token', 'two words'],
    ['timeZone', 'x'.repeat(65)],
    ['baseUrl', `${simulator.url}/${'x'.repeat(2000)}`],
  ] as const) {
    const { status, text: page } = await browser.post('/console/sources/north', { ...form, [field]: text });
    expect([field, status]).toEqual([field, 422]);
    expect(page).toContain(`id="e-${field}"`);
  }
  expect(await world.embedded.storedSources.get('north')).toEqual(before);
});

it('adds 1000 sources, and no more', async () => {
  const stored = await world.embedded.storedSources.get('north');
  if (stored === undefined) throw new Error('expected the source of the test before');
  for (let n = 1; n < 1000; n++) await world.embedded.storedSources.add({ ...stored, name: `copy-${n}` });
  const { status, body } = await world.ask('POST', '/sources', { ...source(), name: 'another' });
  expect([status, body.code, body.detail]).toEqual([403, 'TIDINGS_API_QUOTA', expect.stringContaining('1000 sources')]);
});
