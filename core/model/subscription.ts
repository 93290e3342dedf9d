/** Who wants which events, and where. */

export interface HttpTarget {
  readonly url: string;
  /** Where the signing secret is found, never the secret itself unless the config spells it out. See `Secrets`. */
  readonly secret: string;
  /** Sent with every request. Values may be secret references. @default - none */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One key per channel; exactly one is set. */
export interface Target {
  readonly http: HttpTarget;
}

export interface Subscription {
  readonly name: string;
  /** Event types, `*` standing for any run of characters: `task.*`. */
  readonly events: readonly string[];
  /**
   * Which of these events, by content: a pattern as in EventBridge, matched against the whole envelope, such as
   * `{ data: { record: { total: [{ numeric: ['>=', 500] }] } } }`. When a type alone brings too much.
   * @default - all of them
   */
  readonly where?: Readonly<Record<string, unknown>>;
  readonly to: Target;
  /** True when the config file declares it: the file then owns it, and removing it there removes it here. */
  readonly declared: boolean;
}
