/**
 * Composes the mail for one reader: content and every header, the same for all transports. A transport only encodes and
 * sends it.
 */

import { createHash } from 'node:crypto';
import { clip } from '../../../core/messages/clip.ts';
import type { Links } from '../../../core/messages/link.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { Instant } from '../../../core/model/time.ts';
import type { OutboundMessage } from '../../../core/ports/channel.ts';
import { type Mailbox, readMailbox } from './mailbox.ts';
import { type MailOptions, prepareMail } from './render-mail.ts';

export interface OutgoingMail {
  readonly from: Mailbox;
  readonly to: Mailbox;
  readonly subject: string;
  readonly text: string;
  /** @default - the mail is plain text */
  readonly html?: string;
  /** `<dlv_….1f2e@example.com>`: the same for every attempt to this reader, so that mail servers can detect duplicates. */
  readonly messageId: string;
  readonly date: Instant;
  /** All other headers, by name. ASCII without line breaks, and at most 15, the limit of SES. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ComposeOptions extends MailOptions {
  /** `Tidings <tidings@example.com>` */
  readonly from: string;
  readonly to: string;
  /** @default - no links */
  readonly links?: Links;
}

export function composeMail(outbound: OutboundMessage, { to, unsubscribe, ...shared }: ComposeOptions): OutgoingMail {
  return prepareMails(outbound, shared)(to, unsubscribe);
}

/** Composes the mail for one reader. @param unsubscribe the link of this reader */
type ComposeFor = (to: string, unsubscribe: string | undefined) => OutgoingMail;

/** Does what is the same for all readers of a message once. */
export function prepareMails(
  outbound: OutboundMessage,
  { from, links = {}, template }: Omit<ComposeOptions, 'to' | 'unsubscribe'>,
): ComposeFor {
  const sender = readMailbox(from, 'mail.from');
  const domain = sender.address.slice(sender.address.lastIndexOf('@') + 1).toLowerCase();
  const thread = threadId(outbound.events, domain);
  const render = prepareMail(outbound, links, { template });
  return (to, unsubscribe) => {
    const reader = readMailbox(to, `subscription '${clip(outbound.subscription.name, 64)}'`);
    return {
      from: sender,
      to: reader,
      ...render(unsubscribe),
      messageId: `<${idPart(outbound.delivery)}.${shortHash(reader.address.toLowerCase())}@${domain}>`,
      date: outbound.at,
      headers: {
        // SES replaces the message id but keeps these headers, by which mail clients build threads.
        ...(thread === undefined ? {} : { References: thread, 'In-Reply-To': thread }),
        'List-Id': `<${idPart(outbound.subscription.name)}.tidings.${domain}>`,
        ...unsubscribeHeaders(unsubscribe),
        // Suppress out-of-office replies: the standard header (RFC 3834) and the one of Exchange.
        'Auto-Submitted': 'auto-generated',
        'X-Auto-Response-Suppress': 'All',
      },
    };
  };
}

/** RFC 8058: mail clients post to this URL when a reader uses their unsubscribe button. */
function unsubscribeHeaders(link: string | undefined): Readonly<Record<string, string>> {
  if (link === undefined) return {};
  return { 'List-Unsubscribe': `<${link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

/**
 * The id of a mail that does not exist. All mails about one record reply to it, so that mail clients show them as one
 * thread. Undefined for mails about several records.
 */
function threadId([first, ...rest]: readonly [TidingsEvent, ...TidingsEvent[]], domain: string): string | undefined {
  const nameOf = ({ source, subject }: TidingsEvent) => {
    const slash = subject.indexOf('/');
    const parts = [source.slice(source.lastIndexOf('/') + 1), subject.slice(0, slash), subject.slice(slash + 1)];
    return `<record.${parts.map(idPart).join('.')}@tidings.${domain}>`;
  };
  const name = nameOf(first);
  return rest.every((event) => nameOf(event) === name) ? name : undefined;
}

/** Hashes a text that is too long for an id or contains characters other than letters, digits, `-` and `_`. */
function idPart(text: string): string {
  return /^[A-Za-z0-9_-]{1,64}$/.test(text) ? text : shortHash(text);
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
