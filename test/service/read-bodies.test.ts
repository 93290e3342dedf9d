/** Bodies of requests, which anyone can send: how many are read at a time, and how much in a turn of the event loop. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { createGuardedServer } from '../../service/guarded-server.ts';
import type { Listening } from '../../service/listen.ts';
import { createBodyReader } from '../../service/read-bodies.ts';
import { listenInThread } from '../../service/threaded-server.ts';

const PATIENCE = { timeout: 60_000, interval: 20 };
const KB = 1024;

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

async function serve(fetch: (request: Request) => Promise<Response>, maxReading?: number): Promise<Listening> {
  const server = await listenInThread({ fetch, port: 0, warn: () => {}, ...(maxReading ? { maxReading } : {}) });
  ended.push(server.close);
  return server;
}

async function dial(port: number, text: string) {
  const socket = connect(port, '127.0.0.1');
  ended.push(() => socket.destroy());
  const dialled = { socket, received: '' };
  socket
    .on('error', () => {})
    .on('data', (data) => {
      dialled.received += String(data);
    });
  await once(socket, 'connect');
  socket.write(text);
  return dialled;
}

it('wait for each other: many large ones at once are all answered', async () => {
  const server = await serve(async (request) => new Response(`${(await request.text()).length}`), 3);
  const ask = async (_: unknown, index: number) => {
    const response = await fetch(server.url, { method: 'POST', body: 'x'.repeat(200 * KB + index) });
    return [response.status, await response.text()];
  };
  const answers = await Promise.all(Array.from({ length: 60 }, ask));
  expect(answers).toEqual(Array.from({ length: 60 }, (_, index) => [200, `${200 * KB + index}`]));
}, 120_000);

it('are answered by the length that they state, before any of it has arrived, if that is too long', async () => {
  const lengths: (string | null)[] = [];
  const server = await serve(async ({ headers }) => {
    lengths.push(headers.get('content-length'));
    return new Response('too large', { status: 413 });
  });
  const sender = await dial(server.port, `POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${300 * KB}\r\n\r\n`);
  await vi.waitFor(() => expect(sender.received).toContain('413 Payload Too Large'), PATIENCE);
  expect(lengths).toEqual([`${300 * KB}`]);
}, 120_000);

it('in chunks are passed on with their length', async () => {
  const got: unknown[] = [];
  const server = await serve(async (request) => {
    const { headers } = request;
    const { length } = await request.text();
    got.push([headers.get('transfer-encoding'), headers.get('content-length'), length]);
    return new Response('works');
  });
  const chunked = 'POST /v1/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
  const chunk = `${(100 * KB).toString(16)}\r\n${'x'.repeat(100 * KB)}\r\n`;
  const short = await dial(server.port, `${chunked}${chunk}0\r\n\r\n`);
  await vi.waitFor(() => expect(short.received).toContain('works'), PATIENCE);
  const long = await dial(server.port, `${chunked}${chunk.repeat(3)}0\r\n\r\n`);
  await vi.waitFor(() => expect(long.received).toContain('works'), PATIENCE);
  // The app refuses the second one by its length, and needs nothing of it.
  expect(got).toEqual([
    [null, `${100 * KB}`, 100 * KB],
    [null, `${256 * KB + 1}`, 1],
  ]);
}, 120_000);

it('are read in turns, so that connections are accepted and monitors answered in between', async () => {
  const SENDERS = 100;
  const sockets = new Set<Socket>();
  const readBody = createBodyReader({ maxReading: 128, maxBytes: 64 * KB * KB });
  const waiting: (() => void)[] = [];
  let read = 0;
  const server = createGuardedServer(async (request, response) => {
    sockets.add(request.socket);
    await new Promise<void>((begin) => waiting.push(begin));
    const body = await readBody(request, '/');
    if (typeof body === 'object' && body.length === 256 * KB) read += 1;
    response.end('works');
  }).listen(0, '127.0.0.1');
  ended.push(() => server.closeAllConnections() ?? new Promise((closed) => server.close(closed)));
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  for (let sender = 0; sender < SENDERS; sender++) {
    const text = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${256 * KB}\r\n\r\n`;
    const { socket } = await dial(port, text);
    socket.write(Buffer.alloc(256 * KB));
  }
  await vi.waitFor(() => expect(waiting).toHaveLength(SENDERS), PATIENCE);
  const bytesRead = () => [...sockets].reduce((sum, socket) => sum + socket.bytesRead, 0);
  const perTurn: number[] = [];
  let before = bytesRead();
  for (const begin of waiting) begin();
  while (read < SENDERS) {
    await new Promise((turn) => setImmediate(turn));
    const now = bytesRead();
    perTurn.push(now - before);
    before = now;
  }
  // Without turns, 64 KB or more of each of them.
  expect(Math.max(...perTurn)).toBeLessThan(3 * KB * KB);
}, 120_000);

it('that are refused are read by a bounded rest, also if as much as is kept had arrived before the response', async () => {
  let bytesRead = () => 0;
  const server = createGuardedServer((request, response) => {
    bytesRead = () => request.socket.bytesRead;
    const answerLate = () => {
      if (request.readableLength < request.readableHighWaterMark) setTimeout(answerLate, 10);
      else response.writeHead(413).end('too large');
    };
    answerLate();
  }).listen(0, '127.0.0.1');
  ended.push(() => server.closeAllConnections() ?? new Promise((closed) => server.close(closed)));
  await once(server, 'listening');
  const address = server.address();
  const size = 48 * KB * KB;
  const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`;
  const sender = await dial(typeof address === 'object' ? (address?.port ?? 0) : 0, head);
  const part = Buffer.alloc(KB * KB);
  for (let sent = 0; sent < size; sent += part.length) sender.socket.write(part);
  await vi.waitFor(() => expect(sender.received).toContain('too large'), PATIENCE);
  await vi.waitFor(() => expect(sender.socket.destroyed).toBe(true), PATIENCE);
  expect(bytesRead()).toBeLessThan(18 * KB * KB);
}, 120_000);
