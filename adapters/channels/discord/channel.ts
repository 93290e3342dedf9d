/** Renders messages as embeds for a Discord webhook, and interprets its responses. */

import { type ChatCard, type Span, shortLineOf, URGENCY_COLOURS } from '../../../core/messages/chat-card.ts';
import { clip } from '../../../core/messages/clip.ts';
import { escapeMarkdown } from '../../../core/messages/escape-markdown.ts';
import { fitGroups } from '../../../core/messages/fit-groups.ts';
import type { HttpResponse } from '../../http/http-transport.ts';
import { interpretChatResponse, type Refusal, textAt } from '../webhook-chat/chat-response.ts';
import type { ChatContent, ChatDialect } from '../webhook-chat/dialect.ts';
import type { DiscordSettings } from './settings.ts';

export * as sender from '../webhook-chat/webhook-sender.ts';

/** Discord's limits in characters and items. A message that exceeds one is rejected as a whole. */
const DISCORD_LIMITS = {
  content: 2000,
  title: 256,
  description: 4096,
  fields: 25,
  fieldName: 256,
  fieldValue: 1024,
  footer: 2048,
  /** All texts of all embeds. */
  embeds: 6000,
  threadName: 100,
} as const;

interface DiscordEmbed {
  readonly title?: string;
  readonly description: string;
  readonly color: number;
  readonly fields?: readonly { readonly name: string; readonly value: string; readonly inline: boolean }[];
  readonly footer?: { readonly text: string };
  /** Shown in the time zone of each reader. */
  readonly timestamp?: string;
}

export interface DiscordMessage {
  /** @default - no note and no mentions */
  readonly content?: string;
  readonly embeds: readonly [DiscordEmbed];
  /** The only ids that are notified, whatever the texts contain. */
  readonly allowed_mentions: { readonly parse: readonly []; readonly users: readonly string[] };
  /** Starts a post in a forum. @default - not in a forum, or in a post that exists */
  readonly thread_name?: string;
}

export const discordDialect: ChatDialect<DiscordSettings> = {
  renderPayload: renderDiscordMessage,

  addressOf(webhook, { outbound: { thread } }) {
    const url = new URL(webhook);
    // Without it Discord answers before it has checked the message, and reports no error.
    url.searchParams.set('wait', 'true');
    if (thread !== undefined) url.searchParams.set('thread_id', thread);
    return url;
  },

  interpret(response, at) {
    const { body } = response;
    const code = textAt(body, 'code') ?? '';
    if (LOST_THREAD.has(code)) return 'lost-thread';
    const retryAfter = Number(textAt(body, 'retry_after') ?? Number.NaN);
    const receipt = interpretChatResponse(response, at, {
      label: 'Discord',
      word: /^\d{1,8}$/.test(code) && code !== '0' ? code : undefined,
      hint: HINTS[code],
      refusal: REFUSALS[code],
      retryAfter: retryAfter >= 0 ? Math.ceil(retryAfter * 1000) : undefined,
    });
    // The response repeats the message. The thread of a post in a forum is the channel of its messages.
    const [id, channel] = [textAt(body, 'id'), textAt(body, 'channel_id')];
    if (id === undefined || channel === undefined || !isId(id) || !isId(channel)) return receipt;
    return { ...receipt, body: `message ${id}`, thread: channel };
  },

  // It repeats the whole message before its ids.
  maxResponseBytes: 65_536,

  pauseAfter({ headers, status }: HttpResponse) {
    if (status === 429 || headers['x-ratelimit-remaining'] !== '0') return 0;
    const seconds = Number(headers['x-ratelimit-reset-after']);
    return seconds > 0 ? Math.ceil(seconds * 1000) : 0;
  },
};

const isId = (text: string) => /^\d{15,21}$/.test(text);

export function renderDiscordMessage(content: ChatContent<DiscordSettings>): DiscordMessage {
  const { card, text, mentions, settings, outbound } = content;
  const people = text === undefined ? mentions.map(({ id }) => id) : [];
  const said = [card.note, ...people.map((id) => `<@${id}>`)].filter((part) => part !== undefined).join(' ');
  const startsPost = settings.forum === true && outbound.thread === undefined;
  return {
    ...(said === '' ? {} : { content: said }),
    embeds: [text === undefined ? embedOf(card) : { description: text, color: colourOf(card) }],
    allowed_mentions: { parse: [], users: people },
    ...(startsPost ? { thread_name: shortLineOf(card, outbound, DISCORD_LIMITS.threadName) || 'Tidings' } : {}),
  };
}

function embedOf(card: ChatCard): DiscordEmbed {
  const color = colourOf(card);
  if (card.groups.length === 0) return eventEmbed(card, color);
  const { blocks, rest } = fitGroups(card.groups, card.count, {
    render: (heading, lines) =>
      [`**${escapeMarkdown(heading)}**`, ...lines.map((line) => `- ${toMarkdown(line)}`)].join('\n'),
    sizeOf: (block) => block.length + 2,
    maxSize: DISCORD_LIMITS.description - REST_LENGTH,
  });
  // Discord counts the backslashes of the title too.
  const title = clip(card.title.map(({ text }) => text).join(''), DISCORD_LIMITS.title / 2);
  return {
    title: escapeMarkdown(title).slice(0, DISCORD_LIMITS.title),
    description: [...blocks, ...(rest === undefined ? [] : [`*${rest}*`])].join('\n\n'),
    color,
  };
}

/** Room for the number of lines that are not listed. */
const REST_LENGTH = 40;

function eventEmbed({ title, facts, advice, footer, time }: ChatCard, color: number): DiscordEmbed {
  const whatToDo = advice.length === 0 ? '' : `\n\n**What to do:** ${toMarkdown(advice)}`;
  // The timestamp replaces the time.
  const [, ...rest] = footer;
  return {
    description: `${toMarkdown(title)}${whatToDo}`,
    color,
    ...(facts.length === 0
      ? {}
      : {
          fields: facts.map(({ label, value }) => ({
            name: escapeMarkdown(label),
            value: escapeMarkdown(value),
            inline: true,
          })),
        }),
    footer: { text: rest.join(' · ') },
    timestamp: time,
  };
}

const colourOf = ({ urgency }: ChatCard) => Number.parseInt(URGENCY_COLOURS[urgency].slice(1), 16);

function toMarkdown(spans: readonly Span[]): string {
  return spans
    .map(({ text, style, link }) => {
      // Commands are ours and contain no backticks.
      if (style === 'code') return `\`${text}\``;
      // Parentheses would end the address.
      const linked =
        link === undefined
          ? escapeMarkdown(text)
          : `[${escapeMarkdown(text)}](${link.replaceAll('(', '%28').replaceAll(')', '%29')})`;
      if (style === 'bold') return `**${linked}**`;
      return style === 'italic' ? `*${linked}*` : linked;
    })
    .join('');
}

/** Unknown channel, and an archived thread that cannot be opened again. */
const LOST_THREAD: ReadonlySet<string> = new Set(['10003', '50083']);

const REFUSALS: Readonly<Record<string, Refusal>> = {
  10015: 'refused',
  50027: 'refused',
  220001: 'refused',
  220003: 'refused',
  220004: 'refused',
};

const HINTS: Readonly<Record<string, string>> = {
  10015: 'the webhook was deleted: create another',
  50027: 'the URL is not complete: copy it again',
  220001: 'the webhook posts into a forum: set forum: true',
  220003: 'the webhook does not post into a forum: remove forum',
};
