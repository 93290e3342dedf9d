/**
 * Renders the page of the simulated Slack as one of its people sees it: the channels, the messages of one with their threads,
 * the latest activity first, the app's Home tab, and the modal in front. Stores nothing and sends nothing.
 */

import { createHash } from 'node:crypto';
import type { InstalledApp } from './app.ts';
import { blocksHtml } from './block-html.ts';
import type { StateValues } from './element-state.ts';
import { stringOr } from './json.ts';
import { escapeHtml, type Members, textHtml } from './markup.ts';
import { type MessageContext, messageHtml } from './message-html.ts';
import { PAGE_SCRIPT } from './page-script.ts';
import type { Person } from './people.ts';
import { STYLE } from './style.ts';
import type { View, Views } from './views.ts';
import type { PostedMessage, SlackChannel, Workspace } from './workspace.ts';

export interface PageParts {
  readonly workspace: Workspace;
  readonly views: Views;
  readonly app: InstalledApp;
  readonly messageStates: ReadonlyMap<string, StateValues>;
}

export interface PageOptions {
  /** The person who looks. @default - no one: all channels, to read only */
  readonly viewer?: Person | undefined;
  /** The channel that the reader chose. @default - none */
  readonly requested?: string;
  /** The channel to show until the reader chooses one, once it has messages. @default - the first with messages */
  readonly home?: string | undefined;
  /** The thread that the reader replies to. @default - none */
  readonly thread?: string | undefined;
  /** Messages that the page offers to type. @default - none */
  readonly hints?: readonly string[];
}

/** Name of the Home tab among the channels. */
export const HOME_TAB = 'home-tab';

/** The page runs one script and loads nothing else. */
export const PAGE_POLICY = `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; connect-src 'self'; img-src data:; script-src 'sha256-${createHash('sha256').update(PAGE_SCRIPT).digest('base64')}'`;

export function pageOf(parts: PageParts, options: PageOptions): string {
  const { workspace, views, app } = parts;
  const { viewer, requested = '', home } = options;
  const members: Members = {
    ...Object.fromEntries(workspace.people.map(({ id, name }) => [id, name])),
    ...Object.fromEntries(workspace.channels.map(({ id, name }) => [id, `#${name}`])),
    [app.identity.botUser]: app.name,
  };
  const listed = viewer === undefined ? workspace.channels : workspace.channelsOf(viewer);
  const messagesOf = (channel: SlackChannel) =>
    viewer === undefined
      ? workspace.messages.filter((message) => message.channel === channel.id)
      : workspace.messagesFor(channel, viewer);
  const isHome = requested === HOME_TAB && viewer !== undefined;
  const shown = isHome ? undefined : chooseChannel(listed, messagesOf, requested, home);
  const page: PageContext = { parts, options, members, listed, messagesOf, shown, isHome };
  const modal = viewer === undefined ? undefined : views.modal(viewer.id);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Simulated Slack</title>',
    '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">',
    `<style>${STYLE}</style></head><body>`,
    `<nav data-live>${navHtml(page)}</nav><div class="pane">`,
    `<header data-live>${isHome ? `<h2>${escapeHtml(app.name)}: Home</h2>` : shown === undefined ? '' : titleHtml(shown, page)}</header>`,
    composerHtml(page),
    `<main data-live>${isHome ? homeHtml(page) : shown === undefined ? '' : channelHtml(shown, page)}</main></div>`,
    `<aside data-live aria-label="Dialog">${modal === undefined ? '' : modalHtml(modal, page)}</aside>`,
    `<script>${PAGE_SCRIPT}</script></body></html>`,
  ].join('\n');
}

interface PageContext {
  readonly parts: PageParts;
  readonly options: PageOptions;
  readonly members: Members;
  readonly listed: readonly SlackChannel[];
  readonly messagesOf: (channel: SlackChannel) => readonly PostedMessage[];
  readonly shown: SlackChannel | undefined;
  readonly isHome: boolean;
}

function chooseChannel(
  channels: readonly SlackChannel[],
  messagesOf: PageContext['messagesOf'],
  requested: string,
  home: string | undefined,
): SlackChannel | undefined {
  return (
    channels.find(({ name, id }) => name === requested || id === requested) ??
    channels.find((one) => one.name === home && messagesOf(one).length > 0) ??
    channels.find((one) => messagesOf(one).length > 0) ??
    channels[0]
  );
}

/** Address of the page with another choice. */
function pageUrl({ options: { viewer } }: PageContext, channel: string, more: Readonly<Record<string, string>> = {}) {
  const as: Record<string, string> = viewer === undefined ? {} : { as: viewer.id };
  return `/?${new URLSearchParams({ channel, ...as, ...more })}`;
}

/** A form that does something as the viewer, and then shows the same page. */
function formHtml(
  page: PageContext,
  action: string,
  fields: Readonly<Record<string, string>>,
  inner: string,
  attributes = '',
): string {
  const { options, shown, isHome } = page;
  const back = isHome ? HOME_TAB : (shown?.name ?? '');
  const thread = options.thread === undefined ? {} : { open: options.thread };
  const hidden = Object.entries({ as: options.viewer?.id ?? '', back, ...thread, ...fields }).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return `<form method="post" action="/act/${action}"${attributes}>${hidden.join('')}${inner}</form>`;
}

function navHtml(page: PageContext): string {
  const { options, listed, shown, isHome, messagesOf, parts } = page;
  const { viewer } = options;
  const links = listed
    .filter(({ direct }) => viewer === undefined || direct === undefined)
    .map((one) => {
      const state = one === shown ? ' class="here" aria-current="page"' : '';
      const sign = one.isPrivate ? '🔒' : '#';
      const shared = one.isShared ? ' <i title="shared with another organisation">↔</i>' : '';
      return `<a href="${escapeHtml(pageUrl(page, one.name))}"${state}><span>${sign}</span> ${escapeHtml(one.name)}${shared}<em>${messagesOf(one).length || ''}</em></a>`;
    });
  if (viewer === undefined) return `<h1>Simulated Slack</h1>${links.join('')}`;
  const direct = listed.find((one) => one.direct === viewer.id);
  const state = (isShown: boolean) => (isShown ? ' class="here" aria-current="page"' : '');
  return [
    '<h1>Simulated Slack</h1>',
    chooserHtml(page, viewer),
    `<h2>Channels</h2>${links.join('')}<h2>Apps</h2>`,
    formHtml(page, 'home', {}, `<button${state(isHome)}>${escapeHtml(parts.app.name)}</button>`, ' data-navigates'),
    `<a href="${escapeHtml(pageUrl(page, `D${viewer.id.slice(1)}`))}"${state(direct !== undefined && direct === shown)}>Messages of ${escapeHtml(parts.app.name)}<em>${direct === undefined ? '' : messagesOf(direct).length || ''}</em></a>`,
  ].join('');
}

function chooserHtml({ parts, shown, isHome }: PageContext, viewer: Person): string {
  const options = parts.workspace.people.map((one) => {
    const kind = one.guest !== undefined ? ' (guest)' : one.team === viewer.team ? '' : ' (other organisation)';
    const isAdmin = one.isAdmin ? ' (admin)' : '';
    const selected = one.id === viewer.id ? ' selected' : '';
    return `<option value="${escapeHtml(one.id)}"${selected}>${escapeHtml(one.name)}${kind}${isAdmin}</option>`;
  });
  const channel = isHome ? HOME_TAB : (shown?.name ?? '');
  return `<form class="chooser" data-chooses><input type="hidden" name="channel" value="${escapeHtml(channel)}"><label>You are <select name="as">${options.join('')}</select></label><button class="set">Switch</button>${viewer.note === undefined ? '' : `<p>${escapeHtml(viewer.note)}</p>`}</form>`;
}

function titleHtml(channel: SlackChannel, { parts, options }: PageContext): string {
  const { app } = parts;
  const archived = channel.isArchived ? ' <small>archived</small>' : '';
  if (channel.direct !== undefined && options.viewer !== undefined) return `<h2>${escapeHtml(app.name)}</h2>`;
  const sign = channel.isPrivate ? '🔒' : '#';
  const notes = [
    ...(channel.isShared ? ['shared with another organisation'] : []),
    ...(channel.hasBot ? [] : [`${app.name} is not in this channel: /invite @${app.name}`]),
  ].map((note) => ` <small>${escapeHtml(note)}</small>`);
  return `<h2>${sign} ${escapeHtml(channel.name)}${archived}</h2>${notes.join('')}`;
}

function composerHtml(page: PageContext): string {
  const { options, shown, parts } = page;
  const { viewer, hints = [] } = options;
  if (viewer === undefined || shown === undefined || !parts.workspace.isMember(shown, viewer)) return '';
  const to = shown.direct === undefined ? `#${shown.name}` : parts.app.name;
  const list = hints.map((hint) => `<option value="${escapeHtml(hint)}"></option>`).join('');
  return formHtml(
    page,
    'type',
    { channel: shown.id },
    `<input type="text" name="text" list="hints" autocomplete="off" aria-label="Message ${escapeHtml(to)}" placeholder="Message ${escapeHtml(to)}, or ${escapeHtml(parts.app.command)} help"><datalist id="hints">${list}</datalist><button class="button primary">Send</button>`,
    ' class="composer" aria-label="Write a message"',
  );
}

function channelHtml(channel: SlackChannel, page: PageContext): string {
  const { messagesOf, options, parts } = page;
  const messages = messagesOf(channel);
  const repliesTo = ({ ts }: PostedMessage) => messages.filter(({ threadTs }) => threadTs === ts);
  // The latest activity first, so that a reply brings its thread to the top.
  const activity = (message: PostedMessage) => repliesTo(message).at(-1)?.ts ?? message.ts;
  const inChannel = messages
    .filter(({ threadTs, isBroadcast }) => threadTs === undefined || isBroadcast)
    .toSorted((a, b) => (activity(a) < activity(b) ? 1 : -1));
  const context: MessageContext = {
    members: page.members,
    channels: channelNames(page),
    appName: parts.app.name,
    valuesOf: ({ channel: id, ts }) => parts.messageStates.get(`${id} ${ts}`) ?? {},
    replyUrl: (ts) => pageUrl(page, channel.name, { thread: ts }),
    openThread: options.thread,
    ...(options.viewer === undefined
      ? {}
      : { form: (action, fields, inner) => formHtml(page, action, fields, inner, ' class="inline"') }),
  };
  return [
    '<section class="messages" aria-label="Messages">',
    ...inChannel.map((message) => messageHtml(message, context, repliesTo(message))),
    inChannel.length === 0 ? '<p class="empty">No messages yet. New messages appear here automatically.</p>' : '',
    '</section>',
  ].join('\n');
}

const channelNames = ({ listed }: PageContext) =>
  Object.fromEntries(listed.filter(({ direct }) => direct === undefined).map(({ id, name }) => [id, `#${name}`]));

function homeHtml(page: PageContext): string {
  const { parts, members, options } = page;
  const view = options.viewer === undefined ? undefined : parts.views.home(options.viewer.id);
  if (view === undefined)
    return `<p class="empty">${escapeHtml(parts.app.name)} has published nothing here yet. Its Home tab appears here automatically.</p>`;
  const form = (inner: string) => formHtml(page, 'view', { view: 'home' }, inner, ' class="inline"');
  return `<section class="home">${blocksHtml(view.blocks, { members, channels: channelNames(page), values: view.values, key: view.id, form })}</section>`;
}

function modalHtml(view: View, page: PageContext): string {
  const { members } = page;
  const { title, submit, close } = view.sent;
  const unplaced = Object.entries(view.errors)
    .filter(([block]) => !view.blocks.some(({ block_id: id, type }) => id === block && type === 'input'))
    .map(([, problem]) => `<p class="problem" role="alert">${escapeHtml(problem)}</p>`);
  const label = (text: typeof submit, other: string) => (text === undefined ? other : textHtml(text, members));
  const context = { members, channels: channelNames(page), values: view.values, errors: view.errors, key: view.id };
  const key = escapeHtml(stringOr(view.hash, ''));
  return [
    `<div class="shade"></div><div class="modal" role="dialog" aria-modal="true" aria-labelledby="modal-title" data-key="${key}">`,
    `<h2 id="modal-title">${textHtml(title, members)}</h2>`,
    formHtml(
      page,
      'view',
      { view: 'modal' },
      `${submit === undefined ? '' : '<button class="first" name="submit" value="yes" tabindex="-1" aria-hidden="true"></button>'}<div class="fill">${unplaced.join('')}${blocksHtml(view.blocks, context)}</div>${
        submit === undefined
          ? ''
          : `<p class="buttons"><button class="button primary" name="submit" value="yes">${label(submit, 'Submit')}</button></p>`
      }`,
    ),
    formHtml(page, 'close', {}, `<button class="button">${label(close, 'Close')}</button>`, ' class="close"'),
    '</div>',
  ].join('');
}
