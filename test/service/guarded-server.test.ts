/** What connections to the server may hold: callers who say nothing, read nothing or never stop sending keep nobody out. */

import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { afterEach, expect, it } from 'vitest';
import { createGuardedServer, type GuardedServerOptions } from '../../service/guarded-server.ts';

let server: Server;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

async function start(
  listener: RequestListener,
  maxConnections?: number,
  options: GuardedServerOptions = {},
): Promise<void> {
  server = createGuardedServer(listener, { ...options, ...(maxConnections === undefined ? {} : { maxConnections }) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

const portOf = () => (server.address() as AddressInfo).port;

async function dial(text: string) {
  const socket = connect(portOf(), '127.0.0.1');
  sockets.push(socket);
  const dialled = { socket, received: '', isClosed: false };
  socket.on('data', (data) => {
    dialled.received += String(data);
  });
  socket.on('error', () => {});
  socket.once('close', () => {
    dialled.isClosed = true;
  });
  await once(socket, 'connect');
  socket.write(text);
  return dialled;
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const answer: RequestListener = (_, response) => void response.end('well');
const until = async (isDone: () => boolean) => {
  for (let tries = 0; !isDone() && tries < 500; tries++) await sleep(20);
  expect(isDone()).toBe(true);
};

it('lets a new caller in when all connections are taken by callers who never finish their request', async () => {
  await start(answer, 5);
  const slow = [];
  for (let n = 0; n < 5; n++) slow.push(await dial('GET / HTTP/1.1\r\nX-Slow: '));
  const fresh = await dial(GET);
  await until(() => fresh.received.includes('well'));
  expect(slow.filter(({ isClosed }) => isClosed)).toEqual([slow[0]]);
});

it('closes idle connections before those that wait for a response', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await start((request, response) => {
    if (request.url === '/slow') void released.then(() => response.end('late'));
    else response.end('well');
  }, 2);
  const working = await dial(GET.replace('/', '/slow'));
  await dial('');
  const fresh = await dial(GET);
  await until(() => fresh.received.includes('well'));
  release();
  await until(() => working.received.includes('late'));
});

it('closes a connection that sends request after request without waiting for the responses', async () => {
  let begun = 0;
  await start(() => {
    begun += 1;
  });
  const greedy = await dial(GET.repeat(500));
  await until(() => greedy.isClosed);
  expect(begun).toBeLessThan(10);
});

it('closes callers who do not read their responses before these fill the memory', async () => {
  const large = Buffer.alloc(4_000_000, 'x');
  await start((request, response) => void response.end(request.url === '/large' ? large : 'well'), undefined, {
    maxUnsentBytes: 40_000_000,
  });
  const requests = GET.replace('/', '/large').repeat(4);
  const unread = [];
  for (let n = 0; n < 12; n++) {
    const caller = await dial('');
    caller.socket.pause();
    caller.socket.write(requests);
    unread.push(caller);
  }
  const reading = await dial(GET.replace('/', '/large'));
  await until(() => reading.received.length > large.length);
  const sent = await dial(GET);
  await until(() => sent.received.includes('well'));
  // A paused socket does not notice that it was closed: it is read to its end.
  const kept = await Promise.all(
    unread.map(async (caller) => {
      caller.socket.resume();
      await until(() => caller.isClosed || caller.received.length > 4 * large.length);
      return caller.received.length > 4 * large.length;
    }),
  );
  expect(kept.filter((isWhole) => isWhole).length).toBeLessThan(12);
  expect(kept.filter((isWhole) => isWhole).length).toBeGreaterThan(0);
});

it('serves any number of requests of a connection, one after the other', async () => {
  await start(answer);
  const steady = await dial('');
  for (let n = 1; n <= 20; n++) {
    steady.socket.write(GET);
    await until(() => steady.received.split('well').length === n + 1);
  }
  expect(steady.isClosed).toBe(false);
});

it('responds at once to a body that nobody wants, and does not read it to its end', async () => {
  await start((_, response) => void response.writeHead(413).end('too large'));
  const sender = await dial('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n');
  await until(() => sender.received.includes('too large'));
  await until(() => sender.isClosed);
});

it.each([
  ['Node', answer],
  ['Hono', getRequestListener(() => new Response('well'))],
])('reads a bounded rest after the response, of what %s has not read', async (_, listener) => {
  let bytesRead = () => 0;
  await start((request, response) => {
    bytesRead = () => request.socket.bytesRead;
    listener(request, response);
  });
  const size = 48 * 1024 * 1024;
  const sender = await dial(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`);
  const part = Buffer.alloc(1024 * 1024);
  for (let sent = 0; sent < size; sent += part.length) sender.socket.write(part);
  await until(() => sender.received.includes('well'));
  await until(() => sender.isClosed);
  expect(bytesRead()).toBeLessThan(18 * 1024 * 1024);
});

it.each([
  ['Node', answer],
  ['Hono', getRequestListener(() => new Response('well'))],
])('serves the next request of a connection after a small body that %s has not read', async (_, listener) => {
  await start(listener);
  const body = 'x'.repeat(20_000);
  const post = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`;
  const steady = await dial('');
  for (let n = 1; n <= 5; n++) {
    steady.socket.write(post);
    await until(() => steady.received.split('well').length === n + 1);
    steady.socket.write(body);
  }
  // Longer than a connection is kept whose rest is not read.
  await sleep(2500);
  expect(steady.isClosed).toBe(false);
});

const refusing: readonly (readonly [string, RequestListener])[] = [
  ['Node', (_, response) => void response.writeHead(413).end('too large')],
  ['Hono', getRequestListener(() => new Response('too large', { status: 413 }))],
  ['Hono, later', getRequestListener(async () => sleep(10, new Response('too large', { status: 413 })))],
];

it.each(refusing)('lets a caller read the response who first sends its whole body: %s', async (_, listener) => {
  await start(listener);
  const size = 10 * 1024 * 1024;
  for (const head of [`Content-Length: ${size}`, 'Transfer-Encoding: chunked']) {
    const socket = connect(portOf(), '127.0.0.1');
    sockets.push(socket);
    // As a client that reads nothing before it has sent all.
    socket.pause();
    await once(socket, 'connect');
    const part = Buffer.alloc(1024 * 1024);
    const isChunked = head.startsWith('T');
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`);
    for (let sent = 0; sent < size; sent += part.length) {
      if (isChunked) socket.write(`${part.length.toString(16)}\r\n`);
      await new Promise<void>((resolve, reject) => {
        socket.write(part, (error) => (error ? reject(error) : resolve()));
      });
      if (isChunked) socket.write('\r\n');
    }
    let received = '';
    socket.on('data', (data) => {
      received += String(data);
    });
    if (isChunked) socket.write('0\r\n\r\n');
    socket.resume();
    await until(() => received.includes('too large'));
    // It does not use the connection for its next request, which would get no response.
    expect(received.toLowerCase()).toContain('connection: close');
  }
});

it.each(refusing)('breaks no later request of a client that keeps its connections: %s', async (_, listener) => {
  await start(listener);
  for (let n = 0; n < 12; n++) {
    const body = Buffer.alloc(1_100_000);
    const { status } = await fetch(`http://127.0.0.1:${portOf()}/`, { method: 'POST', body });
    expect(status).toBe(413);
  }
});

it('reads little of many bodies that nobody wants', async () => {
  const read = new Set<Socket>();
  await start((request, response) => {
    read.add(request.socket);
    response.writeHead(413).end('too large');
  });
  const part = Buffer.alloc(1024 * 1024);
  const senders = await Promise.all(
    Array.from({ length: 8 }, () => dial('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n')),
  );
  for (let n = 0; n < 20; n++) for (const { socket } of senders) socket.write(part);
  await until(() => senders.every(({ isClosed }) => isClosed));
  const total = [...read].reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  // 32 MB at once, and 8 MB a second for about two seconds; a busy machine takes longer.
  expect(total).toBeLessThan(100 * 1024 * 1024);
});

const CHUNKED = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

it('closes a connection whose body comes in single bytes', async () => {
  let pieces = 0;
  const listener: RequestListener = (request, response) => {
    request.on('data', () => {
      pieces += 1;
    });
    request.once('end', () => response.end('well'));
  };
  await start(listener);
  const sender = await dial(CHUNKED + chunk('a').repeat(20_000));
  await until(() => sender.isClosed);
  expect(pieces).toBeLessThan(1_000);
  expect(sender.received).toBe('');
});

it('joins the short pieces of a body, in their order', async () => {
  const pieces: number[] = [];
  const listener: RequestListener = (request, response) => {
    const read: Buffer[] = [];
    request.on('data', (piece: Buffer) => {
      read.push(piece);
      pieces.push(piece.length);
    });
    request.once('end', () => response.end(Buffer.concat(read)));
  };
  await start(listener);
  const words = Array.from({ length: 3000 }, (_, index) =>
    index % 500 === 499 ? `${index}-`.repeat(400) : `${index}-`,
  );
  const sender = await dial(`${CHUNKED}${words.map(chunk).join('')}0\r\n\r\n`);
  await until(() => sender.received.endsWith(words.at(-1) ?? ''));
  expect(sender.received).toContain(words.join(''));
  expect(pieces.length).toBeLessThan(100);
});

it('accepts a body in many chunks, and in some short ones', async () => {
  await start((request, response) => void request.resume().once('end', () => response.end('well')));
  const sender = await dial(`${CHUNKED}${chunk('a'.repeat(1000)).repeat(5000)}${chunk('a').repeat(200)}0\r\n\r\n`);
  await until(() => sender.received.includes('well'));
});

it('does not serve a path that a URL resolves to another, which a proxy may not pass on', async () => {
  await start(answer);
  for (const path of ['/unsubscribe/%2e%2e/health', '/unsubscribe/../health', '/a\\..\\health']) {
    const odd = await dial(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until(() => odd.received.startsWith('HTTP/1.1 404'));
  }
  const usual = await dial('GET /a..b/.well-known?x=/../ HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => usual.received.includes('well'));
});

it.each([
  ['100', 98, 'HTTP/1.1 200 OK'],
  ['101', 99, 'HTTP/1.1 431 Request Header Fields Too Large'],
  ['a thousand', 998, 'HTTP/1.1 431 Request Header Fields Too Large'],
])('answers a request with %s headers', async (_, more, expected) => {
  await start(answer);
  const others = Array.from({ length: more }, (_, number) => `x${number}:1\r\n`).join('');
  const caller = await dial(`GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${others}\r\n`);
  await until(() => caller.isClosed);
  expect(caller.received.split('\r\n')[0]).toBe(expected);
});
