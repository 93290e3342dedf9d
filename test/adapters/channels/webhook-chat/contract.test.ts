/** Every chat with a webhook keeps the promises of channels. */

import { discordChannel } from '../../../../adapters/channels/discord/definition.ts';
import { googleChatChannel } from '../../../../adapters/channels/google-chat/definition.ts';
import { mattermostChannel } from '../../../../adapters/channels/mattermost/definition.ts';
import { rocketChatChannel } from '../../../../adapters/channels/rocket-chat/definition.ts';
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
  'Google Chat': {
    definition: googleChatChannel,
    settings: { webhook: '${WEBHOOK}' },
    path: `/v1/spaces/AAAA/messages?key=AIzaKeyOfTheSpace01234567&token=${KEY}`,
    key: KEY,
    accept: [200, json({ name: 'spaces/AAAA/messages/1' })],
    refuseForNow: [503, json({ error: { status: 'UNAVAILABLE', message: 'x' } })],
    refuseForGood: [400, json({ error: { status: 'INVALID_ARGUMENT', message: 'x' } })],
    gone: [404, json({ error: { status: 'NOT_FOUND', message: 'x' } })],
    slowDown: (seconds) => [429, json({ error: { status: 'RESOURCE_EXHAUSTED' } }), retryAfter(seconds)],
  },
  Mattermost: {
    definition: mattermostChannel,
    settings: { webhook: '${WEBHOOK}' },
    path: `/hooks/${KEY}`,
    key: KEY,
    accept: [200, 'ok'],
    refuseForNow: [500, json({ id: 'app.post.save.app_error', message: 'x' })],
    refuseForGood: [400, json({ id: 'web.incoming_webhook.parse.app_error', message: 'x' })],
    gone: [400, json({ id: 'web.incoming_webhook.invalid.app_error', message: 'x' })],
    slowDown: (seconds) => [429, 'limit exceeded', retryAfter(seconds)],
  },
  'Rocket.Chat': {
    definition: rocketChatChannel,
    settings: { webhook: '${WEBHOOK}' },
    path: `/hooks/65f0c0ffee0123456789abcd/${KEY}`,
    key: KEY,
    accept: [200, json({ success: true })],
    refuseForNow: [502, ''],
    refuseForGood: [200, json({ success: false, error: 'error-message-size-exceeded' })],
    gone: [400, json({ success: false, error: 'invalid-channel' })],
    slowDown: (seconds) => [429, json({ success: false }), retryAfter(seconds)],
  },
};

for (const [name, chat] of Object.entries(CHATS)) {
  channelContract(name, ({ patience }) => openChat(chat, patience));
}
