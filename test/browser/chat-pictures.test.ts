/** The pictures of docs/chat.md: real messages, rendered and sent as always, shown by the simulated chats. */

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChannelDefinition } from '../../adapters/channels/definition.ts';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { openHttpTransport } from '../../adapters/http/http-transport.ts';
import { localSecrets } from '../../adapters/secrets/local-secrets.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { startTeams } from '../../simulator/teams/teams.ts';
import { startMattermost, startRocketChat } from '../chats/attachments/attachment-chat.ts';
import { startDiscord } from '../chats/discord/discord.ts';
import { startGoogleChat } from '../chats/google-chat/google-chat.ts';
import { startPagerDuty } from '../chats/pagerduty/pagerduty.ts';
import { digest, example, LINKS, sampleMessage } from '../pictures/sample-messages.ts';
import { subscription } from '../samples.ts';
import { openBrowser, openPage } from './chromium.ts';
import { takePicture } from './picture.ts';

const AT = '2026-11-21T07:30:00.000Z';
const now = () => Date.parse(AT);
const unlimited = Number.POSITIVE_INFINITY;

interface Chat {
  readonly name: string;
  readonly url: string;
  /** @default - the address is not secret */
  readonly webhookUrl?: string;
  readonly settings?: object;
  close(): Promise<void>;
}

/** Their pages show times in the zone of this process. */
async function startChats(): Promise<readonly Chat[]> {
  const pagerDuty = await startPagerDuty({ perMinute: unlimited, now });
  return [
    { name: 'pagerduty', settings: { routingKey: pagerDuty.routingKey, api: pagerDuty.apiUrl }, ...pagerDuty },
    {
      name: 'teams',
      settings: { mentions: { 'Ann Vogt': 'ann@example.com' } },
      ...(await startTeams({ perSecond: unlimited, now })),
    },
    {
      name: 'discord',
      settings: { mentions: { 'Ann Vogt': '281474976710656001' } },
      ...(await startDiscord({ perBurst: unlimited, perMinute: unlimited, now })),
    },
    {
      name: 'googleChat',
      settings: { mentions: { 'Ann Vogt': '104111222333444555666' } },
      ...(await startGoogleChat({ perSecond: unlimited, now })),
    },
    {
      name: 'mattermost',
      settings: { mentions: { 'Ann Vogt': 'ann.vogt' } },
      ...(await startMattermost({ perSecond: unlimited, now })),
    },
    {
      name: 'rocketChat',
      settings: { mentions: { 'Ann Vogt': 'ann.vogt' } },
      ...(await startRocketChat({ perSecond: unlimited, now })),
    },
  ];
}

const http = openHttpTransport({ allow: ['127.0.0.0/8'] });

async function post({ name, webhookUrl, settings = {} }: Chat): Promise<void> {
  const definition: ChannelDefinition | undefined = channelRegistry.get(name);
  if (definition === undefined) throw new Error(`no channel ${name}`);
  const secrets = localSecrets({ environment: { WEBHOOK: webhookUrl ?? '' }, directory: '' });
  const sender = await definition.open({ config: { links: LINKS, network: { allow: [] } }, secrets, http });
  const to = { channel: name, settings: webhookUrl === undefined ? settings : { webhook: '${WEBHOOK}', ...settings } };
  const send = (message: Parameters<typeof sampleMessage>, change: Partial<Subscription> = {}) =>
    sender.channelFor(to.settings).send({
      ...sampleMessage(...message),
      at: AT,
      delivery: `dlv_${message[0][0].id}`,
      subscription: subscription('team', { to, ...change }),
    });
  await send([[example('task.overdue')]]);
  if (definition.gathers) await send([digest.events], { digest: { at: '08:30' } });
  else for (const type of ['task.assigned', 'invoice.overdue', 'invoice.paid']) await send([[example(type)]]);
  await send([[example('subscription.failing')]]);
}

const zone = process.env.TZ;
let chats: readonly Chat[] = [];
let browser: Browser;
beforeAll(async () => {
  process.env.TZ = 'Europe/Berlin';
  [chats, browser] = await Promise.all([startChats(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await Promise.all([http.close(), ...chats.map((chat) => chat.close())]);
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

test('each chat shows a task that is overdue and an alert', async () => {
  const viewport = { width: 780, height: 300 };
  const { page, close } = await openPage(browser, { viewport, deviceScaleFactor: 1.25, timezoneId: 'Europe/Berlin' });
  for (const chat of chats) {
    await post(chat);
    await page.goto(chat.url);
    const text = await page.locator('body').innerText();
    expect([chat.name, text]).toEqual([chat.name, expect.stringMatching(/Proofread the newsletter/)]);
    expect([chat.name, text]).toEqual([chat.name, expect.stringMatching(/failing/)]);
    await takePicture(page, chat.name, { isWhole: true });
  }
  await close();
});
