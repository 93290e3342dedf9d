/**
 * One event as Slack blocks: what happened with a link to the record, then, beside a bar of its colour, the facts, what
 * changed, what to do and when. Every length is bounded, so that no record makes a message Slack refuses; sends nothing.
 */

import { eventTypeOf, sayEvent } from '../../../core/events/catalogue.ts';
import type { Urgency } from '../../../core/events/event-type.ts';
import { nameOf } from '../../../core/events/life-events.ts';
import { escapeSlack } from '../../../core/messages/escape.ts';
import { buildNeutralMessage, clip, lineOf, type MessageOptions } from '../../../core/messages/neutral-message.ts';
import { isDay } from '../../../core/model/calendar.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { Fields } from '../../../core/model/record.ts';
import { findAdvice } from './advice.ts';
import {
  dateTimeText,
  labelled,
  linked,
  mrkdwnText,
  piece,
  plainText,
  type RichPiece,
  richSection,
  type SlackAttachment,
  type SlackBlock,
} from './block-kit.ts';
import { sayDay, slackFacts } from './slack-facts.ts';

export interface SlackEventOptions extends MessageOptions {
  /** When it is told. @default - when it happened */
  readonly at?: string;
  /** It stands under an earlier message about the record: what that said is not said again. @default false */
  readonly isReply?: boolean;
  /** Member ids of those who are asked to do something. @default - nobody */
  readonly mention?: readonly string[];
  /** The stack in AWS that Tidings runs in, for commands that are told. @default - it runs elsewhere */
  readonly stack?: string;
}

/** Bars of Slack's own palette, so that they look at home in light and in dark. */
export const COLOURS: Readonly<Record<Urgency, string>> = {
  good: '#2eb67d',
  plain: '#6b8fb5',
  soon: '#ecb22e',
  late: '#e01e5a',
};

export const MARKS: Readonly<Record<Urgency, string>> = { good: '✅', plain: '🔹', soon: '⏳', late: '🔴' };

const WORDS = 200;
const MENTIONS = 10;

/** What happened, in one line, the title leading to the record; and who is asked. */
export function slackBlocks(event: TidingsEvent, options: SlackEventOptions = {}): readonly SlackBlock[] {
  const { urgency, link } = buildNeutralMessage(event, options);
  const mentions = (options.mention ?? [])
    .slice(0, MENTIONS)
    .flatMap((id): RichPiece[] => [piece(' '), { type: 'user', user_id: id }]);
  const headline = richSection(
    piece(`${MARKS[urgency]} `),
    ...sentenceOf(event, link, options.at ?? event.time),
    ...mentions,
  );
  return [{ type: 'rich_text', elements: [headline] }];
}

/** The rest of it, beside a bar whose colour says how pressing it is. */
export function slackDetails(event: TidingsEvent, options: SlackEventOptions = {}): SlackAttachment {
  const message = buildNeutralMessage(event, options);
  const at = options.at ?? event.time;
  const { facts, unlisted } = slackFacts(event, {
    at,
    timeZone: options.timeZone ?? 'UTC',
    isReply: options.isReply ?? false,
  });
  const advice = findAdvice(event, options.stack);
  return {
    color: COLOURS[message.urgency],
    fallback: slackText(event),
    blocks: [
      ...(facts.length === 0
        ? []
        : [{ type: 'section', fields: facts.map(({ label, value }) => labelled(label, value)) } as const]),
      ...(advice === undefined ? [] : [{ type: 'section', text: mrkdwnText(`*What to do:* ${advice}`) } as const]),
      {
        type: 'context',
        elements: [
          dateTimeText(event.time, message.time),
          plainText(clip(event.type, WORDS) || 'event'),
          ...(unlisted === 0 ? [] : [plainText(`and ${unlisted} more ${unlisted === 1 ? 'change' : 'changes'}`)]),
        ],
      },
    ],
  };
}

/** The line that notifications and readers without blocks show: beside blocks, Slack asks for it as `text`. */
export function slackText(event: TidingsEvent): string {
  return escapeSlack(lineOf(event));
}

/** The sentence of the catalogue, without the place, which stands in the table; the title leads to the record. */
function sentenceOf(event: TidingsEvent, link: string | undefined, at: string): readonly RichPiece[] {
  const { project: _, client: __, ...placeless } = event.data.record;
  const said = sayEvent({ ...event, data: { ...event.data, record: placeless } });
  const [before, title, after] = splitAtTitle(said, event, placeless);
  const tell = (words: string) => prettyDays(clip(words, WORDS), at);
  if (title === '') return [linked(tell(said) || clip(event.type, WORDS) || 'event', link, { bold: true })];
  return [
    piece(spaced(tell(lowered(before)), 'after')),
    linked(clip(title, WORDS) || 'untitled', link, { bold: true }),
    piece(spaced(tell(after), 'before')),
  ];
}

/** Around the title: `Task “Draft the press kit” is late`, `Source main is late`. */
function splitAtTitle(said: string, { subject }: TidingsEvent, record: Fields): readonly [string, string, string] {
  const resource = subject.slice(0, subject.indexOf('/'));
  const called = nameOf(resource, record);
  const quoted = called.slice(called.indexOf('“'));
  const isOwn = resource === 'source' || resource === 'subscription';
  const looked = isOwn ? String(record.name) : quoted;
  const start = looked === '' ? -1 : said.indexOf(looked);
  if (start === -1) return [said, '', ''];
  return [said.slice(0, start), isOwn ? looked : quoted.slice(1, -1), said.slice(start + looked.length)];
}

/** `500.00 came in for Invoice …`: a capital is for the start of a sentence. */
const lowered = (before: string) => before.replace(/(?<=\S )[A-Z](?=[a-z]+ $)/, (letter) => letter.toLowerCase());

/** Cutting took the space at the edge. */
function spaced(text: string, where: 'before' | 'after'): string {
  if (text === '') return '';
  return where === 'after' ? `${text} ` : `${/^[,:;.]/.test(text) ? '' : ' '}${text}`;
}

/** Days as people say them: `Fri 20 Nov`. */
export function prettyDays(text: string, at: string): string {
  return text.replaceAll(/\b\d{4}-\d{2}-\d{2}\b/g, (day) => (isDay(day) ? sayDay(day, at) : day));
}

/** How pressing an event is. */
export function urgencyOf({ type }: Pick<TidingsEvent, 'type'>): Urgency {
  return eventTypeOf(type)?.urgency ?? 'plain';
}
