/** An event as Slack blocks. Foreign text is only ever plain text, where no mark means anything; sends nothing. */

import type { TidingsEvent } from '../model/event.ts';
import type { Urgency } from './event-type.ts';
import { lineOf, type Message, type MessageOptions, messageOf } from './message.ts';

export interface SlackText {
  readonly type: 'plain_text' | 'mrkdwn';
  readonly text: string;
  /** Whether `:smile:` becomes a picture. Only plain text has it. */
  readonly emoji?: boolean;
}

export type SlackBlock =
  | { readonly type: 'section'; readonly text: SlackText }
  | { readonly type: 'section'; readonly fields: readonly SlackText[] }
  | { readonly type: 'context'; readonly elements: readonly SlackText[] };

/** Slack takes ten fields a section, and shows them in two columns: label and value. */
const FACTS_A_SECTION = 5;

const MARKS: Readonly<Record<Urgency, string>> = { good: '✅', plain: '🔹', soon: '⏳', late: '🔴' };

/**
 * What happened, the facts, what changed, and when. At most five blocks, and every length is bounded in message.ts, so
 * that no record can make a message that Slack refuses.
 */
export function slackBlocks(event: TidingsEvent, options: MessageOptions = {}): readonly SlackBlock[] {
  const message = messageOf(event, options);
  return [
    { type: 'section', text: foreign(`${MARKS[message.urgency]} ${message.line}`) },
    ...factSections(message),
    ...(message.changes.length === 0
      ? []
      : [{ type: 'section', text: foreign(message.changes.join('\n')) } satisfies SlackBlock]),
    { type: 'context', elements: context(event, message) },
  ];
}

/** The line that notifications and readers without blocks show: beside blocks, Slack asks for it as `text`. */
export function slackText(event: TidingsEvent): string {
  return escapeText(lineOf(event));
}

function factSections({ facts }: Message): readonly SlackBlock[] {
  const sections = Math.ceil(facts.length / FACTS_A_SECTION);
  return Array.from({ length: sections }, (_, index) => ({
    type: 'section',
    fields: facts
      .slice(index * FACTS_A_SECTION, (index + 1) * FACTS_A_SECTION)
      .flatMap(({ label, value }) => [marked(`*${label}*`), foreign(value)]),
  }));
}

function context({ type, time }: TidingsEvent, { time: told, link, resource }: Message): readonly SlackText[] {
  const seconds = Math.floor(Date.parse(time) / 1000);
  return [
    // Each reader sees it in the zone of their own.
    marked(`<!date^${seconds}^{date_short_pretty}, {time}|${escapeText(told)}>`),
    foreign(type),
    ...(link === undefined ? [] : [marked(`<${escapeLink(link)}|Open ${escapeText(resource)}>`)]),
  ];
}

const foreign = (text: string): SlackText => ({ type: 'plain_text', text, emoji: false });
const marked = (text: string): SlackText => ({ type: 'mrkdwn', text });

/** `&` first, or the others would be escaped twice. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A bar would end the address, and what follows would be the text of the link. */
function escapeLink(link: string): string {
  return escapeText(link.replaceAll('|', '%7C').replaceAll('<', '%3C').replaceAll('>', '%3E'));
}
