/** What one person makes the app ask of Slack, which allows the whole app a number of calls a minute. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RetryLater } from '../../../core/model/errors.ts';
import { MINUTE, SECOND } from '../../../core/model/time.ts';
import { CONNECT_FORM, SUBSCRIBE_FORM } from '../../../manage/slack/modal.ts';
import { findButton, type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let world: SlackWorld;
beforeEach(async () => {
  world = await startSlackWorld({ offer: ['task.*'] });
});
afterEach(async () => world.stop());

const TOO_OFTEN = 'You are using Tidings too often. Try again in 5 s.';

const asked = () => [...world.slack.callsOf('conversations.info'), ...world.slack.callsOf('users.info')].length;

/** Types as often as one may at once. */
async function useUp(user: string, channel = 'C1') {
  for (let count = 0; count < 15; count++) await world.send(world.commandBody('help', { user, channel }));
}

/** Slack's limits of these methods, by their calls within a minute. */
function limitCalls() {
  const limits: Readonly<Record<string, number>> = { 'conversations.info': 50, 'users.info': 100 };
  const calls = new Map<string, number[]>();
  const { slack } = world.ports;
  const { call } = slack;
  const refused: string[] = [];
  Object.assign(slack, {
    call: async (method: string, args: Readonly<Record<string, unknown>>) => {
      const now = Date.parse(world.clock.now());
      const recent = (calls.get(method) ?? []).filter((at) => at > now - MINUTE);
      calls.set(method, [...recent, now]);
      if (recent.length < (limits[method] ?? Number.POSITIVE_INFINITY)) return call(method, args);
      refused.push(method);
      throw new RetryLater('TIDINGS_SLACK_BUSY', 'Slack answered 429 ratelimited', { after: 30 * SECOND });
    },
  });
  return refused;
}

describe('one person who sends a request a second', () => {
  it.each([
    ['in one channel', () => 'C2'],
    ['in a channel after the other', (second: number) => `CX${second}`],
    ['in channels that the bot is not in', (second: number) => `CY${second}`],
  ])('%s leaves Slack’s limits to the others', async (_, channelOf) => {
    world.slack.guests.add('UGUEST');
    const refused = limitCalls();
    const statuses = new Set<number>();
    for (let second = 0; second < 180; second++) {
      const channel = channelOf(second);
      if (channel.startsWith('CX')) world.slack.channel(channel, channel.toLowerCase());
      await world.send(world.commandBody('list', { user: 'UGUEST', channel }));
      await world.pump();
      if (second % 10 === 5) statuses.add((await world.send(world.commandBody('', { name: 'form' }))).status);
      if (second % 60 === 30) {
        const { replies } = await world.type('list', { user: 'UBEN' });
        expect(textIn(replies)).toContain('This channel has no subscriptions');
      }
      world.advance(SECOND);
    }
    expect(refused).toEqual([]);
    expect([...statuses]).toEqual([200]);
    expect(world.slack.callsOf('views.open')).toHaveLength(18);
  });

  it('may go on after a few seconds, and leaves the others alone', async () => {
    await useUp('UANN');
    const { ack } = await world.type('list');
    expect(ack.json).toEqual({ response_type: 'ephemeral', text: TOO_OFTEN });
    expect(textIn((await world.type('list', { user: 'UBEN' })).replies)).toContain('no subscriptions');
    world.advance(5 * SECOND);
    expect(textIn((await world.type('list')).replies)).toContain('no subscriptions');
  });
});

describe('who sends too many requests', () => {
  let calls: number;
  beforeEach(async () => {
    await useUp('UANN');
    calls = world.slack.calls.length;
  });
  const expectNoCall = () => expect(world.slack.calls).toHaveLength(calls);

  it('learns it from a command, and from a form, without a call', async () => {
    for (const text of ['', 'connect', 'subscribe task.overdu', 'list'])
      expect((await world.type(text)).ack.json).toEqual({ response_type: 'ephemeral', text: TOO_OFTEN });
    const form = await world.submit(SUBSCRIBE_FORM, { events: { selected_options: [{ value: 'task.overdue' }] } });
    expect(form.ack.json).toEqual({ response_action: 'errors', errors: { events: TOO_OFTEN } });
    const token = await world.submit(CONNECT_FORM, { token: { value: 'secret' } });
    expect(token.ack.json).toEqual({ response_action: 'errors', errors: { token: TOO_OFTEN } });
    expectNoCall();
  });

  it('learns it from a button through its response URL, which may fail', async () => {
    const button = { action_id: 'tidings:why', block_id: 'tidings:evt_1:website', value: 'why' };
    const { replies } = await world.press(button, { ts: '1.1' });
    expect(replies).toEqual([{ text: TOO_OFTEN, response_type: 'ephemeral', replace_original: false }]);
    world.slack.failures.set('respond', [{ status: 500, body: {} }]);
    expect((await world.press(button, { ts: '1.1' })).ack.status).toBe(200);
    expectNoCall();
  });

  it('learns it from a mention once a minute, and finds the home as it was', async () => {
    await world.openHome('UANN');
    expectNoCall();
    const mention = async () => {
      const event = { type: 'app_mention', user: 'UANN', channel: 'C1', text: '<@UBOT> list', ts: '1.1' };
      const payload = {
        type: 'event_callback',
        event_id: `Ev-${Math.random()}`,
        team_id: 'T1',
        api_app_id: 'A1',
        event,
      };
      await world.send(JSON.stringify(payload), { type: 'application/json' });
      await world.pump();
    };
    await mention();
    await mention();
    expect(world.slack.calls.slice(calls)).toMatchObject([
      { method: 'chat.postEphemeral', args: { channel: 'C1', user: 'UANN', text: TOO_OFTEN } },
    ]);
  });

  it('gets the same answer to a request that Slack sends again', async () => {
    const body = world.commandBody('list');
    const first = await world.send(body);
    world.advance(10 * SECOND);
    expect((await world.send(body)).json).toEqual(first.json);
    expect(first.json.text).toBe(TOO_OFTEN);
  });
});

describe('what Slack says about people and channels', () => {
  it.each([
    'list',
    'preview',
    'why task/1',
    'pause 1h',
    'resume',
    'test',
    'unsubscribe x',
    'subscribe task.overdue',
    '',
  ])('is asked once for /tidings %s', async (text) => {
    const missing = 'C404';
    await world.type(text, { channel: missing });
    expect(asked()).toBe(2);
    await world.type(text, { channel: missing });
    expect(world.slack.callsOf('conversations.info')).toHaveLength(2);
    expect(world.slack.callsOf('users.info')).toHaveLength(1);
  });

  it('is kept for half a minute', async () => {
    await world.type('subscribe task.overdue');
    world.slack.people.set('UANN', { deleted: true });
    world.advance(29 * SECOND);
    expect(textIn((await world.type('list')).replies)).toContain('no subscriptions');
    expect(asked()).toBe(2);
    world.advance(SECOND);
    expect(textIn((await world.type('list')).replies)).toContain('Your account in this workspace is deactivated.');
  });

  it('is not kept if it is an error', async () => {
    world.slack.unseen.add('UANN');
    expect(textIn((await world.type('resume')).replies)).toContain('Only members of this workspace');
    world.slack.unseen.delete('UANN');
    expect(textIn((await world.type('resume')).replies)).toContain('no subscriptions');
  });

  it('is asked again before a subscription is made', async () => {
    const { replies } = await world.type('subscribe task.overdue');
    world.slack.people.set('UANN', { deleted: true });
    const pressed = await world.press(findButton(replies[0], 'Subscribe'));
    expect(textIn(pressed.replies)).toContain('Your account in this workspace is deactivated.');
    expect(await world.embedded.subscriptions.list()).toEqual([]);
  });
});
