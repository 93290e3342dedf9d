/** Renders and posts messages to the webhook of a chat, in the chat's dialect. Knows no chat. */

import { setTimeout as sleep } from 'node:timers/promises';
import { buildChatCard } from '../../../core/messages/chat-card.ts';
import { findChatId } from '../../../core/messages/chat-person.ts';
import type { Links } from '../../../core/messages/link.ts';
import { renderSubscriptionTemplate } from '../../../core/messages/subscription-template.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { createMapPruner } from '../../../core/model/prune-map.ts';
import {
  type ChannelTemplateParts,
  describeMissingAddress,
  type OutboundMessage,
  type Receipt,
} from '../../../core/ports/channel.ts';
import type { Secrets } from '../../../core/ports/secrets.ts';
import type { HttpResponse, HttpTransport } from '../../http/http-transport.ts';
import { redactResponse, urlSecrets } from '../../http/redact-response.ts';
import { USER_AGENT } from '../../http/user-agent.ts';
import { type ResolveSecret, withSecrets } from '../../secrets/with-secrets.ts';
import type { Sender } from '../definition.ts';
import { CHAT_REFUSED } from './chat-response.ts';
import type { ChatContent, ChatDialect, WebhookChatSettings } from './dialect.ts';
import { findMentioned } from './mentions.ts';

/** The chat that a sender posts to. */
interface WebhookChatIdentity<Settings> {
  /** The key under `to` in the config. */
  readonly name: string;
  /** The display name. */
  readonly label: string;
  readonly templateParts: ChannelTemplateParts;
  hasThreads(settings: Settings): boolean;
}

interface WebhookSenderOptions {
  readonly http: HttpTransport;
  readonly secrets: Secrets;
  readonly links: Links;
  /** The AWS stack that Tidings runs in, for the commands in the advice. @default - not in AWS */
  readonly stack?: string;
  /** Milliseconds of a monotonic clock. @default performance.now */
  readonly now?: () => number;
}

const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'user-agent': USER_AGENT };

const PERSON_WITHOUT_ADDRESS = 'TIDINGS_PERSON_WITHOUT_ADDRESS';

const WEBHOOK_INVALID = 'TIDINGS_SETTINGS_WEBHOOK_INVALID';

/** A longer pause is left to the chat's own answer. */
const MAX_PAUSE_MS = 5000;

export function openWebhookSender<Settings extends WebhookChatSettings>(
  chat: WebhookChatIdentity<Settings>,
  dialect: ChatDialect<Settings>,
  { http, secrets, links, stack, now = () => performance.now() }: WebhookSenderOptions,
): Sender<Settings> {
  /** When a webhook whose limit is used up takes the next message. */
  const readyAt = new Map<string, number>();
  const prune = createMapPruner(readyAt, (at, time) => at <= time);

  const post = async (
    webhook: URL,
    content: ChatContent<Settings>,
    signal: AbortSignal | undefined,
  ): Promise<Receipt | 'lost-thread' | 'unknown-person'> => {
    await pause(webhook, signal);
    const url = dialect.addressOf?.(webhook, content) ?? webhook;
    const body = JSON.stringify(dialect.renderPayload(content));
    const raw = await http.post(url, HEADERS, body, signal, dialect.maxResponseBytes);
    // What the dialect adds to the address, such as a thread, is not secret.
    const response = redactResponse(raw, [...urlSecrets(webhook), url.href, `${url.pathname}${url.search}`]);
    notePause(webhook, response);
    if (content.channel?.startsWith('@') && dialect.isUnknownPerson?.(response)) return 'unknown-person';
    return dialect.interpret(response, content.outbound.at);
  };

  const pause = async ({ href }: URL, signal: AbortSignal | undefined): Promise<void> => {
    const wait = (readyAt.get(href) ?? 0) - now();
    readyAt.delete(href);
    if (wait <= 0) return;
    try {
      await sleep(wait, undefined, { signal });
    } catch (cause) {
      throw new RetryLater('TIDINGS_CHAT_STATUS', `${chat.label}: the request was aborted`, { cause });
    }
  };

  const notePause = ({ href }: URL, response: HttpResponse): void => {
    const wait = dialect.pauseAfter?.(response) ?? 0;
    if (wait <= 0) return;
    prune(now());
    readyAt.set(href, now() + Math.min(wait, MAX_PAUSE_MS));
  };

  return {
    channelFor: (settings) => ({
      async send(outbound, signal) {
        const rendered = await renderSubscriptionTemplate(outbound, { links, parts: chat.templateParts });
        const text = rendered?.texts.text;
        const contentOf = (message: OutboundMessage) => chatContent(message, settings, { links, stack, text });
        const { thread, ...receipt } = await withSecrets(secrets, isRefused, async (resolve) => {
          const webhook = await webhookUrl(chat, settings, resolve);
          const content = contentOf(outbound);
          const sent = await post(webhook, content, signal);
          if (typeof sent === 'object') return sent;
          const again = await post(
            webhook,
            sent === 'lost-thread'
              ? // Starts a new thread.
                contentOf({ ...outbound, thread: undefined })
              : { ...content, channel: fallbackChannel(settings, `${chat.label} has no person ${content.channel}`) },
            signal,
          );
          if (typeof again === 'object') return again;
          throw new RetryLater('TIDINGS_CHAT_STATUS', `${chat.label} misses a thread for a message without a thread`);
        });
        return {
          ...receipt,
          ...(chat.hasThreads(settings) && thread !== undefined ? { thread } : {}),
          ...(rendered?.problem === undefined ? {} : { remark: rendered.problem }),
        };
      },
    }),
    close: async () => {},
  };
}

export interface ChatContentOptions {
  readonly links: Links;
  readonly stack?: string;
  /** What the template rendered. @default - no template */
  readonly text?: string;
}

export function chatContent<Settings extends WebhookChatSettings>(
  outbound: OutboundMessage,
  settings: Settings,
  { links, stack, text }: ChatContentOptions,
): ChatContent<Settings> {
  const card = buildChatCard(outbound, { links, stack });
  const channel = channelOf(settings, outbound);
  // A direct message has one reader, who need not be mentioned.
  const mentions = channel === undefined ? findMentioned(card.people, settings.mentions) : [];
  return { card, text, mentions, settings, channel, outbound };
}

/** The person in `mentions`, or the fallback. Undefined for a message to the channel of the webhook. */
function channelOf(settings: WebhookChatSettings, { recipient }: OutboundMessage): string | undefined {
  const { to, mentions } = settings;
  if (to === undefined || recipient === undefined) return undefined;
  const { name, address, hasNamesake = false } = recipient;
  const id = name === null ? undefined : findChatId({ name, address, hasNamesake }, mentions ?? {});
  if (id !== undefined) return `@${id}`;
  return fallbackChannel(
    settings,
    name === null
      ? describeMissingAddress(recipient, `the ${to} of a record`)
      : hasNamesake
        ? `several people of the account are named ${name}; set fallback, or add the mail address to mentions and replay`
        : `${name} is not in mentions; set fallback, or add the person and replay`,
  );
}

function fallbackChannel({ fallback }: WebhookChatSettings, problem: string): string {
  if (fallback !== undefined) return fallback;
  throw new GiveUp(PERSON_WITHOUT_ADDRESS, problem);
}

/** Any refusal may mean that the cached secret is outdated. */
function isRefused(error: unknown): boolean {
  return error instanceof GiveUp && [CHAT_REFUSED, WEBHOOK_INVALID].includes(error.code);
}

/** The URL is secret: the error does not contain it. */
export async function webhookUrl(
  { name, label }: Pick<WebhookChatIdentity<unknown>, 'name' | 'label'>,
  { webhook }: WebhookChatSettings,
  resolve: ResolveSecret,
): Promise<URL> {
  const text = (await resolve(webhook)).trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new GiveUp(WEBHOOK_INVALID, `to.${name}.webhook: expected the URL of a webhook, as ${label} shows it`);
}
