/** A message as HTML, with its thread, its buttons and a form to reply. Pure. */

import { blocksHtml, plainHtml } from './block-html.ts';
import type { StateValues } from './element-state.ts';
import { escapeHtml, type Members } from './markup.ts';
import type { PostedMessage } from './workspace.ts';

export interface MessageContext {
  readonly members: Members;
  readonly channels: Readonly<Record<string, string>>;
  readonly appName: string;
  /** A form that does something as the reader: path, hidden fields, content. @default - the page is read-only */
  readonly form?: (action: string, fields: Readonly<Record<string, string>>, inner: string) => string;
  /** What was entered in the elements of a message. */
  readonly valuesOf: (message: PostedMessage) => StateValues;
  /** Address of the page with the form to reply to a thread. */
  readonly replyUrl: (ts: string) => string;
  /** The thread that the reader replies to. @default - none */
  readonly openThread?: string | undefined;
}

export function messageHtml(
  message: PostedMessage,
  context: MessageContext,
  replies: readonly PostedMessage[] | undefined,
): string {
  const isEphemeral = 'visibleTo' in message;
  const broadcast = message.isBroadcast ? '<p class="note">replied to a thread</p>' : '';
  const ts = escapeHtml(message.ts);
  return [
    `<article data-ts="${ts}" data-key="${ts}"${isEphemeral ? ' class="ephemeral"' : ''}>${avatarHtml(message, context)}<div class="body">`,
    isEphemeral ? '<p class="note">Only visible to you</p>' : '',
    `${authorHtml(message, context)}${broadcast}`,
    contentHtml(message, context),
    message.isEdited === true ? '<p class="note">(edited)</p>' : '',
    replies === undefined || isEphemeral ? '' : threadHtml(message, replies, context),
    '</div></article>',
  ].join('');
}

function authorOf({ by, user }: PostedMessage, { members, appName }: MessageContext): string {
  if (user !== undefined) return members[user] ?? user;
  return by === 'slackbot' ? 'Slackbot' : appName;
}

function avatarHtml(message: PostedMessage, context: MessageContext): string {
  const name = authorOf(message, context);
  const hue = [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 7);
  const isPerson = message.user !== undefined;
  const colour = isPerson ? ` style="background:hsl(${hue} 45% 38%)"` : '';
  return `<div class="avatar" aria-hidden="true"${colour}>${escapeHtml(name.slice(0, 1))}</div>`;
}

function authorHtml(message: PostedMessage, context: MessageContext): string {
  const time = new Date(Number(message.ts) * 1000).toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' });
  const badge = message.user === undefined ? '<span class="app">APP</span>' : '';
  return `<p class="who"><b>${escapeHtml(authorOf(message, context))}</b>${badge}<time>${time}</time></p>`;
}

function contentHtml(message: PostedMessage, { members, channels, form, valuesOf }: MessageContext): string {
  const { ts, channel } = message;
  const context = {
    members,
    channels,
    values: valuesOf(message),
    key: ts,
    form: (inner: string) => (form === undefined ? inner : form('press', { channel, ts }, inner)),
  };
  return [
    message.blocks.length > 0 || message.text === ''
      ? blocksHtml(message.blocks, context)
      : plainHtml(message.text, members),
    ...message.attachments.map(
      ({ color, blocks }) =>
        `<div class="attachment"><i style="background:${colourOf(color)}"></i><div>${blocksHtml(blocks, context)}</div></div>`,
    ),
  ].join('');
}

function threadHtml(root: PostedMessage, replies: readonly PostedMessage[], context: MessageContext): string {
  const { form, openThread, replyUrl, appName } = context;
  const isOpen = openThread === root.ts;
  const count = replies.length === 0 ? '' : `<p>${replies.length} ${replies.length === 1 ? 'reply' : 'replies'}</p>`;
  const answer =
    form === undefined
      ? ''
      : isOpen
        ? form(
            'type',
            { channel: root.channel, thread: root.ts },
            `<input type="text" name="text" autocomplete="off" aria-label="Reply in thread" placeholder="Reply…, or @${escapeHtml(appName)} help"><button class="button primary">Reply</button>`,
          )
        : `<a class="reply" href="${escapeHtml(replyUrl(root.ts))}">Reply in thread</a>`;
  if (replies.length === 0 && !isOpen) return answer;
  return `<div class="thread">${count}${replies.map((reply) => messageHtml(reply, context, undefined)).join('')}${answer}</div>`;
}

/** The colour comes from the message and goes into a style attribute, so anything but a colour is dropped. */
const colourOf = (color: string) => (/^#[0-9a-fA-F]{6}$/.test(color) ? color : '#dddddd');
