/** Renders the page of the simulated Mattermost and Rocket.Chat: messages with their attachments. Stores nothing. */

import { type JsonObject, objectsOf, textOf } from '../../../simulator/chat/json.ts';
import { markdownHtml } from '../../../simulator/chat/markdown.ts';
import { chatPage, escapeHtml, timeHtml } from '../../../simulator/chat/page.ts';
import type { AttachmentPost } from './attachment-chat.ts';

const STYLE = `
:root { --paper:#fff; --ink:#3f4350; --soft:#6b6f7b; --line:#dfe1e6; --link:#1c58d9; --bar:#1e325c; --mention:#fff5d6; }
@media (prefers-color-scheme: dark) { :root { --paper:#1b1d22; --ink:#dddfe4; --soft:#9a9ea8; --line:#3a3d46; --link:#5d89ea; --bar:#14213e; --mention:#4a3f1d; } }
body { background: var(--paper); color: var(--ink); } header { background: var(--bar); color: #fff; } a { color: var(--link); }
.app { font-size: 10px; padding: 1px 5px; border-radius: 4px; background: var(--line); }
.attachment { max-width: 620px; margin-top: 5px; padding: 9px 14px; border: 1px solid var(--line); border-left: 4px solid; border-radius: 4px; }
.fields { display: grid; grid-template-columns: 1fr 1fr; gap: 7px 14px; margin-top: 9px; } .foot { margin-top: 8px; font-size: 12px; color: var(--soft); }
.mention { background: var(--mention); border-radius: 3px; padding: 0 3px; font-weight: 500; }
`;

export interface PageOptions {
  readonly title: string;
  /** What a single asterisk means. */
  readonly star: 'i' | 'b';
}

export function pageOf({ title, star }: PageOptions, messages: readonly AttachmentPost[]): string {
  return chatPage({ title, style: STYLE, messages: messages.map((message) => messageHtml(message, star)) });
}

function messageHtml({ at, message, channel }: AttachmentPost, star: PageOptions['star']): string {
  const text = textOf(message.text);
  const shown = markdownHtml(text, star).replaceAll(/@[a-zA-Z0-9][\w.-]*/g, '<span class="mention">$&</span>');
  return [
    `<article><p class="who">Tidings <span class="app">BOT</span> ${timeHtml(at)}${channel === undefined ? '' : ` to ${escapeHtml(channel)}`}</p>`,
    text === '' ? '' : `<div>${shown}</div>`,
    ...(objectsOf(message.attachments) ?? []).map((one) => attachmentHtml(one, star)),
    '</article>',
  ].join('');
}

function attachmentHtml({ color, text, fields, footer }: JsonObject, star: PageOptions['star']): string {
  const colour = /^#[\da-f]{6}$/i.exec(textOf(color))?.[0] ?? '#dddddd';
  const cells = (objectsOf(fields) ?? []).map(
    ({ title, value }) => `<div><b>${markdownHtml(textOf(title), star)}</b>${markdownHtml(textOf(value), star)}</div>`,
  );
  return [
    `<div class="attachment" style="border-left-color:${escapeHtml(colour)}">${markdownHtml(textOf(text), star)}`,
    cells.length === 0 ? '' : `<div class="fields">${cells.join('')}</div>`,
    footer === undefined ? '' : `<div class="foot">${markdownHtml(textOf(footer), star)}</div>`,
    '</div>',
  ].join('');
}
