/** The part of an HTTP request that a template may replace: the JSON body. */

import type { ChannelTemplateParts } from '../../../core/ports/channel.ts';

export const HTTP_TEMPLATE_PARTS: ChannelTemplateParts = {
  body: { form: 'json', summary: 'the JSON body; each text in it is a template', escaping: 'plain', separator: '' },
};
