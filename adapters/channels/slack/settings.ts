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

/** The Slack app of the config. */
export interface SlackApp {
  /** A secret reference. */
  readonly token: string;
  /** Base URL of Slack's API. @default https://slack.com/api/ */
  readonly api?: string;
}

/** The token of the app is sent only to the API of the app: who adds a subscription may not know the token. */
export function slackApiOf(
  { api, token }: Pick<SlackBotSettings, 'api' | 'token'>,
  app: Pick<SlackApp, 'api'> | undefined,
): string {
  return (token === undefined ? app?.api : api) ?? SLACK_API_URL;
}

/** Whether it is posted with the token of the app, to its API. */
export function isSentByApp(target: SlackSettings, app: SlackApp): boolean {
  if ('webhook' in target) return false;
  return (target.token ?? app.token) === app.token && slackApiOf(target, app) === (app.api ?? SLACK_API_URL);
}
