/** The settings of a Slack channel: `to: { slack: … }` of a subscription. */

/** An incoming webhook posts into the one Slack channel it was made for. */
export interface SlackWebhookSettings {
  /** The webhook's URL, a secret reference. */
  readonly webhook: string;
}

/** A bot also puts the messages about one record into a thread, and mentions people. */
export interface SlackBotSettings {
  /** The bot's token, a secret reference. */
  readonly token: string;
  /** Id or name of the Slack channel: `C0123456789`, `#finance`. */
  readonly channel: string;
  /** Base URL of Slack's API, for other hosts than slack.com. @default https://slack.com/api/ */
  readonly api?: string;
  /** Slack member ids by mail address or name of a person: the people assigned to a record are mentioned. @default - no mentions */
  readonly mentions?: Readonly<Record<string, string>>;
}

export type SlackSettings = SlackWebhookSettings | SlackBotSettings;
