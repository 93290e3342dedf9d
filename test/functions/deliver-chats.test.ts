/** The deliver function sends to every chat: each stand-in gets the message, with the webhook from the secret store. */

import type { SQSRecord } from 'aws-lambda';
import { afterEach, expect, it, vi } from 'vitest';
import { startTeams } from '../../simulator/teams/teams.ts';
import { startMattermost, startRocketChat } from '../chats/attachments/attachment-chat.ts';
import { startDiscord } from '../chats/discord/discord.ts';
import { startGoogleChat } from '../chats/google-chat/google-chat.ts';
import { startPagerDuty } from '../chats/pagerduty/pagerduty.ts';
import { delivery, event } from '../samples.ts';
import { captureOutput } from './lambda-call.ts';
import { startWorld } from './world.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('deliver posts to Teams, Discord, Google Chat, Mattermost, Rocket.Chat and PagerDuty', async () => {
  const chats = {
    teams: await startTeams(),
    discord: await startDiscord(),
    googleChat: await startGoogleChat(),
    mattermost: await startMattermost(),
    rocketChat: await startRocketChat(),
  };
  const pagerduty = await startPagerDuty();
  const names = [...Object.keys(chats), 'pagerduty'];
  const webhooks = Object.entries(chats).map(([name, { webhookUrl }]) => [name.toUpperCase(), webhookUrl] as const);
  const world = await startWorld({
    secrets: { ...Object.fromEntries(webhooks), PAGERDUTY: pagerduty.routingKey },
    config: {
      subscriptions: [
        ...Object.keys(chats).map((name) => ({
          name,
          events: ['task.*'],
          to: { [name]: { webhook: `\${${name.toUpperCase()}}` } },
        })),
        {
          name: 'pagerduty',
          events: ['task.*'],
          to: { pagerduty: { routingKey: '${PAGERDUTY}', api: pagerduty.apiUrl } },
        },
      ],
    },
  });
  const output = captureOutput();
  try {
    await world.functions.setup();
    const now = world.clock.now();
    const open = names.map((name) => delivery('1', name, { createdAt: now, dueAt: now }));
    await world.stores.events.record([{ event: event('1', { type: 'task.closed' }), deliveries: open }]);
    const jobs = open.map(
      ({ id, subscription }) =>
        ({
          messageId: id,
          body: JSON.stringify({ delivery: id, attempt: 1, group: subscription }),
        }) as SQSRecord,
    );
    expect(await world.functions.deliver(jobs)).toEqual({ batchItemFailures: [] });
    expect(output.lines('accepted').map(({ subscription }) => subscription)).toEqual(expect.arrayContaining(names));
    for (const { messages } of Object.values(chats)) expect(messages).toHaveLength(1);
    for (const [, webhookUrl] of webhooks) expect(output.text()).not.toContain(webhookUrl);
  } finally {
    await world.stop();
    await Promise.all([pagerduty, ...Object.values(chats)].map((chat) => chat.close()));
  }
});
