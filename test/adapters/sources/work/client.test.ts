import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ALL, client, envelope, errorEnvelope, failure, serve, serveResponse, TOKEN } from './api-server.ts';

describe('the work API client', () => {
  it('requests a list with the filters in the query', async () => {
    const api = await serveResponse(200, envelope('task', [{ id: '1' }]));
    const filters = {
      order: 'descending',
      open: true,
      modifiedAfter: '2026-11-14T09:30:00.000Z',
      modifiedBefore: '2026-11-14T09:31:00.999Z',
      dueFrom: '2026-11-14',
      dueUntil: '2026-11-15',
      localIds: ['7', '8'],
      projectIds: ['1'],
    } as const;
    await client(`${api.url}/`).list('task', { offset: 500, limit: 250, filters });
    expect(api.seen).toEqual([
      'GET /api/task/?status=outstanding&sortfield=id&sortdir=DESC&datemodifiedbegin=2026-11-14%2009%3A30%3A00&datemodifiedend=2026-11-14%2009%3A31%3A00&dateduebegin=2026-11-14&datedueend=2026-11-15&localid=7%2C8&projectid=1&offset=500&limit=250',
    ]);
    expect(api.messages[0]?.headers).toMatchObject({
      accept: 'application/json',
      'accept-encoding': 'gzip',
      authorization: `Basic ${Buffer.from(`${TOKEN}:x`).toString('base64')}`,
    });
  });

  it('returns the page with server time and duration', async () => {
    let at = 0;
    const api = await serve((_, response) => {
      at += 70;
      response.setHeader('date', 'Sat, 14 Nov 2026 09:31:07 GMT');
      response.end(JSON.stringify(envelope('task', [{ id: 1, title: 'a' }])));
    });
    const page = await client(api.url, { now: () => at }).list('task', ALL);
    expect(page).toMatchObject({ took: 70, serverTime: '2026-11-14T09:31:07.000Z' });
    expect(page.content().rows.map((row) => row.parse())).toEqual([{ id: 1, title: 'a' }]);
  });

  it.each(['yesterday', ''])('has no server time when the header is %o', async (date) => {
    const api = await serve((_, response) => {
      response.sendDate = false;
      if (date !== '') response.setHeader('date', date);
      response.end(JSON.stringify(envelope('task', [])));
    });
    expect((await client(api.url).list('task', ALL)).serverTime).toBeNull();
  });

  it.each([
    ['90', 90_000],
    [undefined, 0],
    ['-5', 0],
    ['soon', 0],
    ['12345678901', 0],
  ])('reads how long a cache has kept the response from an Age of %s', async (age, cachedFor) => {
    const api = await serve((_, response) => {
      if (age !== undefined) response.setHeader('age', age);
      response.end(JSON.stringify(envelope('task', [])));
    });
    expect((await client(api.url).list('task', ALL)).cachedFor ?? 0).toBe(cachedFor);
  });

  it('decompresses gzip before it computes the digest', async () => {
    const body = JSON.stringify(envelope('task', [{ id: '1', title: 'é'.repeat(5000) }]));
    const plain = await serveResponse(200, body);
    const zipped = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(body));
    });
    const [one, other] = [await client(plain.url).list('task', ALL), await client(zipped.url).list('task', ALL)];
    expect(other).toMatchObject({ digest: one.digest, bytes: Buffer.byteLength(body) });
    expect(other.content().rows[0]?.parse()).toEqual({ id: '1', title: 'é'.repeat(5000) });
  });

  it('returns a record, sent as an object or as a list of one', async () => {
    const record = { id: '7', title: 'a' };
    for (const task of [record, [record]]) {
      const api = await serveResponse(200, { personid: 1, status: 'OK', code: '200', task });
      expect(await client(api.url).get('task', '7')).toEqual(record);
      expect(api.seen).toEqual(['GET /api/task/7/']);
    }
  });

  it.each([
    ['of the API', 404, errorEnvelope(404, 14)],
    ['of the API, with codes as text', 404, { status: 'Error', code: '404', error: { code: '14', message: '' } }],
  ])('returns undefined for a 404 %s', async (_, status, body) => {
    const api = await serveResponse(status, body);
    expect(await client(api.url).get('task', '7')).toBeUndefined();
  });

  it.each([
    ['an HTML page', '<html>404 Not Found</html>'],
    ['empty', ''],
    ['JSON of something else', '{"message":"no Route matched with those values"}'],
    ['an envelope that speaks of another status', errorEnvelope(500, 1)],
    ['an error in words', '{"error":"not_found"}'],
  ])('does not treat a 404 as a missing record when it is %s', async (_, body) => {
    const api = await serveResponse(404, body);
    expect(await failure(client(api.url).get('task', '7'))).toMatchObject({
      name: 'RetryLater',
      code: 'TIDINGS_SOURCE_STATUS',
      evidence: { status: 404 },
    });
    expect(api.seen).toHaveLength(1);
  });

  it.each([
    ['nothing', ''],
    ['HTML', '<html>'],
    ['no record', { status: 'OK', code: 200 }],
    ['null', { status: 'OK', code: 200, task: null }],
    ['another record', { status: 'OK', code: 200, task: { id: '8' } }],
    ['no records', { status: 'OK', code: 200, task: [] }],
    ['two records', { status: 'OK', code: 200, task: [{ id: '7' }, { id: '7' }] }],
    ['a record without id', { status: 'OK', code: 200, task: {} }],
    ['an error with 200', errorEnvelope(404, 14)],
  ])('does not treat a 200 with %s as a missing record', async (_, body) => {
    const api = await serveResponse(200, body);
    expect(await failure(client(api.url).get('task', '7'))).toMatchObject({ code: 'TIDINGS_SOURCE_ANSWER_INVALID' });
  });

  it.each(['', '7/../../person/1', '-1', 'all', '7 '])('sends no request for the id %o', async (id) => {
    const api = await serveResponse(200, '');
    expect(await failure(client(api.url).get('task', id))).toMatchObject({ code: 'TIDINGS_SOURCE_REQUEST_INVALID' });
    expect(api.seen).toEqual([]);
  });

  it.each([
    [
      'as described',
      { quota: '6000', used: '91', next_reset: '2026-05-09 00:00:00', exceeded: 'f' },
      { limit: 6000, used: 91, resetsAt: '2026-05-09T00:00:00.000Z' },
    ],
    [
      'of an older version',
      { quota: 6000, used: 0, business_day: '2026-05-08' },
      { limit: 6000, used: 0, resetsAt: null },
    ],
    ['with an invalid date', { quota: 1, used: 2, next_reset: 'soon' }, { limit: 1, used: 2, resetsAt: null }],
    [
      'with a date that does not exist',
      { quota: 1, used: 2, next_reset: '2026-13-45 00:00:00' },
      { limit: 1, used: 2, resetsAt: null },
    ],
  ])('reads a quota %s', async (_, quota, expected) => {
    const api = await serveResponse(200, { personid: '1', status: 'OK', code: '200', quota });
    expect(await client(api.url).quota()).toEqual(expected);
    expect(api.seen).toEqual(['GET /api/quota/']);
  });

  it.each([{}, { quota: '6000' }, { quota: 'many', used: '1' }])('rejects the quota %o', async (quota) => {
    const api = await serveResponse(200, { status: 'OK', code: '200', quota });
    expect(await failure(client(api.url).quota())).toMatchObject({ code: 'TIDINGS_SOURCE_ANSWER_INVALID' });
  });

  it('counts requests, except for the quota', async () => {
    const api = await serve((request, response) => {
      const quota = request.url === '/api/quota/';
      const body = quota ? { status: 'OK', quota: { quota: 1, used: 0 } } : envelope('task', []);
      response.end(JSON.stringify(body));
    });
    const asking = client(api.url);
    await asking.quota();
    expect(asking.requests()).toBe(0);
    await asking.list('task', ALL);
    await asking.quota();
    await asking.list('task', ALL);
    expect(asking.requests()).toBe(2);
  });

  it('reuses its connections', async () => {
    const ports = new Set<number | undefined>();
    const api = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end(JSON.stringify(envelope('task', [])));
    });
    const asking = client(api.url);
    for (let n = 0; n < 20; n++) await asking.list('task', ALL);
    // Two, because undici reuses a socket only after one more turn of the event loop.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it('works at the root of a host as well as under a path', async () => {
    const api = await serveResponse(200, envelope('task', []));
    await client(api.url.replace('/api', '')).list('task', ALL);
    expect(api.seen).toEqual(['GET /task/?offset=0&limit=500']);
  });
});

describe('a write', () => {
  it('sends encoded values and returns the record', async () => {
    let sent: unknown;
    const record = { id: '8', title: 'a' };
    const api = await serve(async (request, response) => {
      sent = JSON.parse(await text(request));
      response.writeHead(201).end(JSON.stringify({ status: 'OK', code: 201, task: record }));
    });
    const fields = { title: 'a', billable: true, private: false, estimate: 7.5, assigneeid: ['2', 9], datedue: null };
    expect(await client(api.url).create('task', { ...fields, summary: undefined })).toEqual(record);
    expect(api.seen).toEqual(['POST /api/task/']);
    expect(api.messages[0]?.headers['content-type']).toBe('application/json');
    const expected = { title: 'a', billable: 't', private: 'f', estimate: '7.5', assigneeid: '2,9', datedue: '' };
    expect(sent).toEqual(expected);
  });

  it.each([
    ['create', 200],
    ['create', 201],
    ['update', 200],
    ['update', 202],
    ['remove', 200],
  ] as const)('accepts %s with status %i', async (verb, status) => {
    const api = await serveResponse(status, verb === 'remove' ? '' : { status: 'OK', code: status, task: { id: '7' } });
    const writing = client(api.url);
    const written = {
      create: () => writing.create('task', {}),
      update: () => writing.update('task', '7', {}),
      remove: () => writing.remove('task', '7'),
    };
    expect(await written[verb]()).toEqual(verb === 'remove' ? undefined : { id: '7' });
    expect(writing.requests()).toBe(1);
  });

  it.each([
    ['update', 201],
    ['create', 202],
    ['remove', 202],
    ['remove', 503],
    ['update', 502],
  ] as const)('rejects %s with status %i, without a retry', async (verb, status) => {
    const api = await serveResponse(status, { status: 'OK', code: status, task: { id: '7' } });
    const writing = client(api.url);
    const written = {
      create: () => writing.create('task', {}),
      update: () => writing.update('task', '7', {}),
      remove: () => writing.remove('task', '7'),
    };
    expect(await failure(written[verb]())).toMatchObject({ code: 'TIDINGS_SOURCE_STATUS', evidence: { status } });
    expect(api.seen).toHaveLength(1);
  });

  it.each([
    ['an error of the server', 500, errorEnvelope(500, 1)],
    ['a success without the record', 201, ''],
  ])('does not suggest a retry when the record may exist: %s', async (_, status, body) => {
    const api = await serveResponse(status, body);
    expect(await failure(client(api.url).create('task', {}))).toMatchObject({
      name: 'GiveUp',
      code: 'TIDINGS_SOURCE_WRITE_UNCERTAIN',
    });
    expect(api.seen).toHaveLength(1);
  });

  it('gives up on a rejected request with the message of the API', async () => {
    const api = await serveResponse(400, errorEnvelope(400, 18, 'title is required'));
    expect(await failure(client(api.url).create('task', {}))).toMatchObject({
      name: 'GiveUp',
      code: 'TIDINGS_SOURCE_REQUEST_INVALID',
      message: 'POST /api/task/: the API rejected the request (400); it said: title is required (code 18)',
    });
  });

  it('reports a record that does not exist', async () => {
    const api = await serveResponse(404, errorEnvelope(404, 14));
    expect(await failure(client(api.url).remove('task', '7'))).toMatchObject({ code: 'TIDINGS_SOURCE_NOT_FOUND' });
  });

  it('does not wait when the rate limit is exceeded', async () => {
    const api = await serveResponse(400, errorEnvelope(400, 12));
    const error = await failure(client(api.url).update('task', '7', {}));
    expect(error).toMatchObject({ name: 'RetryLater', code: 'TIDINGS_SOURCE_TOO_FAST', after: 60_000 });
    expect(api.seen).toHaveLength(1);
  });

  it.each(['group', 'document', 'me', 'quota', 'timer', 'constructor'])('is not supported for %s', async (resource) => {
    const api = await serveResponse(200, '');
    const writing = client(api.url);
    for (const written of [
      writing.create(resource, {}),
      writing.update(resource, '1', {}),
      writing.remove(resource, '1'),
    ]) {
      expect(await failure(written)).toMatchObject({
        name: 'GiveUp',
        code: 'TIDINGS_SOURCE_WRITE_UNSUPPORTED',
        message: expect.stringContaining('client, expense, invoice, person, project, projectmodule, task'),
      });
    }
    expect(api.seen).toEqual([]);
  });

  it('rejects NaN', async () => {
    const api = await serveResponse(200, '');
    const error = await failure(client(api.url).update('task', '1', { estimate: Number.NaN }));
    expect(error).toMatchObject({ message: 'task.estimate: expected a number, got NaN' });
    expect(api.seen).toEqual([]);
  });
});
