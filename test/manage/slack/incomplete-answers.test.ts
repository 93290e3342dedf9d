/** Answers of Slack that are too long to be read, or lack what decides who may do what: they give nobody more rights. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { slackApi } from '../../../adapters/channels/slack/slack-api.ts';
import { NOON } from '../../samples.ts';
import { findButton, type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let world: SlackWorld;
beforeEach(async () => {
  world = await startSlackWorld();
});
afterEach(async () => world.stop());

const LONG = 'x'.repeat(70 * 1024);

/** What Slack answers to a method from now on. */
const answer = (method: string, body: object) =>
  world.slack.failures.set(method, Array(50).fill({ status: 200, body: { ok: true, ...body } }));

const names = async () => (await world.embedded.subscriptions.list()).map(({ name }) => name);

describe('an answer that is too long', () => {
  it('about a channel lets nobody subscribe it', async () => {
    const { replies } = await world.type('subscribe task.overdue');
    const channel = { id: 'C1', name: 'website', previous_names: [LONG], is_member: true, is_ext_shared: true };
    answer('conversations.info', { channel });
    // What Slack said about it before is kept for half a minute.
    world.advance(30_000);
    for (const told of [
      await world.type('subscribe task.overdue', { name: 'again' }),
      await world.press(findButton(replies[0], 'Subscribe')),
    ])
      expect(textIn(told.replies)).toContain("Slack's response to conversations.info is longer than 64 KB");
    expect(await names()).toEqual([]);
  });

  it('about a guest lets them end nothing', async () => {
    const { replies } = await world.type('subscribe task.overdue');
    await world.press(findButton(replies[0], 'Subscribe'));
    const profile = { status_text: LONG };
    answer('users.info', { user: { id: 'UGUEST', team_id: 'T1', name: 'guest', profile, is_restricted: true } });
    const told = await world.type('unsubscribe all', { user: 'UGUEST' });
    expect(textIn(told.replies)).toContain("Slack's response to users.info is longer than 64 KB");
    expect(await names()).toEqual(['website']);
  });

  const callWith = (body: string, method: string) => {
    const http = { post: async () => ({ status: 200, body, headers: {} }) };
    const api = slackApi({ http, token: async () => 'xoxb-test', clock: { now: () => NOON } });
    return api.call(method, {});
  };
  /** As the transport hands it on. */
  const cut = `{"ok":true,"x":"${LONG}`.slice(0, 64 * 1024);

  it.each(['chat.postMessage', 'chat.update', 'chat.postEphemeral', 'views.open', 'views.publish'])(
    'is a success of %s, which repeats what was sent',
    async (method) => {
      expect(await callWith(cut, method)).toEqual({ ok: true, body: {}, scopes: [] });
    },
  );

  it.each([
    'auth.test',
    'bots.info',
    'conversations.info',
    'conversations.open',
    'users.info',
    'apps.connections.open',
  ])('is an error of %s, with the method and the limit', async (method) => {
    await expect(callWith(cut, method)).rejects.toMatchObject({
      code: 'TIDINGS_SLACK_RESPONSE_TOO_LONG',
      message: `Slack's response to ${method} is longer than 64 KB, so it was not read and nothing was done`,
    });
    const wide = `{"ok":true,"x":"${'長'.repeat(30_000)}`;
    const text = new TextDecoder().decode(Buffer.from(wide).subarray(0, 64 * 1024), { stream: true });
    await expect(callWith(text, method)).rejects.toMatchObject({ code: 'TIDINGS_SLACK_RESPONSE_TOO_LONG' });
  });

  it('is asked for again if it only broke off', async () => {
    await expect(callWith('{"ok":true,"user":{', 'users.info')).rejects.toMatchObject({ name: 'RetryLater' });
  });
});

describe('an answer that lacks', () => {
  it.each([
    ['the person', {}],
    ['the workspace of the person', { user: { id: 'UANN', name: 'uann', is_restricted: false } }],
  ])('%s makes them a stranger', async (_, body) => {
    answer('users.info', body);
    const { replies } = await world.type('subscribe task.overdue');
    expect(textIn(replies)).toContain('Only people of this workspace may do that');
  });

  it('the channel makes it one of which Slack shows nothing', async () => {
    answer('conversations.info', {});
    const { replies } = await world.type('subscribe task.overdue');
    expect(textIn(replies)).toContain('Slack does not tell Tidings whether people of another organisation are in');
    answer('conversations.info', { channel: {} });
    expect(textIn((await world.type('why task/1')).replies)).toContain('Nothing about');
  });

  it.each([
    ['the workspace of the token', { ok: true, user_id: 'UBOT', bot_id: 'B1' }],
    ['everything, because the token is not valid', { ok: false, error: 'invalid_auth' }],
  ])('%s refuses every request', async (_, body) => {
    world.slack.failures.set('auth.test', Array(50).fill({ status: 200, body }));
    expect(await world.send(world.commandBody('subscribe task.overdue'))).toMatchObject({
      status: 403,
      text: expect.stringContaining('Slack does not say which workspace the token is of'),
    });
    const { replies } = await world.type('list');
    expect(replies).toEqual([]);
  });
});
