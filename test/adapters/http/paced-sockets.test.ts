/** What the servers of subscriptions send is read in parts, and TLS records without data are few. */

import { randomBytes } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openHttpTransport } from '../../../adapters/http/http-transport.ts';
import { createPacedSockets, type PaceSocket } from '../../../adapters/http/paced-sockets.ts';
import { CERTIFICATE } from './certificate.ts';
import { startKeyUpdates } from './key-updates.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const RESPONSE = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\ndone';

async function postTo(url: URL, owner: string | undefined) {
  const transport = openHttpTransport({ allow: ['127.0.0.0/8'], ca: CERTIFICATE });
  stops.push(() => transport.close());
  return transport.post(url, {}, 'hello', undefined, undefined, owner).catch((error) => error);
}

describe.each(['key', undefined])('a server with TLS key updates, for requests of %s', (owner) => {
  it('is cut off', async () => {
    // 70 ms of the loop, if nothing counts them.
    const url = await startKeyUpdates(2_300, RESPONSE, stops);
    expect(await postTo(url, owner)).toMatchObject({ name: 'RetryLater', code: 'TIDINGS_HTTP_FLOOD' });
  });

  it('gets its message if there are few', async () => {
    const url = await startKeyUpdates(20, RESPONSE, stops);
    expect(await postTo(url, owner)).toMatchObject({ status: 200, body: 'done' });
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
    expect(near.bytesRead()).toBe(sent.length);
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
