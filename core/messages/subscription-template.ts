/**
 * Renders a subscription's own template, for channels. Most subscriptions have none, so the template engine is loaded at
 * the first use: it would slow down every cold start.
 */

import type { OutboundMessage } from '../ports/channel.ts';
import type { RenderedTemplate, RenderTemplateOptions, TemplateChannelOptions } from './template.ts';

/** Undefined where the subscription has no template. */
export async function renderSubscriptionTemplate(
  outbound: OutboundMessage,
  options: RenderTemplateOptions & TemplateChannelOptions,
): Promise<RenderedTemplate | undefined> {
  if (outbound.subscription.template === undefined) return undefined;
  const { compileAndRender } = await import('./template.ts');
  return compileAndRender(outbound, options);
}
