/** The settings of mail: `to: { email: … }` of a subscription. */

export interface EmailSettings {
  /** Addresses. Each gets a mail of its own. */
  readonly to: readonly string[];
}
