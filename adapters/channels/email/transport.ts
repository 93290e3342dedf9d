/** What carries a mail: SMTP here, SES in AWS. It encodes and hands over; words and headers are made before. */

import type { Receipt } from '../../../core/ports/channel.ts';
import type { OutgoingMail } from './compose-mail.ts';

export interface MailTransport {
  /**
   * Resolves when the server took the mail. Throws RetryLater or GiveUp; with a code of `OF_ONE_MAIL` the trouble is with
   * this mail or its reader, and another one may well get through.
   */
  send(mail: OutgoingMail, signal?: AbortSignal): Promise<Receipt>;
  close(): Promise<void>;
}

/** The server said no to this mail: `DEFERRED` for now, `REFUSED` for good. */
export const DEFERRED = 'TIDINGS_MAIL_DEFERRED';
export const REFUSED = 'TIDINGS_MAIL_REFUSED';

export const OF_ONE_MAIL: ReadonlySet<string> = new Set([DEFERRED, REFUSED, 'TIDINGS_MAIL_ADDRESS_INVALID']);

/** Of a header's value. They are made so; this is the last door before the wire. */
export const oneLine = (value: string) => value.replaceAll(/[^\x20-\x7e]/g, '');
