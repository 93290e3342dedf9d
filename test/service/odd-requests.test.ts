/** Requests that no client sends: they get an error of the caller, and write nothing to the log. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { Hono } from 'hono';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Listening } from '../../service/listen.ts';
import { listenInThread, respondToErrors } from '../../service/threaded-server.ts';

let server: Listening;
const reported: unknown[] = [];

beforeAll(async () => {
  const app = new Hono().get('/v1/me', ({ req, text }) => text(req.raw.method));
  respondToErrors(app, (error) => reported.push(error));
  server = await listenInThread({ fetch: app.fetch, port: 0, warn: (line) => reported.push(line) });
});

afterAll(() => server.close());

async function send(target: string): Promise<string> {
  const socket = connect(server.port, '127.0.0.1');
  let received = '';
  socket.on('data', (data) => {
    received += String(data);
  });
  socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  await once(socket, 'close');
  return received.slice('HTTP/1.1 '.length).split(' ')[0] ?? '';
}

it.each([
  'http://user@host/v1/me',
  'http://:word@host/v1/me',
  'https://user:word@host/v1/me',
  'http:////user@host/v1/me',
  'HTTP://user@host/v1/me',
])('refuses the target %s without a line in the log', async (target) => {
  expect(await send(target)).toBe('400');
  expect(reported).toEqual([]);
});

it.each(['/v1/me', 'http://host/v1/me', '/v1/me?a=user@host'])('answers the target %s', async (target) => {
  expect(await send(target)).toBe('200');
});

it('raises no alarm while the thread that listens is busy with what strangers send', async () => {
  const monitored = await listenInThread({
    fetch: async ({ url }) => {
      if (url.endsWith('/health')) await new Promise((resolve) => setTimeout(resolve, 200));
      return new Response('works');
    },
    port: 0,
    warn: () => {},
  });
  const answers: number[] = [];
  for (let round = 0; round < 2; round++) {
    const sockets = Array.from({ length: 150 }, () => connect(monitored.port, '127.0.0.1').on('error', () => {}));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    for (const socket of sockets) socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    const works = await fetch(`${monitored.url}/`);
    expect(await works.text()).toBe('works');
    // On the connection that is open: a new one would wait until the thread is no longer busy.
    const health = fetch(`${monitored.url}/health`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    for (const socket of sockets) socket.write('1\r\na\r\n'.repeat(4000));
    answers.push((await health).status);
    for (const socket of sockets) socket.destroy();
  }
  expect(answers).toEqual([200, 200]);
  await monitored.close();
}, 60_000);

it('gets the response that was ready when the service stopped', async () => {
  const body = 'x'.repeat(5_000_000);
  const lines: string[] = [];
  let closed: Promise<void> | undefined;
  const stopping = await listenInThread({
    fetch: () => {
      // After the response, which is passed on within the same turn.
      setTimeout(() => {
        closed ??= stopping.close();
      });
      return new Response(body);
    },
    port: 0,
    warn: (line) => lines.push(line),
  });
  const asked = await fetch(stopping.url);
  expect([asked.status, (await asked.text()).length]).toEqual([200, body.length]);
  await closed;
  await expect(fetch(stopping.url)).rejects.toThrow();
  expect(lines).toEqual([]);
});

it('does not keep the service from stopping', async () => {
  const stopping = await listenInThread({ fetch: () => new Promise(() => {}), port: 0, warn: () => {} });
  const unanswered = fetch(stopping.url);
  const silent = connect(stopping.port, '127.0.0.1').on('error', () => {});
  await once(silent, 'connect');
  await Promise.all([stopping.close(), expect(unanswered).rejects.toThrow()]);
});

it('starts the thread that listens again after it has ended, on the same port', async () => {
  // Not a list of names and values: the thread ends with an error.
  const broken = { status: 200, headers: [0], arrayBuffer: async () => new ArrayBuffer(0) } as unknown as Response;
  const lines: string[] = [];
  const other = await listenInThread({
    fetch: ({ url }) => (url.endsWith('/broken') ? broken : new Response('works')),
    port: 0,
    warn: (line) => lines.push(line),
  });
  await expect(fetch(`${other.url}/broken`)).rejects.toThrow();
  await vi.waitFor(async () => expect(await (await fetch(`${other.url}/`)).text()).toBe('works'), { timeout: 30_000 });
  expect(lines).toContain('the thread that listens has ended and starts again');
  await other.close();
  await expect(fetch(`${other.url}/`)).rejects.toThrow();
});
