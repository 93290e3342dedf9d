/** Mattermost: messages for people, through an incoming webhook. */

import { escapeMarkdown } from '../../../core/messages/escape-markdown.ts';
import { defineWebhookChat } from '../webhook-chat/define-webhook-chat.ts';
import type { WebhookChatSettings } from '../webhook-chat/dialect.ts';

export const mattermostChannel = defineWebhookChat<'mattermost', WebhookChatSettings>({
  name: 'mattermost',
  label: 'Mattermost',
  receiver: 'A Mattermost channel',
  markup: { name: 'mattermost', escapeText: escapeMarkdown },
  maxTextLength: 7000,
  memberId: { pattern: /^(?!(?:all|channel|here)$)[a-z0-9][a-z0-9._-]{0,63}$/, example: 'ann.vogt' },
  hasDirectMessages: true,
  load: () => import('./channel.ts').then(({ mattermostDialect: dialect, sender }) => ({ dialect, sender })),
});
