/** Secrets that the operator has given: no key with the scope operate sends them to a server of its own. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { slackUrl } from '../../adapters/channels/slack/channel.ts';
import { MINUTE } from '../../core/model/time.ts';
import { subscription } from '../samples.ts';
import { type ApiWorld, askWhilePumping, startApiWorld } from './api-world.ts';

const API = 'https://slack.example.com/api/';

let world: ApiWorld;
let key: string;
beforeAll(async () => {
  world = await startApiWorld({
    config: { slack: { token: '${BOT}', api: API, appToken: '${APP}' } },
    environment: { BOT: 'xoxb-of-the-operator', APP: 'xapp-1', CREDENTIAL: 'secret-of-the-operator' },
  });
  key = (await world.makeKey(['operate'], ['task.*'])).token;
});
afterAll(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
});

const evil = () => world.receiver.url.replace('/hook', '/evil/');

describe('the token of the Slack app', () => {
  it('is not sent to an API that a caller names', async () => {
    const body = { name: 'thief', events: ['task.closed'], to: { slack: { channel: 'C1', api: evil() } } };
    const { status, body: problem } = await world.ask('POST', '/subscriptions', body, { key });
    const detail = 'expected token beside api: the token of the section slack is sent only to its own api';
    expect([status, problem.errors]).toEqual([422, [{ pointer: '/to/slack/token', detail }]]);
  });

  it('is sent to its own API for a subscription that was stored before', async () => {
    const secrets = world.api.secrets;
    const url = await slackUrl({ channel: 'C1', api: evil() }, secrets, { token: '${BOT}', api: API });
    expect(url.href).toBe(`${API}chat.postMessage`);
    const own = await slackUrl({ channel: 'C1', api: evil(), token: '${CREDENTIAL}' }, secrets, {
      token: 'xoxb',
      api: API,
    });
    expect(own.href).toBe(`${evil()}chat.postMessage`);
  });
});

describe('a reference of the operator', () => {
  const bearer = '${CREDENTIAL}';

  it('is still a reference after a change through the API', async () => {
    const settings = { url: world.receiver.url, secret: '${OPS}', auth: { bearer } };
    const to = { channel: 'http', settings };
    await world.api.subscriptions.add(subscription('changed', { declared: false, events: ['task.closed'], to }));
    const change = { events: ['task.closed', 'task.overdue'] };
    expect((await world.ask('PATCH', '/subscriptions/changed', change, { key })).status).toBe(200);
    expect(await world.api.subscriptions.get('changed')).toMatchObject({ ...change, to });
  });

  it('is text in any other place of a request, and so is the signing secret', async () => {
    const settings = { url: world.receiver.url, secret: '${OPS}', auth: { bearer }, headers: { 'x-key': bearer } };
    const stored = subscription('confined', {
      declared: false,
      events: ['task.closed'],
      to: { channel: 'http', settings },
    });
    for (const text of ['${OPS}', bearer, '${MASTER}', 'derived:00000000:new:0']) {
      for (const patch of [
        { headers: { 'x-leak': text } },
        { headers: { 'x-key': bearer, 'x-leak': text } },
        { auth: { basic: { user: 'x', password: text } } },
      ]) {
        await world.api.subscriptions.save(stored);
        const { status } = await world.ask('PATCH', '/subscriptions/confined', patch, { key });
        expect(status).toBe(200);
        await askWhilePumping(world, 'POST', '/subscriptions/confined/test', {}, { key });
        const { headers } = world.receiver.received.at(-1) ?? {};
        const basic = `Basic ${Buffer.from(`x:${text}`).toString('base64')}`;
        expect([patch, headers?.['x-leak'] ?? headers?.authorization]).toEqual([patch, 'auth' in patch ? basic : text]);
        // A success is not followed by another one within its rate.
        world.advance(MINUTE);
      }
    }
  });

  it.each([
    ['http', 'auth', { url: 'https://own.example.com/hook', auth: { bearer } }, () => ({ url: evil() })],
    [
      'http',
      'headers',
      { url: 'https://own.example.com/hook', headers: { 'x-key': bearer } },
      () => ({ to: { http: { url: evil(), headers: { 'x-key': bearer } } } }),
    ],
    [
      'slack',
      'token',
      { channel: 'C1', token: bearer },
      () => ({ to: { slack: { channel: 'C1', token: bearer, api: evil() } } }),
    ],
    [
      'pagerduty',
      'routingKey',
      { routingKey: bearer },
      () => ({ to: { pagerduty: { routingKey: bearer, api: evil() } } }),
    ],
  ])('stays with its receiver: %s, %s', async (channel, kept, settings, patchOf) => {
    const name = `of-operator-${channel}-${kept}`.toLowerCase();
    const to = { channel, settings: channel === 'http' ? { ...settings, secret: '${OPS}' } : settings };
    await world.api.subscriptions.add(subscription(name, { declared: false, events: ['task.closed'], to }));
    const { status, body } = await world.ask('PATCH', `/subscriptions/${name}`, patchOf(), { key });
    expect([status, body.errors]).toMatchObject([422, [{ detail: expect.stringContaining(`expected ${kept} again`) }]]);
    expect((await world.api.subscriptions.get(name))?.to).toEqual(to);
  });
});
