/**
 * One event as Slack blocks: the headline with a link to the record, then an attachment in the colour of its urgency with
 * facts, changes and advice. Every length is bounded, so that Slack accepts the message whatever the record contains.
 */

import { findAdvice } from '../../../core/messages/advice.ts';
import { factTable, URGENCY_COLOURS, URGENCY_MARKS } from '../../../core/messages/chat-card.ts';
import { clip } from '../../../core/messages/clip.ts';
import { escapeSlack } from '../../../core/messages/escape.ts';
import {
  buildNeutralMessage,
  type Headline,
  lineOf,
  type MessageOptions,
} from '../../../core/messages/neutral-message.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
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

export interface SlackEventOptions extends MessageOptions {
  /** The message is a reply in the thread of its record: facts that are not news are left out. @default false */
  readonly isReply?: boolean;
  /** Member ids. @default - no mentions */
  readonly mention?: readonly string[];
  /** The AWS stack that Tidings runs in, for the commands in the advice. @default - not in AWS */
  readonly stack?: string;
}

const MAX_TYPE_LENGTH = 200;
const MAX_MENTIONS = 10;

export function slackBlocks(event: TidingsEvent, options: SlackEventOptions = {}): readonly SlackBlock[] {
  const { headline, urgency, link } = buildNeutralMessage(event, options);
  const all = options.mention ?? [];
  const mentions = all.slice(0, MAX_MENTIONS).flatMap((id): RichPiece[] => [piece(' '), { type: 'user', user_id: id }]);
  const more = all.length > MAX_MENTIONS ? [piece(` and ${all.length - MAX_MENTIONS} more`)] : [];
  const section = richSection(
    piece(`${URGENCY_MARKS[urgency]} `),
    ...headlinePieces(headline, link),
    ...mentions,
    ...more,
  );
  return [{ type: 'rich_text', elements: [section] }];
}

/** The name of the record is the link, in bold instead of quotes. */
export function headlinePieces({ before, title, after }: Headline, link: string | undefined): readonly RichPiece[] {
  if (title === '') return [linked(before, link, { bold: true })];
  return [piece(before), linked(title, link, { bold: true }), piece(after)];
}

/** The attachment: Slack shows it below the headline, with a bar in the colour of its urgency. */
export function slackDetails(event: TidingsEvent, options: SlackEventOptions = {}): SlackAttachment {
  const message = buildNeutralMessage(event, options);
  const { facts, more } = factTable(message, options.isReply ?? false);
  const advice = findAdvice(event, options);
  return {
    color: URGENCY_COLOURS[message.urgency],
    fallback: slackText(event, options),
    blocks: [
      ...(facts.length === 0
        ? []
        : [{ type: 'section', fields: facts.map(({ label, value }) => labelled(label, value)) } as const]),
      ...(advice === undefined ? [] : [{ type: 'section', text: mrkdwnText(`*What to do:* ${advice}`) } as const]),
      {
        type: 'context',
        elements: [
          dateTimeText(event.time, message.time),
          plainText(clip(event.type, MAX_TYPE_LENGTH) || 'event'),
          ...(more === 0 ? [] : [plainText(`and ${more} more ${more === 1 ? 'change' : 'changes'}`)]),
        ],
      },
    ],
  };
}

/** What notifications and clients without blocks show. */
export function slackText(event: TidingsEvent, { others, timeZone }: MessageOptions = {}): string {
  return escapeSlack(lineOf(event, others, timeZone));
}
