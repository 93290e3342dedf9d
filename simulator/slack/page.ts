/**
 * Renders the page of the simulated Slack: a list of channels, and the messages of one with their threads, the latest activity
 * first. Stores nothing.
 */

import { LIVE_UPDATE } from '../http/live-update.ts';
import { type JsonObject, objectsIn } from './json.ts';
import { escapeHtml, type Members, mrkdwnHtml, richHtml, textHtml } from './markup.ts';
import { STYLE } from './style.ts';
import type { PostedMessage, SlackChannel, Workspace } from './workspace.ts';

export interface PageOptions {
  /** Names of members by id. */
  readonly members: Members;
  /** The channel that the reader chose. @default - none */
  readonly requested?: string;
  /** The channel to show until the reader chooses one, once it has messages. @default - the first with messages */
  readonly home?: string | undefined;
}

export function pageOf(
  { channels, messages }: Pick<Workspace, 'channels' | 'messages'>,
  { members, requested, home }: PageOptions,
): string {
  const of = ({ id }: SlackChannel) => messages.filter(({ channel }) => channel === id);
  const shown =
    channels.find(({ name }) => name === requested) ??
    channels.find((one) => one.name === home && of(one).length > 0) ??
    channels.find((one) => of(one).length > 0) ??
    channels[0];
  const links = channels.map((one) => {
    const state = one === shown ? ' class="here"' : '';
    return `<a href="/?channel=${encodeURIComponent(one.name)}"${state}><span>#</span> ${escapeHtml(one.name)}<em>${of(one).length || ''}</em></a>`;
  });
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Simulated Slack</title>',
    '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">',
    `<style>${STYLE}</style></head><body>`,
    `<nav data-live><h1>Simulated Slack</h1>${links.join('')}</nav><main data-live>`,
    ...(shown === undefined ? [] : [channelHtml(shown, of(shown), members)]),
    `</main><script>${LIVE_UPDATE}</script></body></html>`,
  ].join('\n');
}

function channelHtml(channel: SlackChannel, messages: readonly PostedMessage[], members: Members): string {
  const repliesTo = ({ ts }: PostedMessage) => messages.filter(({ threadTs }) => threadTs === ts);
  // The latest activity first, so that a reply brings its thread to the top.
  const activity = (message: PostedMessage) => Number(repliesTo(message).at(-1)?.ts ?? message.ts);
  const inChannel = messages
    .filter(({ threadTs, isBroadcast }) => threadTs === undefined || isBroadcast)
    .toSorted((a, b) => activity(b) - activity(a));
  const archived = channel.isArchived ? ' <small>archived</small>' : '';
  return [
    `<header><h2># ${escapeHtml(channel.name)}${archived}</h2></header><section class="messages">`,
    ...inChannel.map((message) => messageHtml(message, members, repliesTo(message))),
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
    `<article data-ts="${escapeHtml(message.ts)}" data-key="${escapeHtml(message.ts)}"><div class="avatar">T</div><div class="body">`,
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
