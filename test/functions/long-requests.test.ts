/**
 * What one caller can occupy in AWS: requests that wait for its endpoints. Each request has an execution of `manage` of its own, as
 * Lambda gives it.
 */

import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeLogInLink } from '../../console/log-in-link.ts';
import { SECOND } from '../../core/model/time.ts';
import { createKey } from '../../manage/api/keys.ts';
import { captureOutput } from './lambda-call.ts';
import { openFunctions, startWorld, type World } from './world.ts';

const HOST = 'tidings.example.com';
const ANN = { kind: 'iam', id: 'arn:aws:iam::123456789012:user/ann', scopes: ['admin'] } as const;

/** As many as a caller may have at a time. */
const LIMIT = 8;
const MANY = 14;

let world: World;
let endpoint: Awaited<ReturnType<typeof startSlowEndpoint>>;

beforeEach(async () => {
  endpoint = await startSlowEndpoint();
  const manage = { url: `https://${HOST}`, secret: '${OPS}', api: { auth: 'keys' }, console: 'on' };
  world = await startWorld({ config: { manage, subscriptions: [] } });
  captureOutput();
  await world.functions.setup();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await endpoint.stop();
  await world.stop();
});

/** Answers at `/fast` at once, and elsewhere when the test says so. */
async function startSlowEndpoint() {
  const waiting: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === '/fast') response.end('seen');
    else waiting.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    slow: `${url}/slow`,
    fast: `${url}/fast`,
    waiting,
    answer: () => {
      for (const response of waiting.splice(0)) response.end('seen');
    },
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const ports = () => ({ ...world.stores, clock: world.clock, randomBytes });

const keyWith = async (scope: 'subscribe' | 'operate') =>
  (await createKey(ports(), ANN, { name: 'test', scopes: [scope] })).token;

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly cookie?: string;
}

/** In an execution of its own. */
async function send(method: string, path: string, { headers, body, cookie }: Sent) {
  const event = {
    ...{ version: '2.0', rawPath: path, rawQueryString: '' },
    headers: { host: HOST, 'x-forwarded-proto': 'https', ...headers },
    ...(cookie === undefined ? {} : { cookies: [cookie] }),
    ...(body === undefined ? {} : { body, isBase64Encoded: false }),
    requestContext: { http: { method, path, sourceIp: '::1', userAgent: '' }, domainName: HOST },
  };
  const { manage } = openFunctions(world.options);
  return (await manage(event as unknown as Parameters<typeof manage>[0])) as {
    readonly statusCode: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly cookies?: readonly string[];
    readonly body: string;
  };
}

const ask = (token: string, method: string, path: string, body?: unknown) =>
  send(method, `/v1${path}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

const subscribe = (token: string, url: string, more: object = {}) =>
  ask(token, 'POST', '/subscriptions', { url, events: ['task.closed'], ...more });

/** Sends many requests, and waits until all but the allowed ones are answered. */
async function sendMany(request: () => ReturnType<typeof send>) {
  const answers: Awaited<ReturnType<typeof send>>[] = [];
  const all = Array.from({ length: MANY }, async () => {
    const answer = await request();
    answers.push(answer);
    return answer;
  });
  await vi.waitFor(() => expect(answers).toHaveLength(MANY - LIMIT), 8 * SECOND);
  return { early: [...answers], all: Promise.all(all) };
}

function expectRefused(answers: readonly Awaited<ReturnType<typeof send>>[]): void {
  for (const { statusCode, headers, body } of answers) {
    expect([statusCode, headers['retry-after']]).toEqual([429, '1']);
    expect(JSON.parse(body)).toMatchObject({ code: 'TIDINGS_API_RATE', detail: expect.stringMatching(/^8 requests/) });
  }
}

const counted = async (all: Promise<readonly Awaited<ReturnType<typeof send>>[]>, status: number) =>
  (await all).filter(({ statusCode }) => statusCode === status).length;

describe('requests that wait for endpoints', () => {
  it.each(['ping', 'cloudevents'])(
    'of one key are few at a time (%s), and another key is served meanwhile',
    async (verify) => {
      const [token, other] = [await keyWith('subscribe'), await keyWith('subscribe')];
      const { early, all } = await sendMany(() => subscribe(token, endpoint.slow, { verify }));
      expectRefused(early);
      await vi.waitFor(() => expect(endpoint.waiting).toHaveLength(LIMIT), 5 * SECOND);
      expect((await subscribe(other, endpoint.fast)).statusCode).toBe(201);
      // What does not wait is answered as ever.
      const me = await ask(token, 'GET', '/me');
      expect(JSON.parse(me.body).quotas.longRequests).toEqual({ limit: LIMIT });
      endpoint.answer();
      expect(await counted(all, 429)).toBe(MANY - LIMIT);
      expect((await subscribe(token, endpoint.fast)).statusCode).toBe(201);
    },
  );

  it('are few at a time for changes of an address and with an Idempotency-Key', async () => {
    const token = await keyWith('subscribe');
    const made = JSON.parse((await subscribe(token, endpoint.fast)).body);
    let count = 0;
    const kinds = [
      () => ask(token, 'PATCH', `/subscriptions/${made.name}`, { url: `${endpoint.slow}?${++count}` }),
      () =>
        send('POST', '/v1/subscriptions', {
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            'idempotency-key': `request-${++count}`,
          },
          body: JSON.stringify({ url: endpoint.slow, events: ['task.closed'] }),
        }),
    ];
    for (const request of kinds) {
      const { early, all } = await sendMany(request);
      expectRefused(early);
      endpoint.answer();
      await all;
    }
  });

  it('are few at a time while tests wait for their attempt', async () => {
    const token = await keyWith('subscribe');
    const { name } = JSON.parse((await subscribe(token, endpoint.fast)).body);
    const { early, all } = await sendMany(() => ask(token, 'POST', `/subscriptions/${name}/test`, {}));
    expectRefused(early);
    await vi.waitFor(() => expect(world.queues.count()).toBeGreaterThanOrEqual(LIMIT), 8 * SECOND);
    const records = await world.queues.receive();
    // What was refused has sent nothing.
    expect(records).toHaveLength(LIMIT);
    await world.functions.deliver(records);
    expect(await counted(all, 200)).toBe(LIMIT);
  });

  it('have places again after an execution was killed, when its lease ends', async () => {
    const token = await keyWith('subscribe');
    const { all } = await sendMany(() => subscribe(token, endpoint.slow));
    expect((await subscribe(token, endpoint.fast)).statusCode).toBe(429);
    world.clock.advance(31 * SECOND);
    expect((await subscribe(token, endpoint.fast)).statusCode).toBe(201);
    endpoint.answer();
    await all;
    // The late ends of the others release nothing that is not theirs.
    expect((await subscribe(token, endpoint.fast)).statusCode).toBe(201);
  });
});

describe('changes of one subscription at the same time', () => {
  interface Change {
    readonly method: string;
    readonly path: string;
    readonly body?: object;
  }
  const changes: Record<string, (name: string, n: number) => Change> = {
    'its settings': (name, n) => ({ method: 'PATCH', path: `/subscriptions/${name}`, body: { rate: `${n + 1}/m` } }),
    'its pauses': (name, n) => ({ method: 'POST', path: `/subscriptions/${name}/${n % 2 === 0 ? 'pause' : 'resume'}` }),
  };

  it.each(Object.keys(changes))('are made one after the other, or refused: %s', async (kind) => {
    const token = await keyWith('subscribe');
    const { name } = JSON.parse((await subscribe(token, endpoint.fast)).body);
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_item, n) => {
        const { method, path, body } = changes[kind]?.(name, n) ?? { method: '', path: '' };
        return ask(token, method, path, body);
      }),
    );
    // An alarm counts the errors of a function: no caller may cause one. A setting that others keep changing is a conflict.
    const statuses = answers.map(({ statusCode }) => statusCode);
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    const conflicts = answers.filter(({ statusCode }) => statusCode === 409);
    expect(conflicts.filter(({ body }) => JSON.parse(body).code !== 'TIDINGS_API_CHANGED')).toEqual([]);
    if (kind === 'its pauses') expect(conflicts).toEqual([]);
  });
});

describe('requests of the console that wait for endpoints', () => {
  it('are few at a time in each session', async () => {
    const open = async () => {
      const link = new URL(await makeLogInLink(ports(), ANN, `https://${HOST}`, 'admin'));
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const { cookies = [] } = await send('POST', '/console/log-in', {
        headers,
        body: `token=${link.searchParams.get('token')}`,
      });
      const cookie = cookies[0]?.split(';')[0] ?? '';
      const help = await send('GET', '/console/help', { headers: {}, cookie });
      return { cookie, csrf: /name="csrf" value="([^"]+)"/.exec(help.body)?.[1] ?? '' };
    };
    const [one, other] = [await open(), await open()];
    const token = await keyWith('operate');
    const { name } = JSON.parse((await subscribe(token, endpoint.fast)).body);
    const post = ({ cookie, csrf }: typeof one) =>
      send('POST', `/console/subscriptions/${name}/test`, {
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: `https://${HOST}` },
        cookie,
        body: new URLSearchParams({ csrf }).toString(),
      });
    const { early, all } = await sendMany(() => post(one));
    expect(early.map(({ statusCode }) => statusCode)).toEqual(early.map(() => 429));
    const served = post(other);
    await vi.waitFor(() => expect(world.queues.count()).toBeGreaterThanOrEqual(LIMIT + 1), 8 * SECOND);
    const records = await world.queues.receive();
    expect(records).toHaveLength(LIMIT + 1);
    await world.functions.deliver(records);
    expect((await served).statusCode).toBeLessThan(400);
    await all;
  });
});
