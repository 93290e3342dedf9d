/** The management API through the real functions, on the local AWS: the walk of docs/api.md. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeToken, TOKEN_BYTES } from '../../core/model/api-key.ts';
import { openDelivery } from '../../core/model/delivery.ts';
import { DAY, MINUTE } from '../../core/model/time.ts';
import { createKey } from '../../manage/api/keys.ts';
import { runCommand } from '../cli/run-command.ts';
import { startReceiver } from '../manage/api-world.ts';
import { event } from '../samples.ts';
import { captureOutput } from './lambda-call.ts';
import { startWorld, type World } from './world.ts';

/** Only tasks are polled, and rarely. */
const OFF = Object.fromEntries(
  ['invoice', 'project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'].map((name) => [
    name,
    'off',
  ]),
);

let world: World;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let key: string;

beforeAll(async () => {
  receiver = await startReceiver();
  world = await startWorld({
    source: { resources: { ...OFF, task: { every: '1d', sweep: '7d' } } },
    config: {
      manage: {
        url: 'https://tidings.example.com',
        secret: '${OPS}',
        api: { rate: '1000/s', quotas: { subscriptions: 3, previews: '2/h', deliveries: '100/h', comparisons: 120 } },
      },
      subscriptions: [{ name: 'declared', events: ['task.*'], to: { http: { url: receiver.url, secret: '${OPS}' } } }],
    },
  });
  captureOutput();
  await world.functions.setup();
  key = await keyWith(['operate']);
});

afterAll(async () => {
  vi.restoreAllMocks();
  await world.stop();
  await receiver.stop();
});

async function keyWith(scopes: Parameters<typeof createKey>[2]['scopes'], events?: readonly string[]): Promise<string> {
  const ports = {
    ...world.stores,
    clock: world.clock,
    randomBytes: (size: number) => crypto.getRandomValues(new Uint8Array(size)),
  };
  const caller = { kind: 'command', id: 'ann', scopes: ['admin'] } as const;
  return (await createKey(ports, caller, { name: 'test', scopes, ...(events === undefined ? {} : { events }) })).token;
}

type Event = Parameters<World['functions']['manage']>[0];

async function ask(method: string, path: string, body?: unknown, { token = key, authorizer = {}, headers = {} } = {}) {
  const [rawPath = '', rawQueryString = ''] = `/v1${path}`.split('?');
  const http = { method, path: rawPath, sourceIp: '::1', userAgent: '' };
  const request = {
    version: '2.0',
    rawPath,
    rawQueryString,
    headers: {
      host: 'x',
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body), isBase64Encoded: false }),
    requestContext: { http, authorizer },
  };
  const answer = (await world.functions.manage(request as unknown as Event)) as {
    readonly statusCode: number;
    readonly body: string;
  };
  return { status: answer.statusCode, body: answer.body === '' ? undefined : JSON.parse(answer.body) };
}

/** What Lambda does with the queue, once. */
async function deliver(): Promise<void> {
  await world.functions.tick();
  for (;;) {
    const records = await world.queues.receive();
    if (records.length === 0) return;
    const { batchItemFailures } = (await world.functions.deliver(records)) as {
      readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
    };
    await world.queues.settle(
      records,
      batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
    );
  }
}

describe('the management API in AWS', () => {
  it('subscribes an endpoint, shows and repairs its deliveries, and removes it', async () => {
    const token = await keyWith(['subscribe'], ['task.*']);
    const made = await ask(
      'POST',
      '/subscriptions',
      { name: 'mine', url: receiver.url, events: ['task.closed'] },
      { token },
    );
    expect(made.status).toBe(201);
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ type: 'tidings.ping' });
    const outside = { url: receiver.url, events: ['invoice.*'] };
    expect((await ask('POST', '/subscriptions', outside, { token })).body.code).toBe('TIDINGS_API_EVENTS');

    const now = world.clock.now();
    await world.stores.events.record(['1', '2'].map((id) => ({ event: event(id, { time: now }), deliveries: [] })));
    receiver.status = 500;
    expect((await ask('POST', '/subscriptions/mine/replay', { since: '2d' }, { token })).body.count).toBe(2);
    await deliver();
    const { body } = await ask('GET', '/subscriptions/mine/deliveries?limit=1', undefined, { token });
    expect(body.data).toMatchObject([
      { status: 'pending', attempts: [{ status: 500, outcome: 'retry', body: 'seen' }] },
    ]);
    expect(body.next).toEqual(expect.any(String));

    receiver.status = 200;
    world.clock.advance(5 * MINUTE);
    const [{ id }] = body.data;
    expect((await ask('POST', `/deliveries/${id}/retry`, undefined, { token })).status).toBe(202);
    await deliver();
    expect((await ask('GET', `/deliveries/${id}`, undefined, { token })).body.status).toBe('settled');

    const { body: rotated } = await ask('POST', '/subscriptions/mine/rotate', undefined, { token });
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(made.body.secret);
    const before = receiver.received.length;
    await ask('POST', '/subscriptions/mine/replay', { event: 'evt_1' }, { token });
    await deliver();
    expect(receiver.received).toHaveLength(before + 1);
    expect(String(receiver.received.at(-1)?.headers['webhook-signature']).split(' ')).toHaveLength(2);

    expect((await ask('GET', '/events/evt_1')).body.subscriptions).toHaveLength(2);
    expect((await ask('DELETE', '/subscriptions/mine', undefined, { token })).status).toBe(204);
    expect((await ask('GET', '/subscriptions/mine', undefined, { token })).status).toBe(404);
  });

  it('answers the same for what does not exist and for what a key may not see', async () => {
    const token = await keyWith(['subscribe']);
    const answers = [];
    for (const name of ['declared', 'nothing'])
      answers.push(await ask('GET', `/subscriptions/${name}`, undefined, { token }));
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect((await ask('DELETE', '/subscriptions/declared', undefined, { token })).status).toBe(204);
    expect((await ask('GET', '/subscriptions/declared')).status).toBe(200);
    expect((await ask('DELETE', '/subscriptions/declared')).body.code).toBe('TIDINGS_SUBSCRIPTION_DECLARED');
  });

  it('removes a REST hook that answers 410', async () => {
    await ask('POST', '/subscriptions', { name: 'hook', targetUrl: receiver.url, event: 'task.closed' });
    await world.stores.events.record([{ event: event('9', { time: world.clock.now() }), deliveries: [] }]);
    await ask('POST', '/subscriptions/hook/replay', { event: 'evt_9' });
    receiver.status = 410;
    await deliver();
    receiver.status = 200;
    expect((await ask('GET', '/subscriptions/hook')).status).toBe(404);
    const { entries } = await world.stores.audit.page({ limit: 1 });
    expect(entries).toMatchObject([{ action: 'subscription.removed', by: { kind: 'receiver' } }]);
  });

  it('lists events by type, page by page, and explains one', async () => {
    const { body } = await ask('GET', '/events?type=task.*&limit=1&order=newest');
    expect(body.data).toHaveLength(1);
    expect((await ask('GET', `/events?type=task.*&limit=1&order=newest&after=${body.next}`)).body.data).toHaveLength(1);
    expect((await ask('GET', '/sources/main')).body).toMatchObject({ source: 'main' });
    expect((await ask('POST', '/filters/test', { events: ['task.*'] })).body.matched).toBeGreaterThan(0);
    expect((await ask('POST', '/subscriptions/declared/preview')).status).toBe(200);
    expect((await ask('GET', '/openapi.json', undefined, { token: '' })).status).toBe(200);
  });

  it('brings the next scan forward', async () => {
    await world.functions.poll();
    const task = async () => (await ask('GET', '/sources/main')).body.resources[0];
    const { lastGoodScanAt } = await task();
    await world.functions.poll();
    expect((await task()).lastGoodScanAt).toBe(lastGoodScanAt);
    expect((await ask('POST', '/sources/main/scan')).status).toBe(202);
    await world.functions.poll();
    const after = (await task()).lastGoodScanAt;
    expect(after > lastGoodScanAt).toBe(true);
    await world.functions.poll();
    expect((await task()).lastGoodScanAt).toBe(after);
  });

  it('does not show a key with event types how many others there are: pages are full, or the last', async () => {
    const token = await keyWith(['operate'], ['invoice.*']);
    const { name } = (await ask('POST', '/subscriptions', { url: receiver.url, events: ['invoice.*'] }, { token }))
      .body;
    const time = world.clock.now();
    const made = ['hidden-1', 'paid-1', 'hidden-2', 'hidden-3', 'paid-2', 'hidden-4'].map((id) =>
      event(id, { type: id.startsWith('paid') ? 'invoice.paid' : 'task.closed', time }),
    );
    const unsent = (one: (typeof made)[number]) => ({
      ...openDelivery(one, name, time),
      status: 'failed' as const,
      dueAt: null,
    });
    await world.stores.events.record(made.map((one) => ({ event: one, deliveries: [unsent(one)] })));
    const pagesOf = async (path: string) => {
      const pages: unknown[] = [];
      for (let after = ''; pages.length < 10; ) {
        const { data, next } = (await ask('GET', `${path}${after}`, undefined, { token })).body;
        pages.push(data.flatMap((one: { id: string; events?: readonly string[] }) => one.events ?? one.id));
        if (next === null) break;
        after = `&after=${next}`;
      }
      return pages;
    };
    const expected = [['evt_paid-2'], ['evt_paid-1']];
    expect(await pagesOf(`/subscriptions/${name}/deliveries?limit=1`)).toEqual(expected);
    expect(await pagesOf(`/subscriptions/${name}/deliveries?limit=1&status=failed`)).toEqual(expected);
    expect(await pagesOf('/events?limit=1&order=newest')).toEqual(expected);
  });

  it('announces that an endpoint is gone a few times an hour, however often its key resumes the subscription', async () => {
    const token = await keyWith(['subscribe'], ['task.*']);
    const { name } = (await ask('POST', '/subscriptions', { url: receiver.url, events: ['task.closed'] }, { token }))
      .body;
    const resume = () => ask('POST', `/subscriptions/${name}/resume`, undefined, { token });
    await world.stores.events.record([{ event: event('lost', { time: world.clock.now() }), deliveries: [] }]);
    await ask('POST', `/subscriptions/${name}/replay`, { event: 'evt_lost' }, { token });
    receiver.status = 410;
    for (let index = 0; index < 6; index++) {
      await deliver();
      expect((await ask('GET', `/subscriptions/${name}`, undefined, { token })).body.state).toBe('disabled');
      expect((await resume()).body.state).toBe('ok');
      world.clock.advance(MINUTE);
    }
    receiver.status = 200;
    await world.functions.announce(world.changes());
    const { events } = await world.stores.events.list({ subject: `subscription/${name}`, limit: 50 });
    expect(events.map(({ type }) => type)).toEqual(Array(3).fill('subscription.disabled'));
    await ask('DELETE', `/subscriptions/${name}`, undefined, { token });
  });

  it('removes all subscriptions of a removed key with one request', async () => {
    const token = await keyWith(['operate']);
    const { id } = (await ask('GET', '/me', undefined, { token })).body;
    const urls = Array.from({ length: 3 }, (_, index) => `${receiver.url}?${index}`);
    const names = [];
    for (const url of urls) {
      names.push((await ask('POST', '/subscriptions', { url, events: ['task.closed'] }, { token })).body.name);
    }
    const admin = { token: await keyWith(['admin']) };
    expect((await ask('DELETE', `/keys/${id}`, undefined, admin)).status).toBe(204);
    const { body } = await ask('DELETE', `/keys/${id}/subscriptions`, undefined, admin);
    expect(body.removed.toSorted()).toEqual(names.toSorted());
    const left = (await world.stores.subscriptions.list()).filter(({ owner }) => owner === id);
    expect(left).toEqual([]);
  });

  it('gives a key no secret, no count and no removed authority of others', async () => {
    const [owner, confined] = [await keyWith(['subscribe']), await keyWith(['operate'], ['task.*', 'm*'])];
    const body = { url: receiver.url, events: ['task.closed'], auth: { bearer: 'BEARER-OF-ANOTHER' } };
    const { body: victim } = await ask('POST', '/subscriptions', body, { token: owner });
    const path = `/subscriptions/${victim.name}`;
    const url = receiver.url.replace('/hook', '/attacker');
    expect((await ask('PATCH', path, { url, verify: 'ping' }, { token: confined })).status).toBe(422);
    const leak = { url, verify: 'ping', auth: { bearer: 'derived:00000000:new:0' } };
    expect((await ask('PATCH', path, leak, { token: confined })).status).toBe(200);
    const sent = receiver.received
      .filter((one) => one.path === '/attacker')
      .map(({ headers }) => headers.authorization);
    expect(sent).toEqual(['Bearer derived:00000000:new:0']);
    const about = { type: 'subscription.failing', subject: `subscription/${victim.name}`, time: world.clock.now() };
    const others = [event('hidden', about), event('seen', { time: world.clock.now() })];
    await world.stores.events.record(others.map((one) => ({ event: one, deliveries: [] })));
    const matched = async (token: string) =>
      (await ask('POST', '/filters/test', { event: about.type }, { token })).body.matched;
    expect([await matched(owner), await matched(await keyWith(['subscribe']))]).toEqual([1, 0]);
    const { next } = (await ask('GET', '/events?limit=1', undefined, { token: confined })).body;
    expect(next).toMatch(/^sealed_/);
    expect((await ask('GET', `/events?limit=1&after=${next}`, undefined, { token: confined })).status).toBe(200);
    const plain = (await ask('GET', '/events?limit=1')).body.next;
    expect((await ask('GET', `/events?after=${plain}`, undefined, { token: confined })).status).toBe(400);
    expect((await ask('GET', '/records/main%2Finvoice/1', undefined, { token: confined })).status).toBe(404);

    const admin = { token: await keyWith(['admin']), headers: { 'idempotency-key': 'of-a-script' } };
    const first = (await ask('POST', '/keys', { name: 'first', scopes: ['read'] }, admin)).body;
    expect((await ask('POST', '/keys', { name: 'first', scopes: ['read'] }, admin)).body.token).toBe(first.token);
    await ask('DELETE', `/keys/${first.id}`, undefined, { token: admin.token });
    world.clock.advance(DAY + MINUTE);
    expect((await ask('POST', '/keys', { name: 'second', scopes: ['admin'] }, admin)).status).toBe(201);
    expect((await ask('GET', '/keys', undefined, { token: first.token })).status).toBe(401);
  });

  it('does not show a key with event types whether there are events of others, nor how many in a minute', async () => {
    const token = await keyWith(['read'], ['invoice.*']);
    world.clock.advance(DAY);
    const since = world.clock.now();
    const pages = async () => {
      const queries = [`since=${since}`, `since=${since}&subject=task/412`, 'subject=task/999'];
      const answers = await Promise.all(queries.map((query) => ask('GET', `/events?${query}`, undefined, { token })));
      return answers.map(({ body: { data, next, more } }) => [data.length, String(next).length, more]);
    };
    const before = await pages();
    expect(before.map(([count]) => count)).toEqual([0, 0, 0]);
    for (let count = 0; count < 40; count++) {
      const hidden = event(`unseen-${count}`, { type: 'task.closed', subject: 'task/412', time: world.clock.now() });
      await world.stores.events.record([{ event: hidden, deliveries: [] }]);
    }
    expect(await pages()).toEqual(before);
    const seen = event('own-invoice', { type: 'invoice.paid', subject: 'invoice/1', time: world.clock.now() });
    const { next } = (await ask('GET', `/events?since=${since}`, undefined, { token })).body;
    await world.stores.events.record([{ event: seen, deliveries: [] }]);
    const { body } = await ask('GET', `/events?since=${since}&after=${next}`, undefined, { token });
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([seen.id]);
  });

  it('sends the stored token of a source only to the address that it was given for', async () => {
    const token = await keyWith(['admin']);
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(request.rawHeaders.join(' '));
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const elsewhere = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
    const north = { name: 'north', baseUrl: world.simulator.url, token: world.simulator.tokens.Manager[0] };
    expect((await ask('POST', '/sources', north, { token })).status).toBe(201);
    for (const change of [{ baseUrl: elsewhere }, { baseUrl: elsewhere, kind: 'work' }]) {
      const { status, body } = await ask('PATCH', '/sources/north', change, { token });
      expect([status, body.code, body.errors[0].pointer]).toEqual([409, 'TIDINGS_SOURCE_SETTINGS_INVALID', '/token']);
    }
    expect(seen.join('\n')).not.toMatch(/authorization/i);
    expect((await ask('DELETE', '/sources/north', undefined, { token })).status).toBe(204);
    server.close();
  });

  it('trusts the identity that API Gateway has verified, and no other', async () => {
    const authorizer = { iam: { userArn: 'arn:aws:iam::123456789012:user/ann' } };
    expect((await ask('GET', '/keys', undefined, { token: '', authorizer })).status).toBe(200);
    expect(
      (await ask('PUT', '/subscriptions/by-iam', { url: receiver.url, events: ['*'] }, { token: '', authorizer }))
        .status,
    ).toBe(201);
    const { entries } = await world.stores.audit.page({ limit: 1 });
    expect(entries).toMatchObject([{ by: { kind: 'iam', id: authorizer.iam.userArn } }]);
    expect((await ask('GET', '/keys', undefined, { token: '' })).status).toBe(401);
    const { token } = makeToken(new Uint8Array(TOKEN_BYTES));
    expect((await ask('GET', '/keys', undefined, { token })).status).toBe(401);
  });
});

/** API Gateway: hands each request to the function, and its answer back. */
async function startGateway() {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [rawPath = '', rawQueryString = ''] = (request.url ?? '').split('?');
    const http = { method: request.method, path: rawPath, sourceIp: '::1', userAgent: '' };
    const body = Buffer.concat(chunks).toString();
    const { headers } = request;
    const given = { version: '2.0', rawPath, rawQueryString, headers, requestContext: { http, authorizer: {} } };
    const answer = (await world.functions.manage({
      ...given,
      ...(body === '' ? {} : { body, isBase64Encoded: false }),
    } as unknown as Event)) as { readonly statusCode: number; readonly headers: Record<string, string>; body: string };
    response.writeHead(answer.statusCode, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}

describe('commands with --api', () => {
  it('work against a deployment, without AWS credentials', async () => {
    const gateway = await startGateway();
    const environment = { TIDINGS_API_URL: gateway.url, TIDINGS_API_KEY: key, HOOK: receiver.url };
    const run = async (...argv: readonly string[]) => {
      const { code, stdout, stderr } = await runCommand(argv, { environment, clock: world.clock });
      expect([argv.join(' '), code, stderr]).toEqual([argv.join(' '), 0, '']);
      return stdout;
    };
    const folder = mkdtempSync(join(tmpdir(), 'tidings-api-aws-'));
    const file = join(folder, 'ops.yaml');
    writeFileSync(file, 'name: ops\nevents: [task.closed]\nto: { http: { url: "${HOOK}" } }\n');
    try {
      await world.stores.events.record([{ event: event('77', { time: world.clock.now() }), deliveries: [] }]);
      expect(await run('subscriptions', 'add', file)).toMatch(/^added ops: task\.closed/);
      expect(await run('events', '--subject', 'task/77')).toContain('evt_77');
      expect(await run('replay', '--subscription', 'ops', '--event', 'evt_77')).toMatch(/^1 event queued for ops/);
      await deliver();
      expect(await run('deliveries', '--subscription', 'ops')).toMatch(/settled .* evt_77 .* 200 in/);
      expect(await run('explain', 'evt_77')).toMatch(/✔ {2}ops +delivered/);
      expect(await run('subscriptions', 'pause', 'ops')).toMatch(/^paused ops/);
      expect(await run('subscriptions')).toMatch(/‖ {2}ops +paused/);
      expect(await run('subscriptions', 'resume', 'ops')).toMatch(/^resumed ops/);
      expect(await run('subscriptions', 'rotate', 'ops')).toMatch(/^new secret {5}whsec_/);
      expect(await run('status')).toMatch(/^main {2}/);
      expect(await run('subscriptions', 'remove', 'ops')).toBe('removed ops\n');
    } finally {
      gateway.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('limits what one key may use, and shows the limits', async () => {
    const [token, other] = [await keyWith(['subscribe']), await keyWith(['subscribe'])];
    const subscribe = (by: string) =>
      ask('POST', '/subscriptions', { url: receiver.url, events: ['task.*'] }, { token: by });
    const answers = await Promise.all(Array.from({ length: 5 }, () => subscribe(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 403, 403]);
    expect(answers.find(({ status }) => status === 403)?.body).toMatchObject({ code: 'TIDINGS_API_QUOTA' });
    expect((await subscribe(other)).status).toBe(201);
    const filter = { events: ['task.*'], since: '1h' };
    for (let count = 0; count < 2; count++)
      expect((await ask('POST', '/filters/test', filter, { token })).status).toBe(200);
    expect(await ask('POST', '/filters/test', filter, { token })).toMatchObject({
      status: 429,
      body: { code: 'TIDINGS_API_QUOTA' },
    });
    expect((await ask('GET', '/me', undefined, { token })).body.quotas).toMatchObject({
      subscriptions: { limit: 3, used: 3 },
      previews: { limit: 2, per: '1h', used: 2 },
      deliveries: { limit: 100, per: '1h', burst: 100, used: 0 },
      comparisons: { limit: 120, used: 0 },
    });
    const [first] = answers.filter(({ status }) => status === 201);
    expect((await ask('DELETE', `/subscriptions/${first?.body.name}`, undefined, { token })).status).toBe(204);
    expect((await subscribe(token)).status).toBe(201);
  });

  it('limits the filters of one key, and the deliveries of its replays and resumes, also at once', async () => {
    const token = await keyWith(['subscribe']);
    const where = { data: { record: { title: [{ wildcard: '*b*a*' }] } } };
    const subscribe = () => ask('POST', '/subscriptions', { url: receiver.url, events: ['task.*'], where }, { token });
    const made = await Promise.all(Array.from({ length: 3 }, subscribe));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 403]);
    expect(made.find(({ status }) => status === 403)?.body).toMatchObject({ code: 'TIDINGS_API_QUOTA' });
    const name = made.find(({ status }) => status === 201)?.body.name;
    const resume = () => ask('POST', `/subscriptions/${name}/resume`, undefined, { token });
    const resumed = await Promise.all(Array.from({ length: 12 }, resume));
    expect(resumed.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(resumed.filter(({ status }) => status === 429)).toHaveLength(2);
    expect((await ask('GET', '/me', undefined, { token })).body.quotas).toMatchObject({
      deliveries: { used: 100 },
      comparisons: { used: 106 },
    });
    // As an older version of the function leaves it, which does not count filters.
    const id = /^tdk_([0-9a-f]+)_/.exec(token)?.[1] ?? '';
    const usage = await world.stores.keyUsage.get(id);
    expect(usage).toMatchObject({ subscriptions: 2, comparisons: 106 });
    if (usage === undefined) return;
    const { comparisons: _, ...older } = usage;
    expect(await world.stores.keyUsage.replace(id, usage, older)).toBe(true);
    expect((await subscribe()).status).toBe(403);
  });
});
