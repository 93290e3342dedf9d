/** Every chat with a webhook keeps the promises of channels. */

import { discordChannel } from '../../../../adapters/channels/discord/definition.ts';
import { teamsChannel } from '../../../../adapters/channels/teams/definition.ts';
import { channelContract } from '../../../contract/channel.ts';
import { type ChatAnswers, openChat } from './open-chat.ts';

const KEY = 'kEyOfTheWebhook24Letters';
const json = (value: object) => JSON.stringify(value);
const retryAfter = (seconds: number) => ({ 'retry-after': String(seconds) });

const CHATS: Readonly<Record<string, ChatAnswers>> = {
  'Microsoft Teams': {
    definition: teamsChannel,
    settings: { webhook: '${WEBHOOK}' },
    path: `/workflows/0c1d6f5e3f3e4d0f/triggers/manual/paths/invoke?api-version=1&sig=${KEY}`,
    key: KEY,
    accept: [202, ''],
    refuseForNow: [502, json({ error: { code: 'NoResponse', message: 'x' } })],
    refuseForGood: [400, json({ error: { code: 'InvalidRequestContent', message: 'x' } })],
    gone: [400, json({ error: { code: 'WorkflowTriggerIsNotEnabled', message: 'x' } })],
    slowDown: (seconds) => [429, '', retryAfter(seconds)],
  },
  Discord: {
    definition: discordChannel,
    settings: { webhook: '${WEBHOOK}', forum: true },
    path: `/api/webhooks/1234567890123456789/${KEY}`,
    key: KEY,
    accept: [200, json({ id: '2000000000000000001', channel_id: '2000000000000000002' })],
    refuseForNow: [500, json({ message: '500: Internal Server Error', code: 0 })],
    refuseForGood: [400, json({ message: 'Invalid Form Body', code: 50035 })],
    gone: [404, json({ message: 'Unknown Webhook', code: 10015 })],
    slowDown: (seconds) => [429, json({ message: 'You are being rate limited.', retry_after: seconds, global: false })],
  },
};

for (const [name, chat] of Object.entries(CHATS)) {
  channelContract(name, ({ patience }) => openChat(chat, patience));
}
