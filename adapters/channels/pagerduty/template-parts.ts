/** The part of an alert that a template may replace: its summary. */

import type { ChannelTemplateParts } from '../../../core/ports/channel.ts';

export const PAGERDUTY_TEMPLATE_PARTS: ChannelTemplateParts = {
  summary: { form: 'line', summary: 'the summary of the alert', escaping: 'plain', separator: '; ', maxLength: 1024 },
};
