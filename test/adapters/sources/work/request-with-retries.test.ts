import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import type { Sleep } from '../../../../adapters/sources/http/request-pacer.ts';
import { backoffDelay } from '../../../../adapters/sources/http/request-with-retries.ts';
import { ALL, client, envelope, errorEnvelope, failure, fakeTime, serve, serveResponse, TOKEN } from './api-server.ts';

const GOOD = JSON.stringify(envelope('task', [{ id: '1' }]));

describe('an unsuccessful response', () => {
  it.each([
    [400, 11, 'RetryLater', 'TIDINGS_SOURCE_QUOTA_EXHAUSTED'],
    [400, '11', 'RetryLater', 'TIDINGS_SOURCE_QUOTA_EXHAUSTED'],
    [403, 11, 'RetryLater', 'TIDINGS_SOURCE_QUOTA_EXHAUSTED'],
    [400, 13, 'GiveUp', 'TIDINGS_SOURCE_REQUEST_INVALID'],
    [400, 15, 'GiveUp', 'TIDINGS_SOURCE_REQUEST_INVALID'],
    [400, 17, 'GiveUp', 'TIDINGS_SOURCE_REQUEST_INVALID'],
    [400, 18, 'GiveUp', 'TIDINGS_SOURCE_REQUEST_INVALID'],
    [401, 2, 'GiveUp', 'TIDINGS_SOURCE_UNAUTHORIZED'],
    [401, 9, 'GiveUp', 'TIDINGS_SOURCE_UNAUTHORIZED'],
    [402, 6, 'GiveUp', 'TIDINGS_SOURCE_UNPAID'],
    [403, 10, 'GiveUp', 'TIDINGS_SOURCE_FORBIDDEN'],
    [404, 14, 'GiveUp', 'TIDINGS_SOURCE_NOT_FOUND'],
    [418, 5, 'GiveUp', 'TIDINGS_SOURCE_BANNED'],
    [405, 16, 'RetryLater', 'TIDINGS_SOURCE_STATUS'],
    [429, 0, 'RetryLater', 'TIDINGS_SOURCE_STATUS'],
  ])('with status %i and code %s is %s %s, without a retry', async (status, code, name, expected) => {
    const body = errorEnvelope(status, code, 'because');
    const api = await serveResponse(status, body);
    const error = await failure(client(api.url).list('task', ALL));
    expect(error).toMatchObject({ name, code: expected, evidence: { status, body: JSON.stringify(body) } });
    expect((error as Error).message).toContain(String(status));
    expect((error as Error).message).toContain(`; it said: because (code ${code})`);
    expect(api.seen).toHaveLength(1);
  });

  it.each([
    [301, 'RetryLater', 'TIDINGS_SOURCE_STATUS'],
    [204, 'RetryLater', 'TIDINGS_SOURCE_STATUS'],
    [400, 'RetryLater', 'TIDINGS_SOURCE_STATUS'],
    [404, 'RetryLater', 'TIDINGS_SOURCE_STATUS'],
    [401, 'GiveUp', 'TIDINGS_SOURCE_UNAUTHORIZED'],
    [402, 'RetryLater', 'TIDINGS_SOURCE_STATUS'],
    [403, 'RetryLater', 'TIDINGS_SOURCE_STATUS'],
    [418, 'RetryLater', 'TIDINGS_SOURCE_STATUS'],
  ])('with status %i from a proxy is %s %s', async (status, name, code) => {
    const api = await serveResponse(status, status === 204 ? '' : '<html>', { location: '/elsewhere' });
    expect(await failure(client(api.url).list('task', ALL))).toMatchObject({ name, code, evidence: { status } });
    expect(api.seen).toHaveLength(1);
  });

  it('is not taken for the API’s own if it is longer than any of its errors', async () => {
    const body = JSON.stringify(errorEnvelope(404, 3, 'not found'));
    const [own, long] = [await serveResponse(404, body), await serveResponse(404, body.padEnd(70_000))];
    expect(await failure(client(own.url).list('task', ALL))).toMatchObject({ code: 'TIDINGS_SOURCE_NOT_FOUND' });
    expect(await failure(client(long.url).list('task', ALL))).toMatchObject({ code: 'TIDINGS_SOURCE_STATUS' });
  });

  it('passes on Retry-After', async () => {
    const api = await serveResponse(503, '', { 'retry-after': '120' });
    expect(await failure(client(api.url, { retries: 0 }).list('task', ALL))).toMatchObject({ after: 120_000 });
  });

  it('is quoted up to 200 bytes', async () => {
    const api = await serveResponse(500, 'x'.repeat(5000));
    const error = await failure(client(api.url, { retries: 0 }).list('task', ALL));
    expect(error).toMatchObject({ evidence: { status: 500, body: 'x'.repeat(200) } });
  });
});

describe('a retry', () => {
  it.each([500, 502, 503, 504])('follows a %i with growing delays, then the error is thrown', async (status) => {
    const api = await serveResponse(status, errorEnvelope(status, 4, 'suspended'));
    const time = fakeTime();
    const asking = client(api.url, time);
    expect(await failure(asking.list('task', ALL))).toMatchObject({
      name: 'RetryLater',
      code: 'TIDINGS_SOURCE_STATUS',
      message: `GET /api/task/: the API answered ${status}; it said: suspended (code 4)`,
      evidence: { status },
    });
    expect(api.seen).toHaveLength(4);
    expect(asking.requests()).toBe(4);
    expect(time.slept).toEqual([375, 750, 1500]);
  });

  it.each([
    [0, 0, 250],
    [0, 1, 500],
    [3, 0.5, 3000],
    [30, 1, 30_000],
  ])('number %i with random %d waits %i ms', (tries, random, wait) => {
    expect(backoffDelay(tries, random)).toBe(wait);
  });

  it.each([
    ['two resets', (n: number) => n < 3],
    ['one reset', (n: number) => n < 2],
  ])('returns the response after %s', async (_, fails) => {
    let n = 0;
    const api = await serve((request, response) => {
      n += 1;
      if (fails(n)) request.socket.destroy();
      else response.end(GOOD);
    });
    expect((await client(api.url).list('task', ALL)).content().listCount).toBe(1);
  });

  it('is repeated as often as the option says', async () => {
    const api = await serveResponse(500, '');
    await failure(client(api.url, { retries: 0 }).list('task', ALL));
    expect(api.seen).toHaveLength(1);
    await failure(client(api.url, { retries: 5 }).get('task', '1'));
    expect(api.seen).toHaveLength(7);
  });

  it('ends in UNREACHABLE when the connection is refused', async () => {
    const error = await failure(client('http://127.0.0.1:1/').list('task', ALL));
    expect(error).toMatchObject({ name: 'RetryLater', code: 'TIDINGS_SOURCE_UNREACHABLE' });
    expect((error as Error).message).toContain('ECONNREFUSED');
  });

  it('ends in UNREACHABLE when the host closes the connection or does not respond in time', async () => {
    const hangs = await serve((request) => request.socket.destroy());
    const silent = await serve(() => {});
    for (const [{ url, seen }, options] of [
      [hangs, {}],
      [silent, { timeouts: { headers: 100 } }],
    ] as const) {
      const error = await failure(client(url, { ...options, retries: 1 }).list('task', ALL));
      expect(error).toMatchObject({ name: 'RetryLater', code: 'TIDINGS_SOURCE_UNREACHABLE' });
      expect(seen).toHaveLength(2);
    }
  });

  it.each([
    ['breaks off before its length', { 'content-length': '1000' }, (socket: { destroy(): void }) => socket.destroy()],
    ['breaks off between chunks', {}, (socket: { destroy(): void }) => socket.destroy()],
    ['stops', { 'content-length': '1000' }, () => {}],
  ])('follows a body that %s', async (_, headers, end) => {
    const api = await serve((request, response) => {
      response.writeHead(200, headers).write(GOOD);
      setTimeout(() => end(request.socket), 10);
    });
    const error = await failure(client(api.url, { retries: 1, timeouts: { body: 100 } }).list('task', ALL));
    expect(error).toMatchObject({ name: 'RetryLater', code: 'TIDINGS_SOURCE_CUT_OFF', evidence: { status: 200 } });
    expect(api.seen).toHaveLength(2);
  });

  it('does not wait for a body that trickles in', async () => {
    const api = await serve((_, response) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    });
    const options = { retries: 0, timeouts: { body: 150 } };
    expect(await failure(client(api.url, options).list('task', ALL))).toMatchObject({ code: 'TIDINGS_SOURCE_CUT_OFF' });
  });

  it.each([
    ['cut off', gzipSync(GOOD).subarray(0, -12)],
    ['not gzip', Buffer.from(GOOD)],
  ])('follows gzip that is %s', async (_, body) => {
    const api = await serve((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(body));
    const error = await failure(client(api.url, { retries: 1 }).list('task', ALL));
    expect(error).toMatchObject({ name: 'RetryLater', code: 'TIDINGS_SOURCE_CUT_OFF' });
    expect(api.seen).toHaveLength(2);
  });

  it('does not follow an encoding that was not requested', async () => {
    const api = await serveResponse(200, GOOD, { 'content-encoding': 'br' });
    const error = await failure(client(api.url).list('task', ALL));
    expect(error).toMatchObject({ code: 'TIDINGS_SOURCE_ANSWER_INVALID' });
    expect((error as Error).message).toContain('got br');
  });
});

describe('the size limit', () => {
  const big = 'x'.repeat(20_000);
  it.each([
    ['with its length', big, { 'content-length': String(big.length) }],
    ['without end', big, {}],
    ['packed small', gzipSync(Buffer.alloc(50_000_000)), { 'content-encoding': 'gzip' }],
  ])('rejects a response that is too large: %s', async (_, body, headers) => {
    const api = await serve((_, response) => response.writeHead(200, headers).end(body));
    const error = await failure(client(api.url, { maxBytes: 10_000 }).list('task', ALL));
    expect(error).toMatchObject({ name: 'RetryLater', code: 'TIDINGS_SOURCE_ANSWER_TOO_LARGE' });
    expect((error as Error).message).toContain('10000 bytes');
    expect(api.seen).toHaveLength(1);
  });

  it('accepts a response of exactly the limit', async () => {
    const api = await serveResponse(200, GOOD);
    expect((await client(api.url, { maxBytes: GOOD.length }).list('task', ALL)).bytes).toBe(GOOD.length);
  });
});

describe('the rate limit', () => {
  it('is waited out for a minute before a retry', async () => {
    let n = 0;
    const api = await serve((_, response) => {
      n += 1;
      if (n === 1) response.writeHead(400).end(JSON.stringify(errorEnvelope(400, 12)));
      else response.end(GOOD);
    });
    const time = fakeTime();
    const asking = client(api.url, time);
    await asking.list('task', ALL);
    expect(time.slept).toEqual([60_000]);
    expect(asking.requests()).toBe(2);
  });

  it('ends in an error when it is hit for the third time', async () => {
    const api = await serveResponse(400, errorEnvelope(400, 12, 'slow down'));
    const time = fakeTime();
    expect(await failure(client(api.url, time).list('task', ALL))).toMatchObject({
      name: 'RetryLater',
      code: 'TIDINGS_SOURCE_TOO_FAST',
      after: 60_000,
      evidence: { status: 400 },
    });
    expect(api.seen).toHaveLength(3);
    expect(time.slept).toEqual([60_000, 60_000]);
  });

  it('covers all requests, retries and quota included', async () => {
    const api = await serve((request, response) => {
      const quota = { status: 'OK', quota: { quota: 1, used: 0 } };
      response.end(request.url === '/api/quota/' ? JSON.stringify(quota) : GOOD);
    });
    const time = fakeTime();
    const asking = client(api.url, { ...time, perMinute: 3 });
    await asking.quota();
    for (let n = 0; n < 3; n++) await asking.list('task', ALL);
    expect(time.slept).toEqual([60_000]);
  });
});

describe('an abort', () => {
  const reason = new Error('shutting down');
  const now = () => performance.now();
  const sleep: Sleep = (duration, signal) =>
    setTimeoutPromise(duration, undefined, signal === undefined ? {} : { signal });

  /** Makes the pause between retries far longer than an abort takes. */
  const sleepLonger: Sleep = (duration, signal) => sleep(duration * 1000, signal);
  /** Far below all timeouts and pauses, with room for a busy machine. */
  const SOON = 10_000;

  /** Aborts after `ms` and returns how long it took to take effect. */
  /** Aborts a little after the server has received something. Returns how long it takes until it has effect. */
  async function abortWhen(isReceived: () => boolean, act: (signal: AbortSignal) => Promise<unknown>): Promise<number> {
    const controller = new AbortController();
    const failed = failure(act(controller.signal));
    await vi.waitFor(() => expect(isReceived()).toBe(true));
    await sleep(50);
    const at = performance.now();
    controller.abort(reason);
    expect(await failed).toBe(reason);
    return performance.now() - at;
  }

  const real = (url: string, options: object = {}) => client(url, { now, sleep, ...options });

  it('before the request sends nothing', async () => {
    const api = await serveResponse(200, GOOD);
    expect(await failure(client(api.url).list('task', ALL, AbortSignal.abort(reason)))).toBe(reason);
    expect(api.seen).toEqual([]);
  });

  it('takes effect before the headers and during the body, and closes the connection', async () => {
    let closed = 0;
    const waiting = await serve((request) => request.socket.on('close', () => closed++));
    const sending = await serve((request, response) => {
      request.socket.on('close', () => closed++);
      response.write('{');
    });
    for (const { url, seen } of [waiting, sending]) {
      expect(
        await abortWhen(
          () => seen.length > 0,
          (signal) => real(url).list('task', ALL, signal),
        ),
      ).toBeLessThan(SOON);
      expect(seen).toHaveLength(1);
    }
    await expect.poll(() => closed).toBe(2);
  });

  it('takes effect while connecting', async () => {
    // Accepts the connection and never completes the TLS handshake.
    let connected = false;
    const mute = createServer(() => {
      connected = true;
    }).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const url = `https://127.0.0.1:${(mute.address() as AddressInfo).port}/`;
    const wait = await abortWhen(
      () => connected,
      (signal) => real(url, { retries: 0 }).list('task', ALL, signal),
    );
    mute.close();
    expect(wait).toBeLessThan(SOON);
  });

  it('takes effect between retries and while waiting for the rate limit', async () => {
    const failing = await serveResponse(500, '');
    const late = (signal: AbortSignal) => real(failing.url, { sleep: sleepLonger }).list('task', ALL, signal);
    expect(await abortWhen(() => failing.seen.length > 0, late)).toBeLessThan(SOON);
    expect(failing.seen).toHaveLength(1);
    const good = await serveResponse(200, GOOD);
    const paced = real(good.url, { perMinute: 1 });
    await paced.list('task', ALL);
    expect(
      await abortWhen(
        () => true,
        (signal) => paced.list('task', ALL, signal),
      ),
    ).toBeLessThan(SOON);
    expect(good.seen).toHaveLength(1);
  });
});

describe('the token', () => {
  const credentials = Buffer.from(`${TOKEN}:x`).toString('base64');
  const echo = `you sent Authorization: Basic ${credentials}, that is ${TOKEN}`;
  const everything = (error: unknown) => `${inspect(error, { depth: 9, showHidden: true })}${JSON.stringify(error)}`;

  it.each([
    ['a refusal', 401, errorEnvelope(401, 2, `unknown token ${TOKEN}`)],
    ['a wrong request', 400, errorEnvelope(400, 17, echo)],
    ['an error page', 500, `<pre>${echo}</pre>`],
    ['a proxy', 404, echo],
    ['a page that is none', 200, echo],
    ['an error page that is cut in the token', 500, `${'x'.repeat(190)}${TOKEN}`],
    ['a long message', 400, errorEnvelope(400, 17, `${'x'.repeat(195)}${TOKEN}`)],
  ])('is not in the error for %s', async (_, status, body) => {
    const api = await serveResponse(status, body);
    const asking = client(api.url, { retries: 0 });
    const errors = [
      await failure(asking.list('task', ALL).then((page) => page.content())),
      await failure(asking.get('task', '1')),
      await failure(asking.create('task', { title: 'a' })),
    ];
    for (const error of errors) {
      expect(error).toBeInstanceOf(Error);
      expect(everything(error)).not.toContain(TOKEN.slice(0, 6));
      expect(everything(error)).not.toContain(credentials.slice(0, 8));
    }
  });

  it('is not in a network error', async () => {
    const garbage = await serve((request) => {
      request.socket.end(`HTTP/1.1 200 OK\r\n${echo}\u0000\r\n\r\n`);
    });
    const errors = [
      await failure(client('http://127.0.0.1:1/').list('task', ALL)),
      await failure(client(garbage.url, { retries: 0 }).list('task', ALL)),
    ];
    for (const error of errors) {
      expect(error).toMatchObject({ code: 'TIDINGS_SOURCE_UNREACHABLE' });
      expect(everything(error)).not.toContain(TOKEN);
      expect(everything(error)).not.toContain(credentials);
    }
  });
});
