import { LogLevel, SocketModeClient } from '@slack/socket-mode';
import { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Slack, startSlack } from '../../../simulator/slack/slack.ts';
import { call } from './slack-app.ts';

let slack: Slack;
let now = 1_763_200_000_000;

const PEOPLE = [
  { id: 'U024ANN', name: 'Ann Vogt', email: 'ann@example.com', isAdmin: true },
  { id: 'U025GIL', name: 'Gil Marten', guest: 'single-channel' as const },
  { id: 'U026EVE', name: 'Eve Lund', team: 'T0OTHER' },
];
const CHANNELS = [
  'general',
  { name: 'secret', isPrivate: true, members: ['U024ANN'] },
  { name: 'closed', isPrivate: true, members: ['U024ANN'], hasBot: false },
  { name: 'client', isShared: true, members: ['U024ANN', 'U025GIL', 'U026EVE'] },
];

const start = async (options: Parameters<typeof startSlack>[0] = {}) => {
  slack = await startSlack({ now: () => now, people: PEOPLE, channels: CHANNELS, ...options });
};
const id = (name: string) => slack.channel(name).id;
const plain = (text: string) => ({ type: 'plain_text', text });

beforeEach(() => start());
afterEach(() => slack.close());

describe('the Web API of the simulated Slack', () => {
  it('names the bot and its scopes', async () => {
    const response = await fetch(`${slack.apiUrl}auth.test`, {
      method: 'POST',
      headers: { authorization: `Bearer ${slack.token}` },
    });
    expect(await response.json()).toMatchObject({ ok: true, team_id: 'T00000001', user_id: 'U00TIDINGS' });
    expect(response.headers.get('x-oauth-scopes')?.split(',')).toEqual(
      expect.arrayContaining(['commands', 'chat:write']),
    );
  });

  it.each([
    ['chat.postMessage', 'chat:write', { channel: 'general', text: 'x' }],
    ['chat.postEphemeral', 'chat:write', { channel: 'general', user: 'U024ANN', text: 'x' }],
    ['chat.update', 'chat:write', {}],
    ['conversations.info', 'channels:read', { channel: 'C00000001' }],
    ['conversations.info', 'groups:read', { channel: 'C00000002' }],
    ['conversations.open', 'im:write', { users: 'U024ANN' }],
    ['users.info', 'users:read', { user: 'U024ANN' }],
  ])('refuses %s without %s', async (method, needed, body) => {
    await slack.close();
    await start({ scopes: ['commands'] });
    expect(await call(slack, method, body)).toEqual({
      ok: false,
      error: 'missing_scope',
      needed,
      provided: 'commands',
    });
  });

  it('hides private channels without the bot, and says what a channel is', async () => {
    expect(await call(slack, 'conversations.info', { channel: id('client') })).toMatchObject({
      channel: { name: 'client', is_private: false, is_ext_shared: true, is_member: true },
    });
    expect(await call(slack, 'conversations.info', { channel: id('secret') })).toMatchObject({
      channel: { is_private: true },
    });
    expect(await call(slack, 'conversations.info', { channel: id('closed') })).toMatchObject({
      error: 'channel_not_found',
    });
    expect(await call(slack, 'chat.postMessage', { channel: id('closed'), text: 'x' })).toMatchObject({
      error: 'channel_not_found',
    });
    slack.channel('general').hasBot = false;
    expect(await call(slack, 'chat.postMessage', { channel: id('general'), text: 'x' })).toMatchObject({
      error: 'not_in_channel',
    });
    expect(await call(slack, 'conversations.info', { channel: id('general') })).toMatchObject({
      channel: { is_member: false },
    });
    expect(await call(slack, 'conversations.members', { channel: id('secret') })).toMatchObject({
      members: ['U024ANN', 'U00TIDINGS'],
    });
  });

  it('says who is a guest, an administrator or from another organisation', async () => {
    const user = async (one: string) => (await call(slack, 'users.info', { user: one })).user;
    expect(await user('U024ANN')).toMatchObject({
      is_admin: true,
      is_restricted: false,
      profile: { email: 'ann@example.com' },
    });
    expect(await user('U025GIL')).toMatchObject({ is_restricted: true, is_ultra_restricted: true });
    expect(await user('U026EVE')).toMatchObject({ is_stranger: true, team_id: 'T0OTHER' });
    expect(await call(slack, 'users.info', { user: 'U0' })).toMatchObject({ error: 'user_not_found' });
  });

  it('ignores JSON where Slack does', async () => {
    const response = await fetch(`${slack.apiUrl}users.info`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${slack.token}` },
      body: JSON.stringify({ user: 'U024ANN' }),
    });
    expect(await response.json()).toMatchObject({ ok: false, error: 'user_not_found' });
  });

  it('shows a guest only the channels that list them', () => {
    expect(() => slack.as('U025GIL').sees('general')).toThrow("sees no channel 'general'");
    expect(slack.as('U025GIL').sees('client')).toEqual([]);
    expect(() => slack.as('U026EVE').sees('secret')).toThrow('sees no channel');
  });

  it('changes and deletes the messages of the bot, and no others', async () => {
    const { ts } = await call(slack, 'chat.postMessage', { channel: id('general'), text: 'first' });
    expect(await call(slack, 'chat.update', { channel: id('general'), ts, text: 'second' })).toMatchObject({
      ok: true,
      ts,
    });
    expect(slack.messages).toMatchObject([{ text: 'second', isEdited: true }]);
    await slack.as('U024ANN').type('general', 'hello');
    const other = slack.messages[1]?.ts;
    expect(await call(slack, 'chat.update', { channel: id('general'), ts: other, text: 'x' })).toMatchObject({
      error: 'cant_update_message',
    });
    const { message_ts: hidden } = await call(slack, 'chat.postEphemeral', {
      channel: id('general'),
      user: 'U024ANN',
      text: 'x',
    });
    expect(await call(slack, 'chat.update', { channel: id('general'), ts: hidden, text: 'x' })).toMatchObject({
      error: 'message_not_found',
    });
    expect(await call(slack, 'chat.delete', { channel: id('general'), ts })).toMatchObject({ ok: true });
    expect(slack.messages).toHaveLength(1);
  });

  it('sends a direct message to the id of a person', async () => {
    expect(await call(slack, 'chat.postMessage', { channel: 'U024ANN', text: 'for Ann' })).toMatchObject({
      ok: true,
      channel: 'D024ANN',
    });
    expect(slack.as('U024ANN').sees('D024ANN')).toMatchObject([{ text: 'for Ann' }]);
    expect(() => slack.as('U026EVE').sees('D024ANN')).toThrow('sees no channel');
  });

  it('shows an ephemeral message to a member of the channel only', async () => {
    const hidden = { channel: id('secret'), user: 'U025GIL', text: 'x' };
    expect(await call(slack, 'chat.postEphemeral', hidden)).toMatchObject({ error: 'user_not_in_channel' });
  });

  it('limits the calls of a method a minute', async () => {
    const info = () => call(slack, 'conversations.info', { channel: id('general') });
    const answers = await Promise.all(Array.from({ length: 51 }, info));
    expect(answers.filter(({ error }) => error === 'ratelimited')).toHaveLength(1);
    now += 60_000;
    expect(await info()).toMatchObject({ ok: true });
  });

  it.each([
    ['an unknown element', { type: 'actions', elements: [{ type: 'slider', action_id: 'a' }] }],
    ['a text input among actions', { type: 'actions', elements: [{ type: 'plain_text_input', action_id: 'a' }] }],
    [
      '26 buttons',
      { type: 'actions', elements: Array.from({ length: 26 }, () => ({ type: 'button', text: plain('x') })) },
    ],
    ['a button text of 76', { type: 'actions', elements: [{ type: 'button', text: plain('x'.repeat(76)) }] }],
    [
      'a button value of 2,001',
      { type: 'actions', elements: [{ type: 'button', text: plain('x'), value: 'x'.repeat(2001) }] },
    ],
    ['a style that is none', { type: 'actions', elements: [{ type: 'button', text: plain('x'), style: 'loud' }] }],
    [
      'an action_id of 256',
      { type: 'actions', elements: [{ type: 'button', text: plain('x'), action_id: 'x'.repeat(256) }] },
    ],
    [
      'an action_id twice',
      {
        type: 'actions',
        elements: Array.from({ length: 2 }, () => ({ type: 'button', text: plain('x'), action_id: 'a' })),
      },
    ],
    [
      '101 options',
      {
        type: 'actions',
        elements: [
          {
            type: 'static_select',
            options: Array.from({ length: 101 }, (_, at) => ({ text: plain('x'), value: `${at}` })),
          },
        ],
      },
    ],
    [
      'an initial option that is none',
      {
        type: 'actions',
        elements: [
          {
            type: 'static_select',
            options: [{ text: plain('x'), value: '1' }],
            initial_option: { text: plain('y'), value: '2' },
          },
        ],
      },
    ],
    [
      '11 checkboxes',
      {
        type: 'actions',
        elements: [
          {
            type: 'checkboxes',
            options: Array.from({ length: 11 }, (_, at) => ({ text: plain('x'), value: `${at}` })),
          },
        ],
      },
    ],
    [
      'a confirmation without a text',
      {
        type: 'actions',
        elements: [
          { type: 'button', text: plain('x'), confirm: { title: plain('x'), confirm: plain('y'), deny: plain('n') } },
        ],
      },
    ],
    ['a block_id of 256', { type: 'divider', block_id: 'x'.repeat(256) }],
    ['an input with a button', { type: 'input', label: plain('x'), element: { type: 'button', text: plain('x') } }],
    ['an image without a text', { type: 'image', image_url: 'https://example.com/a.png' }],
  ])('refuses %s', async (_, block) => {
    now += 1000;
    const answer = await call(slack, 'chat.postMessage', { channel: 'general', text: 'x', blocks: [block] });
    expect(answer).toMatchObject({ ok: false, error: 'invalid_blocks' });
    expect(answer.response_metadata.messages[0]).toMatch(/^\[ERROR\] blocks\/0/);
  });

  it('refuses two blocks with the same id', async () => {
    const blocks = [
      { type: 'divider', block_id: 'a' },
      { type: 'divider', block_id: 'a' },
    ];
    expect(await call(slack, 'chat.postMessage', { channel: 'general', text: 'x', blocks })).toMatchObject({
      error: 'invalid_blocks',
    });
  });

  it.each([
    ['101 blocks', { blocks: Array.from({ length: 101 }, () => ({ type: 'divider' })) }, 'invalid_arguments'],
    ['private_metadata of 3,001', { private_metadata: 'x'.repeat(3001) }, 'invalid_arguments'],
    ['a callback_id of 256', { callback_id: 'x'.repeat(256) }, 'invalid_arguments'],
    ['an unknown block', { blocks: [{ type: 'carousel' }] }, 'invalid_arguments'],
    [
      '250 KB',
      { blocks: Array.from({ length: 90 }, () => ({ type: 'section', text: plain('é'.repeat(2000)) })) },
      'view_too_large',
    ],
  ])('refuses a Home tab with %s', async (_, view, error) => {
    const home = { type: 'home', blocks: [{ type: 'divider' }], ...view };
    expect(await call(slack, 'views.publish', { user_id: 'U024ANN', view: home })).toMatchObject({ ok: false, error });
  });

  it('is understood by the clients of Slack', async () => {
    const web = new WebClient(slack.token, { slackApiUrl: slack.apiUrl });
    const { ts } = await web.chat.postMessage({
      channel: 'general',
      text: 'x',
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*bold*' } }],
    });
    expect(slack.messages).toMatchObject([{ ts, blocks: [{ type: 'section' }] }]);
    expect((await web.users.info({ user: 'U024ANN' })).user?.real_name).toBe('Ann Vogt');
    await expect(web.users.info({ user: 'U0' })).rejects.toThrow('user_not_found');
    const socket = new SocketModeClient({
      appToken: slack.appToken,
      logLevel: LogLevel.ERROR,
      clientOptions: { slackApiUrl: slack.apiUrl },
    });
    socket.on('slash_commands', ({ ack, body }) => ack({ text: `you typed ${body.text}` }));
    await socket.start();
    await slack.as('U024ANN').type('general', '/tidings list');
    await socket.disconnect();
    expect(slack.as('U024ANN').sees('general').at(-1)?.text).toBe('you typed list');
  });
});
