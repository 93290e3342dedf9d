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
