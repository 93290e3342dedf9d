/** Connections to receivers that close each one resume the TLS session of the one before. */

import { constants } from 'node:crypto';
import { type AddressInfo, connect } from 'node:net';
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { openHttpTransport } from '../../../adapters/http/http-transport.ts';
import { createTlsConnector } from '../../../adapters/http/tls-connector.ts';
import { createTlsSessions } from '../../../adapters/http/tls-sessions.ts';
import { HOUR } from '../../../core/model/time.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Answers 204, closes, and notes which connections resumed a session. */
async function startTls(options: TlsOptions = {}) {
  const resumed: boolean[] = [];
  const server = createServer(
    { cert: CERTIFICATE, key: CERTIFICATE_KEY, ALPNProtocols: ['http/1.1'], ...options },
    (socket) => {
      socket.on('error', () => {});
      resumed.push(socket.isSessionReused());
      socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n'));
    },
  );
  server.on('tlsClientError', () => {});
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  stops.push(() => server.close());
  return { resumed, url: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`) };
}

function openSender() {
  const transport = openHttpTransport({ allow: ['127.0.0.0/8'], ca: CERTIFICATE });
  stops.push(() => transport.close());
  const post = (url: URL, owner?: string) => transport.post(url, {}, '{}', undefined, undefined, owner);
  return { post, close: transport.close };
}

describe('a receiver that closes each connection', () => {
  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'takes one complete handshake, also of several on one host: %s',
    async (version) => {
      const { post } = openSender();
      const servers = [await startTls({ maxVersion: version }), await startTls({ maxVersion: version })];
      for (let round = 0; round < 4; round++) for (const { url } of servers) await post(url, 'key');
      for (const { resumed } of servers) expect(resumed).toEqual([false, true, true, true]);
    },
  );

  it('does so after a pause of the process, and after a garbage collection', async () => {
    const { post, close } = openSender();
    const { url, resumed } = await startTls();
    await post(url, 'key');
    await close();
    // As much as a busy process makes.
    const waste = Array.from({ length: 300 }, (_, index) => Array.from({ length: 10_000 }, () => ({ index })));
    expect(waste).toHaveLength(300);
    await post(url, 'key');
    expect(resumed).toEqual([false, true]);
  });

  it('does not share sessions with another key', async () => {
    const { post } = openSender();
    const { url, resumed } = await startTls();
    for (const owner of ['key', 'another', undefined, 'key', 'another', undefined]) await post(url, owner);
    expect(resumed).toEqual([false, false, false, true, true, true]);
  });

  it('may refuse to resume', async () => {
    const { post } = openSender();
    const { url, resumed } = await startTls({ secureOptions: constants.SSL_OP_NO_TICKET });
    for (let round = 0; round < 3; round++) expect((await post(url, 'key')).status).toBe(204);
    expect(resumed).toEqual([false, false, false]);
  });
});

describe('a receiver that sends session after session', () => {
  it('is cut off after the eighth', async () => {
    const { url } = await startTls({ minVersion: 'TLSv1.3' });
    const connectTls = createTlsConnector({ timeout: 10_000, ca: CERTIFICATE });
    const raw = connect(Number(url.port), '127.0.0.1');
    const socket = await new Promise<TLSSocket>((resolve, reject) => {
      const to = { hostname: '127.0.0.1', host: '127.0.0.1', port: url.port, protocol: 'https:' };
      connectTls('key', to, raw, (error, connected) =>
        error === null ? resolve(connected as TLSSocket) : reject(error),
      );
    });
    const ended = new Promise<Error>((resolve) => socket.once('error', resolve));
    // No server of Node sends more than two.
    for (let count = 0; count < 6; count++) socket.emit('session', Buffer.alloc(10));
    expect(socket.destroyed).toBe(false);
    for (let count = 0; count < 3; count++) socket.emit('session', Buffer.alloc(10));
    expect(await ended).toMatchObject({
      code: 'TIDINGS_HTTP_FLOOD',
      message: expect.stringContaining('more than 8 TLS sessions'),
    });
  });
});

describe('the kept sessions', () => {
  const ticket = (size = 10) => Buffer.alloc(size);

  it('end an hour after the certificates were checked, however often they are resumed', () => {
    let now = 0;
    const sessions = createTlsSessions(() => now);
    sessions.keep('server', ticket(), false);
    for (let count = 0; count < 5; count++) {
      now += HOUR / 6;
      expect(sessions.get('server')).toBeDefined();
      sessions.keep('server', ticket(), true);
    }
    now += HOUR / 6;
    expect(sessions.get('server')).toBeUndefined();
    sessions.keep('server', ticket(), false);
    expect(sessions.get('server')).toBeDefined();
  });

  it('are limited in number and size: the server chooses its ticket', () => {
    const sessions = createTlsSessions();
    for (let index = 0; index < 1_200; index++) sessions.keep(`server ${index}`, ticket(), false);
    expect([sessions.get('server 0'), sessions.get('server 199')]).toEqual([undefined, undefined]);
    expect(sessions.get('server 200')).toBeDefined();
    sessions.keep('server 500', ticket(60_000), false);
    expect(sessions.get('server 500')).toBeUndefined();
  });

  it('are forgotten after a failure', () => {
    const sessions = createTlsSessions();
    sessions.keep('server', ticket(), false);
    sessions.forget('server');
    expect(sessions.get('server')).toBeUndefined();
    sessions.keep('server', ticket(), true);
    expect(sessions.get('server')).toBeUndefined();
  });
});
