/** The part of a Slack message that a template may replace: the text, in Slack's markup. */

import { escapeSlack } from '../../../core/messages/escape.ts';
import type { ChannelTemplateParts } from '../../../core/ports/channel.ts';

/** Slack accepts about 13,200 characters of JSON per message, in which quotes and line breaks take two characters each. */
const MAX_TEXT_LENGTH = 10_000;

export const SLACK_TEMPLATE_PARTS: ChannelTemplateParts = {
  text: {
    form: 'text',
    summary: 'the message',
    escaping: { name: 'slack', escapeText: escapeSlack },
    separator: '\n',
    maxLength: MAX_TEXT_LENGTH,
  },
};
