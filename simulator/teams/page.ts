/** Renders the page of the simulated Teams: the cards of the channel. Stores nothing. */

import { isObject, type JsonObject, objectsOf, textOf } from '../chat/json.ts';
import { markdownHtml } from '../chat/markdown.ts';
import { chatPage, escapeHtml, linkHtml, timeHtml } from '../chat/page.ts';
import type { ShownCard } from './card.ts';

const STYLE = `
:root { --paper:#f5f5f5; --card:#fff; --ink:#242424; --line:#e0e0e0; --link:#4f52b2; --attention:#fdeaec; --warning:#fff5e0; --good:#e7f4e8; }
@media (prefers-color-scheme: dark) { :root { --paper:#1f1f1f; --card:#292929; --ink:#f0f0f0; --line:#3d3d3d; --link:#9299f7;
  --attention:#3d1e22; --warning:#3a2f17; --good:#1c3320; } }
body { background: var(--paper); color: var(--ink); } header { background: #4f52b2; color: #fff; } a { color: var(--link); }
article { max-width: 720px; } .card { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 12px 16px; margin-top: 4px; overflow: hidden; }
.card > * + * { margin-top: 8px; } .attention, .warning, .good, .default { margin: -12px -16px 8px; padding: 10px 16px; }
.attention { background: var(--attention); } .warning { background: var(--warning); } .good { background: var(--good); }
.subtle { opacity: .7; } .small { font-size: 12px; } .medium { font-size: 16px; } .columns { display: flex; gap: 12px; }
.columns > div { flex: 1; min-width: 0; } .columns > div[style] { flex: none; } .card .columns { margin-top: 3px; }
.actions a { display: inline-block; border: 1px solid var(--line); border-radius: 4px; padding: 3px 12px; font-weight: 600; }
at { color: var(--link); font-weight: 600; }
`;

export function pageOf(messages: readonly ShownCard[]): string {
  return chatPage({ title: 'Simulated Microsoft Teams', style: STYLE, messages: messages.map(messageHtml) });
}

function messageHtml({ at, card, notified }: ShownCard): string {
  const actions = (objectsOf(card.actions) ?? [])
    .map(({ url, title }) => linkHtml(textOf(url), escapeHtml(textOf(title))))
    .join(' ');
  return [
    `<article><p class="who">Workflows ${timeHtml(at)}</p><div class="card">`,
    ...(objectsOf(card.body) ?? []).map((element) => elementHtml(element, notified.length > 0)),
    actions === '' ? '' : `<p class="actions">${actions}</p>`,
    '</div></article>',
  ].join('');
}

function elementHtml(element: JsonObject, hasMentions: boolean): string {
  const inner = (list: JsonObject['items'] | undefined) =>
    (objectsOf(list) ?? []).map((one) => elementHtml(one, hasMentions)).join('');
  switch (element.type) {
    case 'TextBlock': {
      const html = markdownHtml(textOf(element.text));
      const shown = hasMentions ? html.replaceAll(/&lt;at&gt;(.*?)&lt;\/at&gt;/g, '<at>$1</at>') : html;
      return `<div${element.isSubtle === true ? ' class="subtle"' : ''}>${shown}</div>`;
    }
    case 'RichTextBlock':
      return `<p>${(objectsOf(element.inlines) ?? []).map(runHtml).join('')}</p>`;
    case 'ColumnSet':
      return `<div class="columns">${inner(element.columns)}</div>`;
    case 'Column': {
      const width = /^\d{1,4}px$/.exec(textOf(element.width))?.[0];
      return `<div${width === undefined ? '' : ` style="width:${width}"`}>${inner(element.items)}</div>`;
    }
    default: {
      const style = /^[a-z]+$/.exec(textOf(element.style))?.[0] ?? 'plain';
      return `<div class="${style}">${inner(element.items)}</div>`;
    }
  }
}

/** The text of a run is shown as it is. */
function runHtml({ text, weight, italic, isSubtle, size, fontType, selectAction }: JsonObject): string {
  const classes = [isSubtle === true ? 'subtle' : '', textOf(size).toLowerCase()].filter((name) =>
    /^[a-z]+$/.test(name),
  );
  const plain = escapeHtml(textOf(text));
  const styled = fontType === 'Monospace' ? `<code>${plain}</code>` : italic === true ? `<i>${plain}</i>` : plain;
  const html = isObject(selectAction) ? linkHtml(textOf(selectAction.url), styled) : styled;
  const sized = classes.length === 0 ? html : `<span class="${classes.join(' ')}">${html}</span>`;
  return weight === 'Bolder' ? `<b>${sized}</b>` : sized;
}
