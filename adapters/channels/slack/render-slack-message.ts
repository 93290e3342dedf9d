/** Renders the events of a delivery as one Slack message. Sends nothing. */

import { groupByChange } from '../../../core/messages/change-events.ts';
import { greetingAt, markNote, noteOf } from '../../../core/messages/chat-card.ts';
import { type Links, linkTo } from '../../../core/messages/link.ts';
import { urgencyOf } from '../../../core/messages/neutral-message.ts';
import { findPeopleConcerned } from '../../../core/messages/people-concerned.ts';
import { summarise } from '../../../core/messages/summary.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { OutboundMessage } from '../../../core/ports/channel.ts';
import { mrkdwnText, plainText, SLACK_LIMITS, type SlackBlock, type SlackMessage } from './block-kit.ts';
import { slackBlocks, slackDetails, slackText } from './event-blocks.ts';
import { findMentions } from './mentions.ts';
import { messageButtons } from './message-buttons.ts';
import { slackSummary, slackSummaryText } from './summary-blocks.ts';

/** The text that the subscription's template rendered, in Slack's markup. It replaces the default message. */
interface TemplateText {
  readonly text: string;
}

export interface SlackMessageOptions {
  /** @default - the default message */
  readonly template?: TemplateText;
  /** The AWS stack that Tidings runs in, for the commands in the advice. @default - not in AWS */
  readonly stack?: string;
  /** Whether a message about one record gets buttons: only the app of the config receives presses. @default false */
  readonly hasButtons?: boolean;
}

export function renderSlackMessage(
  outbound: OutboundMessage,
  links: Links,
  { template, stack, hasButtons = false }: SlackMessageOptions = {},
): SlackMessage {
  const message =
    template === undefined || isBlank(template.text)
      ? defaultMessage(outbound, links, stack)
      : templateMessage(template.text);
  const note = noteOf(outbound);
  const noted =
    note === undefined
      ? message
      : { ...message, text: `${note} ${message.text}`, blocks: [noteBlock(note), ...message.blocks] };
  return hasButtons ? withButtons(noted, outbound) : noted;
}

/** Below the details, because Slack shows attachments after the blocks. */
function withButtons(message: SlackMessage, outbound: OutboundMessage): SlackMessage {
  const buttons = messageButtons(outbound);
  if (buttons === undefined || JSON.stringify([message, buttons]).length > SLACK_LIMITS.message) return message;
  const [details, ...more] = message.attachments ?? [];
  if (details === undefined) return { ...message, blocks: [...message.blocks, buttons] };
  return { ...message, attachments: [{ ...details, blocks: [...details.blocks, buttons] }, ...more] };
}

/** Whether the record is done: closed, paid or deleted. Then the first message of its thread shows it. */
export function isResolved({ events, mark }: Pick<OutboundMessage, 'events' | 'mark'>): boolean {
  return mark === undefined && events.some(({ type }) => RESOLVED.test(type));
}

const RESOLVED = /^(task\.closed|invoice\.paid|[a-z]+\.deleted)$/;

/** Whether a reply in a thread is also shown in the channel: late events should not wait until someone opens the thread. */
export function shouldBroadcastReply({ events, mark }: Pick<OutboundMessage, 'events' | 'mark'>): boolean {
  return mark === undefined && events.some((event) => urgencyOf(event) === 'late');
}

function defaultMessage(outbound: OutboundMessage, links: Links, stack: string | undefined): SlackMessage {
  const { events, subscription, timeZone, at, thread, fresh, recipient, people } = outbound;
  const isDigest = subscription.digest !== undefined;
  const [only, ...more] = groupByChange(events);
  if (only !== undefined && more.length === 0 && fresh === undefined) {
    const [lead, ...others] = only;
    // Replays, tests and digests mention no one.
    const mention =
      markNote(outbound) === undefined && !isDigest
        ? findMentions(findPeopleConcerned(lead, people), subscription)
        : [];
    return single(lead, {
      link: linkTo(links, lead),
      timeZone,
      at,
      others,
      mention,
      isReply: thread !== undefined,
      stack,
    });
  }
  // All lines are needed, because slackSummary distributes its limit among the projects.
  const summary = summarise(events, {
    links,
    maxLines: Number.POSITIVE_INFINITY,
    groupBy: subscription.digest?.groupBy,
    reader: recipient,
    fresh,
    timeZone,
  });
  const options = isDigest ? { greeting: greetingAt(at, timeZone) } : {};
  return { text: slackSummaryText(summary, options), blocks: slackSummary(summary, options) };
}

interface SingleOptions {
  readonly link: string | undefined;
  readonly timeZone: string;
  readonly at: string;
  readonly others: readonly TidingsEvent[];
  readonly mention: readonly string[];
  readonly isReply: boolean;
  readonly stack: string | undefined;
}

function single(event: TidingsEvent, { link, stack, ...rest }: SingleOptions): SlackMessage {
  const options = { ...rest, link, stack };
  return {
    text: slackText(event, options),
    blocks: slackBlocks(event, options),
    attachments: [slackDetails(event, options)],
  };
}

/**
 * Puts the text into sections, because Slack does not show `text` next to blocks. Splits between lines if possible. Text
 * beyond the limit of a message is replaced by a sign.
 */
function templateMessage(template: string): SlackMessage {
  // Control characters are invisible, and each takes six characters of JSON.
  const visible = template
    .toWellFormed()
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .trim();
  return { text: shorten(visible, SLACK_LIMITS.text - 100), blocks: sectionsOf(visible) };
}

const CUT_SIGN = '… (cut: the message is too long for Slack)';

function sectionsOf(text: string): readonly SlackBlock[] {
  const blocks: SlackBlock[] = [];
  let left = SLACK_LIMITS.message - RESERVED;
  for (let rest = text; rest !== ''; ) {
    const part = startOf(rest, SLACK_LIMITS.section);
    const block = sectionOf(part);
    const size = JSON.stringify(block).length + 1;
    if (size > left) {
      const fitting = startOf(part, Math.max(0, Math.floor((left * part.length) / size) - RESERVED));
      return [...blocks, sectionOf(`${fitting.trimEnd()}\n${CUT_SIGN}`)];
    }
    if (!isBlank(part)) blocks.push(block);
    left -= size;
    rest = rest.slice(part.length);
  }
  return blocks;
}

/** Characters of JSON kept free for the sign of a cut and a note on top. */
const RESERVED = 300;

const sectionOf = (text: string): SlackBlock => ({ type: 'section', text: mrkdwnText(text) });

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${startOf(text, length - 1).trimEnd()}…`;
}

/** The start of a text, up to a line break if possible. Does not split a link, an escape sequence or a surrogate pair. */
function startOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const start = text.slice(0, length);
  const line = start.lastIndexOf('\n');
  if (line > length / 2) return start.slice(0, line + 1);
  const whole = start.replace(/(?:&[a-z]{0,4}|<[^<>]{0,2000})$/, '') || start;
  return whole.isWellFormed() ? whole : whole.slice(0, -1);
}

const isBlank = (text: string) => /^[\s\p{Cc}]*$/u.test(text);

const noteBlock = (note: string): SlackBlock => ({ type: 'context', elements: [plainText(note)] });
