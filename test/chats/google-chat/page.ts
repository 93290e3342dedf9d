/** Renders the page of the simulated Google Chat: the threads of the space. Stores nothing. */

import { isObject, type JsonObject, objectsOf, textOf } from '../../../simulator/chat/json.ts';
import { chatPage, escapeHtml, linkHtml, timeHtml } from '../../../simulator/chat/page.ts';
import type { SpaceMessage } from './google-chat.ts';
import { widgetsOf } from './message.ts';

const STYLE = `
:root { --paper:#fff; --ink:#1f1f1f; --soft:#5f6368; --line:#dadce0; --thread:#f0f4f9; --link:#0b57d0; }
@media (prefers-color-scheme: dark) { :root { --paper:#131314; --ink:#e3e3e3; --soft:#9aa0a6; --line:#3c4043; --thread:#1e1f20; --link:#a8c7fa; } }
body { background: var(--paper); color: var(--ink); font-family: Roboto, "Helvetica Neue", system-ui, "Noto Color Emoji", sans-serif; }
header { border-bottom: 1px solid var(--line); } a { color: var(--link); } .app { font-size: 10px; padding: 1px 5px; border-radius: 4px; background: var(--line); }
section { background: var(--thread); border-radius: 16px; padding: 12px 16px; display: grid; gap: 12px; max-width: 640px; }
.card { border: 1px solid var(--line); border-radius: 8px; background: var(--paper); padding: 10px 14px; margin-top: 4px; display: grid; gap: 7px; }
small { display: block; color: var(--soft); } .mention { color: var(--link); font-weight: 500; }
.button { justify-self: start; border: 1px solid var(--line); border-radius: 16px; padding: 3px 14px; font-weight: 500; }
`;

export function pageOf(messages: readonly SpaceMessage[]): string {
  const threads = [...Map.groupBy(messages, ({ thread }) => thread).values()];
  return chatPage({
    title: 'Simulated Google Chat',
    style: STYLE,
    messages: threads.map((thread) => `<section>${thread.map(messageHtml).join('')}</section>`),
  });
}

function messageHtml({ at, message }: SpaceMessage): string {
  const text = escapeHtml(textOf(message.text)).replaceAll(/&lt;users\/(\w+)&gt;/g, '<span class="mention">@$1</span>');
  const cards = (objectsOf(message.cardsV2) ?? []).map(
    (card) => `<div class="card">${widgetsOf(card).map(widgetHtml).join('')}</div>`,
  );
  return `<article><p class="who">Tidings <span class="app">App</span> ${timeHtml(at)}</p>${text}${cards.join('')}</article>`;
}

function widgetHtml({ textParagraph, decoratedText, buttonList }: JsonObject): string {
  if (isObject(textParagraph)) return `<div>${formattedHtml(textOf(textParagraph.text))}</div>`;
  if (isObject(decoratedText))
    return `<div><small>${escapeHtml(textOf(decoratedText.topLabel))}</small>${formattedHtml(textOf(decoratedText.text))}</div>`;
  const buttons = isObject(buttonList) ? (objectsOf(buttonList.buttons) ?? []) : [];
  return buttons
    .map(({ text, onClick }) => {
      const url = isObject(onClick) && isObject(onClick.openLink) ? textOf(onClick.openLink.url) : '';
      return `<span class="button">${linkHtml(url, escapeHtml(textOf(text)))}</span>`;
    })
    .join('');
}

/** The tags that cards parse; everything else is text. */
export function formattedHtml(text: string): string {
  return text
    .split(/(<\/?(?:b|i|br)>|<font color="#[\da-f]{6}">|<\/font>|<a href="[^"<>]*">|<\/a>)/)
    .map((part, index) => (index % 2 === 0 ? escapeHtml(unescapeHtml(part)) : tagHtml(part)))
    .join('');
}

function tagHtml(tag: string): string {
  const colour = /^<font color="(#[\da-f]{6})">$/.exec(tag)?.[1];
  if (colour !== undefined) return `<span style="color:${colour}">`;
  if (tag === '</font>') return '</span>';
  return /^<a href="(?!https?:)/.test(tag) ? '<a>' : tag;
}

const unescapeHtml = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
