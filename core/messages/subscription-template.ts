/**
 * The words of a subscription's own templates, for channels. Most subscriptions have none: the engine behind them is
 * loaded at the first template, for a function that starts anew pays for all it loads.
 */

import type { OutboundMessage } from '../ports/channel.ts';
import type { RenderedTemplate, RenderTemplateOptions, TemplateChannelOptions } from './template.ts';

/** Undefined where the subscription has no template. */
export async function renderSubscriptionTemplate(
  parcel: OutboundMessage,
  options: RenderTemplateOptions & TemplateChannelOptions,
): Promise<RenderedTemplate | undefined> {
  if (parcel.subscription.template === undefined) return undefined;
  const { compileAndRender } = await import('./template.ts');
  return compileAndRender(parcel, options);
}
