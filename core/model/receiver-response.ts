/** The part of a receiver's response that attempts store and errors carry, for people who investigate a failure. */

export interface ReceiverResponse {
  /** HTTP status, or the reply code of a mail server. @default - there was no response */
  readonly status?: number;
  /** First 4 KB of the body, without secrets. */
  readonly body?: string;
  /** The receiver's id for the request, for questions to its operators. */
  readonly requestId?: string;
  /** When there are several recipients, those who accepted it: the next attempt skips them. @default - none */
  readonly reached?: readonly string[];
}
