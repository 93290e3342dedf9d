/** What a subscription would be sent for a parcel, without sending it: by its template, else in our own words. */

import { renderMail } from '../../adapters/channels/email/render-mail.ts';
import { sanitizeTemplateHtml } from '../../adapters/channels/email/template-html.ts';
import { httpBody } from '../../adapters/channels/http/http-body.ts';
import { renderSlackMessage } from '../../adapters/channels/slack/render-slack-message.ts';
import type { Links } from '../../core/messages/link.ts';
import { compileAndRender } from '../../core/messages/template.ts';
import { channelOf, type TemplateChannel } from '../../core/messages/template-compile.ts';
import type { OutboundMessage } from '../../core/ports/channel.ts';

export interface RenderedMessage {
  readonly channel: TemplateChannel;
  readonly type: string;
  readonly event: string;
  /** The parts the template says; the rest are our own words. */
  readonly byTemplate: readonly string[];
  /** Why a part of the template was not used. */
  readonly problem: string | null;
  /** Mail. */
  readonly subject?: string;
  /** Slack and mail. */
  readonly text?: string;
  /** Mail. */
  readonly html?: string;
  /** Slack, where no template says the text. */
  readonly blocks?: unknown;
  /** Http and bus. */
  readonly body?: unknown;
}

export interface RenderOptions {
  /** Where people open records, from the config. */
  readonly links: Links;
  /** The stack in AWS that it would be sent from, for commands that are told. @default - sent from elsewhere */
  readonly stack?: string | undefined;
}

export function renderMessage(parcel: OutboundMessage, options: RenderOptions): RenderedMessage {
  const { links } = options;
  const {
    problem = null,
    problems: _,
    ...parts
  } = compileAndRender(parcel, { links, sanitizeHtml: sanitizeTemplateHtml }) ?? { problems: [] };
  const channel = channelOf(parcel.subscription);
  const [event] = parcel.events;
  return {
    channel,
    type: event.type,
    event: event.id,
    byTemplate: Object.keys(parts),
    problem,
    ...ownWords(channel, parcel, options, Object.keys(parts)),
    ...parts,
  };
}

const formatOf = ({ subscription: { to } }: OutboundMessage) => ('http' in to ? to.http.format : undefined);

type Parts = Pick<RenderedMessage, 'subject' | 'text' | 'html' | 'blocks' | 'body'>;

/** `said`: by the template. A mail whose text is its own has no HTML of ours beside it, which would say something else. */
function ownWords(
  channel: TemplateChannel,
  parcel: OutboundMessage,
  { links, stack }: RenderOptions,
  said: readonly string[],
): Parts {
  if (channel === 'http' || channel === 'bus') return { body: JSON.parse(httpBody(parcel, formatOf(parcel), links)) };
  if (channel === 'slack')
    return said.includes('text') ? {} : renderSlackMessage(parcel, links, stack === undefined ? {} : { stack });
  const { html, ...mail } = renderMail(parcel, links);
  return said.includes('text') || html === undefined ? mail : { ...mail, html };
}
