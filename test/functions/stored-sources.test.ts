/** Sources that are added over the API of a deployment, and what the other functions make of them. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MINUTE, SECOND } from '../../core/model/time.ts';
import { createKey } from '../../manage/api/keys.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { type LiveConnections, startLiveConnections } from '../live-connections.ts';
import { type CapturedOutput, captureOutput } from './lambda-call.ts';
import { startWorld, type World } from './world.ts';

const OTHERS = ['invoice', 'project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'];
const OFF = Object.fromEntries(OTHERS.map((name) => [name, 'off']));

let world: World;
let output: CapturedOutput;
let second: Simulator;
let key: string;

beforeEach(async () => {
  second = await startSimulator({ tasks: 12, seed: 2, quota: 10_000_000 });
  world = await startWorld({
    source: { resources: { ...OFF, task: { every: '1m' } } },
    config: {
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
      manage: { url: 'https://tidings.example.com', secret: '${OPS}', api: { rate: '1000/s' } },
    },
  });
  output = captureOutput();
  const ports = { ...world.stores, clock: world.clock, randomBytes: (size: number) => Buffer.alloc(size, 7) };
  const caller = { kind: 'command', id: 'ann', scopes: ['admin'] } as const;
  key = (await createKey(ports, caller, { name: 'test', scopes: ['admin'] })).token;
});

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all([world.stop(), second.stop()]);
});

async function ask(method: string, path: string, body?: unknown) {
  const http = { method, path: `/v1${path}`, sourceIp: '::1', userAgent: '' };
  const event = {
    version: '2.0',
    rawPath: `/v1${path}`,
    rawQueryString: '',
    headers: { host: 'x', authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    requestContext: { http, stage: '$default', domainName: 'x' },
    isBase64Encoded: false,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  const { statusCode, body: text } = (await world.functions.manage(event as never)) as {
    statusCode: number;
    body: string;
  };
  return { status: statusCode, body: text === '' ? undefined : JSON.parse(text) };
}

const scanned = () => [...new Set(output.lines('scanned').map(({ source }) => source))].sort();

it('polls a source from the next minute on, with its sealed token, and no more after it was removed', async () => {
  await world.functions.poll();
  expect(scanned()).toEqual(['main']);
  const token = second.tokens.Administrator[0] ?? '';
  const north = { name: 'north', baseUrl: second.url, token, resources: { ...OFF, task: { every: '1m' } } };
  const added = await ask('POST', '/sources', north);
  expect([added.status, added.body.check?.resources]).toEqual([201, [{ resource: 'task', count: 12, problem: null }]]);
  const listed = await ask('GET', '/sources');
  expect(listed.body.data.map(({ source }: { source: string }) => source)).toEqual(['main', 'north']);
  expect(JSON.stringify(await world.stores.storedSources.list())).not.toContain(token);

  output.clear();
  world.clock.advance(2 * MINUTE);
  await world.functions.poll();
  expect(scanned()).toEqual(['main', 'north']);
  expect(output.lines('scanned').find(({ source }) => source === 'north')).toMatchObject({ baseline: true, seen: 12 });
  // The first poll of a source sends nothing about its records.
  const changed = world.changes().map(({ dynamodb }) => dynamodb?.NewImage?.pk?.S);
  expect(changed.filter((pk) => pk !== 'main#source' && pk !== 'north#source')).toEqual([]);

  expect((await ask('DELETE', '/sources/north')).status).toBe(204);
  output.clear();
  world.clock.advance(2 * MINUTE);
  await world.functions.poll();
  expect(scanned()).toEqual(['main']);
}, 120_000);

it('looks for changed sources once a minute', async () => {
  const reads = vi.spyOn(world.tables.client.constructor.prototype, 'send');
  const readsOfChanges = () =>
    reads.mock.calls.filter(([command]) => JSON.stringify((command as { input: unknown }).input).includes('#changes'));
  for (let n = 0; n < 5; n++) {
    await world.functions.poll();
    world.clock.advance(10 * SECOND);
  }
  expect(readsOfChanges().length).toBe(1);
}, 60_000);

it('closes the connections to a source that was changed, and reads no token again', async () => {
  const api: LiveConnections = await startLiveConnections(second.url);
  const north = {
    ...{ name: 'north', baseUrl: api.url, token: second.tokens.Administrator[0] ?? '' },
    resources: { ...OFF, task: { every: '1m' } },
  };
  expect((await ask('POST', '/sources', north)).status).toBe(201);
  world.clock.advance(2 * MINUTE);
  await world.functions.poll();
  const reads = world.secrets.requests;
  for (let change = 0; change < 10; change++) {
    const timeZone = change % 2 === 0 ? 'Asia/Tokyo' : 'UTC';
    expect((await ask('PATCH', '/sources/north', { timeZone })).status).toBe(200);
    // Less than the five minutes for which a token is kept.
    world.clock.advance(61 * SECOND);
    output.clear();
    await world.functions.poll();
    expect(scanned()).toContain('north');
    if (change === 1) expect(world.secrets.requests).toBe(reads);
  }
  expect(api.live).toBeLessThanOrEqual(2);
  await api.stop();
}, 120_000);

it('answers thousands of mistakes briefly, and refuses hidden characters and more than 1000 sources', async () => {
  const token = second.tokens.Administrator[0] ?? '';
  const north = { name: 'north', baseUrl: second.url, token, resources: { ...OFF, task: { every: '1m' } } };
  const letters = (n: number) => String(n).replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(+digit));
  const resources = Object.fromEntries(Array.from({ length: 9000 }, (_, n) => [`x${letters(n)}`, {}]));
  const many = await ask('POST', '/sources', { ...north, resources });
  expect([many.status, many.body.detail]).toEqual([409, expect.stringContaining('expected at most 200 resources')]);
  expect(JSON.stringify(many.body).length).toBeLessThan(5000);
  const hidden = await ask('POST', '/sources', { ...north, baseUrl: `${second.url}/\u001b[2J` });
  expect([hidden.status, hidden.body.detail]).toEqual([409, '/baseUrl: expected a URL in visible characters']);
  expect((await ask('POST', '/sources', north)).status).toBe(201);
  const stored = await world.stores.storedSources.get('north');
  if (stored === undefined) throw new Error('expected a stored source');
  for (let n = 1; n < 1000; n++) await world.stores.storedSources.add({ ...stored, name: `copy-${n}` });
  const full = await ask('POST', '/sources', { ...north, name: 'another' });
  expect([full.status, full.body.code]).toEqual([403, 'TIDINGS_API_QUOTA']);
}, 120_000);
