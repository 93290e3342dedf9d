/** Discord: messages for people, through the webhook of a channel. */

import { escapeMarkdown } from '../../../core/messages/escape-markdown.ts';
import { MINUTE } from '../../../core/model/time.ts';
import { defineWebhookChat } from '../webhook-chat/define-webhook-chat.ts';
import type { DiscordSettings } from './settings.ts';

export const discordChannel = defineWebhookChat<'discord', DiscordSettings>({
  name: 'discord',
  label: 'Discord',
  receiver: 'A Discord channel',
  // Discord accepts 30 messages a minute in a channel, and five in two seconds.
  limits: { concurrency: 1, rate: { count: 30, per: MINUTE } },
  markup: { name: 'discord', escapeText: escapeMarkdown },
  maxTextLength: 4000,
  memberId: { pattern: /^\d{15,21}$/, example: '281474976710656000' },
  settings: ({ z }) => ({
    forum: z
      .boolean({ error: 'expected true or false' })
      .optional()
      .describe('Whether the webhook posts into a forum: each record then has a post of its own. Default: false.'),
  }),
  words: {
    forum: {
      label: 'Forum',
      hint: 'Whether the webhook posts into a forum: each record then has a post of its own.',
      options: { '': 'default: no' },
    },
  },
  hasThreads: ({ forum = false }) => forum,
  load: () => import('./channel.ts').then(({ discordDialect: dialect, sender }) => ({ dialect, sender })),
});
