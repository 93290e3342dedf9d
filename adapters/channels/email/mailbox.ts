/** Reads mail addresses. Needs nothing of the mails themselves: the check of a config reads addresses too. */

import { clip } from '../../../core/messages/clip.ts';
import { GiveUp } from '../../../core/model/errors.ts';
import { headerText } from './header-text.ts';

export interface Mailbox {
  /** The display name; '' if there is none. */
  readonly name: string;
  readonly address: string;
}

/** Plain addresses only: quotes, comments and routes are rejected, because they could be parsed as two addresses. */
const ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/;

/** Limits of RFC 5321 and of DNS, in characters: no mail server takes a longer address. */
export const ADDRESS_LIMITS = { whole: 254, local: 64, label: 63 } as const;

/** What is expected instead of an address that is too long. Not asked when a mail is sent: the server judges a stored address. */
export function findAddressTooLong(address: string): string | undefined {
  const { whole, local, label } = ADDRESS_LIMITS;
  const at = address.lastIndexOf('@');
  if (at === -1) return undefined;
  const isLabelLong = address
    .slice(at + 1)
    .split('.')
    .some(({ length }) => length > label);
  if (at > local) return `expected at most ${local} characters before the @`;
  if (isLabelLong) return `expected at most ${label} characters between two dots of the domain`;
  return address.length > whole ? `expected a mail address of at most ${whole} characters` : undefined;
}

/** Parses `Name <address>` or an address alone. */
export function readMailbox(text: string, where: string): Mailbox {
  const [, name = '', inside] = /^([^<>]*)<([^<>]*)>\s*$/.exec(text) ?? [];
  const address = (inside ?? text).trim();
  if (!ADDRESS.test(address)) {
    throw new GiveUp(
      'TIDINGS_MAIL_ADDRESS_INVALID',
      `${where}: expected a mail address such as 'ann@example.com', got '${clip(text, 80)}'`,
    );
  }
  return { name: headerText(name.replaceAll('"', ''), 80), address };
}
