/** The part of a Slack message that a template may replace: the text, in Slack's markup. */

import { escapeSlack } from '../../../core/messages/escape.ts';
import type { ChannelTemplateParts } from '../../../core/ports/channel.ts';

/** Slack accepts about 13,200 characters per message; the rest is reserved for blocks around the text. */
const MAX_TEXT_LENGTH = 12_000;

export const SLACK_TEMPLATE_PARTS: ChannelTemplateParts = {
  text: { escaping: { name: 'slack', escapeText: escapeSlack }, separator: '\n', maxLength: MAX_TEXT_LENGTH },
};
