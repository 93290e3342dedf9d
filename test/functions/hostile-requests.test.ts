/**
 * Requests that strangers and callers with a key send to break the function: each gets a response, none fails the function or fills
 * its log, and of many at the same time as many succeed as may. Each has an execution of its own, as Lambda gives it.
 */

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MINUTE } from '../../core/model/time.ts';
import { createKey } from '../../manage/api/keys.ts';
import { signSlackRequest } from '../../manage/slack/verify-signature.ts';
import { startReceiver } from '../manage/api-world.ts';
import { startFakeSlack } from '../manage/slack/fake-slack.ts';
import { type CapturedOutput, captureOutput } from './lambda-call.ts';
import { openFunctions, startWorld, type World } from './world.ts';

const HOST = 'tidings.example.com';
const SIGNING = 'the signing secret of the tests';
const FORM = 'application/x-www-form-urlencoded';
const ANN = { kind: 'command', id: 'ann', scopes: ['admin'] } as const;
const HELP = 'command=%2Ftidings&text=help&team_id=T1&user_id=U1&channel_id=C1&trigger_id=1.2&api_app_id=A1';

let world: World;
let slack: Awaited<ReturnType<typeof startFakeSlack>>;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let output: CapturedOutput;
let errors: ReturnType<typeof vi.spyOn>;

beforeAll(async () => {
  slack = await startFakeSlack();
  receiver = await startReceiver();
  world = await startWorld({
    secrets: { BOT: 'xoxb-test', SIGNING },
    config: {
      manage: { url: `https://${HOST}`, secret: '${OPS}', api: { auth: 'keys' }, console: 'on' },
      slack: { token: '${BOT}', signingSecret: '${SIGNING}', api: slack.api, offer: ['task.*'], admins: ['UADMIN'] },
      subscriptions: [],
    },
  });
  output = captureOutput();
  errors = vi.spyOn(console, 'error').mockImplementation(() => {});
  await world.functions.setup();
});

afterAll(async () => {
  // An alarm counts the errors of a function: no caller may cause one, nor fill the log.
  expect(output.lines('failed')).toEqual([]);
  expect(errors).not.toHaveBeenCalled();
  vi.restoreAllMocks();
  await world.stop();
  await slack.stop();
  await receiver.stop();
});

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  /** Further keys of the event. */
  readonly more?: object;
}

async function send(method: string, rawPath: string, { headers = {}, query = '', more = {} }: Sent = {}) {
  const event = {
    ...{ version: '2.0', rawPath, rawQueryString: query, isBase64Encoded: false },
    headers: { host: HOST, 'x-forwarded-proto': 'https', ...headers },
    requestContext: { http: { method, path: rawPath, sourceIp: '::1', userAgent: '' }, domainName: HOST },
    ...more,
  };
  const { manage } = openFunctions(world.options);
  const answer = (await manage(event as unknown as Parameters<typeof manage>[0])) as {
    readonly statusCode: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  return { status: answer.statusCode, headers: answer.headers, text: answer.body };
}

const keyWith = async (scope: 'subscribe' | 'admin', quotas?: Parameters<typeof createKey>[2]['quotas']) =>
  (
    await createKey({ ...world.stores, clock: world.clock, randomBytes }, ANN, {
      name: 'test',
      scopes: [scope],
      ...(quotas === undefined ? {} : { quotas }),
    })
  ).token;

const ask = (token: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  send(method, `/v1${path}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    more: body === undefined ? {} : { body: JSON.stringify(body) },
  });

/** How many of each status. */
function countStatuses(answers: readonly { readonly status: number }[]): Record<number, number> {
  const statuses = Map.groupBy(answers, ({ status }) => status);
  return Object.fromEntries([...statuses].map(([status, { length }]) => [status, length]));
}

const times = <T>(count: number, run: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => run(n)));

describe('a request in an unusual form', () => {
  it.each([
    ['a GET with a body', 'GET', '/v1/me', { body: '{}' }, 200],
    ['a GET with a body in base64', 'GET', '/v1/me', { body: 'e30=', isBase64Encoded: true }, 200],
    ['a method that Node refuses', 'TRACE', '/v1/me', {}, 405],
    ['another one', 'CONNECT', '/console', {}, 405],
    ['an unknown method', 'FOO', '/v1/me', {}, 405],
    ['a method that objects have', 'constructor', '/v1/me', {}, 405],
    ['a cookie beyond ASCII', 'GET', '/v1/me', { cookies: ['theme=☃', 'a=b'] }, 200],
    ['a cookie with a line break', 'GET', '/console/log-in', { cookies: ['a=b\nc'] }, 200],
    ['a body that is no base64', 'POST', '/v1/subscriptions', { body: '%%%', isBase64Encoded: true }, 400],
    ['a body that is no UTF-8', 'POST', '/v1/subscriptions', { body: '//79', isBase64Encoded: true }, 400],
    ['no body', 'POST', '/v1/subscriptions', {}, 400],
    ['a path that is no text', 'GET', '/v1/subscriptions/%ff%', {}, 404],
    ['a path to another host', 'GET', '//evil.example/v1/me', {}, 404],
    ['a parameter that is no text', 'GET', '/v1/events', { rawQueryString: 'limit=%ff' }, 400],
  ] as const)('gets a response: %s', async (_, method, path, more, status) => {
    const headers = { authorization: `Bearer ${await keyWith('admin')}`, 'content-type': 'application/json' };
    expect((await send(method, path, { headers, more })).status).toBe(status);
  });

  it.each([
    '/v1/../health',
    '/v1/%2e%2e/health',
    '/v1/.%2E/health',
    '/console/./../health',
    '/v1/..\\health',
    '/v1/.\t./health',
    '/console/%2e%2e/v1/openapi.json',
    '/v1/..',
  ])('is not served as another path, whose route may need a signature: %j', async (path) => {
    expect((await send('GET', path)).status).toBe(404);
    expect((await send('GET', '/health')).status).toBe(200);
  });

  it('cannot change all objects of the process with its method', async () => {
    for (const path of ['/v1/me', '/console', '/health', '/slack/events'])
      expect((await send('__proto__', path)).status).toBe(405);
    expect(Object.keys(Object.getOwnPropertyDescriptors(Object.prototype))).not.toContain('params');
    expect((await send('GET', '/health')).status).toBe(200);
  });

  it('cannot write into the log with its headers', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01"}\u2028{"level":"error"`;
    const headers = { traceparent, tracestate: 'x'.repeat(9000), authorization: 'Bearer ☃' };
    expect((await send('GET', '/v1/me', { headers })).status).toBe(401);
    expect(output.text()).not.toContain('bbbb');
  });
});

describe('requests of Slack in an unusual form', () => {
  const signed = (
    body: string,
    { skew = 0, headers = {} }: { skew?: number; headers?: Record<string, string> } = {},
  ) => {
    const timestamp = String(Math.floor(Date.parse(world.clock.now()) / 1000) + skew);
    const signature = signSlackRequest(timestamp, body, SIGNING);
    return { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature, 'content-type': FORM, ...headers };
  };
  const sendSlack = (body: string, headers: Record<string, string>, more: object = {}) =>
    send('POST', '/slack', {
      headers,
      more: { body: Buffer.from(body).toString('base64'), isBase64Encoded: true, ...more },
    });

  it.each([
    ['no base64', HELP, { body: '%%%' }, 400],
    ['a body that is not encoded', HELP, { body: HELP, isBase64Encoded: false }, 200],
    ['another workspace', HELP.replace('T1', 'T9'), {}, 403],
    ['another app', HELP.replace('A1', 'A9'), {}, 403],
    ['more than 1 MB', 'x'.repeat(1_100_000), {}, 413],
    ['deep nesting', `payload=${'['.repeat(50_000)}`, {}, 400],
    [
      'an interaction without anything',
      `payload=${encodeURIComponent('{"type":"block_actions","team":null}')}`,
      {},
      200,
    ],
  ] as const)('get a response: %s', async (_, body, more, status) => {
    world.clock.advance(1000);
    expect((await sendSlack(body, signed(body), more)).status).toBe(status);
  });

  it('are refused without a valid time and signature, whatever the case of the headers', async () => {
    world.clock.advance(1000);
    const { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature } = signed(HELP);
    const upper = { 'Content-Type': FORM, 'X-Slack-Request-Timestamp': timestamp, 'X-Slack-Signature': signature };
    const wrong: Record<string, string>[] = [
      { ...upper, 'X-Slack-Signature': signature.toUpperCase() },
      { ...upper, 'X-Slack-Signature': `${signature},${signature}` },
      { ...upper, 'X-Slack-Request-Timestamp': `0${timestamp}` },
      { ...upper, 'X-Slack-Request-Timestamp': `${timestamp}e0` },
      // Signed, but too old or too far ahead.
      signed(HELP, { skew: -310 }),
      signed(HELP, { skew: 310 }),
    ];
    for (const headers of wrong) expect((await sendSlack(HELP, headers)).status).toBe(401);
    expect((await sendSlack(HELP, upper)).status).toBe(200);
    expect((await sendSlack(HELP, upper)).status).toBe(401);
    expect((await sendSlack(`${HELP}\n`, upper)).status).toBe(401);
  });

  it('act once, also many copies at the same time', async () => {
    world.clock.advance(10_000);
    const queued = world.queues.count();
    const list = (trigger: string) => HELP.replace('text=help', 'text=list').replace('1.2', trigger);
    const headers = signed(list('5.1'));
    const copies = await times(10, () => sendSlack(list('5.1'), headers));
    expect(countStatuses(copies)).toEqual({ 200: 1, 401: 9 });
    // Slack signs a retry again.
    const retries = await times(10, (n) =>
      sendSlack(list('5.2'), signed(list('5.2'), { skew: n, headers: { 'x-slack-retry-num': String(n) } })),
    );
    for (const { status } of retries) expect([200, 503]).toContain(status);
    expect(world.queues.count() - queued).toBe(2);
  });
});

describe('many requests of one key at the same time', () => {
  it('with one Idempotency-Key act once, and another key has keys of its own', async () => {
    const [token, other] = [await keyWith('subscribe'), await keyWith('subscribe')];
    const key = { 'idempotency-key': 'order-1' };
    const subscribe = (by: string, events: string[]) =>
      ask(by, 'POST', '/subscriptions', { url: receiver.url, events }, key);
    const answers = await times(10, () => subscribe(token, ['task.*']));
    for (const { status } of answers) expect([201, 409]).toContain(status);
    const again = await subscribe(token, ['task.*']);
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([201, 'true']);
    expect(JSON.parse((await subscribe(token, ['task.closed'])).text).code).toBe('TIDINGS_API_IDEMPOTENCY_KEY');
    const foreign = await subscribe(other, ['task.*']);
    expect([foreign.status, foreign.headers['idempotency-replayed']]).toEqual([201, undefined]);
    expect(JSON.parse((await ask(token, 'GET', '/subscriptions')).text).data).toHaveLength(1);
  });

  it('are all served within their burst', async () => {
    const token = await keyWith('subscribe');
    expect(countStatuses(await times(60, () => ask(token, 'GET', '/me')))).toEqual({ 200: 60 });
  });

  it('take no more than their quotas', async () => {
    const token = await keyWith('subscribe', { previews: '5/h', replays: '3/h', subscriptions: 2 });
    const filter = { events: ['task.*'], since: '1h' };
    expect(countStatuses(await times(14, () => ask(token, 'POST', '/filters/test', filter)))).toEqual({
      200: 5,
      429: 9,
    });
    const made = await times(8, () => ask(token, 'POST', '/subscriptions', { url: receiver.url, events: ['task.*'] }));
    expect(countStatuses(made)).toEqual({ 201: 2, 403: 6 });
    const { name } = JSON.parse(made.find(({ status }) => status === 201)?.text ?? '{}');
    const replays = await times(8, () => ask(token, 'POST', `/subscriptions/${name}/replay`, { since: '1h' }));
    expect(countStatuses(replays)).toEqual({ 202: 3, 429: 5 });
  });

  it('have all subscriptions counted once a minute, also if they are refused', async () => {
    const token = await keyWith('subscribe', { subscriptions: 1 });
    const make = () => ask(token, 'POST', '/subscriptions', { url: receiver.url, events: ['task.*'] });
    expect((await make()).status).toBe(201);
    world.clock.advance(2 * MINUTE);
    let lists = 0;
    world.options.clients?.dynamodb?.middlewareStack.add((next, { commandName }) => async (args) => {
      if (commandName === 'QueryCommand' && JSON.stringify(args.input).includes('"subscriptions"')) lists += 1;
      return next(args);
    });
    for (let n = 0; n < 3; n++) expect((await make()).status).toBe(403);
    for (let n = 0; n < 3; n++) {
      const { quotas } = JSON.parse((await ask(token, 'GET', '/me')).text);
      expect(quotas.subscriptions).toEqual({ limit: 1, used: 1 });
    }
    expect(lists).toBe(1);
    world.clock.advance(2 * MINUTE);
    await ask(token, 'GET', '/me');
    expect(lists).toBe(2);
  });

  it('leave no more entries in the audit trail than the changes that their key may make', async () => {
    const token = await keyWith('subscribe', { changes: '4/h' });
    const made = await ask(token, 'POST', '/subscriptions', { url: receiver.url, events: ['task.*'] });
    const { name } = JSON.parse(made.text);
    const pauses = await times(10, () => ask(token, 'POST', `/subscriptions/${name}/pause`));
    expect(countStatuses(pauses)).toEqual({ 200: 3, 429: 7 });
    expect(JSON.parse((await ask(token, 'GET', '/me')).text).quotas.changes).toMatchObject({ limit: 4, used: 4 });
    const { entries } = await world.stores.audit.page({ limit: 1000 });
    expect(entries.filter(({ target }) => target === `subscription/${name}`)).toHaveLength(4);
  });

  it('with an If-Match change it once, and tell nothing about what the key may not see', async () => {
    const [token, other] = [await keyWith('subscribe'), await keyWith('subscribe')];
    const made = await ask(token, 'POST', '/subscriptions', { url: receiver.url, events: ['task.*'] });
    const path = `/subscriptions/${JSON.parse(made.text).name}`;
    const { etag = '' } = (await ask(token, 'GET', path)).headers;
    const changes = await times(8, (n) => ask(token, 'PATCH', path, { rate: `${n + 1}/m` }, { 'if-match': etag }));
    expect(countStatuses(changes)).toEqual({ 200: 1, 412: 7 });
    const conditions: Record<string, string>[] = [{ 'if-match': '*' }, { 'if-match': etag }, { 'if-none-match': '*' }];
    for (const condition of conditions) {
      expect((await ask(other, 'GET', path, undefined, condition)).status).toBe(404);
      expect((await ask(other, 'PATCH', path, { rate: '1/m' }, condition)).status).toBe(404);
    }
  });
});
