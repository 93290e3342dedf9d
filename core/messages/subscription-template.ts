/**
 * Renders the template of a subscription, for channels. Most subscriptions have none, so the template engine is imported
 * at first use to keep cold starts fast.
 */

import type { OutboundMessage } from '../ports/channel.ts';
import type { RenderedTemplate, RenderTemplateOptions, TemplateChannelOptions } from './template.ts';

/** Undefined if the subscription has no template. */
export async function renderSubscriptionTemplate(
  outbound: OutboundMessage,
  options: RenderTemplateOptions & TemplateChannelOptions,
): Promise<RenderedTemplate | undefined> {
  if (outbound.subscription.template === undefined) return undefined;
  const { compileAndRender } = await import('./template.ts');
  return compileAndRender(outbound, options);
}
