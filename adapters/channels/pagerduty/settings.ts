/** The settings of PagerDuty: `to: { pagerduty: … }` of a subscription. */

export interface PagerDutySettings {
  /** The integration key of a service, a secret reference. */
  readonly routingKey: string;
  /** Base URL of the Events API. @default https://events.pagerduty.com/ */
  readonly api?: string;
}
