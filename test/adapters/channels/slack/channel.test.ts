import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SlackMessage } from '../../../../adapters/channels/slack/block-kit.ts';
import {
  type SlackChannelOptions,
  type SlackChannels,
  slackChannels,
} from '../../../../adapters/channels/slack/channel.ts';
import type { SlackSettings } from '../../../../adapters/channels/slack/settings.ts';
import {
  type HttpTransport,
  type HttpTransportOptions,
  openHttpTransport,
} from '../../../../adapters/http/http-transport.ts';
import { localSecrets } from '../../../../adapters/secrets/local-secrets.ts';
import { eventTypes } from '../../../../core/events/catalogue.ts';
import type { RetryLater } from '../../../../core/model/errors.ts';
import type { OutboundMessage } from '../../../../core/ports/channel.ts';
import { type Slack, startSlack } from '../../../../simulator/slack/slack.ts';
import { example, links, outboundMessage, tasks, wordsOf } from './slack-samples.ts';

let slack: Slack;
const opened: HttpTransport[] = [];

beforeEach(async () => {
  slack = await startSlack({ perSecond: Number.POSITIVE_INFINITY });
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
  await slack.close();
});

function channels(
  options: Partial<SlackChannelOptions> & HttpTransportOptions = {},
  environment: Record<string, string> = {},
): SlackChannels {
  const http = openHttpTransport({ allow: ['127.0.0.0/8'], ...options });
  opened.push(http);
  return slackChannels({
    http,
    secrets: localSecrets({
      environment: { SLACK_URL: slack.webhookUrl, SLACK_TOKEN: slack.token, ...environment },
      directory: '',
    }),
    links,
    ...options,
  });
}

const webhook: SlackSettings = { webhook: '${SLACK_URL}' };
const bot = (channel = '#finance'): SlackSettings => ({
  token: '${SLACK_TOKEN}',
  // A function, because test tables are evaluated before the simulated Slack starts.
  get api() {
    return slack.apiUrl;
  },
  channel,
  mentions: { 'Ann Vogt': 'U024ANN' },
});
const overdue = example('task.overdue');

const send = (target: SlackSettings, change: Partial<OutboundMessage> = {}, made = channels()) =>
  made.channelFor(target).send(outboundMessage([overdue], change, { to: { channel: 'slack', settings: target } }));

const failure = (sent: Promise<unknown>): Promise<RetryLater & { gone?: boolean }> =>
  sent.then(
    () => expect.unreachable('it was taken'),
    (error) => error,
  );

describe('an incoming webhook', () => {
  it('posts text, blocks and an attachment, and stores the response', async () => {
    expect(await send(webhook)).toEqual({ status: 200, body: 'ok', requestId: 'req-1' });
    expect(slack.messages).toHaveLength(1);
    const [message] = slack.messages;
    expect(message).toMatchObject({ by: 'webhook', channel: slack.channel('general').id, text: expect.any(String) });
    expect(wordsOf((message as unknown as SlackMessage).blocks)).toContain('has been overdue since Sat 21 Nov');
    expect(message?.attachments).toMatchObject([{ color: '#e01e5a' }]);
  });

  it('gathers 500 events into one message', async () => {
    await channels()
      .channelFor(webhook)
      .send(outboundMessage(tasks('task.closed', 500)));
    expect(slack.messages.map(({ text }) => text)).toEqual(['500 tasks closed']);
  });

  it.each([
    [403, 'action_prohibited', true],
    [404, 'channel_not_found', true],
    [404, 'no_service', true],
    [410, 'channel_is_archived', true],
    [403, 'invalid_token', true],
    [400, 'invalid_payload', false],
    [400, 'no_text', false],
    [400, 'something new', false],
  ])('gives up on %i %s, gone: %s', async (status, body, gone) => {
    slack.setFault({ status, body });
    const error = await failure(send(webhook));
    expect(error).toMatchObject({ name: 'GiveUp', gone, evidence: { status, body, requestId: 'req-1' } });
    expect(error.message).toContain(`Slack answered ${status} ${body.split(' ')[0]}`);
  });

  it.each([500, 502, 503, 504, 301])('retries on %i', async (status) => {
    slack.setFault({ status, body: '' });
    expect(await failure(send(webhook))).toMatchObject({ name: 'RetryLater', evidence: { status } });
  });

  it('waits as long as Slack asks', async () => {
    slack.setFault({ status: 429, body: 'rate_limited', retryAfter: 30 });
    expect(await failure(send(webhook))).toMatchObject({ code: 'TIDINGS_SLACK_BUSY', after: 30_000 });
  });

  it('is rate limited at the second message in a second, and accepts it afterwards', async () => {
    await slack.close();
    let now = 1_763_200_000_000;
    slack = await startSlack({ now: () => now });
    const made = channels();
    await send(webhook, {}, made);
    expect(await failure(send(webhook, {}, made))).toMatchObject({ name: 'RetryLater', after: 1000 });
    now += 1000;
    await send(webhook, {}, made);
    expect(slack.messages).toHaveLength(2);
  });

  it('disables the subscription when the channel was archived or the app removed', async () => {
    slack.archive('general');
    expect(await failure(send(webhook))).toMatchObject({ name: 'GiveUp', gone: true });
    slack.removeApp();
    const removed = await failure(send(webhook));
    expect(removed).toMatchObject({ name: 'GiveUp', gone: true });
    expect(removed.message).toBe('Slack answered 404 no_service: the webhook was removed');
  });

  it('never shows its URL, which is secret', async () => {
    const secret = `${slack.url}/services/T1/B1/very-secret`;
    const unknown = await failure(send(webhook, {}, channels({}, { SLACK_URL: secret })));
    const nonsense = await failure(send(webhook, {}, channels({}, { SLACK_URL: 'very-secret' })));
    expect(nonsense).toMatchObject({ name: 'GiveUp', code: 'TIDINGS_SLACK_WEBHOOK_INVALID' });
    const dead = await failure(send(webhook, {}, channels({}, { SLACK_URL: 'http://127.0.0.1:1/very-secret' })));
    for (const error of [unknown, nonsense, dead])
      expect(`${error.message} ${JSON.stringify(error.evidence)}`).not.toContain('very-secret');
  });

  it('rejects private networks without connecting, unless they are allowed', async () => {
    const error = await failure(send(webhook, {}, channels({ allow: [] })));
    expect(error).toMatchObject({ name: 'GiveUp', code: 'TIDINGS_HTTP_ADDRESS_REFUSED' });
    expect(slack.requests).toBe(0);
  });

  it('retries after a timeout', async () => {
    slack.setFault({ delay: 2000 });
    expect(await failure(send(webhook, {}, channels({ timeout: 100 })))).toMatchObject({ name: 'RetryLater' });
  });

  it('uses the text of a template', async () => {
    const { subscription, ...rest } = outboundMessage(
      [overdue],
      {},
      { to: { channel: 'slack', settings: webhook }, template: { text: '*Late:* it' } },
    );
    await channels()
      .channelFor(webhook)
      .send({ subscription, ...rest });
    expect(slack.messages[0]).toMatchObject({
      text: '*Late:* it',
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*Late:* it' } }],
      attachments: [],
    });
  });
});

describe('a webhook and a bot', () => {
  it.each([
    ['a webhook', webhook],
    ['a bot', bot()],
  ])('send a message of every type: %s', async (_, target) => {
    const channel = channels().channelFor(target);
    for (const { type } of eventTypes)
      await channel.send(outboundMessage([example(type)], {}, { to: { channel: 'slack', settings: target } }));
    expect(slack.messages).toHaveLength(eventTypes.length);
    expect(new Set(slack.messages.map(({ text }) => text)).size).toBeGreaterThan(eventTypes.length / 2);
  });

  it.each([
    ['a webhook', webhook],
    ['a bot', bot()],
  ])('send a digest, a replay, a test and 2,000 events: %s', async (_, target) => {
    const channel = channels().channelFor(target);
    const to = { channel: 'slack', settings: target };
    await channel.send(outboundMessage(tasks('task.overdue', 12), {}, { to, digest: { at: '08:30' } }));
    await channel.send(outboundMessage([overdue], { mark: 'replay' }, { to }));
    await channel.send(outboundMessage([overdue], { mark: 'test' }, { to }));
    await channel.send(outboundMessage(tasks('task.updated', 2000), {}, { to }));
    expect(slack.messages.map(({ text }) => text.slice(0, 12))).toEqual([
      'Good morning',
      expect.stringMatching(/^🔁/u),
      expect.stringMatching(/^🧪/u),
      '2,000 tasks ',
    ]);
  });

  it.each([
    ['a webhook', webhook],
    ['a bot', bot()],
  ])('stop on abort: %s', async (_, target) => {
    slack.setFault({ delay: 5000 });
    const stop = AbortSignal.timeout(50);
    const sent = channels()
      .channelFor(target)
      .send(outboundMessage([overdue]), stop);
    expect(await failure(sent)).toMatchObject({ name: 'RetryLater' });
  });

  it.each([
    ['a webhook', { webhook: '${NO_SUCH}' }],
    ['a bot', { token: '${NO_SUCH}', channel: '#finance' }],
  ])('name a missing secret without a request to Slack: %s', async (_, target) => {
    const error = await failure(send(target));
    expect(error.name).toBe('GiveUp');
    expect(error.message).toContain('NO_SUCH');
    expect(slack.requests).toBe(0);
  });
});

describe('a bot', () => {
  it('posts to its channel, mentions the people concerned, and returns the thread', async () => {
    const receipt = await send(bot());
    const [message] = slack.messages;
    expect(message).toMatchObject({ by: 'bot', channel: slack.channel('finance').id });
    expect(JSON.stringify(message?.blocks)).toContain('{"type":"user","user_id":"U024ANN"}');
    expect(receipt).toMatchObject({ status: 200, requestId: 'req-1', thread: message?.ts });
    // The echoed message is not stored.
    expect(JSON.parse(receipt.body ?? '')).toEqual({ ok: true, ts: message?.ts });
  });

  it('finds the thread in a response that is longer than the stored part', async () => {
    const receipt = await channels()
      .channelFor(bot())
      .send(outboundMessage(tasks('task.closed', 500)));
    expect(JSON.stringify(slack.messages[0]).length).toBeGreaterThan(4096);
    expect(receipt.thread).toBe(slack.messages[0]?.ts);
  });

  it('replies to the first message about the record, which stays the thread', async () => {
    const made = channels();
    const root = (await send(bot(), {}, made)).thread ?? '';
    expect((await send(bot(), { thread: root }, made)).thread).toBe(root);
    expect((await send(bot(), { thread: root }, made)).thread).toBe(root);
    expect(slack.messages.map(({ threadTs }) => threadTs)).toEqual([undefined, root, root]);
  });

  it('shows no reply in the channel', async () => {
    const made = channels();
    const root = (await send(bot(), {}, made)).thread ?? '';
    await send(bot(), { thread: root }, made);
    expect(slack.messages.map(({ isBroadcast }) => isBroadcast)).toEqual([false, false]);
  });

  it('with threads: late, shows a reply in the channel only if its urgency is late', async () => {
    const made = channels();
    const late = { ...bot(), threads: 'late' } as const;
    const root = (await send(late, {}, made)).thread ?? '';
    await send(late, { thread: root }, made);
    await send(late, { thread: root, mark: 'replay' }, made);
    await made.channelFor(late).send(outboundMessage([example('task.due_date_changed')], { thread: root }));
    expect(slack.messages.map(({ isBroadcast }) => isBroadcast)).toEqual([false, true, false, false]);
  });

  it('starts a new thread when the old one was deleted', async () => {
    const made = channels();
    const root = (await send(bot(), {}, made)).thread ?? '';
    slack.deleteMessage(root);
    const receipt = await send(bot(), { thread: root }, made);
    expect(slack.messages).toHaveLength(1);
    expect(receipt.thread).toBe(slack.messages[0]?.ts);
    expect(receipt.thread).not.toBe(root);
    expect(slack.requests).toBe(3);
  });

  it('does not repeat endlessly when Slack reports a missing thread for a new message', async () => {
    slack.setFault({ error: 'thread_not_found' });
    expect(await failure(send(bot(), { thread: '1.2' }))).toMatchObject({ name: 'RetryLater' });
    expect(slack.requests).toBe(2);
  });

  it.each([
    'channel_not_found',
    'is_archived',
    'not_in_channel',
    'invalid_auth',
    'not_authed',
    'account_inactive',
    'token_revoked',
    'token_expired',
    'missing_scope',
    'restricted_action',
    'restricted_action_read_only_channel',
    'ekm_access_denied',
    'no_permission',
  ])('disables the subscription on %s, until a person resumes it', async (error) => {
    slack.setFault({ error });
    const failed = await failure(send(bot()));
    expect(failed).toMatchObject({
      name: 'GiveUp',
      code: 'TIDINGS_SLACK_REFUSED',
      gone: true,
      evidence: { status: 200 },
    });
    expect(failed.message).toContain(`Slack answered 200 ${error}`);
  });

  it.each([
    'msg_too_long',
    'msg_blocks_too_long',
    'invalid_blocks',
    'invalid_attachments',
    'no_text',
    'invalid_arguments',
  ])('gives up on one message on %s, and sends the next', async (error) => {
    slack.setFault({ error, times: 1 });
    const made = channels();
    expect(await failure(send(bot(), {}, made))).toMatchObject({
      name: 'GiveUp',
      code: 'TIDINGS_SLACK_MESSAGE_REFUSED',
      gone: false,
    });
    await send(bot(), {}, made);
  });

  it.each([
    'internal_error',
    'fatal_error',
    'service_unavailable',
    'request_timeout',
    'rate_limited',
    'an_error_of_2031',
  ])('retries on %s', async (error) => {
    slack.setFault({ error });
    expect(await failure(send(bot()))).toMatchObject({ name: 'RetryLater' });
  });

  it('waits as long as Slack asks, by status or by error word', async () => {
    slack.setFault({ error: 'ratelimited', status: 429, retryAfter: 12 });
    expect(await failure(send(bot()))).toMatchObject({ code: 'TIDINGS_SLACK_BUSY', after: 12_000 });
    slack.setFault({ error: 'ratelimited', retryAfter: 7 });
    expect(await failure(send(bot()))).toMatchObject({ code: 'TIDINGS_SLACK_BUSY', after: 7_000 });
  });

  it.each([
    [200, '<html>a proxy of the house</html>'],
    [200, ''],
    [502, 'bad gateway'],
  ])('does not count %i %j as success', async (status, body) => {
    slack.setFault({ status, body });
    expect(await failure(send(bot()))).toMatchObject({ name: 'RetryLater', evidence: { status } });
  });

  it('retries when the connection breaks before the response', async () => {
    slack.setFault({ cut: true });
    expect(await failure(send(bot()))).toMatchObject({ name: 'RetryLater', code: 'TIDINGS_HTTP_UNREACHABLE' });
  });

  it('rejects an invalid token without showing it', async () => {
    const error = await failure(send(bot(), {}, channels({}, { SLACK_TOKEN: 'xoxb secret\nline' })));
    expect(error).toMatchObject({ name: 'GiveUp', code: 'TIDINGS_SLACK_TOKEN_INVALID' });
    expect(error.message).not.toContain('secret');
    expect(slack.requests).toBe(0);
  });

  it('explains the error', async () => {
    slack.channel('finance').hasBot = false;
    expect((await failure(send(bot()))).message).toBe(
      'Slack answered 200 not_in_channel: invite the bot to the channel',
    );
  });
});

describe('a secret that was just replaced', () => {
  /** Caches values until a fresh one is requested, as in AWS. */
  function remembered(old: string, now: () => string) {
    let kept = old;
    return {
      keep: async () => '',
      resolve: async (_: string, { fresh = false } = {}) => {
        if (fresh) kept = now();
        return kept;
      },
    };
  }

  it.each([
    [404, 'no_service'],
    [403, 'invalid_token'],
    [410, 'channel_is_archived'],
  ])('is read again when Slack answers %i %s to the old webhook, and the message is accepted', async (status, body) => {
    slack.setFault({ status, body, times: 1 });
    const secrets = remembered(`${slack.webhookUrl}?old`, () => slack.webhookUrl);
    expect(await send(webhook, {}, channels({ secrets }))).toMatchObject({ status: 200 });
    expect([slack.messages.length, slack.requests]).toEqual([1, 2]);
  });

  it.each(['invalid_auth', 'token_revoked', 'account_inactive'])(
    'is looked up when the API says %s to the old token, and the message arrives',
    async (error) => {
      slack.setFault({ error, times: 1 });
      const secrets = remembered('xoxb-old', () => slack.token);
      expect(await send(bot(), {}, channels({ secrets }))).toMatchObject({ status: 200 });
      expect(slack.messages).toHaveLength(1);
    },
  );

  it('is read again when the old one was invalid', async () => {
    for (const target of [webhook, bot()]) {
      const secrets = remembered('not yet\nput in', () => ('webhook' in target ? slack.webhookUrl : slack.token));
      expect(await send(target, {}, channels({ secrets }))).toMatchObject({ status: 200 });
    }
  });

  it('is not used when the message is rejected or the secret has not changed', async () => {
    slack.setFault({ status: 400, body: 'invalid_payload' });
    const other = remembered(slack.webhookUrl, () => `${slack.webhookUrl}?new`);
    expect(await failure(send(webhook, {}, channels({ secrets: other })))).toMatchObject({ gone: false });
    expect(slack.requests).toBe(1);
    slack.setFault({ status: 404, body: 'no_service' });
    const same = remembered(slack.webhookUrl, () => slack.webhookUrl);
    expect(await failure(send(webhook, {}, channels({ secrets: same })))).toMatchObject({ gone: true });
    expect(slack.requests).toBe(2);
  });
});
