import { gunzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventTypes } from '../../core/events/catalogue.ts';
import { openApiDocument } from '../../manage/api/http/openapi.ts';
import { routes } from '../../manage/api/routes.ts';
import { openManagementApi } from '../../manage/management-api.ts';
import { cpuMillis } from '../cpu-time.ts';
import { event } from '../samples.ts';
import { type ApiWorld, startApiWorld, taskEvent } from './api-world.ts';

let world: ApiWorld;
beforeAll(async () => {
  world = await startApiWorld();
  await world.record(
    taskEvent('1'),
    taskEvent('2', 'task.created'),
    event('3', { type: 'invoice.paid', subject: 'invoice/3' }),
  );
});
afterAll(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
});

describe('a caller', () => {
  it('needs a valid key in the header', async () => {
    const { id, token } = await world.makeKey(['read']);
    const wrong = ['', 'tdk_', 'abc', `tdk_${id}_${'A'.repeat(43)}`, `tdk_${'0'.repeat(16)}_${'A'.repeat(43)}`];
    for (const key of wrong) {
      const { status, headers, body } = await world.ask('GET', '/events', undefined, { key });
      expect([status, headers.get('www-authenticate'), body.code]).toEqual([401, 'Bearer', 'TIDINGS_API_UNAUTHORIZED']);
    }
    expect((await world.ask('GET', `/events?key=${token}`, undefined, { key: '' })).status).toBe(401);
    expect((await world.ask('GET', '/events', undefined, { key: token })).status).toBe(200);
    expect((await world.api.apiKeys.get(id))?.lastUsedAt).toBe(world.clock.now());
    expect((await world.ask('DELETE', `/keys/${id}`)).status).toBe(204);
    expect((await world.ask('GET', '/events', undefined, { key: token })).status).toBe(401);
  });

  it('leaves subscriptions when its key is removed, which an admin removes with one request', async () => {
    const { id, token } = await world.makeKey(['subscribe']);
    const { id: otherId, token: other } = await world.makeKey(['operate']);
    const make = (key: string, name: string) =>
      world.ask('POST', '/subscriptions', { name, url: world.receiver.url, events: ['task.*'] }, { key });
    const names = [];
    for (const name of ['one', 'two']) names.push((await make(token, name)).body.name);
    await make(other, 'of-another');
    const countOf = async (key: string) =>
      (await world.ask('GET', '/keys')).body.data.find((one: { id: string }) => one.id === key)?.subscriptions;
    expect([await countOf(id), await countOf(otherId)]).toEqual([2, 1]);

    expect((await world.ask('DELETE', `/keys/${id}/subscriptions`, undefined, { key: other })).status).toBe(403);
    expect((await world.ask('DELETE', `/keys/${id}`)).status).toBe(204);
    for (const name of names) expect((await world.ask('GET', `/subscriptions/${name}`)).body.active).toBe(true);
    const { status, body } = await world.ask('DELETE', `/keys/${id}/subscriptions`);
    expect([status, body.removed.toSorted()]).toEqual([200, names.toSorted()]);
    for (const name of names) expect((await world.ask('GET', `/subscriptions/${name}`)).status).toBe(404);
    expect((await world.ask('GET', '/subscriptions/of-another')).status).toBe(200);
    expect((await world.ask('DELETE', `/keys/${id}/subscriptions`)).body).toEqual({ removed: [] });
    expect((await world.ask('DELETE', `/keys/${otherId}/subscriptions`)).body).toEqual({ removed: ['of-another'] });
  });

  it('is refused after its key has expired', async () => {
    const made = await world.ask('POST', '/keys', {
      name: 'short',
      scopes: ['read'],
      expiresAt: '2026-11-14T12:30:00Z',
    });
    expect(made.status).toBe(201);
    expect((await world.ask('GET', '/events', undefined, { key: made.body.token })).status).toBe(200);
    world.advance(31 * 60_000);
    expect((await world.ask('GET', '/events', undefined, { key: made.body.token })).status).toBe(401);
    const { body } = await world.ask('GET', '/keys');
    expect(JSON.stringify(body)).not.toMatch(/hash|tdk_/);
  });

  it('is limited in its rate, without effect on others', async () => {
    const app = openManagementApi({ api: { ...world.api, config: { ...world.api.config, manage: slow() } } });
    const [one, two] = [(await world.makeKey(['read'])).token, (await world.makeKey(['read'])).token];
    const ask = (key: string) => app?.request('/sources', { headers: { authorization: `Bearer ${key}` } });
    const statuses = [];
    for (const key of [one, one, one, two]) statuses.push((await ask(key))?.status);
    expect(statuses).toEqual([200, 200, 429, 200]);
    const refused = await ask(one);
    expect(refused?.headers.get('retry-after')).toBe('30');
    expect(await refused?.json()).toMatchObject({ code: 'TIDINGS_API_RATE', status: 429 });
  });

  const slow = () => ({ secret: '${MASTER}', api: { auth: 'keys', rate: { count: 2, per: 60_000 } } }) as const;
});

describe('lists', () => {
  it('filter events, and continue with the events that come later', async () => {
    const ids = (body: { data: readonly { id: string }[] }) => body.data.map(({ id }) => id);
    expect(ids((await world.ask('GET', '/events?type=task.*&order=newest')).body)).toEqual(['evt_2', 'evt_1']);
    expect(ids((await world.ask('GET', '/events?subject=invoice/3')).body)).toEqual(['evt_3']);
    expect(ids((await world.ask('GET', '/events?until=2020-01-01T00:00:00Z')).body)).toEqual([]);
    const first = await world.ask('GET', '/events?limit=2');
    expect([ids(first.body), first.body.more]).toEqual([['evt_1', 'evt_2'], true]);
    const second = await world.ask('GET', `/events?limit=2&after=${first.body.next}`);
    expect([ids(second.body), second.body.more]).toEqual([['evt_3'], false]);
    await world.record(taskEvent('4'));
    const third = await world.ask('GET', `/events?after=${second.body.next}`);
    expect(ids(third.body)).toEqual(['evt_4']);
    const end = await world.ask('GET', `/events?after=${third.body.next}`);
    expect([ids(end.body), end.body.next]).toEqual([[], third.body.next]);
  });

  it('refuse a limit, a parameter or a cursor that is not valid', async () => {
    const page = await world.ask('GET', '/events?limit=1&order=newest');
    const wrong = [
      'limit=0',
      'limit=201',
      'limit=1.5',
      'limit=x',
      'limit=',
      'limit=1&limit=2',
      'types=task.*',
      'since=yesterday',
      'after=zzz',
      `after=${page.body.next}`,
      'order=random',
      'type=',
      'subject=task',
      'subject=delivery%23failed',
      'subject=delayed%23a/1',
    ];
    for (const query of wrong) {
      const { status, body } = await world.ask('GET', `/events?${query}`);
      expect([query, status, body.code, body.errors?.[0]?.pointer]).toEqual([
        query,
        400,
        'TIDINGS_API_QUERY',
        query.split('=')[0],
      ]);
    }
    const { body } = await world.ask('GET', '/audit?limit=1');
    expect((await world.ask('GET', `/subscriptions?after=${body.next}`)).status).toBe(400);
  });

  it('page through subscriptions by name', async () => {
    for (const name of ['a', 'b', 'c']) {
      await world.ask('PUT', `/subscriptions/${name}`, { url: world.receiver.url, events: ['task.*'] });
    }
    const names: string[] = [];
    for (let next = ''; ; ) {
      const { body } = await world.ask('GET', `/subscriptions?limit=2${next === '' ? '' : `&after=${next}`}`);
      names.push(...body.data.map(({ name }: { name: string }) => name));
      if (body.next === null) break;
      next = body.next;
    }
    expect(names).toEqual(['a', 'b', 'c', 'declared']);
  });
});

describe('a repeated request', () => {
  it('with an Idempotency-Key acts once, and gets the same response', async () => {
    const request = { url: world.receiver.url, events: ['task.*'] };
    const headers = { 'idempotency-key': 'abc-1' };
    const before = (await world.ask('GET', '/subscriptions')).body.data.length;
    const answers = [];
    for (let times = 0; times < 3; times++)
      answers.push(await world.ask('POST', '/subscriptions', request, { headers }));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answers.map((one) => one.headers.get('idempotency-replayed'))).toEqual([null, 'true', 'true']);
    expect((await world.ask('GET', '/subscriptions')).body.data).toHaveLength(before + 1);
    const other = await world.ask('POST', '/subscriptions', { ...request, events: ['*'] }, { headers });
    expect([other.status, other.body.code]).toEqual([422, 'TIDINGS_API_IDEMPOTENCY_KEY']);
    const { token } = await world.makeKey(['operate']);
    expect(
      (await world.ask('POST', '/subscriptions', request, { headers, key: token })).headers.get('idempotency-replayed'),
    ).toBeNull();
  });

  it('that failed is processed again', async () => {
    const headers = { 'idempotency-key': 'abc-2' };
    const request = { url: world.receiver.url, events: ['task.*'], verify: 'ping' };
    world.receiver.status = 500;
    expect((await world.ask('POST', '/subscriptions', request, { headers })).status).toBe(422);
    world.receiver.status = 200;
    expect((await world.ask('POST', '/subscriptions', request, { headers })).status).toBe(201);
  });

  it('makes one subscription although the process died before it responded', async () => {
    const headers = { 'idempotency-key': 'abc-3' };
    const request = { url: world.receiver.url, events: ['task.*'] };
    const broken = {
      ...world.api.idempotency,
      finish: () => Promise.reject(new Error('killed')),
      release: async () => {},
    };
    const app = openManagementApi({ api: { ...world.api, idempotency: broken } });
    const init = {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${world.admin}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
    };
    expect((await app?.request('/subscriptions', init))?.status).toBe(500);
    expect((await world.ask('POST', '/subscriptions', request, { headers })).body.code).toBe('TIDINGS_API_IN_PROGRESS');
    world.advance(2 * 60_000);
    const { status, body } = await world.ask('POST', '/subscriptions', request, { headers });
    expect(status).toBe(201);
    const { entries } = await world.api.audit.page({ limit: 100 });
    expect(entries.filter(({ target }) => target === `subscription/${body.name}`)).toHaveLength(1);
  });
});

describe('a request', () => {
  it('that is not a request of the API gets a problem', async () => {
    const json = { headers: { 'content-type': 'application/json' } };
    const cases: readonly (readonly [string, string, unknown, number, string, object?])[] = [
      ['GET', '/nowhere', undefined, 404, 'TIDINGS_API_NOT_FOUND'],
      ['DELETE', '/events', undefined, 405, 'TIDINGS_API_METHOD'],
      ['GET', '/deliveries/retry', undefined, 405, 'TIDINGS_API_METHOD'],
      ['POST', '/subscriptions', '{', 400, 'TIDINGS_API_JSON'],
      ['POST', '/subscriptions', '[1]', 422, 'TIDINGS_API_INVALID'],
      ['POST', '/subscriptions', '"text"', 422, 'TIDINGS_API_INVALID'],
      ['POST', '/subscriptions', `${'['.repeat(100)}${']'.repeat(100)}`, 400, 'TIDINGS_API_JSON'],
      ['POST', '/subscriptions', 'url=x', 415, 'TIDINGS_API_MEDIA_TYPE', { headers: { 'content-type': 'text/plain' } }],
      ['POST', '/subscriptions', JSON.stringify({ url: 'x'.repeat(300_000) }), 413, 'TIDINGS_API_TOO_LARGE'],
      ['POST', '/subscriptions', { name: null, url: 'https://example.com', events: ['*'] }, 422, 'TIDINGS_API_INVALID'],
      ['POST', '/keys', { name: '', scopes: ['root'] }, 422, 'TIDINGS_API_INVALID'],
      ['POST', '/deliveries/retry', { subscription: 'nobody' }, 404, 'TIDINGS_API_NOT_FOUND'],
      ['GET', '/subscriptions/%2e%2e', undefined, 404, 'TIDINGS_API_NOT_FOUND'],
      [
        'PUT',
        '/subscriptions/not%20a%20name',
        { url: 'https://example.com', events: ['*'] },
        422,
        'TIDINGS_API_INVALID',
      ],
      ['GET', '/records/task/412', undefined, 404, 'TIDINGS_API_NOT_FOUND'],
      ['GET', '/records/nothing/x', undefined, 404, 'TIDINGS_API_NOT_FOUND'],
      ['GET', '/sources/other', undefined, 404, 'TIDINGS_API_NOT_FOUND'],
      ['GET', '/events/evt_9', undefined, 404, 'TIDINGS_API_NOT_FOUND'],
      ['GET', '/deliveries/dlv_9', undefined, 404, 'TIDINGS_API_NOT_FOUND'],
    ];
    for (const [method, path, body, status, code, options] of cases) {
      const answer = await world.ask(method, path, body, options ?? (body === undefined ? {} : json));
      expect([method, path, answer.status, answer.body.code]).toEqual([method, path, status, code]);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
    }
  });

  it('gets a message that names the wrong part and what it should be', async () => {
    const hook = { url: world.receiver.url, events: ['task.closed'] };
    const NAME = '/name: expected a name of at most 64 letters, digits, - and _';
    const cases: readonly (readonly [string, string, unknown, string])[] = [
      ['POST', '/subscriptions', [1], 'the body: expected an object'],
      ['POST', '/subscriptions', { ...hook, name: null }, NAME],
      ['POST', '/subscriptions', { ...hook, name: 5 }, NAME],
      ['POST', '/subscriptions', { ...hook, name: 'a b' }, NAME],
      [
        'POST',
        '/subscriptions/declared/replay',
        { since: '1d', dryRun: 'yes' },
        '/dryRun: expected boolean, got string',
      ],
    ];
    for (const [method, path, body, detail] of cases) {
      expect((await world.ask(method, path, body)).body.detail).toBe(detail);
    }
  });

  it('that is too large ends its connection, whose rest is not read', async () => {
    const { status, headers } = await world.ask('POST', '/subscriptions', { url: 'x'.repeat(300_000) });
    expect([status, headers.get('connection')]).toEqual([413, 'close']);
  });

  describe('with a hostile structure', () => {
    const fields = (count: number, value: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, value]));
    const list = <T>(length: number, make: (index: number) => T) => Array.from({ length }, (_, index) => make(index));
    const loops = '{% for i in (1..3000) %}{% for j in (1..3000) %}{% endfor %}{% endfor %}';
    const bodies: Readonly<Record<string, object>> = {
      'many fields': { where: { data: { record: fields(4000, ['a']) } } },
      'many wrong fields': { where: fields(9000, 'a') },
      'more values than a request has': { where: fields(15_000, 'a') },
      'many alternatives': { where: { $or: list(3000, (index) => ({ [`a${index}`]: ['x'] })) } },
      'alternatives with many fields': {
        where: { ...fields(400, ['x']), $or: list(900, (index) => ({ [`a${index}`]: ['x'] })) },
      },
      'many wildcards': { where: { type: list(3000, (index) => ({ wildcard: `*a*${index}*b*` })) } },
      'many unknown keys': fields(9000, 1),
      'many headers': { url: undefined, to: { http: { url: 'https://a.example.com', headers: fields(9000, 'v') } } },
      'a long URL': { url: `https://a.example.com/?${'a'.repeat(200_000)}` },
      'nested loops': { template: { body: loops } },
      'nested loops in many texts': { template: { body: list(50, () => loops) } },
    };

    it.each(Object.entries(bodies))('is refused at once, with a short answer: %s', async (_, part) => {
      const body = { url: 'https://a.example.com/hook', events: ['task.*'], ...part };
      const start = cpuMillis();
      const { status, body: answer } = await world.ask('POST', '/subscriptions', body);
      expect([status >= 400 && status < 500, JSON.stringify(answer).length < 10_000]).toEqual([true, true]);
      // Each of them took seconds, during which nothing else was served.
      expect(cpuMillis() - start).toBeLessThan(1500);
    });

    it('is accepted within the limits', async () => {
      const where = { data: { record: { ...fields(300, ['a', 1]), projectid: list(4000, String) } } };
      const body = { name: 'large', url: 'https://a.example.com/hook', events: ['task.*'], where };
      expect((await world.ask('POST', '/subscriptions', body)).status).toBe(201);
    });
  });

  it('gets headers that keep its response out of caches and frames, and no CORS', async () => {
    for (const path of ['/events', '/nowhere', '/docs']) {
      const { headers } = await world.ask('GET', path, undefined, { headers: { origin: 'https://evil.example.com' } });
      // The page is the same for everyone: it is revalidated.
      expect(headers.get('cache-control')).toBe(path === '/docs' ? 'no-cache' : 'no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
    const api = { auth: 'keys', cors: ['https://app.example.com'] } as const;
    const app = openManagementApi({
      api: { ...world.api, config: { ...world.api.config, manage: { secret: '${MASTER}', api } } },
    });
    const from = (origin: string) =>
      app?.request('/events', { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'GET' } });
    expect((await from('https://app.example.com'))?.headers.get('access-control-allow-origin')).toBe(
      'https://app.example.com',
    );
    expect((await from('https://evil.example.com'))?.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('a filter', () => {
  it('is tried on recorded events', async () => {
    const { status, body } = await world.ask('POST', '/filters/test', { events: ['task.*'], since: '1d' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ matched: 3, recorded: 4, byType: { 'task.closed': 2, 'task.created': 1 } });
    expect(body.samples[0]).toMatchObject({ line: expect.any(String), event: { id: 'evt_4' } });
    const wrong = await world.ask('POST', '/filters/test', { events: ['task.*'], where: { type: 'x' }, since: 5 });
    expect(wrong.status).toBe(422);
  });
});

describe('the OpenAPI document', () => {
  it('describes every route, and is served with its page without a key', async () => {
    const { status, body } = await world.ask('GET', '/openapi.json', undefined, { key: '' });
    expect(status).toBe(200);
    expect(body).toEqual(JSON.parse(JSON.stringify(openApiDocument(routes))));
    expect(body.openapi).toBe('3.1.0');
    const operations = Object.values(body.paths).flatMap((methods) => Object.values(methods as object));
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
      routes.map(({ operation }) => operation).sort(),
    );
    const page = await world.ask('GET', '/docs', undefined, { key: '' });
    expect(page.body).toContain('<span class="method post">post</span> <code>/v1/subscriptions</code>');
    expect(page.body).not.toMatch(/<script|https?:\/\/(?!example|json-schema)[a-z]+\.(com|net|org)\/[\w/]+\.(js|css)/);
  });

  it.each(['/openapi.json', '/docs'])('is built once, and compressed and revalidated: %s', async (path) => {
    const ask = (headers: Record<string, string>) => world.app.request(`/v1${path}`, { headers });
    const plain = await ask({});
    const packed = await ask({ 'accept-encoding': 'gzip, br' });
    const etag = plain.headers.get('etag') ?? '';
    expect([packed.headers.get('content-encoding'), packed.headers.get('etag')]).toEqual(['gzip', etag]);
    const bytes = Buffer.from(await packed.arrayBuffer());
    const text = await plain.text();
    expect(gunzipSync(bytes).toString()).toBe(text);
    expect(bytes.length).toBeLessThan(text.length / 4);
    const known = await ask({ 'if-none-match': `"other", W/${etag}` });
    expect([known.status, await known.text()]).toEqual([304, '']);
    // Anyone may ask: built again each time, one took about 50 ms. Half of them tell, whatever else the machine does.
    const times: number[] = [];
    for (let n = 0; n < 200; n += 1) {
      const start = performance.now();
      await (await ask({ 'accept-encoding': 'gzip' })).arrayBuffer();
      times.push(performance.now() - start);
    }
    expect(times.sort((one, other) => one - other)[100]).toBeLessThan(10);
  });

  it('has examples that are accepted', async () => {
    await world.ask('PUT', '/subscriptions/example', { url: 'https://example.com', events: ['*'] });
    const tried = routes.flatMap(({ method, path, operation, examples = {} }) =>
      Object.entries(examples).map(([what, body]) => ({
        method,
        path: path.replace('{name}', 'example'),
        operation,
        what,
        body,
      })),
    );
    for (const { method, path, operation, what, body } of tried) {
      const answer = await world.ask(method.toUpperCase(), path, body);
      // There is no account at the address of the example: it is refused by the check that follows.
      if (path.startsWith('/sources')) {
        expect([operation, answer.status]).toEqual([operation, method === 'post' ? 409 : 404]);
        continue;
      }
      expect([operation, what, answer.status < 300 ? '2xx' : answer.body]).toEqual([operation, what, '2xx']);
    }
    expect(tried.length).toBeGreaterThanOrEqual(10);
    const { paths } = openApiDocument(routes);
    expect(JSON.stringify(paths['/v1/subscriptions'])).toContain('"summary":"a REST hook","value":{"targetUrl"');
  });

  it('refers only to components that exist', () => {
    const document = openApiDocument(routes);
    const text = JSON.stringify(document);
    const names = [...text.matchAll(/#\/components\/schemas\/([\w-]+)/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(50);
    expect([...new Set(names)].filter((name) => !(name in document.components.schemas))).toEqual([]);
    const headers = [...text.matchAll(/#\/components\/parameters\/([\w-]+)/g)].map(([, name = '']) => name);
    expect([...new Set(headers)].filter((name) => !(name in document.components.parameters))).toEqual([]);
    // Apart from the names of schemas in examples.
    expect(text).not.toMatch(/"\$defs"|"#\/\$defs/);
    expect(text).not.toContain('$schema');
  });

  it('has a webhook for every event type, whose example fits its schema', () => {
    const { webhooks, components } = openApiDocument(routes);
    expect(Object.keys(webhooks).sort()).toEqual(eventTypes.map(({ type }) => type).sort());
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'doc', components });
    for (const [type, webhook] of Object.entries(webhooks)) {
      const { schema, example } = Object(webhook).post.requestBody.content['application/json'];
      const validate = ajv.compile({ $ref: `doc${schema.$ref}` });
      expect([type, validate(example), validate.errors]).toEqual([type, true, null]);
      expect([type, validate({ ...example, type: 'other.type' })]).toEqual([type, false]);
    }
  });

  it('lists event types with schema and example', async () => {
    const { body } = await world.ask('GET', '/event-types');
    expect(body.data.length).toBeGreaterThan(40);
    expect(
      body.data.every((one: { example: unknown; meaning: string }) => one.example !== null && one.meaning !== ''),
    ).toBe(true);
  });
});
