/** The settings of mail: `to: { email: … }` of a subscription. */

export interface EmailSettings {
  /** The addresses of the readers. Each gets a separate mail. */
  readonly to: readonly string[];
}
