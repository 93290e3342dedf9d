/**
 * Simulated Mattermost and Rocket.Chat: an incoming webhook that takes classic attachments, each with the limits and
 * answers of its own, and a page that shows what arrived. For tests.
 */

import { isObject, type JsonObject, objectsOf, RequestWindow, textOf } from '../../../simulator/chat/json.ts';
import {
  type ChatServer,
  type ChatServerOptions,
  startChatServer,
  type WebhookRequest,
  type WebhookResponse,
} from '../../../simulator/chat/webhook-server.ts';
import { pageOf } from './page.ts';

export interface AttachmentChatOptions extends ChatServerOptions {
  /** Requests a second; Infinity for no limit. @default 10 */
  readonly perSecond?: number;
  /** The user names that direct messages can be sent to. @default - any */
  readonly people?: readonly string[];
  /** Whether a message may name another channel than the webhook's. @default true */
  readonly allowsOtherChannels?: boolean;
}

export interface AttachmentPost {
  readonly at: number;
  readonly message: JsonObject;
  /** `@ann.vogt` or a channel, if the message named one. @default - the channel of the webhook */
  readonly channel?: string;
  /** The names that it notifies, `all`, `channel` and `here` among them. */
  readonly notified: readonly string[];
}

export interface AttachmentChat extends ChatServer {
  readonly webhookUrl: string;
  readonly messages: readonly AttachmentPost[];
  deleteWebhook(): void;
}

/** What differs between the two. */
interface Product {
  readonly title: string;
  readonly path: string;
  /** What a single asterisk means. */
  readonly star: 'i' | 'b';
  /** Characters of the message and of its attachments together. */
  readonly maxLength: number;
  readonly accepted: WebhookResponse;
  readonly unknown: WebhookResponse;
  refused(problem: string): WebhookResponse;
  /** There is no such person or channel. */
  readonly unknownPerson: WebhookResponse;
  readonly locked: WebhookResponse;
  readonly busy: WebhookResponse;
}

const KEY = 'standinkeyofthewebhook0123';

const MATTERMOST: Product = {
  title: 'Simulated Mattermost',
  path: `/hooks/${KEY}`,
  star: 'i',
  maxLength: 16_383,
  accepted: { status: 200, body: 'ok' },
  unknown: { status: 400, body: { id: 'web.incoming_webhook.invalid.app_error', message: 'Invalid webhook.' } },
  refused: (message) => ({ status: 400, body: { id: 'web.incoming_webhook.parse.app_error', message } }),
  unknownPerson: {
    status: 400,
    body: { id: 'web.incoming_webhook.user.app_error', message: "Couldn't find the user." },
  },
  locked: { status: 403, body: { id: 'web.incoming_webhook.channel_locked.app_error', message: 'Not permitted.' } },
  busy: { status: 429, body: 'limit exceeded', headers: { 'retry-after': '1', 'x-ratelimit-remaining': '0' } },
};

const ROCKET_CHAT: Product = {
  title: 'Simulated Rocket.Chat',
  path: `/hooks/65f0c0ffee0123456789abcd/${KEY}`,
  star: 'b',
  maxLength: 5000,
  accepted: { status: 200, body: { success: true } },
  unknown: { status: 404, body: { success: false, error: 'Invalid integration id or token provided.' } },
  // It answers 200 although nothing was posted.
  refused: (error) => ({ status: 200, body: { success: false, error } }),
  unknownPerson: { status: 400, body: { success: false, error: 'invalid-channel' } },
  locked: {
    status: 400,
    body: { success: false, error: 'overriding destination channel is disabled for this integration' },
  },
  busy: { status: 429, body: { success: false, error: 'error-too-many-requests' }, headers: { 'retry-after': '1' } },
};

export const startMattermost = (options: AttachmentChatOptions = {}) => start(MATTERMOST, options);
export const startRocketChat = (options: AttachmentChatOptions = {}) => start(ROCKET_CHAT, options);

async function start(product: Product, options: AttachmentChatOptions): Promise<AttachmentChat> {
  const { perSecond = 10, now = Date.now, people, allowsOtherChannels = true } = options;
  const window = new RequestWindow(perSecond, 1000, now);
  const messages: AttachmentPost[] = [];
  let exists = true;

  const receive = ({ url, body }: WebhookRequest): WebhookResponse => {
    if (url.pathname !== product.path || !exists) return product.unknown;
    if (window.remaining === 0) return product.busy;
    window.add();
    const problem = checkMessage(body ?? {}, product.maxLength);
    if (problem !== undefined) return product.refused(problem);
    const channel = body?.channel === undefined ? undefined : textOf(body.channel);
    if (channel !== undefined && !allowsOtherChannels) return product.locked;
    const isPerson = channel?.startsWith('@') ?? false;
    if (isPerson && people?.includes(channel?.slice(1) ?? '') === false) return product.unknownPerson;
    messages.push({ at: now(), message: body ?? {}, channel, notified: notifiedBy(body ?? {}) });
    return product.accepted;
  };

  const server = await startChatServer(options, { receive, page: () => pageOf(product, messages) });
  return Object.assign(server, {
    webhookUrl: `${server.url}${product.path}`,
    messages,
    deleteWebhook: () => {
      exists = false;
    },
  });
}

/** What is wrong with a message. Blocks of Slack are ignored, so a message with nothing else is empty. */
export function checkMessage(body: JsonObject, maxLength: number): string | undefined {
  const attachments = body.attachments === undefined ? [] : objectsOf(body.attachments);
  if (attachments === undefined) return 'error-invalid-attachments';
  const texts = [textOf(body.text), ...attachments.flatMap(textsOf)];
  if (texts.every((text) => text.trim() === '')) return 'error-empty-message';
  if (texts.some((text) => !text.isWellFormed())) return 'error-invalid-text';
  const isColour = ({ color }: JsonObject) => color === undefined || /^#[\da-f]{6}$/i.test(textOf(color));
  if (!attachments.every(isColour)) return 'error-invalid-color';
  return texts.reduce((sum, text) => sum + text.length, 0) > maxLength ? 'error-message-size-exceeded' : undefined;
}

/** The texts that are shown, in all of which Markdown is parsed. */
export function textsOf({ pretext, title, text, fields, footer }: JsonObject): readonly string[] {
  const cells = (objectsOf(fields) ?? []).flatMap(({ title: name, value }) => [name, value]);
  return [pretext, title, text, footer, ...cells].filter((value) => value !== undefined).map(textOf);
}

/** A name after `@` notifies in every text, unless something that is no part of a name is between them. */
export function notifiedBy(body: JsonObject): readonly string[] {
  const attachments = (objectsOf(body.attachments) ?? []).filter(isObject);
  return [textOf(body.text), ...attachments.flatMap(textsOf)].flatMap((text) =>
    [...text.matchAll(/@([a-zA-Z0-9][\w.-]*)/g)].map(([, name = '']) => name),
  );
}
