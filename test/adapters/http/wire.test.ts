import { lookup } from 'node:dns';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExchangeOptions, OpenWire, Wire } from '../../../adapters/http/wire.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts';
import { WIRES } from './wires.ts';

let server: Server;
let wire: Wire;
let answer: RequestListener;
let connections: number;

beforeEach(async () => {
  connections = 0;
  server = createServer((request, response) => answer(request, response));
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});
afterEach(async () => {
  server.closeAllConnections();
  await wire.close();
  await new Promise((closed) => server.close(closed));
});

const post = (change: Partial<ExchangeOptions> = {}) =>
  wire.exchange({
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=1`),
    headers: { 'content-type': 'text/plain' },
    body: 'hello',
    timeout: 5_000,
    keep: 8,
    read: 1_000,
    ...change,
  });

const open = (openWire: OpenWire) => openWire({ timeout: 5_000, lookup });

describe.each(WIRES)('an exchange over %s', (_, openWire) => {
  beforeEach(() => {
    wire = open(openWire);
  });

  it('posts the body to the path and its query, and tells status, headers and the start of the answer', async () => {
    answer = async (request, response) => {
      const sent = `${request.method} ${request.url} ${request.headers['content-type']} ${await text(request)}`;
      response.writeHead(202, { 'x-sent': sent }).end('0123456789');
    };
    const { status, headers, start } = await post();
    expect(status).toBe(202);
    expect(headers['x-sent']).toBe('POST /hook?a=1 text/plain hello');
    expect(start.toString()).toBe('01234567');
  });

  it('uses a connection again after an answer it read to the end', async () => {
    answer = (_, response) => response.writeHead(200).end('x'.repeat(900));
    for (let n = 0; n < 3; n++) {
      await post();
      // undici itself lets a turn pass before it trusts a connection again.
      await new Promise((later) => setTimeout(later, 5));
    }
    expect(connections).toBe(1);
  });

  it('cuts off an answer that goes on and on', async () => {
    answer = (_, response) => {
      response.writeHead(200);
      const more = setInterval(() => response.write('x'.repeat(600)), 5);
      response.on('close', () => clearInterval(more));
    };
    const { status, start } = await post();
    expect([status, start.toString()]).toEqual([200, 'xxxxxxxx']);
  });

  it('takes an answer whose body breaks off for an answer', async () => {
    answer = (_, response) => {
      response.writeHead(500, { 'content-length': '100' });
      response.write('oops');
      setTimeout(() => response.destroy(), 20);
    };
    const { status, start } = await post();
    expect([status, start.toString()]).toEqual([500, 'oops']);
  });

  it('takes an answer whose body does not end in time for an answer', async () => {
    answer = (_, response) => {
      response.writeHead(200).write('so far');
    };
    const { status, start } = await post({ timeout: 200 });
    expect([status, start.toString()]).toEqual([200, 'so far']);
  });

  it('passes over an early hint: it is no answer yet', async () => {
    answer = (_, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.writeHead(204).end();
    };
    expect((await post()).status).toBe(204);
  });

  it('is over at once with one who switches to another protocol unasked', async () => {
    answer = ({ socket }) => socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
    await expect(post()).rejects.not.toThrow('no answer within');
  });

  it('rejects when no answer comes in time, when the connection fails, and when it is stopped', async () => {
    answer = () => {};
    await expect(post({ timeout: 100 })).rejects.toThrow('no answer within 0.1 s');
    const stop = new AbortController();
    const stopping = post({ signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(stopping).rejects.toThrow('enough');
    await expect(post({ signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before');
    answer = (request) => request.socket.destroy();
    await expect(post()).rejects.toThrow();
    await expect(post({ url: new URL('http://127.0.0.1:9/') })).rejects.toThrow('ECONNREFUSED');
  });

  it('sends the host with its port, also of an address in brackets', async () => {
    answer = (request, response) => response.end(request.headers.host);
    const { port } = server.address() as AddressInfo;
    expect((await post({ keep: 99 })).start.toString()).toBe(`127.0.0.1:${port}`);
    const six = createServer((request, response) => response.end(request.headers.host));
    await new Promise<void>((listening) => {
      // A machine without IPv6 has nothing to offer here.
      six.once('error', () => listening()).listen(0, '::1', listening);
    });
    if (!six.listening) return;
    const host = `[::1]:${(six.address() as AddressInfo).port}`;
    expect((await post({ keep: 99, url: new URL(`http://${host}/`) })).start.toString()).toBe(host);
    six.closeAllConnections();
    six.close();
  });

  it('asks for a certificate by name, never by address, and compares it with either', async () => {
    const names: unknown[] = [];
    const secure = createTlsServer(
      {
        ...{ cert: CERTIFICATE, key: CERTIFICATE_KEY },
        SNICallback: (name, callback) => {
          names.push(name);
          callback(null);
        },
      },
      (_, response) => response.end('ok'),
    );
    await new Promise<void>((listening) => secure.listen(0, '127.0.0.1', listening));
    const { port } = secure.address() as AddressInfo;
    const here: LookupFunction = (_, { all }, callback) =>
      all === true ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4);
    const trusting = openWire({ timeout: 5_000, lookup: here, ca: CERTIFICATE });
    const statusOf = async (host: string) => {
      const bounds = { timeout: 5_000, keep: 8, read: 1_000 };
      const url = new URL(`https://${host}:${port}/`);
      return (await trusting.exchange({ url, headers: {}, body: '', ...bounds })).status;
    };
    expect(await statusOf('receiver.example')).toBe(200);
    expect(await statusOf('127.0.0.1')).toBe(200);
    await expect(statusOf('elsewhere.example')).rejects.toThrow("does not match certificate's altnames");
    expect(names).toEqual(['receiver.example', 'elsewhere.example']);
    await trusting.close();
    secure.closeAllConnections();
    secure.close();
  });
});
