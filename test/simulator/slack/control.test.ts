import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signatureOf } from '../../../simulator/slack/signed-requests.ts';
import { type Slack, startSlack } from '../../../simulator/slack/slack.ts';
import { call, startTestApp, type TestApp, TestSocket } from './slack-app.ts';

const NOW = 1_763_200_000_000;

let app: TestApp;
let slack: Slack;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.received.length = 0;
  app.answer = (_, response) => response.end('hello');
  slack = await startSlack({
    // A clock that stands still, so that no trigger expires on a busy machine.
    now: () => NOW,
    people: [{ id: 'U024ANN', name: 'Ann Vogt' }],
    perSecond: Number.POSITIVE_INFINITY,
    app: { ackTimeoutMs: 60_000 },
  });
});
afterEach(() => slack.close());

const plain = (text: string) => ({ type: 'plain_text', text });

// biome-ignore lint/suspicious/noExplicitAny: tests read it as they expect it
async function sim(method: string, path: string, body?: object): Promise<any> {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  return (await fetch(`${slack.url}/_sim/${path}`, init)).json();
}

const post = (path: string, body: object) => sim('POST', path, { as: 'U024ANN', channel: 'general', ...body });

describe('the control API of the simulated Slack', () => {
  it('types, presses, submits and reads as a person', async () => {
    await sim('PUT', 'app', { urls: app.url });
    expect((await post('type', { text: '/tidings help' })).messages).toMatchObject([{ text: 'hello' }]);
    const view = {
      type: 'modal',
      title: plain('x'),
      submit: plain('x'),
      blocks: [{ type: 'input', label: plain('x'), element: { type: 'plain_text_input', action_id: 'text' } }],
    };
    app.answer = (_, response) => response.end();
    await call(slack, 'views.open', { trigger_id: app.received[0]?.body.trigger_id, view });
    expect((await sim('GET', 'sees?as=U024ANN&channel=general')).modal).toMatchObject({ type: 'modal' });
    expect((await post('submit', { values: { text: 'entered' } })).modal).toBeNull();
    const blocks = [{ type: 'actions', elements: [{ type: 'button', action_id: 'why', text: plain('Why?') }] }];
    const { ts } = await call(slack, 'chat.postMessage', { channel: 'general', text: 'x', blocks });
    await post('press', { ts, action: 'why' });
    await post('open-home', {});
    expect(app.received.map(({ body }) => body.command ?? body.type)).toEqual([
      '/tidings',
      'view_submission',
      'block_actions',
      'event_callback',
    ]);
  });

  it('sends a request again: as it was, late, forged, and as a retry of Slack', async () => {
    await sim('PUT', 'app', { urls: app.url });
    await post('type', { text: '@Tidings help' });
    expect(await sim('POST', 'deliver', {})).toEqual({ status: 200, body: 'hello' });
    await sim('POST', 'deliver', { secondsAgo: 600 });
    await sim('POST', 'deliver', { body: '{}', headers: { 'x-slack-signature': 'v0=0' } });
    await sim('POST', 'deliver', { secret: 'guessed' });
    await sim('POST', 'retry', { attempt: 2, reason: 'http_timeout' });
    const [original, replay, late, forged, guessed, retry] = app.received;
    expect(replay?.headers['x-slack-signature']).toBe(original?.headers['x-slack-signature']);
    expect(late?.headers['x-slack-request-timestamp']).toBe(String(NOW / 1000 - 600));
    expect(forged).toMatchObject({ raw: '{}', headers: { 'x-slack-signature': 'v0=0' } });
    const time = String(guessed?.headers['x-slack-request-timestamp']);
    expect(guessed?.headers['x-slack-signature']).toBe(signatureOf('guessed', time, guessed?.raw ?? ''));
    expect(retry).toMatchObject({ raw: original?.raw, headers: { 'x-slack-retry-num': '2' } });
    expect(await sim('GET', 'sent')).toHaveLength(2);
  });

  it('cuts and announces the end of sockets', async () => {
    const socket = await TestSocket.open(slack);
    expect(await sim('GET', 'sockets')).toEqual({ count: 1 });
    await sim('POST', 'sockets', { disturb: 'warning' });
    await expect.poll(() => socket.received.at(-1)).toMatchObject({ type: 'disconnect', reason: 'warning' });
    await sim('POST', 'sockets', { disturb: 'drop' });
    await expect.poll(() => sim('GET', 'sockets')).toEqual({ count: 0 });
  });

  it('says what it expects', async () => {
    expect((await sim('GET', '')).routes).toContain('POST type');
    expect((await post('type', { channel: 'nowhere', text: 'x' })).error).toContain("sees no channel 'nowhere'");
    expect((await sim('POST', 'type', {})).error).toContain('as: expected a string');
    expect((await sim('POST', 'sockets', {})).error).toContain('disturb: expected drop');
    expect((await sim('DELETE', 'type')).error).toContain('expected one of');
  });
});
