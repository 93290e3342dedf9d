/** The settings of Microsoft Teams: `to: { teams: … }` of a subscription. */

import type { WebhookChatSettings } from '../webhook-chat/dialect.ts';

/** `mentions` holds user principal names or Microsoft Entra object ids. */
export type TeamsSettings = WebhookChatSettings;
