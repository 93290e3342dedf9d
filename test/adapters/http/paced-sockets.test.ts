/** What the servers of subscriptions send is read in parts, and TLS records without data are few. */

import { randomBytes } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { openHttpTransport } from '../../../adapters/http/http-transport.ts';
import { createPacedSockets, type PaceSocket } from '../../../adapters/http/paced-sockets.ts';
import { threadCpuMillis } from '../../../adapters/thread-cpu.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts';
import { startKeyUpdates } from './key-updates.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const TIMEOUT = 30_000;
/** Far below the timeout, with room for a busy machine. */
const SOON = 15_000;

const RESPONSE = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\ndone';

async function postTo(url: URL, owner: string | undefined) {
  const transport = openHttpTransport({ allow: ['127.0.0.0/8'], ca: CERTIFICATE });
  stops.push(() => transport.close());
  return transport.post(url, {}, 'hello', undefined, undefined, owner).catch((error) => error);
}

describe('a server with TLS key updates', () => {
  it('is cut off by a key', async () => {
    // 70 ms of the loop, if nothing counts them.
    const url = await startKeyUpdates(2_300, RESPONSE, stops);
    expect(await postTo(url, 'key')).toMatchObject({ name: 'RetryLater', code: 'TIDINGS_HTTP_FLOOD' });
  });

  it.each(['key', undefined])('gets its message if there are few: %s', async (owner) => {
    const url = await startKeyUpdates(20, RESPONSE, stops);
    expect(await postTo(url, owner)).toMatchObject({ status: 200, body: 'done' });
  });
});

describe('a server that resets its connections', () => {
  const listen = async (serve: (socket: Socket) => void): Promise<URL> => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      stops.push(() => socket.destroy());
      serve(socket);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    stops.push(() => server.close());
    return new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  };
  const open = (timeout: number) => {
    const transport = openHttpTransport({ allow: ['127.0.0.0/8'], ca: CERTIFICATE, timeout });
    stops.push(() => transport.close());
    return (url: URL) => transport.post(url, {}, 'hello', undefined, undefined, 'key').catch((error) => error);
  };
  const unreachable = { name: 'RetryLater', code: 'TIDINGS_HTTP_UNREACHABLE' };

  it('while it waits for the handshake of another server, which says nothing', async () => {
    const post = open(2_000);
    const silent = await listen(() => {});
    const { promise: isReset, resolve } = Promise.withResolvers<unknown>();
    const resetting = await listen((socket) => {
      socket.once('close', resolve);
      setTimeout(() => socket.resetAndDestroy(), 50);
    });
    const posted = [post(silent)];
    await new Promise((begun) => setTimeout(begun, 100));
    posted.push(post(resetting));
    await isReset;
    expect(await Promise.all(posted)).toMatchObject([unreachable, unreachable]);
    expect(await post(await startKeyUpdates(0, RESPONSE, stops))).toMatchObject({ status: 200 });
  });

  it.each(['at once', 'in the handshake'])('%s', async (when) => {
    const post = open(TIMEOUT);
    const start = performance.now();
    const url = await listen((socket) => {
      if (when === 'at once') socket.resetAndDestroy();
      else socket.once('data', () => socket.resetAndDestroy());
    });
    expect(await post(url)).toMatchObject(unreachable);
    expect(performance.now() - start).toBeLessThan(SOON);
  });

  it('instead of a response, and after one', async () => {
    const post = open(TIMEOUT);
    const start = performance.now();
    let requests = 0;
    const resets: (() => void)[] = [];
    const behind = createTlsServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, (socket) => {
      socket.on('error', () => {});
      socket.on('data', () => {
        requests += 1;
        if (requests === 1) socket.write(RESPONSE.replace('connection: close\r\n', ''));
        else resets.at(-1)?.();
      });
    });
    await new Promise<void>((listening) => behind.listen(0, '127.0.0.1', listening));
    stops.push(() => behind.close());
    const url = await listen((client) => {
      const server = connect((behind.address() as AddressInfo).port, '127.0.0.1');
      server.on('error', () => {});
      client.pipe(server).pipe(client);
      resets.push(() => {
        client.resetAndDestroy();
        server.destroy();
      });
    });
    expect(await post(url)).toMatchObject({ status: 200, body: 'done' });
    resets.at(-1)?.();
    expect(await post(url)).toMatchObject(unreachable);
    expect([requests, resets.length]).toEqual([2, 2]);
    expect(performance.now() - start).toBeLessThan(SOON);
  });
});

describe('a server that responds and resets the connection', () => {
  it.each(['TLSv1.2', 'TLSv1.3'] as const)('has its status counted: %s', async (version) => {
    const server = createTlsServer({
      cert: CERTIFICATE,
      key: CERTIFICATE_KEY,
      minVersion: version,
      maxVersion: version,
    });
    const ports = createServer((client) => {
      const behind = connect((server.address() as AddressInfo).port, '127.0.0.1');
      behind.on('error', () => {});
      client.on('error', () => {});
      client.pipe(behind);
      behind.on('data', (chunk) => client.write(chunk));
      // All of the response has been written.
      behind.on('end', () => client.resetAndDestroy());
    });
    server.on('secureConnection', (socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(RESPONSE.replace('4', '9000') + 'x'.repeat(9_000)));
    });
    for (const one of [server, ports]) await new Promise<void>((listening) => one.listen(0, '127.0.0.1', listening));
    stops.push(
      () => server.close(),
      () => ports.close(),
    );
    const url = new URL(`https://127.0.0.1:${(ports.address() as AddressInfo).port}/`);
    const transport = openHttpTransport({ allow: ['127.0.0.0/8'], ca: CERTIFICATE });
    stops.push(() => transport.close());
    const outcomes: unknown[] = [];
    for (let count = 0; count < 40; count++)
      outcomes.push(
        await transport.post(url, {}, 'hello', undefined, undefined, `key${count}`).then(
          ({ status }) => status,
          (error) => error.message,
        ),
      );
    expect(outcomes).toEqual(Array(40).fill(200));
  });
});

/** Two ends of a connection. */
async function openPair(paceSocket: PaceSocket, owner = 'key') {
  const server = createServer({ allowHalfOpen: true });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const far = await accepted;
  const near = paceSocket(owner, socket);
  for (const one of [far, near.stream]) one.on('error', () => {});
  stops.push(
    () => far.destroy(),
    () => socket.destroy(),
    () => server.close(),
  );
  return { far, near, socket };
}

const untilReceived = async (socket: Socket, bytes: number) => {
  while (socket.bytesRead < bytes) await new Promise((soon) => setTimeout(soon, 5));
};

function busyFor(millis: number): void {
  const end = performance.now() + millis;
  while (performance.now() < end);
}

describe('a paced connection', () => {
  it('passes everything on, in both directions, and its end', async () => {
    const { far, near } = await openPair(createPacedSockets());
    const sent = randomBytes(300_000);
    const echoed: Buffer[] = [];
    far.on('data', (chunk) => far.write(chunk)).on('end', () => far.end());
    near.stream.on('data', (chunk) => echoed.push(chunk));
    const ended = new Promise((resolve) => near.stream.once('end', resolve));
    near.stream.end(sent);
    await ended;
    expect(Buffer.concat(echoed).equals(sent)).toBe(true);
    expect(near.bytesRead).toBe(sent.length);
  });

  it('lets the loop turn between parts that take long', async () => {
    const { far, near, socket } = await openPair(createPacedSockets());
    far.write(randomBytes(20_000));
    await untilReceived(socket, 1);
    let turns = 0;
    const countTurn = () => {
      turns += 1;
      turning = setImmediate(countTurn);
    };
    let turning = setImmediate(countTurn);
    stops.push(() => clearImmediate(turning));
    const turnsAt: number[] = [];
    await new Promise<void>((resolve) => {
      let bytes = 0;
      near.stream.on('data', (part) => {
        turnsAt.push(turns);
        busyFor(5);
        bytes += part.length;
        if (bytes === 20_000) resolve();
      });
    });
    expect(turnsAt.length).toBeGreaterThanOrEqual(10);
    expect(new Set(turnsAt).size).toBe(turnsAt.length);
  });

  it('measures what it takes to read its parts, and nothing else', async () => {
    const paceSocket = createPacedSockets();
    const [costly, cheap] = [await openPair(paceSocket, 'costly'), await openPair(paceSocket, 'cheap')];
    const received = [costly, cheap].map(({ near }) => new Promise((resolve) => near.stream.once('data', resolve)));
    let atItsEnd = 0;
    costly.near.stream.on('data', () => {
      for (const from = threadCpuMillis(); threadCpuMillis() - from < 30; );
      atItsEnd = costly.near.cpuMillis;
    });
    for (const { far } of [costly, cheap]) far.write('hello');
    await Promise.all(received);
    busyFor(30);
    expect(atItsEnd).toBeGreaterThanOrEqual(30);
    expect(costly.near.cpuMillis).toBeGreaterThanOrEqual(atItsEnd);
    expect(cheap.near.cpuMillis).toBeLessThan(costly.near.cpuMillis / 2);
  });

  it('does not wait for the many connections of another owner', async () => {
    const paceSocket = createPacedSockets();
    const order: string[] = [];
    const open = async (owner: string) => {
      const pair = await openPair(paceSocket, owner);
      pair.far.write(randomBytes(20_000));
      await untilReceived(pair.socket, 1);
      return pair.near.stream;
    };
    const many = await Promise.all(Array.from({ length: 20 }, () => open('many')));
    const one = await open('one');
    const received = new Promise<void>((resolve) => one.once('data', () => resolve()));
    for (const [owner, stream] of [...many.map((each) => ['many', each] as const), ['one', one] as const])
      stream.on('data', () => {
        order.push(owner);
        busyFor(1);
      });
    await received;
    expect(order.slice(0, 5)).toContain('one');
  });

  it('ends with an error when the server resets it, and is destroyed with its stream', async () => {
    const paceSocket = createPacedSockets();
    const reset = await openPair(paceSocket);
    const failed = new Promise((resolve) => reset.near.stream.once('error', resolve));
    reset.near.stream.resume();
    reset.far.resetAndDestroy();
    expect(await failed).toMatchObject({ code: 'ECONNRESET' });
    const ended = await openPair(paceSocket);
    ended.near.stream.destroy();
    expect(ended.socket.destroyed).toBe(true);
  });
});
