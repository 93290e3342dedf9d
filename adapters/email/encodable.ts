/**
 * A mail as nodemailer encodes it, the same for every transport: what SMTP carries and what SES carries is one text.
 * Encodes and sends nothing itself.
 */

import type { OutgoingMail } from '../../core/messages/mail-compose.ts';
import { toMillis } from '../../core/model/time.ts';

/** Options of nodemailer's `sendMail` and of its MailComposer alike. */
export function encodable({ from, to, subject, text, html, messageId, date, headers }: OutgoingMail) {
  return {
    from: { ...from },
    to: { ...to },
    envelope: { from: from.address, to: [to.address] },
    subject,
    text,
    html,
    messageId,
    date: new Date(toMillis(date)),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, oneLine(value)])),
    xMailer: false as const,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** They are made so; this is the last door before the wire. */
const oneLine = (value: string) => value.replaceAll(/[^\x20-\x7e]/g, '');
