/** Microsoft Teams: messages for people, through the webhook of a workflow. */

import { defineWebhookChat } from '../webhook-chat/define-webhook-chat.ts';
import { escapeTeams } from './escape.ts';
import type { TeamsSettings } from './settings.ts';

export const teamsChannel = defineWebhookChat<'teams', TeamsSettings>({
  name: 'teams',
  label: 'Microsoft Teams',
  receiver: 'A channel or chat of Microsoft Teams',
  // One message at a time, one a second: Teams throttles above four requests a second.
  markup: { name: 'teams', escapeText: escapeTeams },
  maxTextLength: 10_000,
  memberId: {
    pattern: /^(?:[^\s@<>]{1,100}@[^\s@<>]{1,150}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i,
    example: 'ann@example.com',
  },
  load: () => import('./channel.ts').then(({ teamsDialect: dialect, sender }) => ({ dialect, sender })),
});
