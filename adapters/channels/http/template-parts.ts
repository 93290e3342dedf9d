/** The part of an HTTP request that a template may replace: the JSON body. */

import type { ChannelTemplateParts } from '../../../core/ports/channel.ts';

export const HTTP_TEMPLATE_PARTS: ChannelTemplateParts = { body: { escaping: 'plain', separator: '' } };
