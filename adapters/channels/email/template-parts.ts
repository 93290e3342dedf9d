/** The parts of a mail that a template may replace. */

import type { ChannelTemplateParts } from '../../../core/ports/channel.ts';

/** Mailboxes cut longer subjects. */
const MAX_SUBJECT_LENGTH = 150;

export const EMAIL_TEMPLATE_PARTS: ChannelTemplateParts = {
  subject: { escaping: 'plain', separator: ' ', maxLength: MAX_SUBJECT_LENGTH },
  text: { escaping: 'plain', separator: '\n\n' },
  html: { escaping: 'html', separator: '\n<hr>\n' },
};
