/** What only the wire on Node's own modules has to prove; what it has in common with the other is proven beside it. */

import { execFile } from 'node:child_process';
import { lookup } from 'node:dns';
import { createServer, type RequestListener } from 'node:http';
import { constants, createSecureServer, type Http2Session, type ServerHttp2Stream, type Settings } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type LookupFunction,
  type Server,
  type Socket,
} from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RESTS_MS, restAllowed } from '../../../../adapters/http/node/line.ts';
import { type NodeWireOptions, openNodeWire } from '../../../../adapters/http/node/node-wire.ts';
import type { ExchangeOptions, Wire } from '../../../../adapters/http/wire.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../certificate.ts';

const TLS = { cert: CERTIFICATE, key: CERTIFICATE_KEY };
const { NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants;

let server: Server;
let url: URL;
let wire: Wire;
/** Every connection that was ever made. */
let sockets: Socket[];
let now: number;
let complaints: unknown[];

const complain = (what: unknown) => complaints.push(what);

beforeEach(() => {
  sockets = [];
  complaints = [];
  now = 0;
  open();
  process.on('warning', complain).on('uncaughtException', complain).on('unhandledRejection', complain);
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server?.close();
  await wire.close();
  process.off('warning', complain).off('uncaughtException', complain).off('unhandledRejection', complain);
  expect(complaints).toEqual([]);
});

function open(options: Partial<NodeWireOptions> = {}): void {
  wire = openNodeWire({ timeout: 5_000, lookup, ca: CERTIFICATE, now: () => now, ...options });
}

async function listen(scheme: 'http' | 'https', listening: Server): Promise<void> {
  server = listening;
  listening.on('connection', (socket: Socket) => sockets.push(socket));
  await new Promise<void>((done) => listening.listen(0, '127.0.0.1', () => done()));
  url = new URL(`${scheme}://127.0.0.1:${(listening.address() as AddressInfo).port}/`);
}

const receiver = (listener: RequestListener) => listen('http', createServer({ keepAliveTimeout: 60_000 }, listener));

/** Speaks HTTP/2. `sessions`: in the order they came. */
async function receiver2(answer: (stream: ServerHttp2Stream, session: number) => void, settings: Settings = {}) {
  const sessions: Http2Session[] = [];
  const listening = createSecureServer({ ...TLS, settings });
  listening.on('sessionError', () => {});
  listening.on('session', (session) => sessions.push(session));
  listening.on('stream', (stream) => {
    stream.on('error', () => {}).resume();
    answer(stream, stream.session === undefined ? -1 : sessions.indexOf(stream.session));
  });
  await listen('https', listening);
  return sessions;
}

const reply = (stream: ServerHttp2Stream, body = 'ok') => {
  stream.respond({ ':status': 200 });
  stream.end(body);
};

const post = (change: Partial<ExchangeOptions> = {}) =>
  wire.exchange({ url, headers: {}, body: 'hello', timeout: 2_000, keep: 100, read: 1_000, ...change });
const bodyOf = async (change: Partial<ExchangeOptions> = {}) => (await post(change)).start.toString();
const atOnce = (count: number, change: Partial<ExchangeOptions> = {}) =>
  Promise.all(Array.from({ length: count }, () => bodyOf(change)));
const failure = (sent: Promise<unknown>): Promise<unknown> =>
  sent.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a process that stood still', () => {
  /** Answers the first request of each connection, and is silent for ever after: as one that is gone without a word. */
  const dyingReceiver = () =>
    listen(
      'http',
      createTcpServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
      }),
    );

  it('uses no connection that rested for too long', async () => {
    await dyingReceiver();
    expect(await bodyOf()).toBe('ok');
    now += RESTS_MS + 1;
    expect(await bodyOf()).toBe('ok');
    expect(sockets).toHaveLength(2);
    await expect.poll(() => sockets[0]?.closed).toBe(true);
  });

  it('uses one that rested for less', async () => {
    await dyingReceiver();
    expect(await bodyOf()).toBe('ok');
    now += RESTS_MS;
    await expect(post({ timeout: 200 })).rejects.toThrow('no answer within 0.2 s');
    expect(sockets).toHaveLength(1);
  });

  it('counts from the last answer, not from the first', async () => {
    await receiver((_, response) => response.setHeader('keep-alive', 'timeout=60').end('ok'));
    for (let index = 0; index < 4; index += 1) {
      expect(await bodyOf()).toBe('ok');
      now += RESTS_MS - 1_000;
    }
    expect(sockets).toHaveLength(1);
  });

  it('heeds a receiver that waits for less', async () => {
    await receiver((_, response) => response.setHeader('keep-alive', 'timeout=2').end('ok'));
    expect(await bodyOf()).toBe('ok');
    now += 1_000;
    expect(await bodyOf()).toBe('ok');
    expect(sockets).toHaveLength(1);
    now += 1_001;
    expect(await bodyOf()).toBe('ok');
    expect(sockets).toHaveLength(2);
  });

  it('uses no HTTP/2 session that rested for too long, and one that did not', async () => {
    await receiver2((stream) => reply(stream));
    expect(await bodyOf()).toBe('ok');
    now += RESTS_MS;
    expect(await bodyOf()).toBe('ok');
    expect(sockets).toHaveLength(1);
    now += RESTS_MS + 1;
    expect(await bodyOf()).toBe('ok');
    expect(sockets).toHaveLength(2);
    await expect.poll(() => sockets[0]?.closed).toBe(true);
  });

  it('does not take a session that is at work for one that rests', async () => {
    const streams: ServerHttp2Stream[] = [];
    await receiver2((stream) => streams.push(stream));
    const first = bodyOf();
    await expect.poll(() => streams.length).toBe(1);
    now += 10 * RESTS_MS;
    const second = bodyOf();
    await expect.poll(() => streams.length).toBe(2);
    for (const stream of streams) reply(stream);
    expect(await Promise.all([first, second])).toEqual(['ok', 'ok']);
    expect(sockets).toHaveLength(1);
  });

  it.each([
    [undefined, RESTS_MS],
    ['timeout=5', RESTS_MS],
    ['timeout=5, max=100', RESTS_MS],
    ['max=100, Timeout = 3', 2_000],
    ['timeout=1', 0],
    ['timeout=0', -1_000],
    ['timeout=-7', RESTS_MS],
    ['timeout=x', RESTS_MS],
    ['nottimeout=1', RESTS_MS],
    [`timeout=${'9'.repeat(400)}`, RESTS_MS],
    [['timeout=3', 'timeout=9'], 2_000],
  ])('reads %j as %d ms', (header, ms) => {
    expect(restAllowed(header)).toBe(ms);
  });
});

describe('a connection', () => {
  it('is let go of by itself where the process runs on', async () => {
    await receiver((_, response) => response.setHeader('keep-alive', 'timeout=1').end('ok'));
    expect(await bodyOf()).toBe('ok');
    await expect.poll(() => sockets[0]?.closed).toBe(true);
  });

  it('that breaks when it is used again is an error: the request may have been worked on', async () => {
    let requests = 0;
    await receiver((request, response) => {
      requests += 1;
      if (requests === 1) response.end('ok');
      else request.socket.resetAndDestroy();
    });
    expect(await bodyOf()).toBe('ok');
    expect(await failure(post())).toBeInstanceOf(Error);
    expect(requests).toBe(2);
    expect(sockets).toHaveLength(1);
  });

  it('is not used again by one who closes it without a word', async () => {
    await listen(
      'http',
      createTcpServer((socket) => {
        socket.on('error', () => {}).on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
      }),
    );
    for (let index = 0; index < 10; index += 1) expect(await bodyOf()).toBe('ok');
    expect(sockets).toHaveLength(10);
  });

  it('that says something unasked is not used again: it would pass for the next answer', async () => {
    let answers = 0;
    await listen(
      'http',
      createTcpServer((socket) => {
        socket.on('error', () => {});
        socket.on('data', async () => {
          answers += 1;
          socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n${answers}`);
          await wait(20);
          socket.write('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n');
        });
      }),
    );
    expect(await bodyOf()).toBe('1');
    await expect.poll(() => sockets[0]?.closed).toBe(true);
    expect(await bodyOf()).toBe('2');
  });

  it('is let go of when the answer came before all was sent', async () => {
    let received = 0;
    await listen(
      'http',
      createTcpServer((socket) => {
        socket.on('error', () => {});
        socket.on('data', (chunk) => {
          received += chunk.length;
        });
        socket.once('data', () => {
          socket.pause();
          socket.write('HTTP/1.1 413 No\r\ncontent-length: 2\r\n\r\nok');
          setTimeout(() => socket.resume(), 100);
        });
      }),
    );
    expect(await post({ body: 'x'.repeat(20_000_000) })).toMatchObject({ status: 413 });
    await expect.poll(() => sockets[0]?.closed).toBe(true);
    expect(received).toBeLessThan(20_000_000);
    expect(await post()).toMatchObject({ status: 413 });
    expect(sockets).toHaveLength(2);
  });

  it('serves a thousand requests, and no listener is left behind', async () => {
    await receiver((_, response) => response.end('ok'));
    for (let index = 0; index < 1_000; index += 1) await post();
    expect(sockets).toHaveLength(1);
  });

  it('serves a thousand requests over HTTP/2 as well', async () => {
    await receiver2((stream) => reply(stream));
    for (let round = 0; round < 20; round += 1) {
      expect(await atOnce(50)).toEqual(Array.from({ length: 50 }, () => 'ok'));
    }
    expect(sockets).toHaveLength(1);
  });

  it('is spoken over in HTTP/1.1 when it comes without a choice', async () => {
    const { createServer: createRawTls } = await import('node:tls');
    const listening = createRawTls(TLS, (socket) => {
      socket.on('error', () => {}).on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
    });
    await listen('https', listening);
    expect(await bodyOf()).toBe('ok');
    expect(await bodyOf()).toBe('ok');
    expect(sockets).toHaveLength(1);
  });
});

describe('requests that start together', () => {
  it('share one HTTP/2 session', async () => {
    await receiver2((stream) => setTimeout(() => reply(stream), 20));
    expect(await atOnce(20)).toEqual(Array.from({ length: 20 }, () => 'ok'));
    expect(sockets).toHaveLength(1);
  });

  it('go on side by side when the receiver speaks HTTP/1.1 only', async () => {
    let inHand = 0;
    const listening = createTlsServer(TLS, (_, response) => {
      inHand += 1;
      const answer = () => (inHand === 8 ? response.end('ok') : setTimeout(answer, 5));
      answer();
    });
    await listen('https', listening);
    expect(await atOnce(8)).toEqual(Array.from({ length: 8 }, () => 'ok'));
    expect(sockets).toHaveLength(8);
    inHand = 0;
    expect(await atOnce(8)).toEqual(Array.from({ length: 8 }, () => 'ok'));
    expect(sockets).toHaveLength(8);
  });

  it('are never more than the receiver takes at a time', async () => {
    const inHand: number[] = [];
    const most: number[] = [];
    await receiver2(
      (stream, session) => {
        inHand[session] = (inHand[session] ?? 0) + 1;
        most[session] = Math.max(most[session] ?? 0, inHand[session]);
        setTimeout(() => {
          inHand[session] = (inHand[session] ?? 0) - 1;
          reply(stream);
        }, 20);
      },
      { maxConcurrentStreams: 1 },
    );
    expect(await atOnce(6)).toEqual(Array.from({ length: 6 }, () => 'ok'));
    // So there are more connections, as over HTTP/1.1.
    expect(most.length).toBeGreaterThan(1);
    expect(Math.max(...most)).toBe(1);
  });

  it('fail together when there is no connection, after asking once', async () => {
    let asked = 0;
    const counting: LookupFunction = (_, __, callback) => {
      asked += 1;
      setTimeout(callback, 20, new Error('no such name'), '', 4);
    };
    open({ lookup: counting });
    const errors = await Promise.all(
      Array.from({ length: 5 }, () => failure(post({ url: new URL('https://receiver.example/') }))),
    );
    expect(errors.map((error) => String(error))).toEqual(Array.from({ length: 5 }, () => 'Error: no such name'));
    expect(asked).toBe(1);
    await receiver((_, response) => response.end('ok'));
    expect(await bodyOf()).toBe('ok');
  });

  it('are not given up with the one that made the connection', async () => {
    await receiver2((stream) => reply(stream));
    const slow: LookupFunction = (name, options, callback) => setTimeout(() => lookup(name, options, callback), 50);
    open({ lookup: slow });
    const named = { url: new URL(url.href.replace('127.0.0.1', 'localhost')) };
    const stop = new AbortController();
    const first = failure(post({ ...named, signal: stop.signal }));
    const second = bodyOf(named);
    await wait(20);
    stop.abort(new Error('enough'));
    expect(await first).toMatchObject({ message: 'enough' });
    expect(await second).toBe('ok');
    expect(sockets).toHaveLength(1);
  });

  it('take the connection along when all of them give up before it is made', async () => {
    await listen(
      'https',
      createTcpServer((socket) => socket.on('error', () => {}).resume()),
    );
    await Promise.all([failure(post({ timeout: 100 })), failure(post({ timeout: 100 }))]);
    expect(sockets).toHaveLength(1);
    await expect.poll(() => sockets[0]?.closed).toBe(true);
  });
});

describe('a receiver that goes away', () => {
  it('is given no more requests over that session, and those in hand are answered', async () => {
    const sessions = await receiver2((stream) => setTimeout(() => reply(stream), 50));
    const first = bodyOf();
    await expect.poll(() => sessions.length).toBe(1);
    await wait(20);
    sessions[0]?.goaway(NGHTTP2_NO_ERROR, 1);
    await wait(10);
    expect(await bodyOf()).toBe('ok');
    expect(await first).toBe('ok');
    expect(sockets).toHaveLength(2);
  });

  it.each([
    ['politely', NGHTTP2_NO_ERROR],
    ['with an error', NGHTTP2_ENHANCE_YOUR_CALM],
  ])('%s, is asked once more for what it has not looked at', async (_, code) => {
    let asked = 0;
    await receiver2((stream, session) => {
      asked += 1;
      if (session === 0 && stream.id === 3) stream.session?.goaway(code, 1);
      else reply(stream);
    });
    expect(await bodyOf()).toBe('ok');
    expect(await bodyOf()).toBe('ok');
    expect([asked, sockets.length]).toEqual([3, 2]);
  });

  it('is not asked again for what it may have looked at', async () => {
    let asked = 0;
    await receiver2((stream) => {
      asked += 1;
      stream.session?.goaway(NGHTTP2_ENHANCE_YOUR_CALM, stream.id);
    });
    expect(await failure(post())).toBeInstanceOf(Error);
    expect(asked).toBe(1);
  });

  it('is asked once more over a new connection for what it refused', async () => {
    let asked = 0;
    await receiver2((stream, session) => {
      asked += 1;
      if (session === 0) stream.close(NGHTTP2_REFUSED_STREAM);
      else reply(stream);
    });
    expect(await bodyOf()).toBe('ok');
    expect([asked, sockets.length]).toEqual([2, 2]);
  });

  it('is not asked a third time', async () => {
    let asked = 0;
    await receiver2((stream) => {
      asked += 1;
      stream.close(NGHTTP2_REFUSED_STREAM);
    });
    expect(await failure(post())).toMatchObject({ message: expect.stringContaining('REFUSED_STREAM') });
    expect(asked).toBe(2);
  });

  it('is not asked again for what it broke', async () => {
    let asked = 0;
    await receiver2((stream) => {
      asked += 1;
      stream.close(NGHTTP2_INTERNAL_ERROR);
    });
    expect(await failure(post())).toBeInstanceOf(Error);
    expect(asked).toBe(1);
  });

  it('between two requests is not noticed by the second', async () => {
    const sessions = await receiver2((stream) => reply(stream));
    expect(await bodyOf()).toBe('ok');
    sessions[0]?.close();
    await wait(20);
    expect(await bodyOf()).toBe('ok');
    sessions[1]?.destroy();
    await wait(20);
    expect(await bodyOf()).toBe('ok');
    expect(sockets).toHaveLength(3);
  });

  it('without a word is given the next request over a new connection', async () => {
    await receiver2((stream, session) => {
      if (session > 0) reply(stream);
    });
    await expect(post({ timeout: 100 })).rejects.toThrow('no answer within 0.1 s');
    expect(await bodyOf()).toBe('ok');
    expect(sockets).toHaveLength(2);
    await expect.poll(() => sockets[0]?.closed).toBe(true);
  });

  it('has only the one stream reset when its answer is cut off', async () => {
    const codes: number[] = [];
    await receiver2((stream) => {
      stream.on('close', () => codes.push(stream.rstCode));
      stream.respond({ ':status': 200 });
      const timer = setInterval(() => stream.write('x'.repeat(600)), 1);
      stream.on('close', () => clearInterval(timer));
    });
    expect(await bodyOf()).toBe('x'.repeat(100));
    expect(await bodyOf()).toBe('x'.repeat(100));
    await expect.poll(() => codes).toEqual([constants.NGHTTP2_CANCEL, constants.NGHTTP2_CANCEL]);
    expect(sockets).toHaveLength(1);
  });
});

describe('the end of a wire', () => {
  it('lets go of what rests at once, waits for what is in hand, and takes no more', async () => {
    const waiting: (() => void)[] = [];
    await receiver((request, response) => {
      if (request.url === '/slow') waiting.push(() => response.end('slow'));
      else response.end('ok');
    });
    const slow = bodyOf({ url: new URL('/slow', url) });
    await expect.poll(() => waiting.length).toBe(1);
    expect(await bodyOf()).toBe('ok');
    expect(sockets).toHaveLength(2);
    let isClosed = false;
    const closing = wire.close().then(() => {
      isClosed = true;
    });
    await expect.poll(() => sockets[1]?.closed).toBe(true);
    expect(isClosed).toBe(false);
    await expect(post()).rejects.toThrow('closed');
    waiting[0]?.();
    expect(await slow).toBe('slow');
    await closing;
    await expect.poll(() => sockets[0]?.closed).toBe(true);
    await wire.close();
  });

  it('comes for HTTP/2 as well', async () => {
    const streams: ServerHttp2Stream[] = [];
    await receiver2((stream) => streams.push(stream));
    const sent = bodyOf();
    await expect.poll(() => streams.length).toBe(1);
    const closing = wire.close();
    for (const stream of streams) reply(stream);
    expect(await sent).toBe('ok');
    await closing;
    await expect.poll(() => sockets[0]?.closed).toBe(true);
  });
});

describe('a process', () => {
  /** Posts once to each URL, and is done: it neither closes the wire nor exits. */
  const SCRIPT = `
    import { lookup } from 'node:dns';
    const [module, ca, ...urls] = process.argv.slice(1);
    const { openNodeWire } = await import(module);
    const wire = openNodeWire({ timeout: 5000, lookup, ca });
    for (const url of urls) {
      const bounds = { timeout: 5000, keep: 100, read: 1000 };
      const { start } = await wire.exchange({ url: new URL(url), headers: {}, body: 'hello', ...bounds });
      process.stdout.write(start.toString() + ' ');
    }
  `;

  it('may end with connections that rest, and asks no proxy of its environment', async () => {
    await receiver2((stream) => reply(stream, 'h2'));
    const secure = { server, url };
    let proxied = 0;
    const proxy = createTcpServer((socket) => {
      proxied += 1;
      socket.destroy();
    });
    await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    await receiver((_, response) => response.setHeader('keep-alive', 'timeout=60').end('h1'));
    const module = join(import.meta.dirname, '../../../../adapters/http/node/node-wire.ts');
    const env = { ...process.env, NODE_USE_ENV_PROXY: '1', NO_PROXY: '', no_proxy: '' };
    for (const name of ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'])
      Object.assign(env, { [name]: address });
    const started = performance.now();
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', SCRIPT, module, CERTIFICATE, url.href, secure.url.href],
      { env, timeout: 15_000 },
    );
    expect([stdout, stderr]).toEqual(['h1 h2 ', '']);
    // Both receivers would have kept the connection for a minute, and the wire for RESTS_MS.
    expect(performance.now() - started).toBeLessThan(RESTS_MS);
    expect(proxied).toBe(0);
    secure.server.close();
    proxy.close();
  });

  /** Posts, stands still, and posts again before it has seen anything of what happened meanwhile. */
  const STANDING = `
    import { lookup } from 'node:dns';
    const [module, ca, url, ms] = process.argv.slice(1);
    const { openNodeWire } = await import(module);
    const wire = openNodeWire({ timeout: 5000, lookup, ca });
    const bounds = { timeout: 5000, keep: 100, read: 1000 };
    const post = () => wire.exchange({ url: new URL(url), headers: {}, body: 'hello', ...bounds });
    const first = await post();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(ms));
    const second = await post();
    process.stdout.write(first.start + ' ' + second.start);
  `;

  it.each(['http', 'https'])(
    'that stood still while its %s connection was closed posts over a new one',
    async (scheme) => {
      const closing = (close: () => void) => setTimeout(close, 50);
      if (scheme === 'http') {
        await receiver((request, response) => {
          response.end('ok');
          closing(() => request.socket.end());
        });
      } else {
        await receiver2((stream) => {
          const { session } = stream;
          reply(stream);
          closing(() => session?.close());
        });
      }
      const module = join(import.meta.dirname, '../../../../adapters/http/node/node-wire.ts');
      const { stdout, stderr } = await promisify(execFile)(
        process.execPath,
        ['--input-type=module', '-e', STANDING, module, CERTIFICATE, url.href, '400'],
        { timeout: 15_000 },
      );
      expect([stdout, stderr]).toEqual(['ok ok', '']);
      expect(sockets).toHaveLength(2);
    },
  );
});
