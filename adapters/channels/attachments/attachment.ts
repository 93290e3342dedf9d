/**
 * Renders messages as classic attachments, the format that Mattermost and Rocket.Chat share: a coloured bar beside a text
 * and a table of fields, in Markdown. Knows neither of them.
 */

import { type ChatCard, type Span, URGENCY_COLOURS } from '../../../core/messages/chat-card.ts';
import { fitGroups } from '../../../core/messages/fit-groups.ts';
import type { ChatContent, WebhookChatSettings } from '../webhook-chat/dialect.ts';

interface ClassicAttachment {
  readonly color: string;
  readonly fallback: string;
  readonly text: string;
  readonly fields?: readonly { readonly title: string; readonly value: string; readonly short: boolean }[];
  readonly footer?: string;
}

export interface AttachmentMessage {
  /** `@ann.vogt` or a channel. @default - the channel of the webhook */
  readonly channel?: string;
  /** The note and the mentions. @default - neither */
  readonly text?: string;
  readonly attachments: readonly [ClassicAttachment];
}

export interface AttachmentDialect {
  /** Characters of all texts together. */
  readonly maxLength: number;
  readonly bold: (markup: string) => string;
  readonly escapeText: (text: string) => string;
}

/** Characters kept free for the note, the mentions and the number of lines that are not listed. */
const RESERVED_LENGTH = 800;

export function renderAttachment(
  { card, text, mentions, channel }: ChatContent<WebhookChatSettings>,
  dialect: AttachmentDialect,
): AttachmentMessage {
  const people = text === undefined ? mentions.map(({ id }) => `@${id}`) : [];
  const said = [card.note, ...people].filter((part) => part !== undefined).join(' ');
  return {
    channel,
    text: said === '' ? undefined : said,
    attachments: [
      {
        color: URGENCY_COLOURS[card.urgency],
        fallback: dialect.escapeText(card.line),
        ...(text === undefined ? bodyOf(card, dialect) : { text }),
      },
    ],
  };
}

type AttachmentBody = Omit<ClassicAttachment, 'color' | 'fallback'>;

function bodyOf(card: ChatCard, dialect: AttachmentDialect): AttachmentBody {
  return card.groups.length > 0 ? summaryBody(card, dialect) : eventBody(card, dialect);
}

function summaryBody({ title: spans, groups, count }: ChatCard, dialect: AttachmentDialect): AttachmentBody {
  const title = toMarkdown(spans, dialect);
  const { blocks, rest } = fitGroups(groups, count, {
    render: (heading, lines) =>
      [dialect.bold(dialect.escapeText(heading)), ...lines.map((line) => `- ${toMarkdown(line, dialect)}`)].join('\n'),
    sizeOf: (block) => block.length + 2,
    maxSize: dialect.maxLength - title.length - RESERVED_LENGTH,
  });
  return { text: [title, ...blocks, ...(rest === undefined ? [] : [`_${rest}_`])].join('\n\n') };
}

/** Facts that do not fit are left out, the last one first. */
function eventBody({ title, advice, facts, footer }: ChatCard, dialect: AttachmentDialect): AttachmentBody {
  const { bold, escapeText, maxLength } = dialect;
  const whatToDo = advice.length === 0 ? '' : `\n\n${bold('What to do:')} ${toMarkdown(advice, dialect)}`;
  const text = `${toMarkdown(title, dialect)}${whatToDo}`;
  const foot = escapeText(footer.join(' · '));
  let left = maxLength - RESERVED_LENGTH - text.length - foot.length;
  const fields = facts
    .map(({ label, value }) => ({ title: escapeText(label), value: escapeText(value), short: true }))
    .filter((field) => {
      left -= field.title.length + field.value.length;
      return left >= 0;
    });
  return { text, fields: fields.length === 0 ? undefined : fields, footer: foot };
}

function toMarkdown(spans: readonly Span[], { bold, escapeText }: AttachmentDialect): string {
  return spans
    .map(({ text, style, link }) => {
      // Commands are ours and contain no backticks.
      if (style === 'code') return `\`${text}\``;
      const linked =
        link === undefined
          ? escapeText(text)
          : // Parentheses would end the address.
            `[${escapeText(text)}](${link.replaceAll('(', '%28').replaceAll(')', '%29')})`;
      if (style === 'bold') return bold(linked);
      return style === 'italic' ? `_${linked}_` : linked;
    })
    .join('');
}
