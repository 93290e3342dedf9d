/** The parts of a mail that a template may replace. */

import type { ChannelTemplateParts } from '../../../core/ports/channel.ts';

/** Mailboxes cut longer subjects. */
const MAX_SUBJECT_LENGTH = 150;

export const EMAIL_TEMPLATE_PARTS: ChannelTemplateParts = {
  subject: { form: 'line', summary: 'the subject', escaping: 'plain', separator: ' ', maxLength: MAX_SUBJECT_LENGTH },
  text: { form: 'text', summary: 'the plain text', escaping: 'plain', separator: '\n\n' },
  html: {
    form: 'html',
    summary: 'the HTML body; a mail with only text is plain text',
    escaping: 'html',
    separator: '\n<hr>\n',
  },
};
