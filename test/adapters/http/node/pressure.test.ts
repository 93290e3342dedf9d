/** The wire on Node's own modules under pressure: receivers nearby, large bodies, early answers, connections that stall. */

import { spawn } from 'node:child_process';
import { lookup } from 'node:dns';
import { once } from 'node:events';
import { constants, createSecureServer, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { wholeTurn } from '../../../../adapters/http/node/line.ts';
import { openNodeWire } from '../../../../adapters/http/node/node-wire.ts';
import type { ExchangeOptions, Wire } from '../../../../adapters/http/wire.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../certificate.ts';

const { NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants;
const TLS = { cert: CERTIFICATE, key: CERTIFICATE_KEY };

let url: URL;
let wire: Wire;
/** Every connection that was ever made. */
let sockets: Socket[];
let servers: Server[];

beforeEach(() => {
  sockets = [];
  servers = [];
  wire = openNodeWire({ timeout: 300, lookup, ca: CERTIFICATE });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
  await wire.close();
});

async function listen(server: Server): Promise<void> {
  servers.push(server);
  server.on('connection', (socket: Socket) => sockets.push(socket.on('error', () => {})));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

function receiver2(answer: (stream: ServerHttp2Stream) => void) {
  const server = createSecureServer(TLS);
  server.on('sessionError', () => {});
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    answer(stream);
  });
  return server;
}

const reply = (stream: ServerHttp2Stream) => {
  stream.respond({ ':status': 200 });
  stream.end('ok');
};

const post = (change: Partial<ExchangeOptions> = {}) =>
  wire.exchange({ url, headers: {}, body: 'hello', timeout: 5_000, keep: 100, read: 1_000, ...change });
const bodyOf = async (change: Partial<ExchangeOptions> = {}) => (await post(change)).start.toString();
const atOnce = (count: number, change: Partial<ExchangeOptions> = {}) =>
  Promise.all(Array.from({ length: count }, () => bodyOf(change)));
const allOk = (count: number) => Array.from({ length: count }, () => 'ok');

it('uses connections again over TLS, however fast the answers come', async () => {
  // In a process of its own, so that it answers while this one is still at work. It tells how many connections there were.
  const script = `
    let connections = 0;
    const server = require('node:https').createServer(${JSON.stringify(TLS)}, (request, response) => {
      request.resume().on('end', () => response.end(String(connections)));
    });
    server.on('connection', () => { connections += 1; });
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));
  `;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = await once(child.stdout, 'data');
    url = new URL(`https://127.0.0.1:${Number(port)}/`);
    for (let round = 0; round < 50; round += 1) await atOnce(10);
    expect(Number(await bodyOf())).toBeLessThan(20);
  } finally {
    child.kill();
  }
});

it('throws no answer away, however much waits to be sent over one session', async () => {
  await listen(receiver2((stream) => stream.resume().on('end', () => reply(stream))));
  expect(await atOnce(12, { body: 'x'.repeat(1_500_000) })).toEqual(allOk(12));
  expect(sockets).toHaveLength(1);
});

it('leaves no stream behind when the answer came before all was sent', async () => {
  /** Kinds of frames that came, by their numbers in RFC 9113. */
  const frames: number[] = [];
  const [HEADERS, SETTINGS, RST_STREAM] = [1, 4, 3];
  const frame = (type: number, flags: number, stream: number, ...payload: number[]) =>
    Buffer.from([0, 0, payload.length, type, flags, 0, 0, 0, stream, ...payload]);
  // By hand: Node's own would say by itself that it does not want the rest.
  const server = createTlsServer({ ...TLS, ALPNProtocols: ['h2'] }, (socket) => {
    let bytes = Buffer.alloc(0);
    let isGreeted = false;
    socket.on('error', () => {}).write(frame(SETTINGS, 0, 0));
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (!isGreeted) bytes = bytes.subarray('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'.length);
      isGreeted = true;
      while (bytes.length >= 9 && bytes.length >= 9 + bytes.readUIntBE(0, 3)) {
        frames.push(bytes.readUInt8(3));
        // The whole answer: ended, status 200.
        if (bytes.readUInt8(3) === HEADERS) socket.write(frame(HEADERS, 5, bytes.readUInt32BE(5), 0x88));
        bytes = bytes.subarray(9 + bytes.readUIntBE(0, 3));
      }
    });
  });
  await listen(server);
  // What was sent in time is left in peace.
  expect(await post()).toMatchObject({ status: 200 });
  await wait(20);
  expect(frames).toContain(HEADERS);
  expect(frames).not.toContain(RST_STREAM);
  expect(await post({ body: 'x'.repeat(200_000) })).toMatchObject({ status: 200 });
  await expect.poll(() => frames).toContain(RST_STREAM);
  expect(sockets).toHaveLength(1);
});

it('sends what a receiver has not looked at for as long as it looks at others', async () => {
  // Three for each connection, as nginx does with keepalive_requests.
  let looked = 0;
  await listen(
    receiver2((stream) => {
      const id = stream.id ?? 0;
      if (id > 5) return;
      looked += 1;
      stream.resume();
      if (id === 5) stream.session?.goaway(NGHTTP2_NO_ERROR, 5);
      setTimeout(() => stream.destroyed || reply(stream), 20);
    }),
  );
  expect(await atOnce(20)).toEqual(allOk(20));
  expect(looked).toBe(20);
});

it('asks only once more one who refuses what it claims to have looked at', async () => {
  let asked = 0;
  await listen(
    receiver2((stream) => {
      asked += 1;
      stream.session?.goaway(NGHTTP2_NO_ERROR, stream.id);
      setTimeout(() => stream.close(NGHTTP2_REFUSED_STREAM), 10);
    }),
  );
  await expect(post()).rejects.toThrow('REFUSED_STREAM');
  expect(asked).toBe(2);
});

/** Says nothing at the first connection, and passes the others on to one who answers. */
async function stallOnce(): Promise<void> {
  const server = receiver2((stream) => {
    stream.resume();
    reply(stream);
  });
  servers.push(server);
  let connections = 0;
  await listen(
    createTcpServer((socket) => {
      connections += 1;
      if (connections > 1) server.emit('connection', socket);
    }),
  );
}

it('gives up a connection that is not made in time, however long those who wait for it would wait', async () => {
  await stallOnce();
  const both = await Promise.allSettled([post(), post()]);
  expect(both.map((one) => one.status === 'rejected' && String(one.reason))).toEqual([
    'Error: no connection within 0.3 s',
    'Error: no connection within 0.3 s',
  ]);
  expect(await bodyOf()).toBe('ok');
  expect(sockets).toHaveLength(2);
});

it('does not take what it waited for a connection from what it waits for an answer', async () => {
  await listen(receiver2((stream) => setTimeout(() => reply(stream.resume()), 500)));
  expect(await bodyOf()).toBe('ok');
});

it('makes a connection of its own when the one that was being made has just been given up', async () => {
  await stallOnce();
  const stop = new AbortController();
  const first = post({ signal: stop.signal });
  await expect.poll(() => sockets.length).toBe(1);
  // In the very turn in which the second looks: the first is gone, and its socket is about to be.
  void wholeTurn().then(() => stop.abort(new Error('enough')));
  const second = bodyOf();
  await expect(first).rejects.toThrow('enough');
  expect(await second).toBe('ok');
});
