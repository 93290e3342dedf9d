/** The settings of a Slack channel: `to: { slack: … }` of a subscription. */

import type { PersonRole } from '../../../core/model/subscription.ts';

/** Base URL of Slack's Web API. */
export const SLACK_API_URL = 'https://slack.com/api/';

/** An incoming webhook posts to one fixed Slack channel. */
export interface SlackWebhookSettings {
  /** The webhook's URL, a secret reference. */
  readonly webhook: string;
}

export const THREADS_MODES = ['all', 'late', 'none'] as const;
type ThreadsMode = (typeof THREADS_MODES)[number];

/** A bot can also post the messages about one record as a thread, and mention people. */
export interface SlackBotSettings {
  /** The bot's token, a secret reference. @default - the token of the Slack app in the config */
  readonly token?: string;
  /** Id or name of the Slack channel: `C0123456789`, `#finance`. */
  readonly channel: string;
  /**
   * The thread that gets all messages, by the id of its first message. @default - by `threads`
   */
  readonly thread?: string;
  /**
   * `all`: messages about a record form a thread, and only the first is in the channel; `late`: the same, and late ones are
   * also shown in the channel; `none`: every message is in the channel. @default all
   */
  readonly threads?: ThreadsMode;
  /** Base URL of Slack's API. @default https://slack.com/api/ */
  readonly api?: string;
  /** Slack member ids by mail address or name of a person: the people assigned to a record are mentioned. @default - no mentions */
  readonly mentions?: Readonly<Record<string, string>>;
}

/** A bot that sends each person direct messages about the records that concern them. */
export interface SlackPersonalSettings extends Omit<SlackBotSettings, 'channel' | 'thread' | 'threads'> {
  readonly to: PersonRole;
  /** The channel that gets what no person can get. @default - no one */
  readonly fallback?: string;
}

export type SlackSettings = SlackWebhookSettings | SlackBotSettings | SlackPersonalSettings;
