/** TLS handshakes that fail are few for each owner: the check of a certificate chain can take long, and the server chooses it. */

import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from 'node:tls';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { httpChannels } from '../../../adapters/channels/http/channel.ts';
import { createHandshakeGate } from '../../../adapters/http/handshake-gate.ts';
import { openHttpTransport } from '../../../adapters/http/http-transport.ts';
import { event, NOON, SECRET, subscription } from '../../samples.ts';
import { CERTIFICATE, CERTIFICATE_KEY, RSA_CERTIFICATE, RSA_CERTIFICATE_KEY } from './certificate.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const GOOD = { cert: CERTIFICATE, key: CERTIFICATE_KEY };
/** The client does not trust it. */
const BAD = { cert: RSA_CERTIFICATE, key: RSA_CERTIFICATE_KEY };

/** Answers 204, and closes. */
async function startTls(certificate: typeof GOOD): Promise<URL> {
  const server = createServer({ ...certificate, ALPNProtocols: ['http/1.1'] }, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n'));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  stops.push(() => server.close());
  return new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

/** Sends an event as a subscription of this owner does. */
function openSender(timeout?: number) {
  const transport = openHttpTransport({
    allow: ['127.0.0.0/8'],
    ca: CERTIFICATE,
    ...(timeout === undefined ? {} : { timeout }),
  });
  stops.push(() => transport.close());
  const channels = httpChannels({
    http: transport,
    secrets: { resolve: async () => SECRET, keep: async (_, secret) => secret },
  });
  return async ({ href: url }: URL, owner?: string): Promise<number | string | undefined> => {
    const settings = { url, secret: SECRET };
    const sender = subscription('ops', {
      to: { channel: 'http', settings },
      ...(owner === undefined ? {} : { owner }),
    });
    const message = {
      subscription: sender,
      events: [event('1')],
      delivery: 'dlv_1',
      at: NOON,
      timeZone: 'UTC',
    } as const;
    return channels
      .channelFor(settings)
      .send(message)
      .then(
        ({ status }) => status,
        (error: Error) => error.message,
      );
  };
}

describe('the handshakes of an owner', () => {
  it('are few when they fail, and those of others and of its own good servers go on', async () => {
    const send = openSender(3_000);
    const [bad, good] = [await startTls(BAD), await startTls(GOOD)];
    expect(await send(good, 'key')).toBe(204);
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => send(bad, 'key')));
    const count = (reason: RegExp) => outcomes.filter((outcome) => reason.test(String(outcome))).length;
    expect(count(/self-signed certificate/)).toBe(8);
    expect(count(/failed the TLS handshake/)).toBe(32);
    expect(await send(good, 'key')).toBe(204);
    const another = await startTls(GOOD);
    expect(await send(another, 'other key')).toBe(204);
    expect(await send(another)).toBe(204);
  });

  it('are all made as long as they succeed', async () => {
    const send = openSender();
    const good = await startTls(GOOD);
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => send(good, 'key')));
    expect(outcomes).toEqual(Array.from({ length: 100 }, () => 204));
  });
});

describe('the gate', () => {
  it('gives the place of a failed handshake back after a while', async () => {
    const gate = createHandshakeGate(50);
    const ends = await Promise.all(Array.from({ length: 8 }, (_, index) => gate.enter('key', `host${index}`, 20_000)));
    for (const end of ends) end(false);
    await expect(gate.enter('key', 'new', 1)).rejects.toMatchObject({ code: 'TIDINGS_HTTP_UNREACHABLE' });
    await vi.waitFor(() => gate.enter('key', 'new', 1), 20_000);
  });

  it('lets the one that has waited the longest in first', async () => {
    const gate = createHandshakeGate();
    const ends = await Promise.all(Array.from({ length: 8 }, () => gate.enter('key', 'host', 20_000)));
    const order: string[] = [];
    const waiting = ['first', 'second'].map(async (name) => {
      await gate.enter('key', name, 20_000);
      order.push(name);
    });
    ends[0]?.(true);
    await sleep(0);
    ends[1]?.(true);
    await Promise.all(waiting);
    expect(order).toEqual(['first', 'second']);
  });

  it('stops trusting a server whose handshake fails', async () => {
    const gate = createHandshakeGate();
    const prove = await gate.enter('key', 'server', 1);
    prove(true);
    // 16 places of proven servers and the 8 of others.
    const ends = await Promise.all(Array.from({ length: 24 }, () => gate.enter('key', 'server', 20_000)));
    for (const end of ends) end(false);
    await expect(gate.enter('key', 'server', 1)).rejects.toMatchObject({ name: 'RetryLater' });
  });
});
