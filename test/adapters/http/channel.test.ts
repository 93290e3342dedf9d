import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { type HttpChannels, httpChannels } from '../../../adapters/http/channel.ts';
import { localSecrets } from '../../../adapters/secrets/local-secrets.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { fromMillis } from '../../../core/model/time.ts';
import { event, SECRET, subscription } from '../../samples.ts';

let server: Server | undefined;
let channels: HttpChannels | undefined;

afterEach(async () => {
  await channels?.close();
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

async function receiver(listener: RequestListener): Promise<number> {
  server = createServer(listener);
  await new Promise<void>((listening) => server?.listen(0, '127.0.0.1', listening));
  return (server.address() as AddressInfo).port;
}

const secrets = localSecrets({ environment: { OPS_SECRET: SECRET, OPS_KEY: 'k-123' }, directory: '' });

function send(url: string, options: { allow?: readonly string[]; timeout?: number } = {}) {
  channels = httpChannels({ secrets, allow: ['127.0.0.0/8'], ...options });
  const http = { url, secret: '${OPS_SECRET}', headers: { 'x-key': 'Key ${OPS_KEY}' } };
  const target = subscription('ops', { to: { http } });
  return channels.channelFor(http).send({
    subscription: target,
    events: [event('1')],
    delivery: 'dlv_1',
    at: fromMillis(Date.now()),
    timeZone: 'UTC',
  });
}

const failure = (sent: Promise<unknown>): Promise<unknown> =>
  sent.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('the HTTP channel', () => {
  it('posts the event, signed, with the headers of the subscription', async () => {
    let seen: { headers: IncomingHttpHeaders; body: string; method: string | undefined } | undefined;
    const port = await receiver(async (request, response) => {
      seen = { headers: request.headers, body: await text(request), method: request.method };
      response.writeHead(202).end('thanks');
    });
    expect(await send(`http://127.0.0.1:${port}/hook`)).toEqual({ status: 202, body: 'thanks' });
    expect(seen?.method).toBe('POST');
    expect(seen?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-key': 'Key k-123',
      'webhook-id': 'evt_1',
    });
    const headers = seen?.headers as Record<string, string>;
    expect(new Webhook(SECRET).verify(seen?.body ?? '', headers)).toEqual(event('1'));
  });

  it.each([199 + 102, 302, 400, 401, 404, 429, 500, 503])(
    'calls a %i no success, and keeps what was said',
    async (status) => {
      const port = await receiver((_, response) => response.writeHead(status, { location: '/elsewhere' }).end('why'));
      expect(await failure(send(`http://127.0.0.1:${port}/`))).toMatchObject({
        name: 'RetryLater',
        code: 'TIDINGS_HTTP_STATUS',
        evidence: { status, body: 'why' },
      });
    },
  );

  it('does not follow a redirect', async () => {
    const paths: (string | undefined)[] = [];
    const port = await receiver((request, response) => {
      paths.push(request.url);
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    await failure(send(`http://127.0.0.1:${port}/hook`));
    expect(paths).toEqual(['/hook']);
  });

  it('gives up on 410', async () => {
    const port = await receiver((_, response) => response.writeHead(410).end());
    expect(await failure(send(`http://127.0.0.1:${port}/`))).toBeInstanceOf(GiveUp);
  });

  it('reads Retry-After in seconds', async () => {
    const port = await receiver((_, response) => response.writeHead(429, { 'retry-after': '120' }).end());
    expect(await failure(send(`http://127.0.0.1:${port}/`))).toMatchObject({ after: 120_000 });
  });

  it('keeps the first 4 KB of an endless answer and lets the rest go', async () => {
    const port = await receiver((_, response) => {
      response.writeHead(500);
      const timer = setInterval(() => response.write('x'.repeat(1000)), 1);
      response.on('close', () => clearInterval(timer));
    });
    const error = await failure(send(`http://127.0.0.1:${port}/`));
    expect((error as RetryLater).evidence.body).toHaveLength(4096);
  });

  it('takes a 200 whose body breaks off as a success', async () => {
    const port = await receiver((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('part');
      setTimeout(() => response.destroy(), 20);
    });
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 });
  });

  it('retries what does not answer in time, and what is not there', async () => {
    const port = await receiver(() => {});
    const slow = await failure(send(`http://127.0.0.1:${port}/`, { timeout: 200 }));
    expect(slow).toMatchObject({ name: 'RetryLater', code: 'TIDINGS_HTTP_UNREACHABLE' });
    await channels?.close();
    expect(await failure(send('http://127.0.0.1:1/'))).toBeInstanceOf(RetryLater);
  });

  it.each([
    'http://127.0.0.1',
    'http://2130706433',
    'http://0x7f.1',
    'http://[::1]',
    'http://[::ffff:127.0.0.1]',
    'http://localhost',
  ])('refuses %s unless it is allowed, without connecting', async (origin) => {
    let connected = 0;
    const port = await receiver((_, response) => {
      connected += 1;
      response.end();
    });
    const error = await failure(send(`${origin}:${port}/`, { allow: [] }));
    expect(error).toMatchObject({ name: 'GiveUp', code: 'TIDINGS_HTTP_ADDRESS_REFUSED' });
    expect(connected).toBe(0);
  });
});
