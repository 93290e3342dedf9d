/** A parcel as one Slack message: the door between what happened and the channel, which only carries it. */

import { type Links, linkTo } from '../../../core/messages/link.ts';
import { onePerTransition, summarise } from '../../../core/messages/summary.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { OutboundMessage } from '../../../core/ports/channel.ts';
import { mrkdwnText, plainText, SLACK_LIMITS, type SlackBlock, type SlackMessage } from './block-kit.ts';
import { slackBlocks, slackDetails, slackText, urgencyOf } from './event-blocks.ts';
import { findMentions } from './mentions.ts';
import { slackSummary, slackSummaryText } from './summary-blocks.ts';

/** What a template made: it stands in place of our own words, in Slack's markup. */
export interface TemplateText {
  readonly text: string;
}

export interface SlackMessageOptions {
  /** @default - our own */
  readonly template?: TemplateText;
  /** The stack in AWS that Tidings runs in, for commands that are told. @default - it runs elsewhere */
  readonly stack?: string;
}

export function renderSlackMessage(
  parcel: OutboundMessage,
  links: Links,
  { template: words, stack }: SlackMessageOptions = {},
): SlackMessage {
  const message = words === undefined || isBlank(words.text) ? ownWords(parcel, links, stack) : templated(words.text);
  const mark = markOf(parcel);
  return mark === undefined
    ? message
    : { ...message, text: `${mark} ${message.text}`, blocks: [marked(mark), ...message.blocks] };
}

/** Whether a reply to a thread is also shown in the channel: what is late should not wait until somebody opens it. */
export function shouldBroadcastReply({ events, mark }: Pick<OutboundMessage, 'events' | 'mark'>): boolean {
  return mark === undefined && events.some((event) => urgencyOf(event) === 'late');
}

function ownWords(parcel: OutboundMessage, links: Links, stack: string | undefined): SlackMessage {
  const { events, subscription, timeZone, at, thread } = parcel;
  const isDigest = subscription.digest !== undefined;
  const [only, ...others] = onePerTransition(events);
  if (only !== undefined && others.length === 0) {
    // A replay or a test asks nothing of anybody, and who set a digest does not want to be called.
    const mention = markOf(parcel) === undefined && !isDigest ? findMentions(only, subscription) : [];
    return single(only, { link: linkTo(links, only), timeZone, at, mention, isReply: thread !== undefined, stack });
  }
  // Every line is asked for, so that the lines shown can be shared out among the projects.
  const summary = summarise(events, { links, most: events.length });
  const options = isDigest ? { at, greeting: greetingAt(at, timeZone) } : { at };
  return { text: slackSummaryText(summary, options), blocks: slackSummary(summary, options) };
}

interface SingleOptions {
  readonly link: string | undefined;
  readonly timeZone: string;
  readonly at: string;
  readonly mention: readonly string[];
  readonly isReply: boolean;
  readonly stack: string | undefined;
}

function single(event: TidingsEvent, { link, stack, ...rest }: SingleOptions): SlackMessage {
  const options = { ...rest, ...(link === undefined ? {} : { link }), ...(stack === undefined ? {} : { stack }) };
  return { text: slackText(event), blocks: slackBlocks(event, options), attachments: [slackDetails(event, options)] };
}

/** As sections, because beside blocks `text` is not shown; cut between lines where there are any. */
function templated(words: string): SlackMessage {
  // Nobody sees control characters, but each counts six in JSON.
  const visible = words
    .toWellFormed()
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .trim();
  const text = cut(visible, SLACK_LIMITS.text - 100);
  const blocks: SlackBlock[] = [];
  for (let rest = text; rest !== ''; ) {
    const part = cut(rest, SLACK_LIMITS.section);
    if (!isBlank(part)) blocks.push({ type: 'section', text: mrkdwnText(part) });
    rest = rest.slice(part.length);
  }
  return { text, blocks };
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const start = text.slice(0, length);
  const line = start.lastIndexOf('\n');
  if (line > length / 2) return start.slice(0, line + 1);
  // Half a character is none.
  return start.isWellFormed() ? start : start.slice(0, -1);
}

const isBlank = (text: string) => /^[\s\p{Cc}]*$/u.test(text);

function markOf({ mark, events: [first] }: OutboundMessage): string | undefined {
  if (mark === 'test' || first.test === true) return '🧪 A test: made up, to see whether it arrives.';
  return mark === 'replay' ? '🔁 Sent again, because somebody asked for it.' : undefined;
}

const marked = (mark: string): SlackBlock => ({ type: 'context', elements: [plainText(mark)] });

const hourFormats = new Map<string, Intl.DateTimeFormat>();

function greetingAt(at: string, zone: string): string {
  const format =
    hourFormats.get(zone) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', hourCycle: 'h23' });
  hourFormats.set(zone, format);
  const hour = Number(format.format(Date.parse(at)));
  if (hour >= 4 && hour < 12) return 'Good morning';
  return hour >= 12 && hour < 18 ? 'Good afternoon' : 'Good evening';
}
