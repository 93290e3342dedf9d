/** Renders the page of the simulated Slack: a list of channels, and the messages of one with their threads. Stores nothing. */

import { escapeHtml, type Members, mrkdwnHtml, richHtml, textHtml } from './markup.ts';
import { type JsonObject, objectsIn } from './payload.ts';
import { STYLE } from './style.ts';
import type { PostedMessage, SlackChannel, Workspace } from './workspace.ts';

/** Refreshes the messages without losing the scroll position. */
const SCRIPT = `
setInterval(async () => {
  const response = await fetch(location.href).catch(() => undefined);
  if (response === undefined || !response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  for (const name of ['nav', 'main']) {
    const [old, now] = [document.querySelector(name), page.querySelector(name)];
    if (old && now && old.innerHTML !== now.innerHTML) old.innerHTML = now.innerHTML;
  }
}, 2000);
`;

export function pageOf(
  { channels, messages }: Pick<Workspace, 'channels' | 'messages'>,
  members: Members,
  requested = '',
): string {
  const of = ({ id }: SlackChannel) => messages.filter(({ channel }) => channel === id);
  const shown =
    channels.find(({ name }) => name === requested) ?? channels.find((one) => of(one).length > 0) ?? channels[0];
  const links = channels.map((one) => {
    const state = one === shown ? ' class="here"' : '';
    return `<a href="/?channel=${encodeURIComponent(one.name)}"${state}><span>#</span> ${escapeHtml(one.name)}<em>${of(one).length || ''}</em></a>`;
  });
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Simulated Slack</title>',
    '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">',
    `<style>${STYLE}</style></head><body>`,
    `<nav><h1>Simulated Slack</h1>${links.join('')}</nav><main>`,
    ...(shown === undefined ? [] : [channelHtml(shown, of(shown), members)]),
    `</main><script>${SCRIPT}</script></body></html>`,
  ].join('\n');
}

function channelHtml(channel: SlackChannel, messages: readonly PostedMessage[], members: Members): string {
  const inChannel = messages.filter(({ threadTs, isBroadcast }) => threadTs === undefined || isBroadcast);
  const archived = channel.isArchived ? ' <small>archived</small>' : '';
  return [
    `<header><h2># ${escapeHtml(channel.name)}${archived}</h2></header><section class="messages">`,
    ...inChannel.map((message) => {
      const replies = messages.filter(({ threadTs }) => threadTs === message.ts);
      return messageHtml(message, members, replies);
    }),
    inChannel.length === 0 ? '<p class="empty">No messages yet. New messages appear here automatically.</p>' : '',
    '</section>',
  ].join('\n');
}

function messageHtml(message: PostedMessage, members: Members, replies: readonly PostedMessage[] = []): string {
  const time = new Date(Number(message.ts) * 1000).toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' });
  const thread =
    replies.length === 0
      ? ''
      : `<div class="thread"><p>${replies.length} ${replies.length === 1 ? 'reply' : 'replies'}</p>${replies
          .map((reply) => messageHtml(reply, members))
          .join('')}</div>`;
  const broadcast = message.isBroadcast ? '<p class="broadcast">replied to a thread</p>' : '';
  return [
    `<article data-ts="${escapeHtml(message.ts)}"><div class="avatar">T</div><div class="body">`,
    `<p class="who"><b>Tidings</b><span class="app">APP</span><time>${time}</time></p>${broadcast}`,
    message.blocks.length > 0 || message.text === ''
      ? message.blocks.map((block) => blockHtml(block, members)).join('')
      : `<div class="block">${mrkdwnHtml(message.text, members).replaceAll('\n', '<br>')}</div>`,
    ...message.attachments.map(
      ({ color, blocks }) =>
        `<div class="attachment"><i style="background:${colourOf(color)}"></i><div>${blocks
          .map((block) => blockHtml(block, members))
          .join('')}</div></div>`,
    ),
    `${thread}</div></article>`,
  ].join('');
}

/** The colour comes from the message and goes into a style attribute, so anything but a colour is dropped. */
const colourOf = (color: string) => (/^#[0-9a-fA-F]{6}$/.test(color) ? color : '#dddddd');

function blockHtml(block: JsonObject, members: Members): string {
  switch (block.type) {
    case 'header':
      return `<h3>${textHtml(block.text, members)}</h3>`;
    case 'divider':
      return '<hr>';
    case 'context':
      return `<div class="context">${(objectsIn(block.elements) ?? [])
        .map((element) => `<span>${textHtml(element, members)}</span>`)
        .join('')}</div>`;
    case 'rich_text':
      return `<div class="block">${richHtml(block.elements, members)}</div>`;
    default:
      return sectionHtml(block, members);
  }
}

function sectionHtml({ text, fields }: JsonObject, members: Members): string {
  const said = text === undefined ? '' : `<p>${textHtml(text, members)}</p>`;
  const cells = (objectsIn(fields) ?? []).map((field) => `<div>${textHtml(field, members)}</div>`).join('');
  return `<div class="block">${said}${cells === '' ? '' : `<div class="fields">${cells}</div>`}</div>`;
}
