/** Rocket.Chat: messages for people, through an incoming integration. */

import { defineWebhookChat } from '../webhook-chat/define-webhook-chat.ts';
import type { WebhookChatSettings } from '../webhook-chat/dialect.ts';
import { escapeRocketChat } from './escape.ts';

export const rocketChatChannel = defineWebhookChat<'rocketChat', WebhookChatSettings>({
  name: 'rocketChat',
  label: 'Rocket.Chat',
  receiver: 'A Rocket.Chat channel',
  markup: { name: 'rocketChat', escapeText: escapeRocketChat },
  maxTextLength: 4000,
  memberId: { pattern: /^(?!(?:all|here)$)[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/, example: 'ann.vogt' },
  hasDirectMessages: true,
  load: () => import('./channel.ts').then(({ rocketChatDialect: dialect, sender }) => ({ dialect, sender })),
});
