/** A server that sends bytes without end instead of a response: its request ends early, and others are not delayed. */

import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openHttpTransport } from '../../../adapters/http/http-transport.ts';
import { workApi } from '../../../adapters/sources/work/client.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts';

const TIMEOUT = 30_000;
/** The time in which a flood must end: far below the timeout, with room for a busy machine. */
const SOON = 15_000;

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function listen(server: Pick<Server, 'listen' | 'address' | 'close'>): Promise<number> {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  stops.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** After the start, repeats a text until the client ends the connection. */
async function startFlood(start: string, text: string) {
  const chunk = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));
  let sent = 0;
  const flood = (socket: Socket) => {
    while (!socket.destroyed && socket.write(chunk)) sent += chunk.length;
    socket.once('drain', () => flood(socket));
  };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(start);
      flood(socket);
    });
    stops.push(() => socket.destroy());
  });
  return { port: await listen(server), sent: () => sent };
}

async function postTo(url: string) {
  const transport = openHttpTransport({ allow: ['127.0.0.0/8'], timeout: TIMEOUT, ca: CERTIFICATE });
  const start = performance.now();
  try {
    const result = await transport.post(new URL(url), {}, 'hello').then(
      ({ status }) => status,
      (error) => error,
    );
    return { result, took: performance.now() - start };
  } finally {
    await transport.close();
  }
}

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const flooded = { name: 'RetryLater', code: 'TIDINGS_HTTP_FLOOD' };

describe('a receiver that sends without end', () => {
  it.each([
    [
      '103 Early Hints',
      '',
      'HTTP/1.1 103 E\r\n\r\n',
      { ...flooded, message: expect.stringContaining('1xx responses') },
    ],
    [
      '103 Early Hints with hundreds of headers',
      '',
      `HTTP/1.1 103 E\r\n${'a:\r\n'.repeat(300)}\r\n`,
      { ...flooded, message: expect.stringContaining('1xx responses with 600 headers') },
    ],
    ['102 Processing with headers', '', 'HTTP/1.1 102 P\r\nx: y\r\n\r\n', flooded],
    ['empty lines', '', '\r\n', flooded],
    ['a reason phrase', 'HTTP/1.1 200 ', 'a', flooded],
    ['a chunk extension', `${CHUNKED}2;`, 'a', 200],
    ['a chunk size', CHUNKED, '0', 200],
    ['one byte per chunk', CHUNKED, '1\r\na\r\n', 200],
    ['a long extension before every byte', CHUNKED, `1;${'a'.repeat(65_000)}\r\na\r\n`, 200],
  ])('is cut off: %s', async (_, start, text, outcome) => {
    const { port } = await startFlood(start, text);
    const { result, took } = await postTo(`http://127.0.0.1:${port}/`);
    if (typeof outcome === 'number') expect(result).toBe(outcome);
    else expect(result).toMatchObject(outcome);
    expect(took).toBeLessThan(SOON);
  });

  it('ends no connection of another owner to the same server', async () => {
    const server = createServer((socket) => {
      socket.setNoDelay().on('error', () => {});
      stops.push(() => socket.destroy());
      socket.on('data', (request) => {
        if (request.toString().startsWith('POST /honest')) {
          const response = `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(8_000)}\r\ncontent-length: 0\r\n\r\n`;
          setTimeout(() => socket.write(response), 200);
          return;
        }
        // Each of them sends less in a moment than an honest response has.
        const flood = setInterval(() => socket.write('\r\n'.repeat(200)), 10);
        socket.once('close', () => clearInterval(flood));
      });
    });
    const url = `http://127.0.0.1:${await listen(server)}`;
    const transport = openHttpTransport({ allow: ['127.0.0.0/8'], timeout: TIMEOUT });
    stops.push(() => transport.close());
    const post = (path: string, owner: string) =>
      transport.post(new URL(path, url), {}, 'hello', undefined, undefined, owner);
    let isOver = false;
    let cut = 0;
    const flood = async () => {
      while (!isOver) {
        await post('/flood', 'hostile').catch(() => {});
        cut += 1;
        // A new connection adds to the balance.
        await new Promise((waited) => setTimeout(waited, 300));
      }
    };
    for (let index = 0; index < 100; index++) void flood();
    await vi.waitFor(() => expect(cut).toBeGreaterThan(100), { timeout: SOON });
    const statuses: number[] = [];
    while (statuses.length < 30) statuses.push((await post('/honest', 'honest')).status);
    isOver = true;
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('is cut off while another connection of it has a slow response', async () => {
    const blank = Buffer.alloc(65_536, '\r\n');
    let slowOne: Socket | undefined;
    const server = createServer((socket) => {
      socket.on('error', () => {});
      stops.push(() => socket.destroy());
      socket.once('data', (request) => {
        if (request.toString().startsWith('POST /slow')) {
          slowOne = socket.setNoDelay();
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 60000\r\n\r\n');
          return;
        }
        const flood = setInterval(() => {
          socket.write(blank);
          slowOne?.write('x');
        }, 1);
        stops.push(() => clearInterval(flood));
        socket.once('close', () => clearInterval(flood));
      });
    });
    const transport = openHttpTransport({ allow: ['127.0.0.0/8'], timeout: TIMEOUT });
    stops.push(() => transport.close());
    const origin = `http://127.0.0.1:${await listen(server)}`;
    const ending = new AbortController();
    const slow = transport.post(new URL(`${origin}/slow`), {}, 'hello', ending.signal);
    await new Promise((begun) => setTimeout(begun, 100));
    const start = performance.now();
    await expect(transport.post(new URL(`${origin}/flood`), {}, 'hello')).rejects.toMatchObject(flooded);
    expect(performance.now() - start).toBeLessThan(SOON);
    ending.abort();
    // The slow one is no flood: its status counts.
    expect((await slow).status).toBe(200);
  });

  it('cannot start one TLS handshake after the other', async () => {
    let handshakes = 0;
    const settings = { cert: CERTIFICATE, key: CERTIFICATE_KEY, maxVersion: 'TLSv1.2' } as const;
    const server = createTlsServer({ ...settings, ALPNProtocols: ['http/1.1'] }, (socket) => {
      socket.on('error', () => {});
      socket.resume();
      const repeat = () => {
        handshakes += 1;
        if (handshakes < 50) socket.renegotiate({ rejectUnauthorized: false }, repeat);
        else socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      };
      repeat();
      // Without a second handshake the server gives up.
      setTimeout(() => socket.destroy(), 1000);
    });
    const { result } = await postTo(`https://127.0.0.1:${await listen(server)}/`);
    expect(result).toMatchObject({ name: 'RetryLater' });
    expect(handshakes).toBe(1);
  });

  // Node's server sends two session tickets, openssl's as many as it is asked for. No other event of a connection shows them.
  if (spawnSync('openssl', ['version']).status === 0)
    it('is cut off when it sends TLS session tickets', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'tidings-flood-'));
      stops.push(() => rm(folder, { recursive: true, force: true }));
      const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
      await Promise.all([writeFile(cert, CERTIFICATE), writeFile(key, CERTIFICATE_KEY)]);
      // Takes a free port for a moment.
      const free = createServer();
      const port = await listen(free);
      await new Promise((closed) => free.close(closed));
      const flags = ['-accept', `127.0.0.1:${port}`, '-cert', cert, '-key', key, '-num_tickets', '100000000', '-quiet'];
      const server = spawn('openssl', ['s_server', ...flags], { stdio: ['pipe', 'ignore', 'ignore'] });
      stops.push(() => server.kill());
      const postUntilListening = async () => {
        for (;;) {
          const posted = await postTo(`https://127.0.0.1:${port}/`);
          if (!String(posted.result).includes('ECONNREFUSED')) return posted;
          await new Promise((soon) => setTimeout(soon, 50));
        }
      };
      const { result, took } = await postUntilListening();
      expect(result).toMatchObject(flooded);
      expect(took).toBeLessThan(SOON);
    });

  it('is cut off when its response comes in single bytes, which would take a tenth of a second of our time', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.write(`${CHUNKED}${'1\r\na\r\n'.repeat(60_000)}0\r\n\r\n`));
      stops.push(() => socket.destroy());
    });
    const transport = openHttpTransport({ allow: ['127.0.0.0/8'], timeout: TIMEOUT });
    stops.push(() => transport.close());
    const url = new URL(`http://127.0.0.1:${await listen(server)}/`);
    const { status, body } = await transport.post(url, {}, 'hello', undefined, 65_536);
    expect(status).toBe(200);
    expect(body.length).toBeLessThan(1_000);
  });

  it('has the start of its error kept, which may have all names of its certificate', async () => {
    const long = new Error(`the name is none of ${'name.example.com, '.repeat(2000)}`);
    const transport = openHttpTransport({ lookup: (_, __, callback) => callback(long, []) });
    stops.push(() => transport.close());
    const { message } = await transport.post(new URL('https://receiver.example/'), {}, 'hello').catch((error) => error);
    expect(message).toMatch(/^receiver\.example did not answer: the name is none of name\.example\.com, /);
    expect(message.length).toBeLessThan(600);
  });

  it('is not confused with one that sends large responses all the time', async () => {
    const body = 'x'.repeat(60_000);
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', () => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`));
      stops.push(() => socket.destroy());
    });
    const url = new URL(`http://127.0.0.1:${await listen(server)}/`);
    const transport = openHttpTransport({ allow: ['127.0.0.0/8'], timeout: TIMEOUT });
    const until = performance.now() + 300;
    while (performance.now() < until) {
      const answers = await Promise.all(Array.from({ length: 5 }, () => transport.post(url, {}, 'x')));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    }
    await transport.close();
  });
});

describe('a source that sends without end', () => {
  it.each([
    ['1xx responses', 'HTTP/1.1 103 E\r\n\r\n'],
    ['empty lines', '\r\n'],
  ])('is cut off: %s', async (_, text) => {
    const { port } = await startFlood('', text);
    const api = workApi({ baseUrl: `http://127.0.0.1:${port}`, token: 'token', retries: 0 });
    const start = performance.now();
    await expect(api.quota()).rejects.toMatchObject({ code: 'TIDINGS_SOURCE_UNREACHABLE' });
    expect(performance.now() - start).toBeLessThan(SOON);
    await api.close();
  });
});
