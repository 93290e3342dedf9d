/** What differs between chats that take messages through a webhook: the JSON, the address, and what a response means. Types only. */

import type { ChatCard } from '../../../core/messages/chat-card.ts';
import type { PersonRole } from '../../../core/model/subscription.ts';
import type { Instant } from '../../../core/model/time.ts';
import type { OutboundMessage, Receipt } from '../../../core/ports/channel.ts';
import type { HttpResponse } from '../../http/http-transport.ts';

/** The settings that every chat with a webhook has. */
export interface WebhookChatSettings {
  /** The webhook's URL, a secret reference. */
  readonly webhook: string;
  /** The chat's ids of people, by mail address or name: the people concerned are mentioned. @default - no mentions */
  readonly mentions?: Readonly<Record<string, string>>;
  /** Each of these people gets direct messages. @default - the channel of the webhook gets all messages */
  readonly to?: PersonRole;
  /** With `to`: the channel that gets what no person can get. @default - no one */
  readonly fallback?: string;
}

/** A person that the message mentions. */
export interface Mention {
  /** The name in the record. */
  readonly name: string;
  /** The id in the chat, as the config has it. */
  readonly id: string;
}

/** A message before it is rendered. */
export interface ChatContent<Settings> {
  readonly card: ChatCard;
  /** What the subscription's template rendered, in the chat's markup. It replaces the card. @default - no template */
  readonly text?: string;
  /** Each person once, at most ten. */
  readonly mentions: readonly Mention[];
  readonly settings: Settings;
  /** `@ann.vogt` for a direct message, or a channel. @default - the channel of the webhook */
  readonly channel?: string;
  /** With the thread that this message continues, if any. */
  readonly outbound: OutboundMessage;
}

export interface ChatDialect<Settings extends WebhookChatSettings = WebhookChatSettings> {
  /** The JSON to post. Within every limit of the chat, whatever the records contain. */
  renderPayload(content: ChatContent<Settings>): object;
  /** The address to post to. @default - the URL of the webhook */
  addressOf?(webhook: URL, content: ChatContent<Settings>): URL;
  /** The receipt; `lost-thread` if the thread does not exist any more. Throws RetryLater or GiveUp otherwise. */
  interpret(response: HttpResponse, at: Instant): Receipt | 'lost-thread';
  /** Whether the response to a direct message says that there is no such person. @default - the chat has no direct messages */
  isUnknownPerson?(response: HttpResponse): boolean;
  /** Bytes of a response that `interpret` reads. @default 4096 */
  readonly maxResponseBytes?: number;
  /** Milliseconds during which the webhook takes no further message, as its response says. @default - it never says */
  pauseAfter?(response: HttpResponse): number;
}
