/**
 * A simulated Google Chat: the webhook of a space, as strict as the real one, with threads and a page that shows what
 * arrived. For tests.
 */

import { isObject, type JsonObject, RequestWindow, textOf } from '../../../simulator/chat/json.ts';
import {
  type ChatServer,
  type ChatServerOptions,
  startChatServer,
  type WebhookRequest,
  type WebhookResponse,
} from '../../../simulator/chat/webhook-server.ts';
import { checkMessage, notifiedBy } from './message.ts';
import { pageOf } from './page.ts';

export interface GoogleChatOptions extends ChatServerOptions {
  /** Requests a second; Infinity for no limit. @default 1 */
  readonly perSecond?: number;
}

export interface SpaceMessage {
  readonly name: string;
  readonly at: number;
  readonly message: JsonObject;
  readonly thread: string;
  /** The ids of the people it notifies, or `all`. */
  readonly notified: readonly string[];
}

export interface GoogleChat extends ChatServer {
  readonly webhookUrl: string;
  readonly messages: readonly SpaceMessage[];
  deleteSpace(): void;
}

const SPACE = '/v1/spaces/AAAAstandin01/messages';
const KEY = 'AIzaStandinKeyOfTheSpace0123456789';
const TOKEN = 'standin-tOkEnOfThEwEbHoOk-0123456789';
const MAX_BYTES = 32_000;

export async function startGoogleChat(options: GoogleChatOptions = {}): Promise<GoogleChat> {
  const { perSecond = 1, now = Date.now } = options;
  const window = new RequestWindow(perSecond, 1000, now);
  const messages: SpaceMessage[] = [];
  const byRequest = new Map<string, WebhookResponse>();
  let exists = true;

  const receive = ({ url, body, bytes }: WebhookRequest): WebhookResponse => {
    const { searchParams } = url;
    if (url.pathname !== SPACE || !exists) return failure(404, 'NOT_FOUND', 'The space was not found.');
    if (searchParams.get('key') !== KEY) return failure(400, 'INVALID_ARGUMENT', 'API key not valid.');
    if (searchParams.get('token') !== TOKEN) return failure(401, 'UNAUTHENTICATED', 'The token is not valid.');
    if (window.remaining === 0) return failure(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for writes in the space.');
    window.add();
    const request = searchParams.get('requestId') ?? '';
    const before = byRequest.get(request);
    if (before !== undefined) return before;
    const problem = bytes > MAX_BYTES ? `${bytes} bytes` : checkMessage(body ?? {});
    if (problem !== undefined) return failure(400, 'INVALID_ARGUMENT', problem);
    const name = `spaces/AAAAstandin01/messages/${messages.length + 1}`;
    const key = isObject(body?.thread) ? textOf(body.thread.threadKey) : '';
    // Without this option Google Chat ignores the key and starts a new thread.
    const replies = (searchParams.get('messageReplyOption') ?? '').startsWith('REPLY_MESSAGE');
    const thread = key !== '' && replies ? key : name;
    const message = body ?? {};
    messages.push({ name, at: now(), message, thread, notified: notifiedBy(message) });
    const answer = { status: 200, body: { name, thread: { name: thread } } };
    if (request !== '') byRequest.set(request, answer);
    return answer;
  };

  const server = await startChatServer(options, { receive, page: () => pageOf(messages) });
  return Object.assign(server, {
    webhookUrl: `${server.url}${SPACE}?key=${KEY}&token=${TOKEN}`,
    messages,
    deleteSpace: () => {
      exists = false;
    },
  });
}

const failure = (code: number, status: string, message: string): WebhookResponse => ({
  status: code,
  body: { error: { code, message, status } },
});
