/** Shows what a subscription would be sent for a message, without sending it: its template's parts, else our own. */

import type { RenderedParts } from '../../adapters/channels/definition.ts';
import { sanitizeTemplateHtml } from '../../adapters/channels/email/template-html.ts';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import type { Links } from '../../core/messages/link.ts';
import { compileAndRender } from '../../core/messages/template.ts';
import { type OutboundMessage, traitsOf } from '../../core/ports/channel.ts';

export interface RenderedMessage extends RenderedParts {
  readonly channel: string;
  readonly type: string;
  readonly event: string;
  /** The parts that the template made; the others are our own. */
  readonly byTemplate: readonly string[];
  /** Why a part of the template was not used. */
  readonly problem: string | null;
}

export interface RenderMessageOptions {
  /** Where people open records, from the config. */
  readonly links: Links;
  /** The stack in AWS that sends it, for commands in messages. @default - it is sent from elsewhere */
  readonly stack?: string;
}

export async function renderMessage(
  message: OutboundMessage,
  { links, stack }: RenderMessageOptions,
): Promise<RenderedMessage> {
  const { to } = message.subscription;
  const parts = traitsOf(channelRegistry, to).templateParts;
  const {
    problem = null,
    problems: _,
    ...rendered
  } = compileAndRender(message, { links, parts, sanitizeHtml: sanitizeTemplateHtml }) ?? { problems: [] };
  const byTemplate = Object.keys(rendered);
  const [event] = message.events;
  const own = await channelRegistry.get(to.channel)?.render(message, to.settings, { links, stack, byTemplate });
  return { channel: to.channel, type: event.type, event: event.id, byTemplate, problem, ...own, ...rendered };
}
