/** Renders messages as attachments for an incoming webhook of Mattermost, and interprets its responses. */

import { escapeMarkdown } from '../../../core/messages/escape-markdown.ts';
import { renderAttachment } from '../attachments/attachment.ts';
import { interpretChatResponse, type Refusal, textAt } from '../webhook-chat/chat-response.ts';
import type { ChatDialect } from '../webhook-chat/dialect.ts';

export * as sender from '../webhook-chat/webhook-sender.ts';

/** A post takes 16,383 characters; Mattermost collapses long ones behind a link. */
const ATTACHMENT = { maxLength: 12_000, bold: (markup: string) => `**${markup}**`, escapeText: escapeMarkdown };

export const mattermostDialect: ChatDialect = {
  renderPayload: (content) => renderAttachment(content, ATTACHMENT),

  interpret(response, at) {
    const word = /^[\w.]{1,80}$/.exec(textAt(response.body, 'id') ?? '')?.[0];
    const refusal: Refusal | undefined = word !== undefined && REFUSALS.test(word) ? 'refused' : undefined;
    const hint = refusal === undefined ? undefined : word?.includes('channel_locked') ? LOCKED : GONE;
    return interpretChatResponse(response, at, { label: 'Mattermost', word, hint, refusal });
  },

  // The same word with 403 is about the person who created the webhook.
  isUnknownPerson: ({ status, body }) => status === 400 && textAt(body, 'id') === 'web.incoming_webhook.user.app_error',
};

const GONE = 'the webhook or its channel was deleted or switched off';
const LOCKED = 'the webhook is locked to its channel; clear "Lock to this channel" for direct messages';

/** Mattermost answers 400 for a webhook that does not exist, and for a channel that was archived or deleted. */
const REFUSALS =
  /^(?:web|api)\.(?:incoming_webhook|webhook)\.(?:invalid|disabled|channel|permissions)|deleted|archived/;
