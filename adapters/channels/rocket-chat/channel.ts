/** Renders messages as attachments for an incoming integration of Rocket.Chat, and interprets its responses. */

import { renderAttachment } from '../attachments/attachment.ts';
import { interpretChatResponse, type Refusal, textAt } from '../webhook-chat/chat-response.ts';
import type { ChatDialect } from '../webhook-chat/dialect.ts';
import { escapeRocketChat } from './escape.ts';

export * as sender from '../webhook-chat/webhook-sender.ts';

/** The default limit of a message is 5,000 characters. One asterisk is bold. */
const ATTACHMENT = { maxLength: 5000, bold: (markup: string) => `*${markup}*`, escapeText: escapeRocketChat };

export const rocketChatDialect: ChatDialect = {
  renderPayload: (content) => renderAttachment(content, ATTACHMENT),

  interpret(response, at) {
    const { status, body } = response;
    const word = /^[\w-]{1,80}$/.exec(textAt(body, 'error') ?? '')?.[0];
    // An integration answers 200 also when the message was not posted.
    const isFailed = status >= 200 && status < 300 && /^\s*\{\s*"success"\s*:\s*false/.test(body);
    const isLocked = status === 400 && /overriding destination channel/i.test(textAt(body, 'error') ?? '');
    const isRefused = isLocked || REFUSALS.has(word ?? '');
    const badMessage: Refusal | undefined = isFailed ? 'bad-message' : undefined;
    const refusal = isRefused ? 'refused' : badMessage;
    const check = isRefused ? 'check the integration and its channel' : undefined;
    const hint = isLocked ? LOCKED : check;
    return interpretChatResponse(response, at, { label: 'Rocket.Chat', word, hint, refusal });
  },

  isUnknownPerson: ({ body }) => textAt(body, 'error') === 'invalid-channel',
};

const LOCKED = 'switch on "Allow to overwrite destination channel in the body parameters" in the integration';

const REFUSALS: ReadonlySet<string> = new Set([
  'invalid-channel',
  'invalid_integration',
  'error-not-allowed',
  'error-invalid-room',
  'room_is_archived',
]);
