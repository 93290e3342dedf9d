/** A server that resets its connections in any state: the attempt fails, and nothing else does. */

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { openHttpTransport } from '../../../adapters/http/http-transport.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const TIMEOUT = 30_000;
/** Far below the timeout, with room for a busy machine. */
const SOON = 15_000;

const RESPONSE = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\ndone';

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
