/**
 * A simulated Discord: the webhook of a channel, as strict as the real one, with a page that shows what arrived. For tests; a sender cannot distinguish it from Discord.
 */

import { type JsonObject, RequestWindow, textOf } from '../../../simulator/chat/json.ts';
import {
  type ChatServer,
  type ChatServerOptions,
  startChatServer,
  type WebhookRequest,
  type WebhookResponse,
} from '../../../simulator/chat/webhook-server.ts';
import { checkMessage, notifiedBy } from './message.ts';
import { pageOf } from './page.ts';

export interface DiscordOptions extends ChatServerOptions {
  /** Whether the webhook posts into a forum. @default false */
  readonly forum?: boolean;
  /** Messages in two seconds, or in `burstMs`; Infinity for no limit. @default 5 */
  readonly perBurst?: number;
  /** @default 2000 */
  readonly burstMs?: number;
  /** @default 30 */
  readonly perMinute?: number;
}

export interface DiscordPost {
  readonly id: string;
  readonly at: number;
  readonly message: JsonObject;
  /** The thread of a forum. @default - the channel */
  readonly thread?: string;
  /** What it notifies: ids of users, `everyone`, ids of roles. */
  readonly notified: readonly string[];
}

export interface DiscordThread {
  readonly id: string;
  readonly name: string;
}

export interface Discord extends ChatServer {
  readonly webhookUrl: string;
  readonly messages: readonly DiscordPost[];
  readonly threads: readonly DiscordThread[];
  deleteThread(id: string): void;
  deleteWebhook(): void;
}

const WEBHOOK = '/api/webhooks/1234567890123456789/standin-kEyOfThEwEbHoOk-0123456789abcdef';
const CHANNEL = '1111111111111111111';

export async function startDiscord(options: DiscordOptions = {}): Promise<Discord> {
  const { forum = false, perBurst = 5, burstMs = 2000, perMinute = 30, now = Date.now } = options;
  const bucket = new RequestWindow(perBurst, burstMs, now);
  const minute = new RequestWindow(perMinute, 60_000, now);
  const messages: DiscordPost[] = [];
  const threads: DiscordThread[] = [];
  let count = 0;
  let exists = true;
  const nextId = () => {
    count += 1;
    return `20000000000000${String(count).padStart(5, '0')}`;
  };

  const receive = ({ url, body }: WebhookRequest): WebhookResponse => {
    if (url.pathname !== WEBHOOK || !exists) return failure(404, 10015, 'Unknown Webhook');
    const full = [bucket, minute].find((one) => one.remaining === 0);
    if (full !== undefined) {
      const seconds = full.resetAfter / 1000;
      return {
        status: 429,
        body: { message: 'You are being rate limited.', retry_after: seconds, global: false },
        headers: { 'retry-after': String(Math.ceil(seconds)), ...limitHeaders(full) },
      };
    }
    bucket.add();
    minute.add();
    const answer = accept(url, body ?? {});
    // Without `wait` Discord does not report what is wrong with the message.
    const isSilent = url.searchParams.get('wait') !== 'true';
    return { ...(isSilent ? { status: 204 } : answer), headers: limitHeaders(bucket) };
  };

  const accept = (url: URL, body: JsonObject): WebhookResponse => {
    const problem = checkMessage(body);
    if (problem !== undefined) return failure(400, problem.code, problem.message);
    const id = url.searchParams.get('thread_id');
    const name = textOf(body.thread_name);
    if (id !== null && !threads.some((one) => one.id === id)) return failure(404, 10003, 'Unknown Channel');
    if (forum && id === null && name === '')
      return failure(400, 220001, 'Webhooks posted to forum channels must have a thread_name or thread_id');
    if (!forum && name !== '') return failure(400, 220003, 'Webhooks can only create threads in forum channels');
    const thread = forum ? (id ?? nextId()) : undefined;
    if (thread !== undefined && id === null) threads.push({ id: thread, name });
    const post: DiscordPost = { id: nextId(), at: now(), message: body, thread, notified: notifiedBy(body) };
    messages.push(post);
    // Discord repeats the message before its ids.
    const { embeds = [], content = '' } = body;
    return { status: 200, body: { type: 0, content, embeds, id: post.id, channel_id: thread ?? CHANNEL } };
  };

  const server = await startChatServer(options, { receive, page: () => pageOf(messages, threads) });
  return Object.assign(server, {
    webhookUrl: `${server.url}${WEBHOOK}`,
    messages,
    threads,
    deleteThread: (id: string) => {
      const index = threads.findIndex((one) => one.id === id);
      if (index >= 0) threads.splice(index, 1);
    },
    deleteWebhook: () => {
      exists = false;
    },
  });
}

const failure = (status: number, code: number, message: string): WebhookResponse => ({
  status,
  body: { message, code },
});

const limitHeaders = (window: RequestWindow) => ({
  'x-ratelimit-remaining': String(window.remaining),
  'x-ratelimit-reset-after': (window.resetAfter / 1000).toFixed(3),
});
