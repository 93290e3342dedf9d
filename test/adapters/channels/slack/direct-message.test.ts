/** Direct messages to the people concerned, against the simulated Slack. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { slackChannels } from '../../../../adapters/channels/slack/channel.ts';
import type { SlackPersonalSettings } from '../../../../adapters/channels/slack/settings.ts';
import { openHttpTransport } from '../../../../adapters/http/http-transport.ts';
import type { OutboundMessage, Recipient } from '../../../../core/ports/channel.ts';
import type { Secrets } from '../../../../core/ports/secrets.ts';
import { type Slack, startSlack } from '../../../../simulator/slack/slack.ts';
import { event, NOON, subscription } from '../../../samples.ts';

let slack: Slack;
let http: ReturnType<typeof openHttpTransport>;

beforeEach(async () => {
  slack = await startSlack({
    perSecond: Number.POSITIVE_INFINITY,
    channels: ['team'],
    emails: { 'ann@example.com': 'U024ANN', 'ben@example.com': 'U024BEN' },
  });
  http = openHttpTransport({ allow: ['127.0.0.0/8'] });
});
afterEach(async () => {
  await http.close();
  await slack.close();
});

function send(recipient: Partial<Recipient>, change: Partial<SlackPersonalSettings> = {}, channels = open()) {
  const settings: SlackPersonalSettings = { token: slack.token, to: 'assignees', api: slack.apiUrl, ...change };
  const message: OutboundMessage = {
    subscription: subscription('mine', { to: { channel: 'slack', settings } }),
    events: [event('1', { type: 'task.closed' })],
    delivery: 'dlv_1',
    at: NOON,
    timeZone: 'UTC',
    recipient: { name: 'Ann Vogt', address: 'ann@example.com', role: 'assignees', ...recipient },
  };
  return channels.channelFor(settings).send(message);
}

const secrets: Secrets = { resolve: async (reference) => reference, keep: async (_name, secret) => secret };
const open = () => slackChannels({ http, secrets, links: {} });
const places = () => slack.messages.map(({ channel }) => channel);

describe('a direct message', () => {
  it('reaches the member with the mail address of the person, and is looked up once', async () => {
    const channels = open();
    await send({}, {}, channels);
    await send({}, {}, channels);
    await send({ name: 'Ben', address: 'BEN@example.com' }, {}, channels);
    expect(places()).toEqual(['D024ANN', 'D024ANN', 'D024BEN']);
    // Two lookups with two calls each, and three messages.
    expect(slack.requests).toBe(7);
  });

  it('prefers the member id in mentions, also for a person without an address', async () => {
    await send({ address: null }, { mentions: { 'ann vogt': 'U024BEN' } });
    expect(places()).toEqual(['D024BEN']);
  });

  it('reaches the person with the address, and not a namesake whom mentions has', async () => {
    const mentions = { 'Ann Vogt': 'U024ANN', 'Ben@example.com': 'U024BEN' };
    await send({ address: 'ben@example.com' }, { mentions });
    // The name is that of several people: Slack is asked for the address.
    await send({ address: 'ben@example.com', hasNamesake: true }, { mentions: { 'Ann Vogt': 'U024ANN' } });
    expect(places()).toEqual(['D024BEN', 'D024BEN']);
  });

  it('goes to the fallback if the person is not in Slack, has no address, or is no one', async () => {
    const fallback = { fallback: '#team' };
    await send({ address: 'zoe@example.com' }, fallback);
    await send({ address: null }, fallback);
    await send({ name: null, address: null }, fallback);
    expect(places()).toEqual(Array(3).fill(slack.channel('team').id));
  });

  it('does not reach a member who has not confirmed the mail address, whatever else is in the profile', async () => {
    await slack.close();
    slack = await startSlack({
      channels: ['team'],
      people: [{ id: 'U0EVE', name: '🧁'.repeat(3000), email: 'ann@example.com', isEmailConfirmed: false }],
    });
    await send({}, { fallback: '#team' });
    expect(places()).toEqual([slack.channel('team').id]);
    await expect(send({})).rejects.toMatchObject({ code: 'TIDINGS_PERSON_WITHOUT_ADDRESS' });
    await send({}, { mentions: { 'Ann Vogt': 'U0EVE' } });
    expect(places().at(-1)).toBe('D0EVE');
  });

  it('that reaches no one gives up with the name of the person, and does not disable the subscription', async () => {
    const failure = { code: 'TIDINGS_PERSON_WITHOUT_ADDRESS', gone: false };
    await expect(send({ address: 'zoe@example.com', name: 'Zoë Lind' })).rejects.toMatchObject({
      ...failure,
      message: expect.stringContaining('Zoë Lind'),
    });
    await expect(send({ address: null })).rejects.toMatchObject(failure);
    await expect(send({}, { mentions: { 'Ann Vogt': 'U0UNKNOWN' } })).rejects.toMatchObject(failure);
    expect(slack.messages).toEqual([]);
  });

  it('to somebody whose account was deactivated since does not disable the subscription', async () => {
    await send({});
    slack.setFault({ error: 'user_disabled' });
    const failure = { code: 'TIDINGS_PERSON_WITHOUT_ADDRESS', gone: false };
    await expect(send({})).rejects.toMatchObject(failure);
  });

  it('reports the scope that the bot lacks, and waits when Slack is busy', async () => {
    await slack.close();
    slack = await startSlack({ emails: { 'ann@example.com': 'U024ANN' }, scopes: ['chat:write'] });
    await expect(send({})).rejects.toMatchObject({
      code: 'TIDINGS_SLACK_REFUSED',
      message: expect.stringContaining('users:read.email'),
    });
    slack.setFault({ status: 429, retryAfter: 7 });
    await expect(send({})).rejects.toMatchObject({ code: 'TIDINGS_SLACK_BUSY', after: 7000 });
  });
});
