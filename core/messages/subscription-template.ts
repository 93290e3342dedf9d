/**
 * Renders the template of a subscription, for channels. Most subscriptions have none, so the template engine is imported
 * at first use to keep cold starts fast.
 */

import type { OutboundMessage, RenderedTemplate } from '../ports/channel.ts';
import type { RenderTemplateOptions, TemplateChannelOptions } from './template.ts';

/** Undefined if the subscription has no template. */
export async function renderSubscriptionTemplate(
  outbound: OutboundMessage,
  options: RenderTemplateOptions & TemplateChannelOptions,
): Promise<RenderedTemplate | undefined> {
  if (outbound.subscription.template === undefined) return undefined;
  const rendered = outbound.rendered ?? (await import('./template.ts')).compileAndRender(outbound, options);
  if (rendered?.isUnjudged !== true) outcomes.set(outbound.events, rendered?.isSlow === true ? 'slow' : 'rendered');
  return rendered;
}

/** `slow`: it took longer than the limit of one rendering, or of all its renderings within a minute. */
export type TemplateOutcome = 'rendered' | 'slow';

/** By the events of the message: channels pass on copies of it. */
const outcomes = new WeakMap<OutboundMessage['events'], TemplateOutcome>();

/** What became of the template of a message that was sent. Undefined if it has none, or nothing is known. */
export function templateOutcomeOf({ events }: Pick<OutboundMessage, 'events'>): TemplateOutcome | undefined {
  return outcomes.get(events);
}
