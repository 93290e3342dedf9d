/** Sources that are added, changed and removed over the management API, checked on the simulator. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Simulator } from '../../simulator/simulator.ts';
import { startStill } from '../simulator/api-client.ts';
import { type ApiWorld, startApiWorld } from './api-world.ts';

let simulator: Simulator;
let world: ApiWorld;
beforeEach(async () => {
  simulator = await startStill({ tasks: 20 });
  world = await startApiWorld();
});
afterEach(async () => {
  await world.stop();
  await simulator.stop();
});

const token = () => simulator.tokens.Administrator[0] ?? '';
const north = () => ({ name: 'north', baseUrl: simulator.url, token: token() });

describe('POST /v1/sources', () => {
  it('checks a source, adds it, and shows it at once among all sources', async () => {
    const { status, body, headers } = await world.ask('POST', '/sources', north());
    expect([status, body.source, body.hidden, body.tokenReference]).toEqual([201, 'north', false, null]);
    expect(headers.get('location')).toBe('/v1/sources/north');
    expect(body.check.person).toMatchObject({ role: 'Administrator', timeZone: 'Europe/Berlin' });
    expect(body.check.resources).toContainEqual({ resource: 'task', count: 20, problem: null });
    expect(body.settings).toEqual({ name: 'north', kind: 'work', baseUrl: simulator.url });
    const listed = (await world.ask('GET', '/sources')).body.data;
    expect(listed.map((one: { source: string; origin: string }) => [one.source, one.origin])).toEqual([
      ['main', 'config'],
      ['north', 'stored'],
    ]);
    expect((await world.ask('GET', '/sources/north')).body).toMatchObject({ source: 'north', state: 'new' });
    expect((await world.ask('POST', '/sources/north/scan')).status).toBe(202);
  });

  it('stores, shows, records and logs no token', async () => {
    const made = await world.ask('POST', '/sources', north());
    const shown = await world.ask('GET', '/sources/north/settings');
    const audit = await world.ask('GET', '/audit');
    const stored = await world.embedded.storedSources.get('north');
    expect(stored?.settings.token).toMatch(/^sealed:/);
    expect(await world.embedded.secrets.resolve(String(stored?.packed.token))).toBe(token());
    for (const text of [made.body, shown.body, audit.body, stored].map((one) => JSON.stringify(one)))
      expect(text).not.toContain(token());
    expect(audit.body.data[0]).toMatchObject({
      action: 'source.added',
      target: 'source/north',
      details: { kind: 'work', baseUrl: simulator.url },
    });
    expect(world.errors).toEqual([]);
  });

  it('adds one of two requests with the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'first' };
    const first = await world.ask('POST', '/sources', north(), { headers });
    const again = await world.ask('POST', '/sources', north(), { headers });
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
    const other = await world.ask('POST', '/sources', north());
    expect([other.status, other.body.code]).toEqual([409, 'TIDINGS_API_NAME_TAKEN']);
  });

  it('does not check at the pace of a careful poll', async () => {
    const { status } = await world.ask('POST', '/sources', { ...north(), quota: { perMinute: 1 } });
    expect(status).toBe(201);
  });

  it.each([
    ['a token that the API refuses', { token: 'wrong' }, 'TIDINGS_SOURCE_CHECK_FAILED', /token|unauthorized|401/i],
    [
      'an unknown time zone',
      { timeZone: 'Mars/Base' },
      'TIDINGS_SOURCE_SETTINGS_INVALID',
      /^\/timeZone: expected an IANA/,
    ],
    ['the name of a source of the config', { name: 'main' }, 'TIDINGS_SOURCE_DECLARED', /declared in the config/],
    ['a variable of the operator', { timeZone: '${TOKEN}' }, 'TIDINGS_SOURCE_SETTINGS_INVALID', /without \$\{…\}/],
    ['an unknown resource', { resources: { taks: {} } }, 'TIDINGS_SOURCE_SETTINGS_INVALID', /^\/resources/],
    [
      'metadata of a cloud',
      { baseUrl: 'http://169.254.169.254/latest' },
      'TIDINGS_SOURCE_CHECK_FAILED',
      /not a public address/,
    ],
    [
      'a name for a private address',
      { baseUrl: 'http://localhost.localdomain:9/api' },
      'TIDINGS_SOURCE_CHECK_FAILED',
      /./,
    ],
    [
      'a password in the address',
      { baseUrl: 'http://a:b@127.0.0.1:9/' },
      'TIDINGS_SOURCE_SETTINGS_INVALID',
      /without a user/,
    ],
  ])('refuses %s, and stores nothing', async (_, change, code, message) => {
    const { status, body } = await world.ask('POST', '/sources', { ...north(), ...change });
    expect([status, body.code]).toEqual([409, code]);
    expect(body.detail).toMatch(message);
    expect(await world.embedded.storedSources.list()).toEqual([]);
  });

  it.each([
    'ssm:/a/b',
    'secret:a',
    'file:/etc/passwd',
    '${TOKEN}',
    'a${TOKEN}',
    'sealed:0:x',
    'kept:master',
    'a b',
    '',
  ])('refuses a reference as the token, which would send a secret of the operator elsewhere: %j', async (reference) => {
    const { status, body } = await world.ask('POST', '/sources', { ...north(), token: reference });
    expect([status, body.errors[0].pointer]).toEqual([422, '/token']);
  });

  it('refuses private addresses that the config does not allow, before and after the check', async () => {
    const closed = await startApiWorld({ config: { network: { allowHttp: true, allow: [] }, subscriptions: [] } });
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
      const source = { ...north(), baseUrl: `http://${host}:${port}/api` };
      const { status, body } = await closed.ask('POST', '/sources', source);
      expect([host, status, body.code]).toEqual([host, 409, 'TIDINGS_SOURCE_CHECK_FAILED']);
      expect(body.detail).toContain('network.allow');
    }
    expect(requests).toBe(0);
    server.close();
    await closed.stop();
  });

  it('refuses the account that another source polls', async () => {
    const { clock } = world;
    const { rememberAccount, toAccount } = await import('../../core/source/account/account.ts');
    const added = await world.ask('POST', '/sources', north());
    const { id, name } = added.body.check.person;
    const account = toAccount(simulator.url, { person: id, name });
    await rememberAccount({ ...world.embedded, clock }, 'north', { forgottenVersion: 0 }, account);
    const second = await world.ask('POST', '/sources', { ...north(), name: 'south' });
    expect([second.status, second.body.code]).toEqual([409, 'TIDINGS_SOURCE_CHECK_FAILED']);
    expect(second.body.detail).toContain("source 'north' polls the same account");
  });

  it('gives up on a server that sends it from address to address, or an endless page', async () => {
    let requests = 0;
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const server = createServer(({ url = '' }, response) => {
      requests += 1;
      if (url.startsWith('/bomb')) response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
      else response.writeHead(302, { location: `/${requests}${url.replace(/^\/\d+/, '')}` }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    for (const path of ['loop', 'bomb']) {
      const memory = process.memoryUsage.rss();
      const { status } = await world.ask('POST', '/sources', {
        ...north(),
        baseUrl: `http://127.0.0.1:${port}/${path}`,
      });
      expect(status).toBe(409);
      expect(process.memoryUsage.rss() - memory).toBeLessThan(300 * 1024 * 1024);
    }
    expect(requests).toBeLessThan(100);
    server.close();
  }, 30_000);

  it('waits a bounded time for an API that does not answer', async () => {
    const { checkNewSource } = await import('../../runtime/inspect/check-new-source.ts');
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const [main] = world.embedded.config.sources;
    if (main === undefined) throw new Error('expected a source');
    const source = { ...main, baseUrl: `http://127.0.0.1:${port}`, stored: { allow: ['127.0.0.0/8'] } };
    const options = { ...world.embedded, others: [], random: () => 0.5, timeout: 200 };
    const check = await checkNewSource(source, 'token', options);
    expect(check.refusals).toEqual([{ path: '', message: 'the API did not answer within 0.2 s' }]);
    server.closeAllConnections();
    server.close();
  });
});

describe('a source that was added', () => {
  beforeEach(async () => {
    expect((await world.ask('POST', '/sources', north())).status).toBe(201);
  });

  it('is changed with a patch, whose null removes a setting', async () => {
    const patched = await world.ask('PATCH', '/sources/north', {
      timeZone: 'Asia/Tokyo',
      resources: { task: { every: '2m' } },
    });
    expect([patched.status, patched.body.settings.timeZone]).toEqual([200, 'Asia/Tokyo']);
    expect((await world.ask('GET', '/sources/north')).body.timeZone).toBe('Asia/Tokyo');
    const removed = await world.ask('PATCH', '/sources/north', { timeZone: null });
    expect(removed.body.settings).toEqual({
      name: 'north',
      kind: 'work',
      baseUrl: simulator.url,
      resources: { task: { every: '2m' } },
    });
    const stored = await world.embedded.storedSources.get('north');
    expect([stored?.version, await world.embedded.secrets.resolve(String(stored?.settings.token))]).toEqual([
      3,
      token(),
    ]);
  });

  it('keeps its settings if the change does not pass the check', async () => {
    const before = await world.embedded.storedSources.get('north');
    const { status, body } = await world.ask('PATCH', '/sources/north', { token: 'wrong' });
    expect([status, body.code]).toEqual([409, 'TIDINGS_SOURCE_CHECK_FAILED']);
    expect(await world.embedded.storedSources.get('north')).toEqual(before);
  });

  it.each([
    ['another server', (url: string) => ({ baseUrl: url })],
    ['another server of a given kind', (url: string) => ({ baseUrl: url, kind: 'work' })],
    ['another server whose kind is found again', (url: string) => ({ baseUrl: url, kind: null })],
  ])('sends its stored token only to the address that it was given for, not to %s', async (_, change) => {
    const seen: string[] = [];
    const server = createServer(({ rawHeaders }, response) => {
      seen.push(rawHeaders.join(' '));
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const before = await world.embedded.storedSources.get('north');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
    const { status, body } = await world.ask('PATCH', '/sources/north', change(url));
    expect([status, body.code, body.errors[0].pointer]).toEqual([409, 'TIDINGS_SOURCE_SETTINGS_INVALID', '/token']);
    expect(body.detail).toContain('expected a token for the new address');
    expect(seen.join('\n')).not.toContain(token());
    expect(seen.join('\n')).not.toMatch(/authorization/i);
    expect(await world.embedded.storedSources.get('north')).toEqual(before);
    server.close();
  });

  it('moves to another address with its token, and keeps its own in another spelling', async () => {
    const spelled = await world.ask('PATCH', '/sources/north', { baseUrl: `${simulator.url}/` });
    expect([spelled.status, spelled.body.settings.baseUrl]).toEqual([200, `${simulator.url}/`]);
    const moved = await startStill({ tasks: 3 });
    const given = { baseUrl: moved.url, token: moved.tokens.Administrator[0] ?? '' };
    const { status, body } = await world.ask('PATCH', '/sources/north', given);
    expect([status, body.settings.baseUrl]).toEqual([200, moved.url]);
    await moved.stop();
  });

  it('is changed and removed only as If-Match expects', async () => {
    const { headers } = await world.ask('GET', '/sources/north/settings');
    const tag = { 'if-match': headers.get('etag') ?? '' };
    expect((await world.ask('PATCH', '/sources/north', { attribution: true }, { headers: tag })).status).toBe(200);
    expect((await world.ask('PATCH', '/sources/north', { attribution: false }, { headers: tag })).status).toBe(412);
    expect((await world.ask('DELETE', '/sources/north', undefined, { headers: tag })).status).toBe(412);
    expect((await world.ask('DELETE', '/sources/north')).status).toBe(204);
    expect((await world.ask('DELETE', '/sources/north')).status).toBe(404);
    expect((await world.ask('GET', '/sources/north')).status).toBe(404);
    expect((await world.ask('GET', '/audit')).body.data.map((one: { action: string }) => one.action)).toEqual(
      expect.arrayContaining(['source.added', 'source.changed', 'source.removed']),
    );
  });
});

it('does not change a source of the config', async () => {
  for (const [method, body] of [
    ['PATCH', { attribution: true }],
    ['DELETE', undefined],
  ] as const) {
    const answer = await world.ask(method, '/sources/main', body);
    expect([answer.status, answer.body.code]).toEqual([409, 'TIDINGS_SOURCE_DECLARED']);
  }
  expect((await world.ask('GET', '/sources/main/settings')).body.code).toBe('TIDINGS_SOURCE_DECLARED');
  expect((await world.ask('PATCH', '/sources/east', {})).status).toBe(404);
});
