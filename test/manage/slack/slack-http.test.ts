/** The door over HTTP: signatures, replays, retries of Slack's, and many commands at once. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SUBSCRIBE_FORM } from '../../../manage/slack/modal.ts';
import { type SlackWorld, startSlackWorld } from './slack-world.ts';

let world: SlackWorld;
beforeEach(async () => {
  world = await startSlackWorld();
});
afterEach(async () => world.stop());

const MINUTE = 60_000;
const now = () => Date.parse(world.clock.now());

describe('requests over HTTP', () => {
  it('refuses a forged request', async () => {
    const body = world.commandBody('list');
    expect(await world.send(body, { secret: 'another secret' })).toMatchObject({ status: 401 });
    const headers = { 'x-slack-signature': `v0=${'0'.repeat(64)}` };
    expect(await world.send(body, { headers })).toMatchObject({ status: 401 });
    expect(await world.send(body, { headers: { 'x-slack-signature': '' } })).toMatchObject({ status: 401 });
    expect(await world.send(body, { headers: { 'x-slack-request-timestamp': 'soon' } })).toMatchObject({ status: 401 });
    await world.pump();
    expect(world.slack.responses).toEqual([]);
  });

  it('refuses a request that is late or from the future', async () => {
    expect(await world.send(world.commandBody('list'), { at: now() - 6 * MINUTE })).toMatchObject({ status: 401 });
    expect(await world.send(world.commandBody('list'), { at: now() + 6 * MINUTE })).toMatchObject({ status: 401 });
    expect(await world.send(world.commandBody('list'), { at: now() - 4 * MINUTE })).toMatchObject({ status: 200 });
  });

  it('refuses a replayed request, also after a while', async () => {
    const body = world.commandBody('list');
    const at = now();
    expect(await world.send(body, { at })).toMatchObject({ status: 200 });
    expect(await world.send(body, { at })).toMatchObject({ status: 401 });
    world.advance(4 * MINUTE);
    expect(await world.send(body, { at })).toMatchObject({ status: 401 });
    await world.pump();
    expect(world.slack.responses).toHaveLength(1);
  });

  it('reads large bodies of strangers within a budget, which keeps out no ordinary request', async () => {
    const large = `text=${'x'.repeat(900_000)}`;
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) statuses.push((await world.send(large, { secret: 'another secret' })).status);
    expect(statuses.slice(0, 4)).toEqual([401, 401, 401, 401]);
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(5);
    expect(await world.send(world.commandBody('list'), { secret: 'another secret' })).toMatchObject({ status: 401 });
    expect(await world.send(world.commandBody('list'))).toMatchObject({ status: 200 });
    expect(await world.send('x'.repeat(1_100_000))).toMatchObject({ status: 413 });
  });

  it('answers the challenge that Slack sends for a new URL', async () => {
    const body = JSON.stringify({ type: 'url_verification', challenge: 'c-1' });
    expect(await world.send(body, { type: 'application/json' })).toMatchObject({
      status: 200,
      json: { challenge: 'c-1' },
    });
  });

  it('acts once on an event that Slack sends again', async () => {
    const body = (time: number) =>
      JSON.stringify({
        type: 'event_callback',
        event_id: 'Ev1',
        event_time: time,
        event: { type: 'app_mention', user: 'UANN', text: '<@UBOT> list', ts: '1.1', channel: 'C1' },
      });
    for (const retry of [0, 1, 2]) {
      const headers: Record<string, string> =
        retry === 0 ? {} : { 'x-slack-retry-num': String(retry), 'x-slack-retry-reason': 'http_timeout' };
      world.advance(1000);
      expect(await world.send(body(1), { type: 'application/json', headers })).toMatchObject({ status: 200 });
    }
    await world.pump();
    expect(world.slack.callsOf('chat.postEphemeral')).toHaveLength(1);
  });

  it('answers a repeated command as before', async () => {
    const first = world.commandBody('subscribe task.overdu', { trigger: 'same' });
    const again = world.commandBody('subscribe task.overdu', { trigger: 'same' });
    const answers = [await world.send(first)];
    // Slack signs a retry at its own time.
    world.advance(1000);
    answers.push(await world.send(again));
    expect(answers[1]?.json).toEqual(answers[0]?.json);
  });

  it('ignores bots, shortcuts and what it does not know, and refuses what is no request', async () => {
    const mention = { type: 'app_mention', user: 'U1', bot_id: 'B2', text: '<@UBOT> list', channel: 'C1' };
    const bodies = [
      JSON.stringify({ type: 'event_callback', event_id: 'Ev2', event: mention }),
      JSON.stringify({ type: 'event_callback', event_id: 'Ev3', event: { type: 'message', channel: 'C1' } }),
      JSON.stringify({ type: 'shortcut', trigger_id: 't9' }),
    ];
    for (const body of bodies) {
      expect(await world.send(body, { type: 'application/json' })).toMatchObject({ status: 200, text: '' });
    }
    expect(await world.send('{', { type: 'application/json' })).toMatchObject({ status: 400 });
    expect(await world.send('x=1')).toMatchObject({ status: 400 });
    await world.pump();
    expect(world.slack.calls).toEqual([]);
  });

  it.each([
    ['begins with the app', '<@UBOT> list', 'UANN', true],
    ['begins with the app, after a space', ' <@UBOT|tidings> list', 'UANN', true],
    ['begins with somebody else', '<@UBEN> list, says <@UBOT>', 'UANN', false],
    ['begins with a word', 'list, says <@UBOT>', 'UANN', false],
    ['is of Slackbot', '<@UBOT> list', 'USLACKBOT', false],
  ])('takes a mention for a command if it %s', async (_, text, user, isAnswered) => {
    const event = { type: 'app_mention', user, text, ts: '1.1', channel: 'C1' };
    const authorizations = [{ team_id: 'T1', user_id: 'UBOT', is_bot: true }];
    const body = JSON.stringify({ type: 'event_callback', event_id: 'Ev9', authorizations, event });
    expect(await world.send(body, { type: 'application/json' })).toMatchObject({ status: 200 });
    await world.pump();
    expect(world.slack.callsOf('chat.postEphemeral')).toHaveLength(isAnswered ? 1 : 0);
  });

  it.each([
    ['a form', (deep: string) => new URLSearchParams({ payload: deep }).toString(), undefined],
    ['JSON', (deep: string) => deep, 'application/json'],
  ])('refuses %s that is nested deeply, with 400', async (_, bodyOf, type) => {
    const levels = 100_000;
    const nested = `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const places = [
      `{"type":"block_actions","actions":${nested}}`,
      `{"type":"url_verification","challenge":${nested}}`,
      `{"type":"event_callback","event":{"type":"app_mention","text":${nested}}}`,
      `{"type":"shortcut","x":${nested}}`,
    ];
    for (const body of places) {
      expect(await world.send(bodyOf(body), { type })).toMatchObject({
        status: 400,
        text: expect.stringContaining('at most 64 levels of nesting'),
      });
    }
  });

  it('takes a form whose own metadata is nested deeply for one without a channel', async () => {
    const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const keys = ['channel', 'channelName', 'thread', 'responseUrl', 'replaces'];
    const metadata = `{${keys.map((key) => `"${key}":${nested}`).join()}}`;
    const events = { selected_options: [{ value: 'task.overdue' }] };
    const { ack } = await world.submit(SUBSCRIBE_FORM, { events }, { metadata });
    expect(ack).toMatchObject({ status: 200, text: '' });
    await world.press({ action_id: 'tidings:undo', value: `["website",${nested}]` });
    expect(world.errors).toEqual([]);
  });

  it('takes requests of its own organisation, and of a workspace where it is installed for a shared channel', async () => {
    const mention = { type: 'app_mention', user: 'UANN', text: '<@UBOT> list', ts: '1.1', channel: 'C1' };
    const shared = { team_id: 'T2', authorizations: [{ team_id: 'T1', enterprise_id: null }] };
    const body = (id: string, more: object) =>
      JSON.stringify({ type: 'event_callback', event_id: id, api_app_id: 'A1', event: mention, ...more });
    expect(await world.send(body('Ev20', shared), { type: 'application/json' })).toMatchObject({ status: 200 });
    const other = { team_id: 'T1', authorizations: [{ team_id: 'T2' }] };
    expect(await world.send(body('Ev21', other), { type: 'application/json' })).toMatchObject({
      status: 403,
      text: 'expected a request of this workspace, got one of another workspace\n',
    });
    expect(
      await world.send(body('Ev22', { team_id: 'T1', api_app_id: 'A9' }), { type: 'application/json' }),
    ).toMatchObject({
      status: 403,
      text: 'expected a request of this app, got one of another app\n',
    });
    await world.pump();
    expect(world.slack.callsOf('chat.postEphemeral')).toHaveLength(1);
  });

  it('asks Slack once whose app it is', async () => {
    for (let n = 0; n < 5; n++) await world.send(world.commandBody('list', { name: `own-${n}` }));
    expect(world.slack.callsOf('auth.test')).toHaveLength(1);
    expect(world.slack.callsOf('bots.info')).toHaveLength(1);
  });

  it('loses none of 100 commands at once', async () => {
    for (let n = 0; n < 20; n++) world.slack.channel(`CX${n}`, `team-${n}`);
    const names = Array.from({ length: 100 }, (_, n) => `many-${n}`);
    const acks = await Promise.all(
      names.map((name, n) => world.send(world.commandBody('list', { name, channel: `CX${n % 20}`, user: `U${n}` }))),
    );
    expect(acks.every(({ status }) => status === 200)).toBe(true);
    await world.pump();
    expect(world.slack.responses.map(({ to }) => to).sort()).toEqual([...names].sort());
  });
});
