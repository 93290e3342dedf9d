import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signatureOf } from '../../../simulator/slack/signed-requests.ts';
import { type Slack, startSlack } from '../../../simulator/slack/slack.ts';
import { call, sendJson, startTestApp, type TestApp, TestSocket } from './slack-app.ts';

const PEOPLE = [
  { id: 'U024ANN', name: 'Ann Vogt' },
  { id: 'U025BEN', name: 'Ben Roth' },
];

/** Shorter than Slack's: only for tests of an acknowledgement that never comes. */
const SHORT_ACK_MS = 50;

/** Longer than Slack's, because a test machine may be busy. */
const ACK_MS = 60_000;

let app: TestApp;
let slack: Slack;
let now = 1_763_200_000_000;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
afterEach(() => slack.close());

const start = async (options: Parameters<typeof startSlack>[0] = {}) => {
  slack = await startSlack({ now: () => now, people: PEOPLE, perSecond: Number.POSITIVE_INFINITY, ...options });
};

const texts = (person: string, channel = 'general') =>
  slack
    .as(person)
    .sees(channel)
    .map(({ text }) => text);

const respond = async (url: string, body: unknown) => {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
};

describe('a command over HTTP', () => {
  beforeEach(async () => {
    app.received.length = 0;
    app.answer = (_, response) => response.end();
    await start({ app: { urls: `${app.url}/slack`, ackTimeoutMs: ACK_MS } });
  });

  it('carries the fields of Slack and a signature of the raw body', async () => {
    await slack.as('U024ANN').type('general', '/tidings  subscribe task.overdue “Website”  ');
    const [{ headers, raw, body }] = app.received as [(typeof app.received)[0]];
    expect(body).toMatchObject({
      team_id: 'T00000001',
      channel_id: slack.channel('general').id,
      channel_name: 'general',
      user_id: 'U024ANN',
      user_name: 'ann',
      command: '/tidings',
      text: 'subscribe task.overdue “Website”',
      api_app_id: 'A00000001',
      is_enterprise_install: 'false',
    });
    const timestamp = String(Math.floor(now / 1000));
    expect(headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': signatureOf(slack.app.signingSecret, timestamp, raw),
    });
  });

  it('shows an answer in the acknowledgement to the person alone, or to the channel', async () => {
    app.answer = (_, response) => response.end('only you');
    await slack.as('U024ANN').type('general', '/tidings help');
    app.answer = (_, response) => sendJson(response, { response_type: 'in_channel', text: 'everyone' });
    await slack.as('U024ANN').type('general', '/tidings list');
    expect(texts('U024ANN')).toEqual(['only you', 'everyone']);
    expect(texts('U025BEN')).toEqual(['everyone']);
  });

  it('shows the error of Slack when the app fails or cannot be reached', async () => {
    app.answer = (_, response) => response.writeHead(500).end();
    await slack.as('U024ANN').type('general', '/tidings help');
    app.answer = (_, response) => response.writeHead(401).end();
    await slack.as('U024ANN').type('general', '/tidings help');
    slack.app.http.urls = 'http://127.0.0.1:1/';
    await slack.as('U024ANN').type('general', '/tidings help');
    expect(texts('U024ANN')).toEqual(
      ['http_service_error', 'http_client_error', 'dispatch_failed'].map(
        (error) => `/tidings failed with the error "${error}"`,
      ),
    );
    expect(texts('U025BEN')).toEqual([]);
  });

  it('shows the error of Slack when the app does not acknowledge in time', async () => {
    await slack.close();
    await start({ app: { urls: app.url, ackTimeoutMs: SHORT_ACK_MS } });
    app.answer = () => undefined;
    await slack.as('U024ANN').type('general', '/tidings help');
    expect(texts('U024ANN')).toEqual(['/tidings failed with the error "operation_timeout"']);
  });

  it('cannot be typed in a thread, and others are no commands of the app', async () => {
    const { ts } = await call(slack, 'chat.postMessage', { channel: 'general', text: 'a root' });
    await slack.as('U024ANN').type('general', '/tidings help', ts);
    await slack.as('U024ANN').type('general', '/other help');
    expect(app.received).toEqual([]);
    expect(texts('U024ANN').slice(1)).toEqual([
      '/tidings is not supported in threads. Sorry!',
      '/other is not a valid command.',
    ]);
  });

  it('accepts five answers at the response URL, within 30 minutes', async () => {
    await slack.as('U024ANN').type('general', '/tidings list');
    const url = app.received[0]?.body.response_url as string;
    for (const text of ['1', '2', '3', '4', '5'])
      expect(await respond(url, { text, replace_original: true })).toEqual({ status: 200, text: 'ok' });
    expect(await respond(url, { text: '6' })).toEqual({ status: 404, text: '{"ok":false,"error":"used_url"}' });
    // A command has no original to replace.
    expect(texts('U024ANN')).toEqual(['1', '2', '3', '4', '5']);
    await slack.as('U024ANN').type('general', '/tidings list');
    now += 30 * 60_000;
    const late = app.received[1]?.body.response_url as string;
    expect((await respond(late, { text: 'x' })).text).toContain('expired_url');
    expect((await respond(`${late}0`, { text: 'x' })).status).toBe(404);
  });

  it('refuses an answer with wrong blocks or without text', async () => {
    await slack.as('U024ANN').type('general', '/tidings list');
    const url = app.received[0]?.body.response_url as string;
    expect((await respond(url, { blocks: [{ type: 'carousel' }] })).text).toContain('invalid_blocks');
    expect((await respond(url, {})).text).toContain('no_text');
    app.answer = (_, response) => sendJson(response, { blocks: [{ type: 'carousel' }] });
    await slack.as('U024ANN').type('general', '/tidings list');
    expect(texts('U024ANN')).toEqual(['/tidings failed with the error "invalid_blocks"']);
  });

  it('can be sent again as it was, for tests of replays', async () => {
    await slack.as('U024ANN').type('general', '/tidings list');
    const [sent] = slack.app.http.sent;
    if (sent === undefined) throw new Error('nothing was sent');
    expect((await slack.app.http.deliver(sent)).status).toBe(200);
    expect(app.received[1]?.raw).toBe(app.received[0]?.raw);
    expect(app.received[1]?.headers['x-slack-signature']).toBe(app.received[0]?.headers['x-slack-signature']);
  });
});

describe('a command over Socket Mode', () => {
  beforeEach(() => start({ app: { ackTimeoutMs: ACK_MS, drainMs: 20 } }));

  it('opens a socket with the app-level token and a ticket that works once', async () => {
    const { url } = await call(slack, 'apps.connections.open', {}, slack.appToken);
    expect(await call(slack, 'apps.connections.open', {})).toMatchObject({ error: 'not_allowed_token_type' });
    expect(await call(slack, 'chat.postMessage', {}, slack.appToken)).toMatchObject({
      error: 'not_allowed_token_type',
    });
    const first = await TestSocket.open(slack);
    expect(first.received[0]).toMatchObject({ type: 'hello', num_connections: 1 });
    const wrong = new WebSocket(`${url.split('?')[0]}?ticket=guessed`);
    await new Promise((resolve) => wrong.addEventListener('error', resolve, { once: true }));
    expect(slack.app.sockets.count).toBe(1);
  });

  it('sends an envelope and shows the answer of the acknowledgement', async () => {
    const socket = await TestSocket.open(slack);
    socket.acknowledge = () => ({ payload: { text: 'done' } });
    await slack.as('U024ANN').type('general', '/tidings list');
    expect(socket.envelopes).toMatchObject([
      { type: 'slash_commands', accepts_response_payload: true, payload: { command: '/tidings', text: 'list' } },
    ]);
    expect(texts('U024ANN')).toEqual(['done']);
  });

  it('fails without a socket, and without an acknowledgement', async () => {
    await slack.close();
    await start({ app: { ackTimeoutMs: SHORT_ACK_MS } });
    await slack.as('U024ANN').type('general', '/tidings list');
    const socket = await TestSocket.open(slack);
    socket.acknowledge = () => undefined;
    await slack.as('U024ANN').type('general', '/tidings list');
    expect(texts('U024ANN')).toEqual([
      '/tidings failed with the error "dispatch_failed"',
      '/tidings failed with the error "operation_timeout"',
    ]);
  });

  it('sends an envelope again when the socket is cut before its acknowledgement', async () => {
    const first = await TestSocket.open(slack);
    const second = await TestSocket.open(slack);
    for (const one of [first, second]) one.acknowledge = () => ({ payload: { text: 'done' } });
    slack.app.sockets.dropAfterNextEnvelope();
    await slack.as('U024ANN').type('general', '/tidings list');
    expect(texts('U024ANN')).toEqual(['done']);
    await expect.poll(() => [first.isOpen, second.isOpen].filter(Boolean).length).toBe(1);
    const ids = [...first.envelopes, ...second.envelopes].map(({ envelope_id: id }) => id);
    expect(new Set(ids).size).toBe(1);
  });

  it('sends an envelope to a socket that opens after the only one was cut', async () => {
    await TestSocket.open(slack);
    slack.app.sockets.dropAfterNextEnvelope();
    const typed = slack.as('U024ANN').type('general', '/tidings list');
    while (slack.app.sockets.count > 0) await wait(1);
    await TestSocket.open(slack);
    await typed;
    expect(texts('U024ANN')).toEqual([]);
  });

  it('announces the end of a socket, prefers others, and closes it', async () => {
    const first = await TestSocket.open(slack);
    slack.app.sockets.announceDisconnect('warning');
    const second = await TestSocket.open(slack);
    await slack.as('U024ANN').type('general', '/tidings list');
    expect(first.received.map(({ type }) => type)).toContain('disconnect');
    expect(second.envelopes).toHaveLength(1);
    await expect.poll(() => first.isOpen).toBe(false);
    await expect.poll(() => slack.app.sockets.count).toBe(1);
  });

  it('accepts ten sockets', async () => {
    await Promise.all(Array.from({ length: 10 }, () => TestSocket.open(slack)));
    const eleventh = await TestSocket.open(slack);
    expect(eleventh.received).toMatchObject([{ type: 'disconnect', reason: 'too_many_websockets' }]);
  });
});
