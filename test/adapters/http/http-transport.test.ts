import { execFile } from 'node:child_process';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { LookupAll } from '../../../adapters/http/host-lookup.ts';
import {
  type HttpResponse,
  type HttpTransport,
  type HttpTransportOptions,
  openHttpTransport,
} from '../../../adapters/http/http-transport.ts';
import { RetryLater } from '../../../core/model/errors.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts';

let server: TcpServer | undefined;
let transport: HttpTransport | undefined;
/** Every connection so far. */
let sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server?.close();
  await transport?.close();
  sockets = [];
});

async function listen(listening: Server | Http2SecureServer | TcpServer): Promise<number> {
  server = listening;
  listening.on('connection', (socket: Socket) => sockets.push(socket));
  await new Promise<void>((done) => listening.listen(0, '127.0.0.1', () => done()));
  return (listening.address() as AddressInfo).port;
}

const receiver = async (listener: RequestListener) => `http://127.0.0.1:${await listen(createServer(listener))}/hook`;

function open(options: HttpTransportOptions = {}): HttpTransport {
  transport = openHttpTransport({ allow: ['127.0.0.0/8'], ...options });
  return transport;
}

const post = (url: string, options: HttpTransportOptions = {}, body = '{}') =>
  (transport ?? open(options)).post(new URL(url), { 'content-type': 'application/json' }, body);

/** Posts one after the other, with a pause: undici frees a connection one event loop turn after the last byte. */
async function postSequentially(url: string, times: number): Promise<HttpResponse[]> {
  const answers: HttpResponse[] = [];
  for (let index = 0; index < times; index += 1) {
    answers.push(await post(url));
    await turn();
  }
  return answers;
}

const failure = (sent: Promise<unknown>): Promise<unknown> =>
  sent.then(
    () => undefined,
    (error: unknown) => error,
  );

afterEach(() => {
  transport = undefined;
});

const TLS = { cert: CERTIFICATE, key: CERTIFICATE_KEY };

describe('connections', () => {
  it('are reused for sequential requests', async () => {
    const url = await receiver((_, response) => response.end('thanks'));
    const answers = await postSequentially(url, 5);
    expect(answers.map(({ body }) => body)).toEqual(Array.from({ length: 5 }, () => 'thanks'));
    expect(sockets).toHaveLength(1);
  });

  it('are closed after a few seconds without a request, however long the receiver would keep them', async () => {
    const listening = createServer((_, response) => void response.setHeader('keep-alive', 'timeout=600').end('ok'));
    listening.keepAliveTimeout = 0;
    const url = `http://127.0.0.1:${await listen(listening)}/hook`;
    await Promise.all([post(url), post(url), post(url)]);
    expect(sockets.length).toBe(3);
    for (let tries = 0; sockets.some(({ destroyed }) => !destroyed) && tries < 100; tries++) await sleep(100);
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
  }, 20_000);

  it('are reused after a response that is longer than what is kept', async () => {
    const url = await receiver(async (_, response) => {
      // In chunks, so that the kept part arrives before the rest.
      for (let piece = 0; piece < 4; piece += 1) {
        response.write('x'.repeat(5000));
        await sleep(10);
      }
      response.end();
    });
    for (const { body } of await postSequentially(url, 3)) expect(body).toHaveLength(4096);
    expect(sockets).toHaveLength(1);
  });

  it('are closed when a response does not end', async () => {
    let closed = 0;
    const url = await receiver((_, response) => {
      const timer = setInterval(() => response.write('x'.repeat(10_000)), 1);
      response.on('close', () => {
        clearInterval(timer);
        closed += 1;
      });
    });
    expect((await post(url)).body).toHaveLength(4096);
    await expect.poll(() => closed).toBe(1);
  });

  it('are opened for each concurrent request', async () => {
    const url = await receiver((_, response) => setTimeout(() => response.end(), 50));
    await Promise.all(Array.from({ length: 4 }, () => post(url)));
    expect(sockets).toHaveLength(4);
  });

  it('speak HTTP/1.1 over TLS', async () => {
    const port = await listen(createTlsServer(TLS, (request, response) => response.end(request.httpVersion)));
    expect(await post(`https://127.0.0.1:${port}/`, { ca: CERTIFICATE })).toMatchObject({ body: '1.1' });
  });

  it('are refused when the certificate is not trusted', async () => {
    const port = await listen(createTlsServer(TLS, (_, response) => response.end()));
    const error = await failure(post(`https://127.0.0.1:${port}/`));
    expect(error).toBeInstanceOf(RetryLater);
    expect(error).toMatchObject({ code: 'TIDINGS_HTTP_UNREACHABLE', message: expect.stringMatching(/self-signed/) });
  });
});

describe('HTTP/2', () => {
  const options = { ca: CERTIFICATE, allow: ['127.0.0.0/8', '::1/128'] };

  it('is not spoken with a receiver that prefers it', async () => {
    const versions: string[] = [];
    const server = createSecureServer({ ...TLS, allowHTTP1: true }, async (request, response) => {
      versions.push(request.httpVersion);
      response.end(`got ${await text(request)}`);
    });
    const answer = await post(`https://localhost:${await listen(server)}/hook`, options, '{"a":"ä"}');
    expect(answer).toMatchObject({ status: 200, body: 'got {"a":"ä"}' });
    expect(versions).toEqual(['1.1']);
  });

  it('is not spoken with a receiver that supports nothing else', async () => {
    const streams: unknown[] = [];
    const server = createSecureServer(TLS);
    server.on('stream', (stream) => streams.push(stream));
    const error = await failure(post(`https://localhost:${await listen(server)}/`, options));
    expect(error).toMatchObject({ code: 'TIDINGS_HTTP_UNREACHABLE' });
    expect(streams).toEqual([]);
  });
});

describe('the deadline', () => {
  /** Writes small chunks so often that a timeout between two bytes never fires. */
  async function trickle(start: string, piece: string): Promise<string> {
    const port = await listen(
      createTcpServer((socket) => {
        socket.write(start);
        const timer = setInterval(() => socket.write(piece), 30);
        socket.on('close', () => clearInterval(timer)).on('error', () => {});
      }),
    );
    return `http://127.0.0.1:${port}/`;
  }

  it('ends a response whose headers trickle in', async () => {
    const url = await trickle('HTTP/1.1 200 OK\r\n', 'x-more: 1\r\n');
    const started = performance.now();
    const error = await failure(post(url, { timeout: 400 }));
    expect(error).toMatchObject({
      code: 'TIDINGS_HTTP_UNREACHABLE',
      message: expect.stringContaining('within 0.4 s'),
    });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('ends a body that trickles in, and keeps the status and what arrived', async () => {
    const url = await trickle('HTTP/1.1 202 Accepted\r\ncontent-length: 5000\r\n\r\n', '.');
    const started = performance.now();
    const answer = await post(url, { timeout: 1500 });
    expect(answer.status).toBe(202);
    expect(answer.body).toMatch(/^\.+$/);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('covers a receiver that accepts the connection and never reads', async () => {
    const port = await listen(createTcpServer((socket) => socket.pause()));
    const error = await failure(post(`http://127.0.0.1:${port}/`, { timeout: 300 }, 'x'.repeat(8_000_000)));
    expect(error).toBeInstanceOf(RetryLater);
  });

  it('leaves no timer behind when the response is in time', async () => {
    const url = await receiver((_, response) => response.end());
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    await post(url);
    const before = timers();
    for (let index = 0; index < 10; index += 1) await post(url);
    expect(timers()).toBeLessThan(before + 5);
  });
});

describe('the stored body', () => {
  it.each(['gzip', 'br', 'deflate', 'zstd', 'gzip, gzip'])('is only a note for %s encoding', async (encoding) => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const url = await receiver((_, response) => response.writeHead(500, { 'content-encoding': encoding }).end(bomb));
    expect(await post(url)).toMatchObject({ status: 500, body: `[${encoding}, not shown]` });
  });

  it('does not repeat an invalid encoding name', async () => {
    const encoding = `<b>${'x'.repeat(500)}`;
    const url = await receiver((_, response) => response.writeHead(200, { 'content-encoding': encoding }).end('x'));
    expect((await post(url)).body).toBe('[encoded, not shown]');
  });

  it('is the text for identity encoding', async () => {
    const url = await receiver((_, response) => response.writeHead(200, { 'content-encoding': 'identity' }).end('ok'));
    expect((await post(url)).body).toBe('ok');
  });

  it('is requested without compression', async () => {
    const url = await receiver((request, response) => response.end(String(request.headers['accept-encoding'])));
    expect((await post(url)).body).toBe('identity');
  });

  it.each([
    ['half a character at the end', Buffer.from(`x${'ä'.repeat(4000)}`)],
    ['bytes that are not text', Buffer.alloc(8000, 0xff)],
  ])('is at most 4 KB of valid text, with %s', async (_, bytes) => {
    const url = await receiver((_, response) => response.end(bytes));
    const { body } = await post(url);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(4096);
    expect(Buffer.byteLength(body)).toBeGreaterThan(4090);
    expect(body.replaceAll(/[xä]/g, '')).toBe(bytes[0] === 0xff ? body : '');
  });
});

describe('a closed transport', () => {
  it('opens new connections for the next post', async () => {
    const url = await receiver((_, response) => response.end('ok'));
    const opened = open();
    await post(url);
    await opened.close();
    await expect.poll(() => sockets[0]?.closed).toBe(true);
    expect(await post(url)).toMatchObject({ status: 200, body: 'ok' });
    expect(sockets).toHaveLength(2);
  });

  it('waits for the requests in flight', async () => {
    const url = await receiver((_, response) => setTimeout(() => response.end('late'), 50));
    const opened = open();
    const response = post(url);
    await expect.poll(() => sockets.length).toBe(1);
    await opened.close();
    expect(await response).toMatchObject({ body: 'late' });
    await expect.poll(() => sockets[0]?.closed).toBe(true);
  });

  it('does not wait for a connection that an aborted request asked for', async () => {
    // Accepts no TLS handshake, so the connection is never established.
    const port = await listen(createTcpServer((socket) => socket.on('error', () => {}).resume()));
    const opened = open({ timeout: 20_000 });
    const stop = new AbortController();
    const aborted = failure(opened.post(new URL(`https://127.0.0.1:${port}/`), {}, '', stop.signal));
    await expect.poll(() => sockets.length).toBe(1);
    stop.abort();
    expect(await aborted).toMatchObject({ message: expect.stringContaining('the request was aborted') });
    const started = performance.now();
    await opened.close();
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

describe('a response', () => {
  it('reports status and headers, and the request its method, path and query', async () => {
    const url = await receiver(async (request, response) => {
      const sent = `${request.method} ${request.url} ${request.headers['content-type']} ${await text(request)}`;
      response.writeHead(202, { 'x-sent': sent }).end();
    });
    const { status, headers } = await post(`${url}?a=1`, {}, 'hello');
    expect([status, headers['x-sent']]).toEqual([202, 'POST /hook?a=1 application/json hello']);
  });

  it('counts although its body breaks off', async () => {
    const url = await receiver((_, response) => {
      response.writeHead(500, { 'content-length': '100' });
      response.write('oops');
      setTimeout(() => response.destroy(), 20);
    });
    expect(await post(url)).toMatchObject({ status: 500, body: 'oops' });
  });

  it('counts although its body does not end in time', async () => {
    const url = await receiver((_, response) => {
      response.writeHead(200).write('so far');
    });
    expect(await post(url, { timeout: 1500 })).toMatchObject({ status: 200, body: 'so far' });
  });

  it('follows an early hint', async () => {
    const url = await receiver((_, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.writeHead(204).end();
    });
    expect(await post(url)).toMatchObject({ status: 204 });
  });

  it('that switches protocols unasked is an error at once', async () => {
    const url = await receiver(({ socket }) =>
      socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    );
    expect(await failure(post(url))).toMatchObject({ message: expect.not.stringContaining('within') });
  });

  it('that never comes is an error: at the deadline, on abort, or when the connection fails', async () => {
    const url = await receiver((request) => {
      if (request.url === '/cut') request.socket.destroy();
    });
    const code = 'TIDINGS_HTTP_UNREACHABLE';
    const opened = open({ timeout: 100 });
    const messageOf = async (path: string, signal?: AbortSignal) => {
      const error = await failure(opened.post(new URL(path, url), {}, '', signal));
      expect(error).toMatchObject({ name: 'RetryLater', code });
      return (error as Error).message;
    };
    expect(await messageOf('/')).toContain('no answer within 0.1 s');
    const stop = new AbortController();
    const stopped = messageOf('/', stop.signal);
    stop.abort(new Error('enough'));
    expect(await stopped).toContain('the request was aborted');
    expect(await messageOf('/', AbortSignal.abort())).toContain('the request was aborted');
    expect(await messageOf('/cut')).toContain('did not answer');
    expect(await messageOf('http://127.0.0.1:9/')).toContain('ECONNREFUSED');
  });
});

describe('the host', () => {
  it('is sent with its port, also for an IPv6 address', async () => {
    const url = await receiver((request, response) => response.end(request.headers.host));
    expect((await post(url)).body).toBe(new URL(url).host);
    const six = createServer((request, response) => response.end(request.headers.host));
    await new Promise<void>((listening) => {
      // This machine may have no IPv6.
      six.once('error', () => listening()).listen(0, '::1', listening);
    });
    if (!six.listening) return;
    const host = `[::1]:${(six.address() as AddressInfo).port}`;
    const transport6 = openHttpTransport({ allow: ['::1/128'] });
    expect((await transport6.post(new URL(`http://${host}/`), {}, '')).body).toBe(host);
    await transport6.close();
    six.closeAllConnections();
    six.close();
  });

  it('names the certificate to present, and the certificate must match it', async () => {
    const names: unknown[] = [];
    const SNICallback = (name: string, callback: (error: null) => void) => {
      names.push(name);
      callback(null);
    };
    const port = await listen(createTlsServer({ ...TLS, SNICallback }, (_, response) => response.end('ok')));
    const lookup: LookupAll = (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);
    open({ ca: CERTIFICATE, lookup });
    expect(await post(`https://receiver.example:${port}/`)).toMatchObject({ status: 200 });
    expect(await post(`https://127.0.0.1:${port}/`)).toMatchObject({ status: 200 });
    expect(await failure(post(`https://elsewhere.example:${port}/`))).toMatchObject({
      message: expect.stringContaining("does not match certificate's altnames"),
    });
    // A server name is never an address.
    expect(names).toEqual(['receiver.example', 'elsewhere.example']);
  });
});

describe('the environment', () => {
  /** Posts once and neither closes the transport nor exits. */
  const SCRIPT = `
    const [module, url] = process.argv.slice(1);
    const { openHttpTransport } = await import(module);
    const { body } = await openHttpTransport({ allow: ['127.0.0.0/8'] }).post(new URL(url), {}, '');
    process.stdout.write(body);
  `;

  it('names no proxy that is used, and an idle connection does not keep the process alive', async () => {
    let proxied = 0;
    const proxy = createTcpServer((socket) => {
      proxied += 1;
      socket.destroy();
    });
    await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const url = await receiver((_, response) => response.setHeader('keep-alive', 'timeout=60').end('direct'));
    const env = { ...process.env, NODE_USE_ENV_PROXY: '1', NO_PROXY: '', no_proxy: '' };
    for (const name of ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'])
      Object.assign(env, { [name]: address });
    const module = join(import.meta.dirname, '../../../adapters/http/http-transport.ts');
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', SCRIPT, module, url], {
      env,
      timeout: 10_000,
    });
    expect([stdout, proxied]).toEqual(['direct', 0]);
    proxy.close();
  });
});
