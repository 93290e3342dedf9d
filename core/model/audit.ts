/** An entry of the audit trail: who changed what, and when. Never contains a secret. */

import type { Instant } from './time.ts';

/** Who makes a change. */
export interface Actor {
  /**
   * `key`: a key of the management API; `iam`: an IAM identity in AWS; `command`: a person at the command line; `console`: a
   * person in the console; `receiver`: the receiver itself, by answering 410; `slack`: a member of the Slack workspace;
   * `reader`: the reader of a mail, with the link in it; `service`: Tidings itself, by one of its own rules.
   */
  readonly kind: 'key' | 'iam' | 'command' | 'console' | 'receiver' | 'slack' | 'reader' | 'service';
  /** The id of a key or of a Slack member, the ARN of an identity, or a name. */
  readonly id: string;
  /** The name of the key or of the member. @default - the id is a name */
  readonly name?: string;
}

export interface AuditEntry {
  /** `aud_…` */
  readonly id: string;
  readonly at: Instant;
  readonly by: Actor;
  /** `subscription.created`: a noun, a dot and a verb in the past tense. */
  readonly action: string;
  /** What was changed: `subscription/ops`, `key/0123456789abcdef`. */
  readonly target: string;
  /** Further facts, such as the names of changed fields or counts. @default - none */
  readonly details?: Readonly<Record<string, unknown>>;
  /**
   * `started`: the process ended before it could say whether the change was made, or is about to make it. `refused`: nothing
   * was changed. @default - the change was made
   */
  readonly outcome?: 'started' | 'refused';
}
