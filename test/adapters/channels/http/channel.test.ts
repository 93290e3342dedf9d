import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { CloudEvent, HTTP } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { type HttpChannelOptions, httpChannels } from '../../../../adapters/channels/http/channel.ts';
import type { HttpSettings } from '../../../../adapters/channels/http/settings.ts';
import {
  type HttpTransport,
  type HttpTransportOptions,
  openHttpTransport,
} from '../../../../adapters/http/http-transport.ts';
import { USER_AGENT } from '../../../../adapters/http/user-agent.ts';
import { localSecrets } from '../../../../adapters/secrets/local-secrets.ts';
import { newSigningSecret } from '../../../../core/delivery/signing/sign.ts';
import { GiveUp, RetryLater } from '../../../../core/model/errors.ts';
import type { Subscription } from '../../../../core/model/subscription.ts';
import { fromMillis, HOUR, plus } from '../../../../core/model/time.ts';
import type { OutboundMessage, Receipt } from '../../../../core/ports/channel.ts';
import { newSigningKey } from '../../../core/delivery/signing/ed-keys.ts';
import { event, NOON, SECRET, subscription } from '../../../samples.ts';

let server: Server | undefined;
let transport: HttpTransport | undefined;

afterEach(async () => {
  await transport?.close();
  transport = undefined;
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

async function receiver(listener: RequestListener): Promise<number> {
  server = createServer(listener);
  await new Promise<void>((listening) => server?.listen(0, '127.0.0.1', listening));
  return (server.address() as AddressInfo).port;
}

interface Seen {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly method: string | undefined;
}

/** A receiver that accepts everything, and its requests. */
async function listener(): Promise<{ readonly url: string; readonly seen: Seen[] }> {
  const seen: Seen[] = [];
  const port = await receiver(async (request, response) => {
    seen.push({ headers: request.headers, body: await text(request), method: request.method });
    response.writeHead(202).end('thanks');
  });
  return { url: `http://127.0.0.1:${port}/hook`, seen };
}

const NEW_SECRET = newSigningSecret(Buffer.alloc(32, 8));
const ED_SECRET = newSigningKey(Buffer.alloc(32, 9));
const environment = { OPS_SECRET: SECRET, NEW_SECRET, ED_SECRET, BAD_SECRET: 'whsec_short', OPS_KEY: 'k-123' };
const secrets = localSecrets({ environment, directory: '' });

interface SendOptions extends Partial<HttpChannelOptions>, HttpTransportOptions {
  readonly target?: Partial<HttpSettings>;
  readonly subscription?: Partial<Subscription>;
  readonly message?: Partial<OutboundMessage>;
}

function send(url: string, { target, subscription: change, message, ...options }: SendOptions = {}): Promise<Receipt> {
  transport ??= openHttpTransport({ allow: ['127.0.0.0/8'], ...options });
  const channels = httpChannels({ http: transport, secrets, ...options });
  const http: HttpSettings = { url, secret: '${OPS_SECRET}', headers: { 'x-key': 'Key ${OPS_KEY}' }, ...target };
  return channels.channelFor(http).send({
    subscription: subscription('ops', { to: { channel: 'http', settings: http }, ...change }),
    events: [event('1')],
    delivery: 'dlv_1',
    at: fromMillis(Date.now()),
    timeZone: 'UTC',
    ...message,
  });
}

const failure = (sent: Promise<unknown>): Promise<unknown> =>
  sent.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('the HTTP channel', () => {
  it('posts the event, signed, with the headers of the subscription', async () => {
    const { url, seen } = await listener();
    expect(await send(url)).toEqual({ status: 202, body: 'thanks' });
    const [one] = seen;
    expect(one?.method).toBe('POST');
    expect(one?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      'x-key': 'Key k-123',
      'webhook-id': 'evt_1',
    });
    const headers = one?.headers as Record<string, string>;
    expect(new Webhook(SECRET).verify(one?.body ?? '', headers)).toEqual(event('1'));
  });

  it('sends credentials to an endpoint behind a login', async () => {
    const { url, seen } = await listener();
    await send(url, { target: { auth: { bearer: '${OPS_KEY}' }, headers: { 'User-Agent': 'Ops' } } });
    await send(url, { target: { auth: { basic: { user: 'ann', password: '${OPS_KEY}' } } } });
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer k-123',
      `Basic ${Buffer.from('ann:k-123').toString('base64')}`,
    ]);
    expect(seen.map(({ headers }) => headers['user-agent'])).toEqual(['Ops', USER_AGENT]);
  });

  it.each([
    ['a header that is ours', { headers: { 'Content-Length': '5' } }, 'TIDINGS_HTTP_HEADER_REFUSED'],
    ['a header that breaks the request', { headers: { 'x-key': 'a\r\nb: c' } }, 'TIDINGS_HTTP_HEADER_REFUSED'],
    ['a secret that is not there', { headers: { 'x-key': '${NOT_SET}' } }, 'TIDINGS_SECRET_UNAVAILABLE'],
    ['a signing secret that is none', { secret: '${BAD_SECRET}' }, 'TIDINGS_SECRET_INVALID'],
    ['an address that is none', { url: 'ops' }, 'TIDINGS_HTTP_URL_REFUSED'],
  ])('gives up on %s, and sends nothing', async (_, target, code) => {
    const { url, seen } = await listener();
    const error = await failure(send(url, { target }));
    expect(error).toBeInstanceOf(GiveUp);
    expect(error).toMatchObject({ code, gone: false });
    expect(seen).toEqual([]);
  });

  it.each(['replay', 'test'] as const)('marks a %s in header and body, both under the signature', async (mark) => {
    const { url, seen } = await listener();
    await send(url, { message: { mark } });
    expect(seen[0]?.headers).toMatchObject({ [`tidings-${mark}`]: 'true' });
    const headers = seen[0]?.headers as Record<string, string>;
    expect(new Webhook(SECRET).verify(seen[0]?.body ?? '', headers)).toEqual({ ...event('1'), [mark]: true });
  });

  it('sends the body in the format of the subscription', async () => {
    const { url, seen } = await listener();
    const links = { task: 'https://work.example.com/{id}' };
    await send(url, { links, target: { format: 'thin' } });
    await send(url, { target: { format: 'standard' } });
    const [thin, standard] = seen.map(({ headers, body }) => {
      return new Webhook(SECRET).verify(body, headers as Record<string, string>);
    });
    expect(thin).toMatchObject({ data: { version: 2, id: '1', link: 'https://work.example.com/1' } });
    expect(standard).toEqual({ type: 'task.closed', timestamp: NOON, data: event('1').data });
  });

  it.each(['cloudevents', 'thin'] as const)('sends a %s body that the CloudEvents SDK recognises', async (format) => {
    const { url, seen } = await listener();
    const dataschema = 'https://example.com/task.closed.json';
    const message = { events: [event('1', { dataschema })], mark: 'replay' } as const;
    await send(url, { target: { format, contentType: 'application/cloudevents+json' }, message });
    await send(url, { target: { format }, message });
    const [recognised, json] = seen.map(({ headers, body }) => ({ headers: { ...headers }, body }));
    const read = HTTP.toEvent(recognised ?? { headers: {}, body: '' });
    if (!(read instanceof CloudEvent)) throw new Error('expected one event');
    expect(read.validate()).toBe(true);
    expect(read.toJSON()).toEqual({ ...JSON.parse(recognised?.body ?? ''), datacontenttype: 'application/json' });
    // Why the option exists: the SDK takes a plain JSON request for one in binary mode.
    expect(() => HTTP.toEvent(json ?? { headers: {}, body: '' })).toThrow('no cloud event detected');
  });

  it.each([199 + 102, 302, 400, 401, 404, 429, 500, 503])(
    'does not count a %i as success, and stores the response',
    async (status) => {
      const port = await receiver((_, response) => response.writeHead(status, { location: '/elsewhere' }).end('why'));
      expect(await failure(send(`http://127.0.0.1:${port}/`))).toMatchObject({
        name: 'RetryLater',
        code: 'TIDINGS_HTTP_STATUS',
        evidence: { status, body: 'why' },
      });
    },
  );

  it('does not follow a redirect, and reports only the origin of its target', async () => {
    const paths: (string | undefined)[] = [];
    const port = await receiver((request, response) => {
      paths.push(request.url);
      response.writeHead(307, { location: 'https://new.example.com/hook?token=abc' }).end();
    });
    const error = await failure(send(`http://127.0.0.1:${port}/hook`));
    expect(error).toMatchObject({
      message: `307 from 127.0.0.1:${port}: it redirects to https://new.example.com, and redirects are not followed`,
    });
    expect(paths).toEqual(['/hook']);
  });

  it('gives up on 410 Gone, and disables the subscription', async () => {
    const port = await receiver((_, response) => response.writeHead(410).end());
    const error = await failure(send(`http://127.0.0.1:${port}/`));
    expect(error).toBeInstanceOf(GiveUp);
    expect(error).toMatchObject({ code: 'TIDINGS_HTTP_GONE', gone: true, evidence: { status: 410 } });
  });

  it.each([429, 500, 502, 503, 504])('follows Retry-After of a %i, in seconds and as a date', async (status) => {
    let asked = '120';
    const port = await receiver((_, response) => {
      response.sendDate = false;
      response.writeHead(status, { 'retry-after': asked }).end();
    });
    const wait = () => failure(send(`http://127.0.0.1:${port}/`, { message: { at: NOON } }));
    expect(await wait()).toMatchObject({ name: 'RetryLater', after: 120_000 });
    asked = new Date(plus(NOON, HOUR)).toUTCString();
    expect(await wait()).toMatchObject({ name: 'RetryLater', after: HOUR });
    asked = '999999999';
    expect(await wait()).toMatchObject({ after: 24 * HOUR });
  });

  it.each([200, 500])('stores the request id of the receiver for a %i', async (status) => {
    const port = await receiver((_, response) => response.writeHead(status, { 'x-request-id': 'req-1' }).end());
    const evidence = await send(`http://127.0.0.1:${port}/`).catch((error: RetryLater) => error.evidence);
    expect(evidence).toMatchObject({ status, requestId: 'req-1' });
  });

  it('stores the first 4 KB of an endless response', async () => {
    const port = await receiver((_, response) => {
      response.writeHead(500);
      const timer = setInterval(() => response.write('x'.repeat(1000)), 1);
      response.on('close', () => clearInterval(timer));
    });
    const error = await failure(send(`http://127.0.0.1:${port}/`));
    expect((error as RetryLater).evidence.body).toHaveLength(4096);
  });

  it('counts a 200 with an incomplete body as success', async () => {
    const port = await receiver((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('part');
      setTimeout(() => response.destroy(), 20);
    });
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 });
  });

  it('retries after a timeout and a refused connection', async () => {
    const port = await receiver(() => {});
    const slow = await failure(send(`http://127.0.0.1:${port}/`, { timeout: 200 }));
    expect(slow).toMatchObject({ name: 'RetryLater', code: 'TIDINGS_HTTP_UNREACHABLE' });
    expect(await failure(send('http://127.0.0.1:1/'))).toBeInstanceOf(RetryLater);
  });
});

describe('a secret during rotation', () => {
  const rotation = { secret: '${NEW_SECRET}', replaces: '${OPS_SECRET}', previous: '${OPS_SECRET}' };
  const soon = () => fromMillis(Date.now() + HOUR);
  const verifies = (secret: string, { headers, body }: Seen) => {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };

  async function signed(change: Partial<typeof rotation> & { until?: string }): Promise<Seen> {
    const { url, seen } = await listener();
    await send(url, { subscription: { rotation: { ...rotation, until: soon(), ...change } } });
    const [one] = seen;
    if (one === undefined) throw new Error('nothing came');
    return one;
  }

  it('signs with both secrets until the overlap ends', async () => {
    const seen = await signed({});
    expect([SECRET, NEW_SECRET].map((secret) => verifies(secret, seen))).toEqual([true, true]);
    expect(seen.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
  });

  it('signs only with the new secret afterwards', async () => {
    const seen = await signed({ until: fromMillis(Date.now() - 1000) });
    expect([SECRET, NEW_SECRET].map((secret) => verifies(secret, seen))).toEqual([false, true]);
  });

  it('can change from HMAC to Ed25519', async () => {
    const seen = await signed({ secret: '${ED_SECRET}' });
    expect(seen.headers['webhook-signature']).toMatch(/^v1a,\S+ v1,\S+$/);
    expect(verifies(SECRET, seen)).toBe(true);
  });

  it.each(['${GONE_SECRET}', 'file:/nowhere/secret', '${BAD_SECRET}'])(
    'skips the old secret if it is %s',
    async (previous) => {
      const seen = await signed({ previous });
      expect(verifies(NEW_SECRET, seen)).toBe(true);
      expect(seen.headers['webhook-signature']).not.toContain(' ');
    },
  );

  it('requires the new secret', async () => {
    const { url, seen } = await listener();
    const change = { rotation: { ...rotation, secret: '${GONE_SECRET}', until: soon() } };
    const error = await failure(send(url, { subscription: change }));
    expect(error).toMatchObject({ name: 'GiveUp', code: 'TIDINGS_SECRET_UNAVAILABLE' });
    expect(seen).toEqual([]);
  });

  it('skips an old secret without read permission, but requires the new one', async () => {
    const { url, seen } = await listener();
    const denied = new RetryLater('TIDINGS_SECRET_DENIED', 'the role has no right to it');
    const asked = {
      ...secrets,
      resolve: (reference: string) => (reference === 'ssm:/old' ? Promise.reject(denied) : secrets.resolve(reference)),
    };
    await send(url, {
      secrets: asked,
      subscription: { rotation: { ...rotation, previous: 'ssm:/old', until: soon() } },
    });
    expect(seen).toHaveLength(1);
    const change = { rotation: { ...rotation, secret: 'ssm:/old', until: soon() } };
    expect(await failure(send(url, { secrets: asked, subscription: change }))).toBe(denied);
  });

  it('retries when the store of the old secret is unavailable', async () => {
    const { url, seen } = await listener();
    const throttled = new RetryLater('TIDINGS_SECRET_UNREACHABLE', 'too fast');
    const asked = {
      ...secrets,
      resolve: (reference: string) =>
        reference === 'ssm:/old' ? Promise.reject(throttled) : secrets.resolve(reference),
    };
    const change = { rotation: { ...rotation, previous: 'ssm:/old', until: soon() } };
    expect(await failure(send(url, { secrets: asked, subscription: change }))).toBe(throttled);
    expect(seen).toEqual([]);
  });
});

describe('a secret that was just replaced', () => {
  /** A receiver that accepts only the new key, and secrets that have the old one cached. */
  async function changedOver(status: number) {
    const seen: IncomingHttpHeaders[] = [];
    const port = await receiver((request, response) => {
      seen.push(request.headers);
      const right = ['Bearer new', `Basic ${Buffer.from('ann:new').toString('base64')}`, 'Key new'];
      const isIn = [request.headers.authorization, request.headers['x-key']].some((shown) =>
        right.includes(shown as string),
      );
      response.writeHead(isIn ? 204 : status).end();
    });
    let key = 'old';
    const remembering = {
      ...secrets,
      resolve: async (reference: string, { fresh = false } = {}) => {
        if (fresh) key = 'new';
        return reference.startsWith('ssm:')
          ? key
          : reference === 'Key ssm:/key'
            ? `Key ${key}`
            : secrets.resolve(reference);
      },
    };
    return { url: `http://127.0.0.1:${port}/hook`, seen, remembering };
  }

  it.each<[string, number, Partial<HttpSettings>]>([
    ['bearer token', 401, { auth: { bearer: 'ssm:/key' } }],
    ['password', 403, { auth: { basic: { user: 'ann', password: 'ssm:/key' } } }],
    ['header', 401, { headers: { 'x-key': 'Key ssm:/key' } }],
  ])(
    'is read again when the %s is refused with %i, and the event is accepted in the same attempt',
    async (_, status, target) => {
      const { url, seen, remembering } = await changedOver(status);
      expect(await send(url, { secrets: remembering, target: { headers: {}, ...target } })).toMatchObject({
        status: 204,
      });
      expect(seen).toHaveLength(2);
      expect(seen[1]?.['webhook-id']).toBe(seen[0]?.['webhook-id']);
    },
  );

  it('is not read again after any other response', async () => {
    const { url, seen, remembering } = await changedOver(500);
    const error = await failure(send(url, { secrets: remembering, target: { auth: { bearer: 'ssm:/key' } } }));
    expect(error).toMatchObject({ name: 'RetryLater', evidence: { status: 500 } });
    expect(seen).toHaveLength(1);
  });

  it('is retried later if the secret has not changed', async () => {
    const port = await receiver((_, response) => response.writeHead(401).end());
    const error = await failure(send(`http://127.0.0.1:${port}/hook`, { target: { auth: { bearer: '${OPS_KEY}' } } }));
    expect(error).toMatchObject({ name: 'RetryLater', evidence: { status: 401 } });
  });
});
