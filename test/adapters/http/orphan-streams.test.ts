/** A server of HTTP/2 that responds to a request after it was given up, and then breaks the protocol. */

import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { afterEach, expect, it, vi } from 'vitest';
import { openHttpTransport } from '../../../adapters/http/http-transport.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const [HEADERS, SETTINGS] = [1, 4];
const [ACK, END_STREAM, END_HEADERS] = [1, 1, 4];

function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** INITIAL_WINDOW_SIZE is 0: from then on no body can be sent. */
const NO_WINDOW = Buffer.from([0, 4, 0, 0, 0, 0]);
const STATUS_200 = Buffer.from([0x88]);
const CLIENT_PREFACE_BYTES = 24;

/** Calls back with the number of each stream that the client opens. */
function readStreams(socket: TLSSocket, onStream: (stream: number) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  let skipped = 0;
  socket.on('data', (chunk: Buffer) => {
    const start = Math.min(CLIENT_PREFACE_BYTES - skipped, chunk.length);
    skipped += start;
    rest = Buffer.concat([rest, chunk.subarray(start)]);
    while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      const [type, flags, stream] = [rest.readUInt8(3), rest.readUInt8(4), rest.readUInt32BE(5)];
      rest = rest.subarray(9 + rest.readUIntBE(0, 3));
      if (type === SETTINGS && (flags & ACK) === 0) socket.write(frame(SETTINGS, ACK, 0));
      if (type === HEADERS) onStream(stream);
    }
  });
}

it('is no error of the process', async () => {
  const uncaught: unknown[] = [];
  const onUncaught = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', onUncaught);
  stops.push(() => process.off('uncaughtException', onUncaught));
  const held: { readonly socket: TLSSocket; readonly stream: number }[] = [];
  const closed = vi.fn();
  const server = createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY, ALPNProtocols: ['h2'] }, (socket) => {
    socket.on('error', () => {});
    socket.once('close', closed);
    stops.push(() => socket.destroy());
    socket.write(frame(SETTINGS, 0, 0, NO_WINDOW));
    readStreams(socket, (stream) => {
      if (stream === 1) socket.write(frame(HEADERS, END_HEADERS | END_STREAM, stream, STATUS_200));
      else held.push({ socket, stream });
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  stops.push(() => server.close());
  const transport = openHttpTransport({ allow: ['127.0.0.0/8'], timeout: 2_000, ca: CERTIFICATE });
  stops.push(() => transport.close());
  const post = () => transport.post(new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`), {}, '{}');

  expect(await post()).toMatchObject({ status: 200 });
  await expect(post()).rejects.toMatchObject({ code: 'TIDINGS_HTTP_UNREACHABLE' });
  const [late] = held;
  if (late === undefined) throw new Error('the second request has not come on the same connection');
  late.socket.write(frame(HEADERS, END_HEADERS, late.stream, STATUS_200));
  late.socket.write(Buffer.alloc(40, 255));
  await vi.waitFor(() => expect(closed).toHaveBeenCalled(), { timeout: 20_000 });

  expect(await post()).toMatchObject({ status: 200 });
  expect(uncaught).toEqual([]);
});
