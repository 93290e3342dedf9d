/** A mail as the mailbox shows it. */

import type { Email } from 'postal-mime';

export interface ReceivedMail {
  /** 1 for the first. */
  readonly number: number;
  readonly receivedAt: string;
  /** Recipients of the SMTP envelope, which the headers need not contain. */
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  /** The unparsed mail. */
  readonly raw: string;
  readonly parsed: Email;
}
