/** The transport of mails: SMTP in embedded mode, SES in AWS. It encodes and sends composed mails. */

import type { Receipt } from '../../../core/ports/channel.ts';
import type { OutgoingMail } from './compose-mail.ts';

export interface MailTransport {
  /**
   * Resolves when the server has accepted the mail. Throws RetryLater or GiveUp. With a code of `SINGLE_MAIL_CODES` the
   * error concerns only this mail or its reader; other mails may succeed.
   * @param owner the key that made the subscription: its mails wait for no connection of others. @default - the operator did
   */
  send(mail: OutgoingMail, signal?: AbortSignal, owner?: string): Promise<Receipt>;
  close(): Promise<void>;
}

/** The server refused this mail: temporarily (deferred) or permanently (refused). */
export const MAIL_DEFERRED = 'TIDINGS_MAIL_DEFERRED';
export const MAIL_REFUSED = 'TIDINGS_MAIL_REFUSED';

export const SINGLE_MAIL_CODES: ReadonlySet<string> = new Set([
  MAIL_DEFERRED,
  MAIL_REFUSED,
  'TIDINGS_MAIL_ADDRESS_INVALID',
]);

/** Removes line breaks and non-ASCII characters from a header value: the last defence against header injection. */
export const oneLine = (value: string) => value.replaceAll(/[^\x20-\x7e]/g, '');
