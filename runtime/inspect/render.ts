/** Renders the message a subscription would get, without sending it: the parts of its template, default parts otherwise. */

import type { RenderedParts } from '../../adapters/channels/definition.ts';
import { sanitizeTemplateHtml } from '../../adapters/channels/email/template-html.ts';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import type { Links } from '../../core/messages/link.ts';
import { compileAndRender } from '../../core/messages/template.ts';
import { type OutboundMessage, traitsOf } from '../../core/ports/channel.ts';

export type RenderedMessage = RenderedParts & {
  readonly channel: string;
  readonly type: string;
  readonly event: string;
  /** The parts that the template rendered; the others are the default ones. */
  readonly byTemplate: readonly string[];
  /** Why a part of the template was not used. */
  readonly problem: string | null;
};

export interface RenderMessageOptions {
  /** URL templates of records, from the config. */
  readonly links: Links;
  /** The AWS stack that sends it, for commands quoted in messages. @default - embedded mode */
  readonly stack?: string;
}

export async function renderMessage(
  message: OutboundMessage,
  { links, stack }: RenderMessageOptions,
): Promise<RenderedMessage> {
  const { to } = message.subscription;
  const parts = traitsOf(channelRegistry, to).templateParts;
  const rendered = compileAndRender(message, { links, parts, sanitizeHtml: sanitizeTemplateHtml });
  const { texts = {}, values = {}, problem = null } = rendered ?? {};
  const byTemplate = [...Object.keys(texts), ...Object.keys(values)];
  const [event] = message.events;
  const options = { links, stack, byTemplate, texts };
  const defaults = await channelRegistry.get(to.channel)?.render(message, to.settings, options);
  const own = { channel: to.channel, type: event.type, event: event.id, byTemplate, problem };
  return { ...own, ...defaults, ...texts, ...values };
}
