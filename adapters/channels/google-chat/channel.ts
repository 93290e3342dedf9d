/** Renders messages as cards for the webhook of a Google Chat space, and interprets its responses. */

import { createHash } from 'node:crypto';
import { type ChatCard, type Span, URGENCY_COLOURS } from '../../../core/messages/chat-card.ts';
import { escapeHtml } from '../../../core/messages/escape.ts';
import { fitGroups } from '../../../core/messages/fit-groups.ts';
import { fitText } from '../../../core/messages/fit-text.ts';
import type { OutboundMessage } from '../../../core/ports/channel.ts';
import { interpretChatResponse, textAt } from '../webhook-chat/chat-response.ts';
import type { ChatContent, ChatDialect, WebhookChatSettings } from '../webhook-chat/dialect.ts';

export * as sender from '../webhook-chat/webhook-sender.ts';

/** Bytes of a message. Google Chat rejects more than 32,000. */
export const GOOGLE_CHAT_MAX_BYTES = 30_000;

type ChatWidget =
  | { readonly textParagraph: { readonly text: string } }
  | { readonly decoratedText: { readonly topLabel: string; readonly text: string; readonly wrapText: true } }
  | { readonly divider: Readonly<Record<string, never>> }
  | {
      readonly buttonList: {
        readonly buttons: readonly {
          readonly text: string;
          readonly onClick: { readonly openLink: { readonly url: string } };
        }[];
      };
    };

export interface GoogleChatMessage {
  /** Mentions only: no text of a record, in which `<users/all>` would notify everyone. @default - no mentions */
  readonly text?: string;
  /** For notifications, in which nothing is parsed. */
  readonly fallbackText: string;
  readonly cardsV2: readonly [
    {
      readonly cardId: string;
      readonly card: { readonly sections: readonly { readonly widgets: readonly ChatWidget[] }[] };
    },
  ];
  /** The thread of the record; a message about several starts a thread of its own. @default - a new thread */
  readonly thread?: { readonly threadKey: string };
}

export const googleChatDialect: ChatDialect = {
  renderPayload: renderGoogleChatMessage,

  addressOf(webhook, { outbound }) {
    const url = new URL(webhook);
    url.searchParams.set('messageReplyOption', 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD');
    // A second attempt after a lost response does not post the message again.
    url.searchParams.set('requestId', hash(outbound.delivery));
    return url;
  },

  interpret(response, at) {
    const word = /^[A-Z_]{1,60}$/.exec(textAt(response.body, 'error', 'status') ?? '')?.[0];
    return interpretChatResponse(response, at, { label: 'Google Chat', word, hint: HINTS[word ?? ''] });
  },
};

const HINTS: Readonly<Record<string, string>> = {
  NOT_FOUND: 'the webhook or its space was deleted: create another',
  PERMISSION_DENIED: 'the webhook is not allowed to post: check the apps of the space',
  UNAUTHENTICATED: 'the URL is not complete: copy it again, with key and token',
};

const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);

/** The same for all messages of a subscription about one record; undefined for a message about several. */
function threadKeyOf({ subscription, events: [first, ...rest] }: OutboundMessage): string | undefined {
  const isOne = rest.every(({ source, subject }) => source === first.source && subject === first.subject);
  return isOne ? `tidings-${hash(`${subscription.name} ${first.source} ${first.subject}`)}` : undefined;
}

export function renderGoogleChatMessage(content: ChatContent<WebhookChatSettings>): GoogleChatMessage {
  const { card, text, mentions, outbound } = content;
  const said = text === undefined ? mentions.map(({ id }) => `<users/${id}>`).join(' ') : '';
  const threadKey = threadKeyOf(outbound);
  const wrap = (widgets: readonly ChatWidget[]): GoogleChatMessage => ({
    ...(said === '' ? {} : { text: said }),
    fallbackText: card.line,
    cardsV2: [{ cardId: hash(outbound.delivery), card: { sections: [{ widgets }] } }],
    ...(threadKey === undefined ? {} : { thread: { threadKey } }),
  });
  if (text !== undefined) return templateMessage(card, text, wrap);
  return card.groups.length > 0 ? summaryMessage(card, wrap) : eventMessage(card, wrap);
}

type Wrap = (widgets: readonly ChatWidget[]) => GoogleChatMessage;

function eventMessage(card: ChatCard, wrap: Wrap): GoogleChatMessage {
  const link = card.title.find((span) => span.link !== undefined)?.link;
  const compose = (count: number) =>
    wrap([
      ...noteWidgets(card),
      titleWidget(card),
      ...card.facts.slice(0, count).map(({ label, value }) => ({
        decoratedText: { topLabel: label, text: escapeHtml(value), wrapText: true } as const,
      })),
      ...(card.advice.length === 0 ? [] : [paragraph(`<b>What to do:</b> ${toHtml(card.advice)}`)]),
      paragraph(`<font color="#80868b">${escapeHtml(card.footer.join(' · '))}</font>`),
      ...(link === undefined
        ? []
        : [{ buttonList: { buttons: [{ text: 'Open', onClick: { openLink: { url: link } } }] } }]),
    ]);
  // Facts that do not fit are left out, the last one first.
  for (let count = card.facts.length; count > 0; count -= 1) {
    const message = compose(count);
    if (bytesOf(message) <= GOOGLE_CHAT_MAX_BYTES) return message;
  }
  return compose(0);
}

function summaryMessage(card: ChatCard, wrap: Wrap): GoogleChatMessage {
  const head = [...noteWidgets(card), titleWidget(card)];
  const { blocks, rest } = fitGroups<ChatWidget>(card.groups, card.count, {
    render: (heading, lines) =>
      paragraph([`<b>${escapeHtml(heading)}</b>`, ...lines.map((line) => `• ${toHtml(line)}`)].join('<br>')),
    sizeOf: (block) => bytesOf(block) + 1,
    maxSize: GOOGLE_CHAT_MAX_BYTES - bytesOf(wrap([...head, restWidget('and 1,000,000 more')])),
  });
  return wrap([...head, ...blocks, ...(rest === undefined ? [] : [restWidget(rest)])]);
}

function templateMessage(card: ChatCard, text: string, wrap: Wrap): GoogleChatMessage {
  const compose = (shown: string) => wrap([...noteWidgets(card), paragraph(shown.replaceAll('\n', '<br>'))]);
  return compose(fitText(text, (shown) => bytesOf(compose(shown)) <= GOOGLE_CHAT_MAX_BYTES));
}

const paragraph = (text: string): ChatWidget => ({ textParagraph: { text } });
const restWidget = (rest: string) => paragraph(`<i>${rest}</i>`);
const noteWidgets = ({ note }: ChatCard) => (note === undefined ? [] : [paragraph(`<i>${note}</i>`)]);
const titleWidget = ({ title, urgency }: ChatCard) =>
  paragraph(`<font color="${URGENCY_COLOURS[urgency]}">▌</font>${toHtml(title)}`);

const STYLED: Readonly<Record<NonNullable<Span['style']>, (html: string) => string>> = {
  bold: (html) => `<b>${html}</b>`,
  italic: (html) => `<i>${html}</i>`,
  code: (html) => `<font color="#c5221f">${html}</font>`,
};

/** Cards parse a subset of HTML. */
function toHtml(spans: readonly Span[]): string {
  return spans
    .map(({ text, style, link }) => {
      const html = escapeHtml(text);
      const styled = style === undefined ? html : STYLED[style](html);
      return link === undefined ? styled : `<a href="${escapeHtml(link)}">${styled}</a>`;
    })
    .join('');
}

const bytesOf = (value: object) => Buffer.byteLength(JSON.stringify(value));
