/** Known SSRF tricks. Each one is refused, and no connection arrives. */

import type { LookupAddress } from 'node:dns';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { httpChannels } from '../../../adapters/channels/http/channel.ts';
import type { LookupAll } from '../../../adapters/http/host-lookup.ts';
import { type HttpTransportOptions, openHttpTransport } from '../../../adapters/http/http-transport.ts';
import { probeEndpoint } from '../../../adapters/http/probe-endpoint.ts';
import { localSecrets } from '../../../adapters/secrets/local-secrets.ts';
import { event, NOON, SECRET, subscription } from '../../samples.ts';

/** Listens on every address of this machine, IPv4 and IPv6, and counts connections. */
let trap: Server;
let port = 0;
/** The local address of each connection. */
let arrived: string[] = [];

beforeAll(async () => {
  trap = createServer((socket) => {
    arrived.push(socket.localAddress?.replace('::ffff:', '') ?? '');
    socket.on('error', () => {});
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  });
  await new Promise<void>((listening) => {
    // Without IPv6 it listens on IPv4 only.
    trap.once('error', () => trap.listen(0, '0.0.0.0', listening));
    trap.listen(0, '::', listening);
  });
  port = (trap.address() as AddressInfo).port;
});
afterAll(() => {
  trap.close();
});
beforeEach(() => {
  arrived = [];
});

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** Sends through the webhook channel. Resolves with the receipt or the error. */
function send(url: string, options: HttpTransportOptions = {}): Promise<unknown> {
  const transport = openHttpTransport({ timeout: 20_000, ...options });
  const channels = httpChannels({ http: transport, secrets: localSecrets({ environment: {}, directory: '' }) });
  open.push(transport);
  const http = { url, secret: SECRET };
  const message = {
    subscription: subscription('ops', { to: { channel: 'http', settings: http } }),
    delivery: 'dlv_1',
    at: NOON,
    timeZone: 'UTC',
  };
  return channels
    .channelFor(http)
    .send({ ...message, events: [event('1')] })
    .catch((error: unknown) => error);
}

/** A lookup that returns one list after the other and then repeats the last. Counts its calls. */
function fakeDns(...answers: readonly (readonly string[])[]): { readonly lookup: LookupAll; calls: number } {
  const dns = {
    calls: 0,
    lookup: ((_, __, callback) => {
      const answer = answers[Math.min(dns.calls, answers.length - 1)] ?? [];
      dns.calls += 1;
      const addresses = answer.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }));
      setImmediate(callback, null, addresses);
    }) satisfies LookupAll,
  };
  return dns;
}

const REFUSED = { name: 'GiveUp', code: 'TIDINGS_HTTP_ADDRESS_REFUSED' };

describe('an address in the URL', () => {
  it('reaches the trap when it is allowed', async () => {
    expect(await send(`http://127.0.0.1:${port}/`, { allow: ['127.0.0.0/8'] })).toMatchObject({ status: 200 });
    expect(arrived).toEqual(['127.0.0.1']);
  });

  it.each([
    ['loopback', '127.0.0.1'],
    ['loopback, elsewhere in its range', '127.8.8.8'],
    ['decimal', '2130706433'],
    ['octal', '0177.0.0.1'],
    ['octal, short', '0177.1'],
    ['hex', '0x7f000001'],
    ['hex in parts', '0x7f.0.0.0x1'],
    ['short', '127.1'],
    ['with a dot at the end', '127.0.0.1.'],
    ['in full-width digits', '１２７.０.０.１'],
    ['in circled digits', '①②⑦.0.0.1'],
    ['percent-encoded', '%31%32%37.0.0.1'],
    ['this host', '0.0.0.0'],
    ['this host, as a number', '0'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '192.168.0.1'],
    ['cloud metadata', '169.254.169.254'],
    ['cloud metadata, decimal', '2852039166'],
    ['cloud metadata, IPv6', '[fd00:ec2::254]'],
    ['container metadata', '169.254.170.2'],
    ['carrier-grade NAT', '100.100.100.200'],
    ['broadcast', '255.255.255.255'],
    ['IPv6 loopback', '[::1]'],
    ['IPv6 loopback, written out', '[0:0:0:0:0:0:0:1]'],
    ['IPv6 unspecified', '[::]'],
    ['IPv4-mapped', '[::ffff:127.0.0.1]'],
    ['IPv4-mapped, in hex', '[::ffff:7f00:1]'],
    ['IPv4-compatible', '[::127.0.0.1]'],
    ['IPv4-translated', '[::ffff:0:127.0.0.1]'],
    ['NAT64', '[64:ff9b::127.0.0.1]'],
    ['local NAT64', '[64:ff9b:1::127.0.0.1]'],
    ['6to4', '[2002:7f00:1::]'],
    ['Teredo', '[2001:0:4136:e378:8000:63bf:80ff:fffe]'],
    ['unique local', '[fd12:3456:789a::1]'],
    ['link-local', '[fe80::1]'],
    ['site-local', '[fec0::1]'],
    ['multicast', '[ff02::1]'],
  ])('is refused: %s %s', async (_, host) => {
    expect(await send(`http://${host}:${port}/`)).toMatchObject(REFUSED);
    expect(arrived).toEqual([]);
  });

  it.each(['[fe80::1%25lo]', '[fe80::1%lo]', '127.0.0.1%00.example.com', '127.0.0.1:80@127.0.0.1', 'a@127.0.0.1'])(
    'with credentials, a zone or an escape is refused: %s',
    async (host) => {
      expect(await send(`http://${host}:${port}/`)).toMatchObject({
        name: 'GiveUp',
        code: 'TIDINGS_HTTP_URL_REFUSED',
      });
      expect(arrived).toEqual([]);
    },
  );

  it.each(['gopher', 'ftp', 'file', 'ws', 'unix'])('is refused with the scheme %s', async (scheme) => {
    expect(await send(`${scheme}://127.0.0.1:${port}/`, { allow: ['127.0.0.0/8'] })).toMatchObject({
      name: 'GiveUp',
      code: 'TIDINGS_HTTP_URL_REFUSED',
    });
    expect(arrived).toEqual([]);
  });
});

describe('a host name', () => {
  it.each(['localhost', 'LOCALHOST'])('from /etc/hosts is refused: %s', async (host) => {
    expect(await send(`http://${host}:${port}/`)).toMatchObject(REFUSED);
    expect(arrived).toEqual([]);
  });

  it.each([
    ['127.0.0.1'],
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['2002:7f00:1::'],
    ['2001:0:4136:e378:8000:63bf:80ff:fffe'],
    ['fe80::1%lo'],
    ['not an address'],
  ])('that resolves to %s is refused', async (address) => {
    expect(await send(`http://receiver.example:${port}/`, fakeDns([address]))).toMatchObject(REFUSED);
    expect(arrived).toEqual([]);
  });

  it('with one private address among public ones is refused as a whole', async () => {
    const dns = fakeDns(['93.184.216.34', '2606:4700::1111', '127.0.0.1']);
    const error = await send(`http://receiver.example:${port}/`, dns);
    expect(error).toMatchObject({
      ...REFUSED,
      message: expect.stringMatching(/^receiver.example does not lead to a public address/),
    });
    expect(arrived).toEqual([]);
  });

  it('without an address is retried later', async () => {
    expect(await send(`http://receiver.example:${port}/`, fakeDns([]))).toMatchObject({ name: 'RetryLater' });
  });

  it('is resolved once per connection, and the checked address is used', async () => {
    // The allow list stands for the public network: 127.0.0.1 is allowed, 127.0.0.2 is not.
    const dns = fakeDns(['127.0.0.1'], ['127.0.0.2']);
    const receipt = await send(`http://receiver.example:${port}/`, { ...dns, allow: ['127.0.0.1/32'] });
    expect(receipt).toMatchObject({ status: 200 });
    expect(dns.calls).toBe(1);
    expect(arrived).toEqual(['127.0.0.1']);
  });

  it('that changes to a private address is refused at the next connection', async () => {
    const dns = fakeDns(['127.0.0.1'], ['127.0.0.2']);
    const transport = openHttpTransport({ ...dns, allow: ['127.0.0.1/32'], timeout: 20_000 });
    open.push(transport);
    const post = () =>
      transport.post(new URL(`http://receiver.example:${port}/`), { connection: 'close' }, '').catch((error) => error);
    expect(await post()).toMatchObject({ status: 200 });
    expect(await post()).toMatchObject(REFUSED);
    expect(dns.calls).toBe(2);
    expect(arrived).toEqual(['127.0.0.1']);
  });
});

describe('a redirect', () => {
  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]:PORT/',
    '//127.0.0.1:PORT/',
    'file:///etc/passwd',
  ])('to %s is not followed', async (location) => {
    const to = location.replace('PORT', String(port));
    const server = createHttpServer((_, response) => response.writeHead(307, { location: to }).end());
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const from = (server.address() as AddressInfo).port;
    const error = await send(`http://127.0.0.1:${from}/`, { allow: ['127.0.0.1/32'] });
    expect(error).toMatchObject({ name: 'RetryLater', code: 'TIDINGS_HTTP_STATUS', evidence: { status: 307 } });
    expect(String(error)).not.toContain('meta-data');
    expect(arrived).toEqual([]);
    server.closeAllConnections();
    server.close();
  });
});

describe('a probe', () => {
  it.each(['https://127.0.0.1', 'https://localhost', 'https://[::1]', 'https://2130706433'])(
    'does not connect to %s',
    async (origin) => {
      expect(await probeEndpoint(`${origin}:${port}/`, [])).toMatchObject({ ok: false });
      expect(arrived).toEqual([]);
    },
  );
});
