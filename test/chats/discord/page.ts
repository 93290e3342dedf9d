/** Renders the page of the simulated Discord: the messages of the channel, or the posts of a forum. Stores nothing. */

import { isObject, type JsonObject, objectsOf, textOf } from '../../../simulator/chat/json.ts';
import { markdownHtml } from '../../../simulator/chat/markdown.ts';
import { chatPage, escapeHtml, timeHtml } from '../../../simulator/chat/page.ts';
import type { DiscordPost, DiscordThread } from './discord.ts';

const STYLE = `
:root { --paper:#fff; --ink:#313338; --soft:#5c5e66; --embed:#f2f3f5; --link:#006ce7; --mention:#e6e8fd; --mention-ink:#505cdc; --chip:#5865f2; }
@media (prefers-color-scheme: dark) { :root { --paper:#313338; --ink:#dbdee1; --soft:#949ba4; --embed:#2b2d31; --link:#00a8fc; --mention:#3c4270; --mention-ink:#c9cdfb; } }
body { background: var(--paper); color: var(--ink); font-family: "gg sans", "Noto Sans", "Helvetica Neue", system-ui, "Noto Color Emoji", sans-serif; }
header { border-bottom: 1px solid var(--embed); } a { color: var(--link); }
.app { font-size: 10px; padding: 1px 5px; border-radius: 4px; background: var(--chip); color: #fff; }
.embed { max-width: 520px; margin-top: 4px; padding: 8px 16px 12px 12px; border-left: 4px solid; border-radius: 4px; background: var(--embed); }
.embed h3 { font-size: 15px; margin-bottom: 6px; } .fields { display: grid; grid-template-columns: repeat(3, 1fr); gap: 8px; margin-top: 8px; }
.fields b { font-size: 13px; } .foot { margin-top: 8px; font-size: 12px; color: var(--soft); }
.mention { padding: 0 3px; border-radius: 3px; background: var(--mention); color: var(--mention-ink); font-weight: 500; }
section { border: 1px solid var(--embed); border-radius: 8px; padding: 10px 14px; display: grid; gap: 10px; } h2 { font-size: 15px; }
`;

export function pageOf(messages: readonly DiscordPost[], threads: readonly DiscordThread[]): string {
  const posts = threads.map(({ id, name }) =>
    [
      `<section><h2>${escapeHtml(name)}</h2>`,
      ...messages.filter(({ thread }) => thread === id).map(messageHtml),
      '</section>',
    ].join(''),
  );
  const inChannel = messages.filter(({ thread }) => thread === undefined).map(messageHtml);
  return chatPage({ title: 'Simulated Discord', style: STYLE, messages: [...posts, ...inChannel] });
}

function messageHtml({ at, message }: DiscordPost): string {
  const content = markdownHtml(textOf(message.content)).replaceAll(
    /&lt;@!?(\d+)&gt;/g,
    '<span class="mention">@$1</span>',
  );
  return [
    `<article><p class="who">Tidings <span class="app">APP</span> ${timeHtml(at)}</p>`,
    textOf(message.content) === '' ? '' : `<div>${content}</div>`,
    ...(objectsOf(message.embeds) ?? []).map(embedHtml),
    '</article>',
  ].join('');
}

function embedHtml({ title, description, color, fields, footer, timestamp }: JsonObject): string {
  const colour = `#${(typeof color === 'number' ? color : 0).toString(16).padStart(6, '0')}`;
  const cells = (objectsOf(fields) ?? []).map(
    ({ name, value }) => `<div><b>${markdownHtml(textOf(name))}</b>${markdownHtml(textOf(value))}</div>`,
  );
  const time = textOf(timestamp) === '' ? '' : new Date(textOf(timestamp)).toLocaleString('en-GB');
  const foot = [isObject(footer) ? textOf(footer.text) : '', time].filter((part) => part !== '').join(' • ');
  return [
    `<div class="embed" style="border-color:${/^#[\da-f]{6}$/.test(colour) ? colour : '#000000'}">`,
    title === undefined ? '' : `<h3>${markdownHtml(textOf(title))}</h3>`,
    markdownHtml(textOf(description)),
    cells.length === 0 ? '' : `<div class="fields">${cells.join('')}</div>`,
    foot === '' ? '' : `<p class="foot">${escapeHtml(foot)}</p>`,
    '</div>',
  ].join('');
}
