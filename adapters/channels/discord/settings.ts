/** The settings of Discord: `to: { discord: … }` of a subscription. */

import type { WebhookChatSettings } from '../webhook-chat/dialect.ts';

/** `mentions` holds user ids. */
export interface DiscordSettings extends WebhookChatSettings {
  /** Whether the webhook posts into a forum: each record then has a post of its own. @default false */
  readonly forum?: boolean;
}
