/** Google Chat: messages for people, through the webhook of a space. */

import { escapeHtml } from '../../../core/messages/escape.ts';
import { defineWebhookChat } from '../webhook-chat/define-webhook-chat.ts';
import type { WebhookChatSettings } from '../webhook-chat/dialect.ts';

export const googleChatChannel = defineWebhookChat<'googleChat', WebhookChatSettings>({
  name: 'googleChat',
  label: 'Google Chat',
  receiver: 'A space of Google Chat',
  // One message at a time, one a second: Google Chat accepts one request a second in a space.
  markup: { name: 'googleChat', escapeText: escapeHtml },
  maxTextLength: 10_000,
  memberId: { pattern: /^\d{5,25}$/, example: '104111222333444555666' },
  load: () => import('./channel.ts').then(({ googleChatDialect: dialect, sender }) => ({ dialect, sender })),
});
